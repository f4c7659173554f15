// SPDX-License-Identifier: Apache-2.0
// Measures what rondo simulate --calibrate fits its model to: rounds, trains and delayed trains of
// messages between ranks 0 and 1 [hoefler2007], and from which size on sends wait for their
// receiver. Rank 0 writes a line for each measurement to the file it is given:
//
//   round 1 0 BYTES SECONDS       one message there, one back
//   train N 0 BYTES SECONDS       N messages there, one back
//   delayed N DELAY BYTES SECONDS the same with so many seconds of work before all but the first
//   eager BYTES                   the most bytes of a send that does not wait; -1: all do not
//
// Seconds are the least of many: what else the machine does only adds to them.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <limits>
#include <mpi.h>
#include <vector>

namespace {

constexpr int kTag = 11;
constexpr std::size_t kMostBytes = std::size_t{1} << 20;
constexpr std::size_t kMostTrainBytes = std::size_t{1} << 16;
constexpr int kTrain = 16; // messages
constexpr double kSecondsEach = 0.1; // for one measurement
constexpr int kLeastTimes = 8;
constexpr int kMostTimes = 400;
constexpr double kLate_s = 5e-3; // of a receiver
constexpr int kLateTimes = 3;

int rank_ = 0;
std::vector<char> buffer_(kMostBytes);

void work(double seconds) {
  const double end = MPI_Wtime() + seconds;
  while (MPI_Wtime() < end) {
  }
}

void send(std::size_t bytes) {
  MPI_Send(buffer_.data(), static_cast<int>(bytes), MPI_BYTE, 1 - rank_, kTag, MPI_COMM_WORLD);
}
void receive(std::size_t bytes) {
  MPI_Recv(buffer_.data(), static_cast<int>(bytes), MPI_BYTE, 1 - rank_, kTag, MPI_COMM_WORLD,
           MPI_STATUS_IGNORE);
}

// Seconds on rank 0.
double once(int messages, double delay_s, std::size_t bytes) {
  const double start = MPI_Wtime();
  for (int i = 0; i < messages; ++i) {
    if (rank_ == 1) {
      receive(bytes);
      continue;
    }
    if (i > 0 && delay_s > 0) work(delay_s);
    send(bytes);
  }
  if (rank_ == 0)
    receive(bytes);
  else
    send(bytes);
  return MPI_Wtime() - start;
}

// The least of as many times as fit into the time there is; both ranks make as many.
double least(int messages, double delay_s, std::size_t bytes) {
  once(messages, delay_s, bytes);
  double guess = std::max(once(messages, delay_s, bytes), 1e-9);
  MPI_Bcast(&guess, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  const double fits = std::min(kSecondsEach / guess, static_cast<double>(kMostTimes));
  const int times = std::max(kLeastTimes, static_cast<int>(fits));
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < times; ++i) best = std::min(best, once(messages, delay_s, bytes));
  return best;
}

// Whether a send comes back though its receiver is late.
bool is_eager(std::size_t bytes) {
  double best = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kLateTimes; ++i) {
    char nothing = 0; // both begin together, as far as two can
    MPI_Sendrecv(&nothing, 0, MPI_BYTE, 1 - rank_, kTag, &nothing, 0, MPI_BYTE, 1 - rank_, kTag,
                 MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    const double start = MPI_Wtime();
    if (rank_ == 0) {
      send(bytes);
      best = std::min(best, MPI_Wtime() - start);
    } else {
      work(kLate_s);
      receive(bytes);
    }
  }
  MPI_Bcast(&best, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  return best < kLate_s / 2;
}

long eager_bytes() {
  std::size_t low = 0;
  std::size_t high = 1;
  while (high <= kMostBytes && is_eager(high)) {
    low = high;
    high *= 2;
  }
  if (high > kMostBytes) return -1;
  while (high - low > std::max<std::size_t>(low / 64, 1)) {
    const std::size_t middle = low + (high - low) / 2;
    (is_eager(middle) ? low : high) = middle;
  }
  return static_cast<long>(low);
}

void measure(std::FILE* out) {
  const auto say = [out](const char* what, int messages, double delay_s, std::size_t bytes,
                         double seconds) {
    if (rank_ == 0)
      std::fprintf(out, "%s %d %.9g %zu %.9g\n", what, messages, delay_s, bytes, seconds);
  };
  const long eager = eager_bytes();
  if (rank_ == 0) std::fprintf(out, "eager %ld\n", eager);
  double round_s = 0;
  for (std::size_t bytes = 1; bytes <= kMostBytes; bytes *= 2) {
    const double seconds = least(1, 0, bytes);
    if (bytes == 1) round_s = seconds;
    say("round", 1, 0, bytes, seconds);
    if (bytes > kMostTrainBytes || (eager >= 0 && bytes > static_cast<std::size_t>(eager)))
      continue;
    say("train", kTrain, 0, bytes, least(kTrain, 0, bytes));
  }
  // A delay that is longer than a message takes lets the network be idle whenever one is sent.
  MPI_Bcast(&round_s, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
  const double delay_s = std::max(2 * round_s, 1e-6);
  for (std::size_t bytes = 1; bytes <= 256; bytes *= 4) {
    if (eager < 0 || bytes <= static_cast<std::size_t>(eager))
      say("delayed", kTrain, delay_s, bytes, least(kTrain, delay_s, bytes));
  }
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int ranks = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank_);
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  std::FILE* out = nullptr;
  int can = ranks == 2 && argc == 2 ? 1 : 0;
  if (can == 1 && rank_ == 0) {
    out = std::fopen(argv[1], "w");
    if (out == nullptr) std::perror(argv[1]);
    can = out != nullptr ? 1 : 0;
  } else if (rank_ == 0 && argc != 2) {
    std::fprintf(stderr, "usage: mpirun -n 2 %s FILE\n", argv[0]);
  } else if (can == 0 && rank_ == 0) {
    std::fprintf(stderr, "rondo: a network is measured between 2 ranks; these are %d\n", ranks);
  }
  MPI_Bcast(&can, 1, MPI_INT, 0, MPI_COMM_WORLD);
  if (can == 1) measure(out);
  if (out != nullptr && std::fclose(out) != 0) can = 0;
  MPI_Finalize();
  return can == 1 ? 0 : 2;
}
