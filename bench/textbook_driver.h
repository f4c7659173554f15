// SPDX-License-Identifier: Apache-2.0
// What the textbook patterns in C share: a few numbers and arrays, and a main that runs one by
// name.
#pragma once

#include <mpi.h>
#include <stdlib.h>
#include <string.h>

#define W MPI_COMM_WORLD

static int rank, size;
static double a[1 << 16], b[1 << 16], c[1 << 16];

struct pattern {
  const char* name;
  void (*run)(void);
};

#define PATTERN(name)                                                                              \
  { #name, name }
#define RUN_ONE_OF(patterns)                                                                       \
  int main(int argc, char** argv) {                                                                \
    MPI_Init(&argc, &argv);                                                                        \
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);                                                          \
    MPI_Comm_size(MPI_COMM_WORLD, &size);                                                          \
    for (unsigned i = 0; argc > 1 && i < sizeof patterns / sizeof *patterns; i++)                  \
      if (!strcmp(argv[1], patterns[i].name)) patterns[i].run();                                   \
    MPI_Finalize();                                                                                \
    return 0;                                                                                      \
  }
