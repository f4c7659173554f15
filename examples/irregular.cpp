// SPDX-License-Identifier: Apache-2.0
// An irregular exchange: who talks to whom, and how much, comes from pseudo-random numbers and
// changes every round. Ranks first tell each other their counts by Alltoall, then exchange, and
// find out that messages are there in four ways in turn: Waitany, Waitsome, a loop around Testall,
// a loop around Iprobe.
//   mpirun -n 8 irregular [rounds]
#include <mpi.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

namespace {

using Message = std::vector<std::uint64_t>;

int rank, ranks;

// splitmix64: scatters any number over 64 bits.
std::uint64_t scatter(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

std::uint64_t seed(int round, int from, int to) {
  return scatter(scatter(scatter(round) + from) + to);
}

// How much one rank says to another: nothing to itself, and something to about three others.
int length_of(int round, int from, int to) {
  const std::uint64_t number = seed(round, from, to);
  return from != to && number % ranks < 3 ? 1 + number / ranks % 50 : 0;
}

Message message(int round, int from, int to) {
  Message words(length_of(round, from, to));
  for (std::size_t i = 0; i < words.size(); i++) words[i] = seed(round, from, to) + i;
  return words;
}

void check(int round, int from, const Message& came) {
  if (came == message(round, from, rank)) return;
  std::fprintf(stderr,
               "irregular: rank %d, round %d: expected %d words from %d, came %zu or others\n",
               rank, round, length_of(round, from, rank), from, came.size());
  MPI_Abort(MPI_COMM_WORLD, 1);
}

// Receives are posted; this waits for all of them, each time in another way.
void complete(int round, std::vector<MPI_Request>& requests) {
  const int count = static_cast<int>(requests.size());
  std::vector<int> indices(count);
  int done = 0, all = 0, index;
  switch (round % 4) {
  case 0:
    for (; done < count; done++) MPI_Waitany(count, requests.data(), &index, MPI_STATUS_IGNORE);
    break;
  case 1:
    for (int some = 0; done < count; done += some)
      MPI_Waitsome(count, requests.data(), &some, indices.data(), MPI_STATUSES_IGNORE);
    break;
  default:
    for (;;) {
      MPI_Testall(count, requests.data(), &all, MPI_STATUSES_IGNORE);
      if (all) break;
      std::this_thread::yield();
    }
  }
}

void receive_posted(int round, const std::vector<int>& lengths) {
  std::vector<Message> inbox(ranks);
  std::vector<MPI_Request> requests;
  for (int from = 0; from < ranks; from++) {
    if (lengths[from] == 0) continue;
    inbox[from].resize(lengths[from]);
    MPI_Irecv(inbox[from].data(), lengths[from], MPI_UINT64_T, from, round, MPI_COMM_WORLD,
              &requests.emplace_back());
  }
  complete(round, requests);
  for (int from = 0; from < ranks; from++) check(round, from, inbox[from]);
}

// Nothing is posted: look whether somebody has something, and take it.
void receive_probed(int round, const std::vector<int>& lengths) {
  int missing = 0, here, length;
  for (int words : lengths) missing += words > 0;
  while (missing > 0) {
    MPI_Status status;
    MPI_Iprobe(MPI_ANY_SOURCE, round, MPI_COMM_WORLD, &here, &status);
    if (!here) {
      std::this_thread::yield();
      continue;
    }
    MPI_Get_count(&status, MPI_UINT64_T, &length);
    Message words(length);
    MPI_Recv(words.data(), length, MPI_UINT64_T, status.MPI_SOURCE, round, MPI_COMM_WORLD,
             MPI_STATUS_IGNORE);
    check(round, status.MPI_SOURCE, words);
    missing--;
  }
}

// Returns how many messages this rank sent.
int exchange(int round) {
  std::vector<Message> outbox(ranks);
  std::vector<int> out(ranks), in(ranks);
  std::vector<MPI_Request> sends;
  for (int to = 0; to < ranks; to++) {
    outbox[to] = message(round, rank, to);
    out[to] = static_cast<int>(outbox[to].size());
  }
  MPI_Alltoall(out.data(), 1, MPI_INT, in.data(), 1, MPI_INT, MPI_COMM_WORLD);
  for (int to = 0; to < ranks; to++)
    if (out[to] > 0)
      MPI_Isend(outbox[to].data(), out[to], MPI_UINT64_T, to, round, MPI_COMM_WORLD,
                &sends.emplace_back());
  round % 4 == 3 ? receive_probed(round, in) : receive_posted(round, in);
  MPI_Waitall(static_cast<int>(sends.size()), sends.data(), MPI_STATUSES_IGNORE);
  return static_cast<int>(sends.size());
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 12;
  int sent = 0, total = 0;
  for (int round = 0; round < rounds; round++) sent += exchange(round);
  MPI_Reduce(&sent, &total, 1, MPI_INT, MPI_SUM, 0, MPI_COMM_WORLD);
  if (rank == 0)
    std::printf("irregular: ok, %d ranks, %d rounds, %d messages\n", ranks, rounds, total);
  MPI_Finalize();
  return 0;
}
