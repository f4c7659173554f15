// SPDX-License-Identifier: Apache-2.0
// Mini-apps in C++ whose MPI calls stand in classes of a header, for textbook.py.
#include "textbook_communicator.hpp"

#include <numeric>

namespace {

const mini::Communicator world(MPI_COMM_WORLD);

int factor() {
  int rows = 1;
  for (int i = 1; i * i <= size; i++)
    if (size % i == 0) rows = i;
  return rows;
}

} // namespace

// Life on a torus of blocks: eight neighbours, requests that wait when they go out of scope.
static void x_life(void) {
  const int rows = factor(), columns = size / rows, x = rank % columns, y = rank / columns;
  auto at = [&](int dx, int dy) {
    return (y + dy + rows) % rows * columns + (x + dx + columns) % columns;
  };
  std::vector<char> edge(40), corner(1);
  std::array<std::vector<char>, 9> ghosts;
  ghosts.fill(std::vector<char>(40));
  for (int generation = 0; generation < 25; generation++) {
    std::vector<mini::Pending> pending;
    for (int dy = -1; dy <= 1; dy++)
      for (int dx = -1; dx <= 1; dx++) {
        if (dx == 0 && dy == 0) continue;
        const auto& part = dx != 0 && dy != 0 ? corner : edge;
        const int way = 3 * (dy + 1) + dx + 1;
        pending.push_back(world.start_receive(ghosts[way], at(-dx, -dy), way));
        pending.push_back(world.start_send(part, at(dx, dy), way));
      }
    pending.clear();
    if (generation % 5 == 4) world.reduce(1L, MPI_SUM, 0);
  }
}

// Sorting by samples: splitters from rank 0, counts before the values, a check at the end.
static void x_sample_sort(void) {
  std::vector<int> samples(4), splitters(static_cast<std::size_t>(size - 1));
  world.gather(samples, 0);
  world.broadcast(splitters, 0);
  std::vector<int> counts(static_cast<std::size_t>(size));
  for (int i = 0; i < size; i++) counts[i] = 5 + (3 * rank + i) % 7;
  const auto theirs = world.swap_counts(counts);
  std::vector<double> values(static_cast<std::size_t>(12 * size));
  const auto sorted = world.deal(values, counts, theirs);
  world.scan_before(static_cast<long>(sorted.size()));
  world.all_reduce(static_cast<long>(sorted.size()));
}

// Prefix sums by doubling, each value sent to who is 1, 2, 4, ... further; then with MPI's own.
static void x_prefix(void) {
  std::vector<double> mine(8), other(8);
  for (int round = 0; round < 6; round++) {
    for (int step = 1; step < size; step *= 2) {
      auto sent = rank + step < size ? world.start_send(mine, rank + step, step)
                                     : mini::Pending(MPI_REQUEST_NULL);
      if (rank >= step) world.receive(other, rank - step, step);
    }
    world.scan_before(1.0);
  }
}

// k-means: first centres to all, sums and counts of each step, the end by how far centres moved.
static void x_means(void) {
  std::vector<double> centres(24);
  std::vector<int> counts(8);
  world.broadcast(centres, 0);
  double moved = 1;
  for (int step = 0; moved > 0; step++) {
    centres = world.all_sum(centres);
    counts = world.all_sum(counts);
    moved = world.all_reduce(step < 14 ? 1.0 : 0.0, MPI_MAX);
  }
  world.gather(counts, 0);
}

// SUMMA: panels of both factors to one's row and column.
static void x_summa(void) {
  const int rows = factor(), columns = size / rows;
  const auto row = world.split(rank / columns, rank), column = world.split(rank % columns, rank);
  std::vector<double> left(64), above(48);
  for (int panel = 0; panel < 2 * columns * rows; panel++) {
    row.broadcast(left, panel % columns);
    column.broadcast(above, panel % rows);
  }
  world.barrier();
}

// Fox: the diagonal and those behind it along the rows, the other factor up the columns.
static void x_fox(void) {
  const int rows = factor(), columns = size / rows, x = rank % columns, y = rank / columns;
  const auto row = world.split(y, x), column = world.split(x, y);
  std::vector<double> block(36), moving(36), next(36);
  for (int stage = 0; stage < columns; stage++) {
    row.broadcast(block, (y + stage) % columns);
    column.exchange(moving, (y + rows - 1) % rows, next, (y + 1) % rows);
  }
  world.reduce(1.0, MPI_SUM, 0);
}

static void keep_best(void* in, void* out, int* count, MPI_Datatype*) {
  for (int i = 0; i < *count; i++)
    if (static_cast<double*>(in)[i] > static_cast<double*>(out)[i])
      static_cast<double*>(out)[i] = static_cast<double*>(in)[i];
}

// Islands: migrants round a ring every fifth generation, the best of all by an operation of its
// own.
static void x_islands(void) {
  const mini::Reduction best(keep_best, true);
  std::vector<double> migrants(20), guests(20);
  for (int generation = 1; generation <= 40; generation++) {
    if (generation % 5 == 0)
      world.exchange(migrants, (rank + 1) % size, guests, (rank + size - 1) % size);
    if (generation % 10 == 0) world.all_reduce(1.0 * rank, best);
  }
  world.reduce(1.0 * rank, best, 0);
}

// Monte Carlo with a master: seeds to who asks, results with the question for more, a stop at last.
static void x_monte_carlo(void) {
  std::vector<long> seed(2);
  std::vector<double> result(4);
  if (rank == 0) {
    int left = 5 * (size - 1), busy = size - 1;
    while (busy > 0) {
      const auto status = world.receive(result, MPI_ANY_SOURCE, MPI_ANY_TAG);
      const bool more = left-- > 0;
      world.send(seed, status.MPI_SOURCE, more ? 1 : 2);
      busy -= !more;
    }
  } else {
    world.send(result, 0, 0);
    while (world.receive(seed, 0, MPI_ANY_TAG).MPI_TAG == 1) world.send(result, 0, 1);
  }
  world.reduce(1.0, MPI_SUM, 0);
}

// Search by levels: how many go where, then they themselves, until nobody has any.
static void x_levels(void) {
  std::vector<int> counts(static_cast<std::size_t>(size));
  std::vector<int> frontier(static_cast<std::size_t>(20 * size));
  for (int level = 0;; level++) {
    for (int i = 0; i < size; i++) counts[i] = level == 0 && rank > 0 ? 0 : 8 - level;
    const auto theirs = world.swap_counts(counts);
    world.deal(frontier, counts, theirs);
    if (world.all_reduce(8 - level - 2L) <= 0) break;
  }
  world.all_reduce(1L, MPI_MAX);
}

// Slabs whose halo travels while the inside is computed, each direction as a function object.
static void x_overlap(void) {
  std::vector<std::function<mini::Pending()>> ways;
  std::vector<double> up(30), down(30), from_up(30), from_down(30);
  if (rank > 0) {
    ways.emplace_back([&] { return world.start_receive(from_up, rank - 1); });
    ways.emplace_back([&] { return world.start_send(up, rank - 1); });
  }
  if (rank + 1 < size) {
    ways.emplace_back([&] { return world.start_receive(from_down, rank + 1); });
    ways.emplace_back([&] { return world.start_send(down, rank + 1); });
  }
  for (int step = 0; step < 36; step++) {
    std::vector<mini::Pending> pending;
    for (const auto& way : ways) pending.push_back(way());
    for (auto& one : pending) one.wait();
    if (step % 12 == 0) world.barrier();
  }
  world.all_reduce(1.0, MPI_MIN);
}

static const struct pattern patterns[] = {
    PATTERN(x_life),   PATTERN(x_sample_sort), PATTERN(x_prefix),  PATTERN(x_means),
    PATTERN(x_summa),  PATTERN(x_fox),         PATTERN(x_islands), PATTERN(x_monte_carlo),
    PATTERN(x_levels), PATTERN(x_overlap)};
RUN_ONE_OF(patterns)
