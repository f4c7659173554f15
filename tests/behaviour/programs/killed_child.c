/* SPDX-License-Identifier: Apache-2.0
 * A child that is killed before anything has told it that it is one: as with a signal in fork(). */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

int main(int argc, char** argv) {
  int status = 0;
  MPI_Init(&argc, &argv);
  MPI_Barrier(MPI_COMM_WORLD);
  const pid_t child =
      (pid_t)syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0); /* no handlers of fork() run */
  if (child == 0)
    for (;;) pause();
  kill(child, SIGTERM);
  waitpid(child, &status, 0);
  MPI_Barrier(MPI_COMM_WORLD);
  MPI_Finalize();
  printf("child: signal %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : 0);
  return 0;
}
