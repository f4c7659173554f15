// SPDX-License-Identifier: Apache-2.0
// Collects a column value by value in little memory: runs of equal values first; once these are
// many, a loop nest over differences. Stretches that do not fold are kept as they are, without
// trying at every value; from time to time a trial finds out whether there is a rule again. The
// last value can be taken back once, which folding needs to reopen a loop.
#pragma once

#include "rondo/trace/column.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

namespace rondo::fold {

class NestBuilder;

/// Whether what was folded while it came is made as small as it can be. That takes long where there
/// is no rule, and is for nothing where the column is only read again.
enum class Polishing : std::uint8_t { kAll, kNone };

class ColumnBuilder {
public:
  ColumnBuilder();
  ColumnBuilder(const ColumnBuilder& other);
  ColumnBuilder(ColumnBuilder&&) noexcept;
  ColumnBuilder& operator=(const ColumnBuilder& other);
  ColumnBuilder& operator=(ColumnBuilder&&) noexcept;
  ~ColumnBuilder();

  /// Appends a value. @complexity O(1) amortised; about 5 ns in regular sequences
  void push(std::int64_t value);

  /// Takes back the value pushed last. At most one in a row, and not from an empty column.
  std::int64_t take_back();

  /// The value pushed last; 0 for an empty column.
  std::int64_t last() const { return staged_; }
  /// Memory in use, estimated, in bytes.
  std::size_t memory() const;
  bool empty() const { return !has_staged_ && size_ == 0; }

  trace::Column finish(Polishing polishing = Polishing::kAll);

private:
  friend class ColumnPeriod;
  enum class Mode : std::uint8_t { kRuns, kDifferences, kValues };
  struct Trial; // folds a few values of a stretch without a rule
  struct Stretch { // values_[begin, end) stand for a symbol of the nest
    std::uint32_t symbol = 0;
    std::size_t begin = 0;
    std::int64_t before = 0; // the value before the first
  };

  void append(std::int64_t value); // past the staging place
  void add(std::int64_t value); // as the mode says
  void append_run(std::int64_t value);
  void append_difference(std::int64_t value);
  void append_value(std::int64_t value);
  void start_differences();
  bool is_in_vain();
  void start_values();
  void end_trial();
  trace::Column finish_differences(Polishing polishing);
  std::vector<std::int64_t> finish_values();

  std::int64_t staged_ = 0; // the last value, not yet in the sequence
  bool has_staged_ = false;
  Mode mode_ = Mode::kRuns;
  std::uint64_t size_ = 0; // values appended
  std::int64_t sum_ = 0; // of them, modulo 2^64
  std::vector<trace::Run> runs_;
  std::int64_t first_ = 0;
  std::int64_t previous_ = 0;
  std::vector<std::int64_t> dictionary_;
  std::unordered_map<std::int64_t, std::uint32_t> symbols_;
  std::unique_ptr<NestBuilder> nest_;
  std::uint64_t surprises_ = 0; // differences that it did not expect
  std::size_t terms_before_ = 0; // of the nest when it was last looked at whether it folds
  std::uint64_t next_look_ = 0; // size of the nest
  std::vector<std::int64_t> values_; // of all stretches without a rule
  std::vector<Stretch> stretches_;
  std::unique_ptr<Trial> trial_;
  std::size_t trial_at_ = 0; // size of values_ at which the next trial begins
  std::size_t pause_ = 0; // between trials
};

} // namespace rondo::fold
