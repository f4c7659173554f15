// SPDX-License-Identifier: Apache-2.0
// C++ names, and a call whose function is inlined.
#include <mpi.h>

namespace mesh {

template <class Value> struct Grid {
  __attribute__((noinline)) void exchange(Value& value) const {
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD); // at exchange
    value += 1; // so that the call above is no jump
  }
};

__attribute__((always_inline)) inline void synchronise() {
  MPI_Barrier(MPI_COMM_WORLD); // at synchronise
}

} // namespace mesh

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int value = 7;
  mesh::Grid<int>().exchange(value);
  mesh::synchronise();
  MPI_Finalize();
  return 0;
}
