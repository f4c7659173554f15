// SPDX-License-Identifier: Apache-2.0
// How long things took, summed up: count, sum, extremes, spread and a log-linear histogram. Adding
// up two summaries loses nothing but the order.
#pragma once

#include "rondo/trace/time_course.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
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
/// The same, of a duration beyond the last bin a number that is no bin's.
inline std::size_t bin_or_beyond(std::uint64_t ns) {
  const auto highest_bit = static_cast<std::size_t>(63 ^ __builtin_clzll(ns | 4));
  const std::size_t shift = highest_bit - 2;
  return 4 * shift + (ns >> shift);
}

/// The smallest duration in a bin, in ns.
inline std::uint64_t bin_start(int bin) {
  if (bin < 4) return static_cast<std::uint64_t>(bin);
  return (std::uint64_t{4} + static_cast<std::uint64_t>(bin % 4)) << (bin / 4 - 1);
}

/// How many durations fell into each bin. Most places of programs that do not repeat are reached
/// once, and those of loops always take about as long: only the bins in between the lowest and the
/// highest in use take memory, and a single one takes none of its own.
class BinCounts {
public:
  BinCounts() = default;
  BinCounts(const BinCounts& other) { *this = other; }
  BinCounts(BinCounts&& other) noexcept { *this = std::move(other); }
  BinCounts& operator=(const BinCounts& other);
  BinCounts& operator=(BinCounts&& other) noexcept;
  ~BinCounts() = default;

  std::uint64_t operator[](std::size_t bin) const {
    const std::size_t place = bin - first_;
    return place < size_ ? data()[place] : 0;
  }
  /// Whether add() has nothing to make room for.
  bool has(std::size_t bin) const { return bin - first_ < size_; }
  /// add() to a bin that is there; false, and nothing, if it is not.
  bool add_if_known(std::size_t bin) {
    const std::size_t place = bin - first_;
    const std::size_t size = size_;
    if (place >= size) return false;
    ++(size > 1 ? counts_.get() : &single_)[place];
    return true;
  }
  /// @complexity O(1); O(bins) where a bin is the lowest or the highest for the first time
  void add(std::size_t bin, std::uint64_t count = 1) {
    const std::size_t place = bin - first_;
    if (place >= size_) return add_outside(bin, count);
    data()[place] += count;
  }
  static constexpr std::size_t size() { return kBins; }
  /// Bins that are not in [first(), end()) are empty.
  std::size_t first() const { return first_; }
  std::size_t end() const { return std::size_t{first_} + size_; }
  std::uint64_t sum() const;
  /// Memory apart from the object itself, in bytes.
  std::size_t memory() const { return size_ > 1 ? size_ * sizeof(std::uint64_t) : 0; }
  friend bool operator==(const BinCounts& a, const BinCounts& b);

private:
  const std::uint64_t* data() const { return size_ > 1 ? counts_.get() : &single_; }
  std::uint64_t* data() { return size_ > 1 ? counts_.get() : &single_; }
  void add_outside(std::size_t bin, std::uint64_t count);

  std::unique_ptr<std::uint64_t[]> counts_; // of bins first_ and on; many ranks need 64 bits
  std::uint64_t single_ = 0; // of bin first_, if that is the only one
  std::uint16_t first_ = 0;
  std::uint16_t size_ = 0;
};

struct Durations {
  std::uint64_t count =
      0; // not beside the sum, or compilers add to both at once, which takes longer
  std::uint64_t min_ns = ~std::uint64_t{0};
  std::uint64_t sum_ns = 0;
  std::uint64_t max_ns = 0;
  double sum_of_squares = 0; // ns^2
  BinCounts bins;

  void add(std::uint64_t ns) {
    add_to_all_but_bins(ns);
    bins.add(static_cast<std::size_t>(bin_of(ns)));
  }
  void add_to_all_but_bins(std::uint64_t ns) {
    ++count;
    sum_ns += ns;
    if (ns < min_ns) min_ns = ns;
    if (ns > max_ns) max_ns = ns;
    const auto value = static_cast<double>(static_cast<std::int64_t>(ns)); // signed converts faster
    sum_of_squares += value * value;
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
  /// How the computation went, of some of the class's ranks, ascending; where it varies by what
  /// matters. In a stream of one rank as the only one, under any number.
  std::vector<RankCourse> courses{};
  /// Not 0: the times were kept in one sum with those of the class's other places that have this
  /// number, and dealt out by how often each place is reached.
  std::uint32_t shared = 0;
  friend bool operator==(const PlaceTimes&, const PlaceTimes&) = default;
};

} // namespace rondo::trace
