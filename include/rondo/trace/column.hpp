// SPDX-License-Identifier: Apache-2.0
// A column is a sequence of integers in the order in which a program produced them: the trip counts
// of one loop, or the values of one call argument that varies. Regular sequences take constant
// space: equal values are a run, and anything affine or periodic in the loops around it is a loop
// nest over differences.
//
//   for (ColumnReader r(column); auto value = r.next();) use(*value);
//
// Invariant: reading yields exactly size() values. Columns are immutable and shared freely between
// threads.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace rondo::trace {

class Nest;
class NestReader;

/// Any two values have a sum, even those of a file made up to hurt.
inline std::int64_t wrapping_sum(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) + static_cast<std::uint64_t>(b));
}

/// `count` equal values.
struct Run {
  std::int64_t value = 0;
  std::uint64_t count = 0;
  friend bool operator==(const Run&, const Run&) = default;
};

class Column {
public:
  enum class Kind : std::uint8_t {
    kRuns, // runs of equal values
    kDifferences, // a first value, then a loop nest over the differences to the value before
    kValues, // as they came: no regularity worth keeping
  };

  Column();
  static Column from_runs(std::vector<Run> runs);
  /// @param first        the first value
  /// @param dictionary   symbol of `nest` -> difference
  /// @param nest         expands to size - 1 symbols
  /// @param sum          of all values if it is known; sum() goes through the column if not
  static Column from_differences(std::int64_t first, std::vector<std::int64_t> dictionary,
                                 Nest nest, std::optional<std::int64_t> sum = std::nullopt);
  static Column from_values(std::vector<std::int64_t> values);

  Column(const Column&);
  Column(Column&&) noexcept;
  Column& operator=(const Column&);
  Column& operator=(Column&&) noexcept;
  ~Column();

  Kind kind() const { return kind_; }
  std::uint64_t size() const { return size_; }
  const std::vector<Run>& runs() const { return runs_; }
  std::int64_t first() const { return first_; }
  const std::vector<std::int64_t>& dictionary() const { return dictionary_; }
  const Nest* nest() const { return nest_.get(); }
  const std::vector<std::int64_t>& values() const { return values_; }

  /// The one value of the column if all are equal; nothing for an empty column.
  std::optional<std::int64_t> constant() const;

  /// Sum of all values, or the nearest number there is.
  /// @complexity O(runs) or O(values); O(1) for differences that know it (all trip counts do), else
  /// O(size)
  std::int64_t sum() const;

  /// True if a run or value is negative. Differences are not looked at: readers take negative
  /// counts as 0.
  bool has_negative() const;

  friend bool operator==(const Column& a, const Column& b);

private:
  Kind kind_ = Kind::kRuns;
  std::uint64_t size_ = 0;
  std::vector<Run> runs_;
  std::int64_t first_ = 0;
  std::vector<std::int64_t> dictionary_;
  std::unique_ptr<Nest> nest_;
  std::optional<std::int64_t> sum_; // of differences
  std::vector<std::int64_t> values_;
};

/// Reads the values of a column in order, in constant memory for its depth. The column must outlive
/// it.
class ColumnReader {
public:
  explicit ColumnReader(const Column& column);
  ColumnReader(const ColumnReader&); // goes on from where the other is
  ColumnReader(ColumnReader&&) noexcept;
  ~ColumnReader();

  /// The next value, or nothing after the last.
  std::optional<std::int64_t> next();
  /// As many of the next values as `out` has room for; fewer at the end only.
  /// @return how many
  std::size_t read(std::span<std::int64_t> out);
  /// How many values have been read.
  std::uint64_t taken() const { return taken_; }
  /// Reads so many values, as far as there are.
  /// @param period   after so many of them the same come again, if it is not 0
  /// @complexity O(runs), O(1) for values as they came; for differences O(count), or a few periods
  /// where these are passes of a loop
  void skip(std::uint64_t count, std::uint64_t period = 0);
  /// How many of the next values are alike, as far as that is known at once.
  std::uint64_t equal_ahead() const;
  /// The same of those that are also like the last `count` ones.
  std::uint64_t equal_beyond(std::uint64_t count) const {
    return in_run_ >= count ? equal_ahead() : 0;
  }

  /// How often in a row the next values come, `period` of them at a time, up to `most`.
  /// @complexity O(1) for values alike and for none, else O(values), of passes of a loop a few
  std::uint64_t repeats(std::uint64_t period, std::uint64_t most) const;

  /// Where it is among differences, to see whether what comes next is what was read since: nullptr
  /// for columns of other kinds.
  struct Place;
  std::shared_ptr<const Place> place() const;
  /// Leaves out the values that were read since then as often as they come again, as far as that is
  /// known at once, up to `most` times. @return how often
  std::uint64_t leave_out_again(const Place& before, std::uint64_t most);

private:
  std::size_t read_runs(std::span<std::int64_t> out);
  std::size_t read_differences(std::span<std::int64_t> out);

  const Column* column_;
  std::uint64_t position_ = 0;
  std::uint64_t in_run_ = 0;
  std::uint64_t taken_ = 0;
  std::int64_t value_ = 0;
  std::unique_ptr<NestReader> differences_;
};

} // namespace rondo::trace
