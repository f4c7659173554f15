// SPDX-License-Identifier: Apache-2.0
// Calls of a program as text: words by rank, columns by what they hold.
#pragma once

#include "rondo/trace/communicator_names.hpp"
#include "rondo/trace/program_lines.hpp"
#include "rondo/trace/trace.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <limits>
#include <set>
#include <string>
#include <vector>

namespace rondo::trace {

/// What a column holds, in short.
struct Range {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = std::numeric_limits<std::int64_t>::min();
  double sum = 0;
  std::uint64_t count = 0;
  std::vector<std::int64_t> specials; // each once
  static constexpr std::size_t kMostListed = 6;
  std::vector<std::int64_t> list; // the first values of one column, in order

  void add_special(std::int64_t value) {
    if (std::find(specials.begin(), specials.end(), value) == specials.end())
      specials.push_back(value);
  }
  void add(std::int64_t value) {
    least = std::min(least, value);
    most = std::max(most, value);
    sum += static_cast<double>(value);
    if (list.size() < kMostListed) list.push_back(value);
    ++count;
  }
  void add(const Range& other) {
    least = std::min(least, other.least);
    most = std::max(most, other.most);
    sum += other.sum;
    list = count == 0 ? other.list : std::vector<std::int64_t>(); // of several: no order
    count += other.count;
    for (const std::int64_t value : other.specials) add_special(value);
  }
  friend bool operator==(const Range&, const Range&) = default;
};

Range range_of(const Column& column);

/// "19, 19, 10" for few values of one column, else "3..17 (mean 9.2)"
std::string range_text(const Range& range);

/// "rank % 4 * 4 + rank / 4", where a formula in the rank is found that is not longer than the
/// values; else "rank[{+1 x3, -3} x4]": what stands for each rank in order, folded.
/// @param is_world   the value is about MPI_COMM_WORLD, so that `rank` means the rank there
std::string by_rank_text(const RankTable& table, const Field& field, std::int64_t index,
                         bool is_world);

/// What the words of a program refer to, be it of a class or merged.
struct Tables {
  explicit Tables(const Program& program)
      : columns(program.columns), arrays(program.arrays), texts(program.texts),
        by_rank(program.by_rank.get()) {}
  explicit Tables(const MergedProgram& program)
      : columns(program.columns), arrays(program.arrays), texts(program.texts),
        by_rank(&program.table) {}

  const std::vector<Column>& columns;
  const std::vector<std::vector<std::int64_t>>& arrays;
  const std::vector<std::string>& texts;
  const RankTable* by_rank;

  const Column& column(std::int64_t index) const {
    return columns[static_cast<std::size_t>(index)];
  }
  /// Of the columns that a function chooses from.
  Range range_of_choice(std::int64_t function) const {
    Range all;
    std::vector<bool> is_seen(columns.size(), false);
    by_rank->functions[static_cast<std::size_t>(function)].encoded.front().values.for_each_value(
        [&](std::int64_t index) {
          if (is_seen[static_cast<std::size_t>(index)]) return;
          is_seen[static_cast<std::size_t>(index)] = true;
          all.add(range_of(column(index)));
        });
    return all;
  }
};

/// The values of a word's column where the call stands; nullptr: all of the column.
using ValuesHere = std::function<const std::set<std::int64_t>*(std::size_t word)>;

/// @param comms   names of the communicators; nullptr looks them up
/// @param here    empty: a call may come anywhere, with any of its values
CallWords words_of(const Trace& trace, const Tables& tables, const Call& call,
                   const CommunicatorNames* comms = nullptr, const ValuesHere& here = nullptr);

} // namespace rondo::trace
