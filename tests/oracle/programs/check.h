// SPDX-License-Identifier: Apache-2.0
// What the test programs share: they check their own results and say how many they checked. With
// LARGE_COUNTS the same source calls MPI_Name_c for every MPI_Name that counts something.
#pragma once
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef LARGE_COUNTS
#define SIZED(Name) Name##_c
typedef MPI_Count Count;
typedef MPI_Aint Displacement;
typedef MPI_Count TypeDisplacement;
#else
#define SIZED(Name) Name
typedef int Count;
typedef int Displacement;
typedef MPI_Aint TypeDisplacement;
#endif

static int rank, ranks, next, previous, checks, wrong;

#define CHECK(condition)                                                                           \
  ((void)(++checks, (condition) || (++wrong, fprintf(stderr, "%s:%d: rank %d: not so: %s\n",       \
                                                     __FILE__, __LINE__, rank, #condition))))

static void begin(int* argc, char*** argv) {
  MPI_Init(argc, argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  next = (rank + 1) % ranks;
  previous = (rank + ranks - 1) % ranks;
}

/// The exit status of the program.
static int end(const char* name) {
  int all[2] = {checks, wrong};
  MPI_Allreduce(MPI_IN_PLACE, all, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf("%s: %d checks, %d wrong\n", name, all[0], all[1]);
  MPI_Finalize();
  return all[1] != 0;
}
