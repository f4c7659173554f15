// SPDX-License-Identifier: Apache-2.0
// Nodes of four ranks: pairs within a node, members report to the leader of their node and hear
// from it, and leaders pass on what they have in a ring.
//   mpirun -n 12 nodes [steps]
#include <mpi.h>
#include <stdlib.h>

enum { kPerNode = 4, kPair = 1, kReport, kRing, kAnswer };

static int rank, ranks;
static double out[64], in[64];

static void lead(int last) {
  const int nodes = (ranks + kPerNode - 1) / kPerNode, node = rank / kPerNode;
  const int next = (node + 1) % nodes * kPerNode, previous = (node + nodes - 1) % nodes * kPerNode;
  for (int member = rank + 1; member < last; member++)
    MPI_Recv(in, 8, MPI_DOUBLE, member, kReport, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  MPI_Sendrecv(out, 16, MPI_DOUBLE, next, kRing, in, 16, MPI_DOUBLE, previous, kRing,
               MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  for (int member = rank + 1; member < last; member++)
    MPI_Send(out, 8, MPI_DOUBLE, member, kAnswer, MPI_COMM_WORLD);
}

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int steps = argc > 1 ? atoi(argv[1]) : 30;
  const int leader = rank / kPerNode * kPerNode, partner = rank ^ 1;
  const int last = leader + kPerNode < ranks ? leader + kPerNode : ranks;
  for (int step = 0; step < steps; step++) {
    if (partner < ranks)
      MPI_Sendrecv(out, 64, MPI_DOUBLE, partner, kPair, in, 64, MPI_DOUBLE, partner, kPair,
                   MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == leader) {
      lead(last);
    } else {
      MPI_Send(out, 8, MPI_DOUBLE, leader, kReport, MPI_COMM_WORLD);
      MPI_Recv(in, 8, MPI_DOUBLE, leader, kAnswer, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
  }
  MPI_Finalize();
  return 0;
}
