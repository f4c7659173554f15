// SPDX-License-Identifier: Apache-2.0
// Patterns in C++ with templates over MPI, as students' codes have them, for textbook.py. Each call
// of the templates in `mini` is one MPI call of the source.
#include "textbook_driver.h"

#include <type_traits>
#include <vector>

namespace mini {

template <class T> MPI_Datatype type_of() {
  if constexpr (std::is_same_v<T, double>) return MPI_DOUBLE;
  if constexpr (std::is_same_v<T, int>) return MPI_INT;
  return MPI_CHAR;
}

template <class T> void send(const std::vector<T>& values, int to, int tag) {
  MPI_Send(values.data(), static_cast<int>(values.size()), type_of<T>(), to, tag, W);
}

template <class T> void receive(std::vector<T>& values, int from, int tag) {
  MPI_Recv(values.data(), static_cast<int>(values.size()), type_of<T>(), from, tag, W,
           MPI_STATUS_IGNORE);
}

template <class T> T sum(T value) {
  T all;
  MPI_Allreduce(&value, &all, 1, type_of<T>(), MPI_SUM, W);
  return all;
}

} // namespace mini

// Heat in a rod: neighbours by parity, so that nobody waits for himself; printed every 20th step.
static void t_rod(void) {
  std::vector<double> row(24);
  std::vector<double> all(24 * static_cast<std::size_t>(size));
  for (int step = 0; step < 100; step++) {
    if (rank % 2 == 0) {
      if (rank + 1 < size) mini::send(row, rank + 1, 1);
      if (rank + 1 < size) mini::receive(row, rank + 1, 2);
      if (rank > 0) mini::send(row, rank - 1, 1);
      if (rank > 0) mini::receive(row, rank - 1, 2);
    } else {
      mini::receive(row, rank - 1, 1);
      mini::send(row, rank - 1, 2);
      if (rank + 1 < size) mini::receive(row, rank + 1, 1);
      if (rank + 1 < size) mini::send(row, rank + 1, 2);
    }
    if (step % 20 == 0) MPI_Gather(row.data(), 24, MPI_DOUBLE, all.data(), 24, MPI_DOUBLE, 0, W);
    mini::sum(1.0);
  }
}

// Counts and then values of different types, from everybody to rank 0, which deals orders out.
static void t_orders(void) {
  std::vector<int> orders(5);
  std::vector<double> results(30);
  for (int round = 0; round < 7; round++) {
    if (rank == 0) {
      for (int to = 1; to < size; to++) mini::send(orders, to, 3);
      for (int from = 1; from < size; from++) mini::receive(results, from, 4);
    } else {
      mini::receive(orders, 0, 3);
      mini::send(results, 0, 4);
    }
    mini::sum(round);
  }
}

// Strings of different length passed round a ring, their length first.
static void t_strings(void) {
  std::vector<int> length(1);
  std::vector<char> text(64);
  for (int hop = 0; hop < size; hop++) {
    if (rank % 2 == 0) {
      mini::send(length, (rank + 1) % size, 5);
      mini::send(text, (rank + 1) % size, 6);
      mini::receive(length, (rank + size - 1) % size, 5);
      mini::receive(text, (rank + size - 1) % size, 6);
    } else {
      mini::receive(length, rank - 1, 5);
      mini::receive(text, rank - 1, 6);
      mini::send(length, (rank + 1) % size, 5);
      mini::send(text, (rank + 1) % size, 6);
    }
  }
}

static const struct pattern patterns[] = {PATTERN(t_rod), PATTERN(t_orders), PATTERN(t_strings)};
RUN_ONE_OF(patterns)
