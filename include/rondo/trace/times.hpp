// SPDX-License-Identifier: Apache-2.0
// How long things took, summed up: count, sum, extremes, spread and a log-linear histogram. Adding
// up two summaries loses nothing but the order.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

namespace rondo::trace {

/// Bins of a histogram: four to an octave, so that a bin is at most 25 % wide; bin 0 holds 0 ns.
constexpr int kBins = 4 * 48;

/// The bin of a duration: its three highest bits, and how many follow. @complexity O(1), about 1 ns
inline int bin_of(std::uint64_t ns) {
  const int shift = 61 - __builtin_clzll(ns | 4);
  const int bin = 4 * shift + static_cast<int>(ns >> shift);
  return bin < kBins ? bin : kBins - 1;
}

/// The smallest duration in a bin, in ns.
inline std::uint64_t bin_start(int bin) {
  if (bin < 4) return static_cast<std::uint64_t>(bin);
  return (std::uint64_t{4} + static_cast<std::uint64_t>(bin % 4)) << (bin / 4 - 1);
}

struct Durations {
  std::uint64_t count = 0;
  std::uint64_t sum_ns = 0;
  std::uint64_t min_ns = ~std::uint64_t{0};
  std::uint64_t max_ns = 0;
  double sum_of_squares = 0; // ns^2
  std::array<std::uint64_t, kBins> bins{}; // many ranks add up to more than 32 bits

  void add(std::uint64_t ns) {
    ++count;
    sum_ns += ns;
    if (ns < min_ns) min_ns = ns;
    if (ns > max_ns) max_ns = ns;
    const auto value = static_cast<double>(static_cast<std::int64_t>(ns)); // signed converts faster
    sum_of_squares += value * value;
    ++bins[static_cast<std::size_t>(bin_of(ns))];
  }
  void add(const Durations& other);

  double mean_ns() const {
    return count == 0 ? 0 : static_cast<double>(sum_ns) / static_cast<double>(count);
  }
  double deviation_ns() const;
  friend bool operator==(const Durations&, const Durations&) = default;
};

/// A mean duration in steps of a sixteenth of an octave (4.4 %, so at most 2.2 % off); 0 if there
/// was none.
std::uint16_t mean_code(const Durations& times);
double mean_of_code_ns(std::uint16_t code);

/// One rank's means at a place, for imbalance between ranks.
struct RankMeans {
  std::uint16_t computation = 0; // mean_code()
  std::uint16_t inside = 0;
  friend bool operator==(const RankMeans&, const RankMeans&) = default;
};

/// Times of one place of a program: a call, told apart by the call before it. So the first, the
/// steady and the last pass of a loop are different places.
struct PlaceTimes {
  static constexpr std::uint32_t kStart = 0xffffffff; // before the first call
  static constexpr std::uint32_t kOther = 0xfffffffe; // any call that has no place of its own
  std::uint32_t before = kStart; // symbol of the call before
  std::uint32_t call = 0; // symbol
  Durations computation; // from the end of the call before to the start of this one
  Durations inside; // from start to end
  std::vector<RankMeans> means; // of the class's ranks, ascending; empty in a stream of one rank
  /// Not 0: the times were kept in one sum with those of the class's other places that have this
  /// number, and dealt out by how often each place is reached.
  std::uint32_t shared = 0;
  friend bool operator==(const PlaceTimes&, const PlaceTimes&) = default;
};

} // namespace rondo::trace
