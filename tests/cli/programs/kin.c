// SPDX-License-Identifier: Apache-2.0
// Every rank starts two processes at once with the others, the first of which starts one more; 1000
// B to each. Each says what time it is when it has them.
#include <mpi.h>
#include <stdio.h>
#include <string.h>

static char word[1000];

static void start(char* program, char* name, int processes) {
  MPI_Comm children;
  char* words[] = {name, NULL};
  MPI_Comm_spawn(program, words, processes, MPI_INFO_NULL, 0, MPI_COMM_SELF, &children,
                 MPI_ERRCODES_IGNORE);
  for (int i = 0; i < processes; ++i) MPI_Send(word, sizeof word, MPI_CHAR, i, 0, children);
  MPI_Comm_disconnect(&children);
}

int main(int argc, char** argv) {
  MPI_Comm parent;
  int rank;
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_get_parent(&parent);
  if (parent == MPI_COMM_NULL) {
    start(argv[0], "child", 2);
  } else {
    MPI_Recv(word, sizeof word, MPI_CHAR, 0, 0, parent, MPI_STATUS_IGNORE);
    fprintf(stderr, "%s at %.9f\n", argv[1], MPI_Wtime());
    if (rank == 0 && strcmp(argv[1], "child") == 0) start(argv[0], "grandchild", 1);
    MPI_Comm_disconnect(&parent);
  }
  return MPI_Finalize();
}
