/* SPDX-License-Identifier: Apache-2.0
 * Forks while MPI is up: a child that ends by exit(), one that starts a program, one that is
 * killed. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static int child(int kind) {
  const pid_t process = fork();
  if (process == 0) {
    if (kind == 0) exit(7);
    if (kind == 1) execl("/bin/sh", "sh", "-c", "exit 8", (char*)NULL);
    raise(SIGTERM);
    _exit(99);
  }
  int status = 0;
  waitpid(process, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

int main(int argc, char** argv) {
  int rank = 0;
  int sum = 0;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  for (int kind = 0; kind < 3; ++kind) {
    int status = child(kind);
    MPI_Allreduce(&status, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) printf("child %d: %d, all: %d\n", kind, status, sum);
  }
  MPI_Finalize();
  return 0;
}
