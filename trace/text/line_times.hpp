// SPDX-License-Identifier: Apache-2.0
// The times of each line of a printed program. Times are kept by pairs of calls; a body that stands
// in several lines, or a place that was dealt out when ranks were merged, has lines that share one
// sum: these say so. Where the times of every call were kept, each line has its own.
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

namespace rondo::trace {

struct LineTimes {
  double calls = 0; // that the sums are of; 0: nothing was kept
  double computation_ns = 0;
  double inside_ns = 0;
  double slowest_ns = 0; // mean computation of the rank that computes longest at one place
  std::int64_t slowest_rank = 0;
  double slowest_share = 0; // of that over the mean of all ranks there
  std::vector<std::uint32_t> together; // groups of lines that share times
};

class LinesOfProgram {
public:
  explicit LinesOfProgram(const MergedProgram& program);
  explicit LinesOfProgram(const Program& program);

  /// Adds what a class did.
  /// @param calls   the program's call for each symbol of the class; empty: the same numbers
  /// @param ranks   those whose times are wanted: one of the class's, or all
  /// @complexity    O(lines of the class, loops twice), or O(calls) if the times of all were kept
  void add(const Trace& trace, const RankClass& c, std::optional<std::int64_t> rank);

  /// Lines in the order in which they are printed, loops too.
  const LineTimes& times(std::size_t line) const { return times_[line]; }
  /// Other lines that have times in one sum with this one, ascending.
  std::vector<std::uint32_t> together_with(std::uint32_t line) const;

private:
  struct Line {
    Term term;
    std::vector<std::uint32_t> body; // of a loop
  };
  struct Walk; // of one class
  using Body = std::function<const std::vector<Term>&(std::uint32_t loop)>;

  std::vector<std::uint32_t> lines_of(const std::vector<Term>& terms, const Body& body);
  void reach(Walk& walk, const std::vector<std::uint32_t>& lines, double times) const;
  bool add_exact(const Trace& trace, const RankClass& c, Walk& walk,
                 const std::vector<std::int64_t>& ranks);
  void add_places(const RankClass& c, const Walk& walk);
  void share_out(const PlaceTimes& place, const Walk& walk, const std::vector<std::int64_t>& ranks,
                 std::vector<std::uint32_t>& reached);

  const MergedProgram* merged_ = nullptr;
  std::vector<Line> lines_;
  std::vector<std::uint32_t> top_;
  std::vector<LineTimes> times_; // by line
  std::vector<std::vector<std::uint32_t>> groups_; // of lines that share times
};

} // namespace rondo::trace
