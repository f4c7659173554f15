// SPDX-License-Identifier: Apache-2.0
// MPI is up before main begins and until after it ends: a static object holds it.
#include <cstdio>
#include <mpi.h>
#include <vector>

namespace {

struct Session {
  Session() { MPI_Init(nullptr, nullptr); }
  ~Session() {
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Finalize();
  }
};

Session session;

struct Tally { // made after the session, so gone before it
  ~Tally() {
    int rank = 0;
    int sum = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Reduce(&rank, &sum, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) std::printf("sum %d\n", sum);
  }
};

Tally tally;

} // namespace

int main() {
  std::vector<int> ranks(64, -1);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Gather(&rank, 1, MPI_INT, ranks.data(), 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (rank == 0) std::printf("last %d\n", ranks[1] < 0 ? 0 : ranks[1]);
  return 3;
}
