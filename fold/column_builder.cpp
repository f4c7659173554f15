// SPDX-License-Identifier: Apache-2.0
#include "rondo/fold/column_builder.hpp"

#include "fold/polish.hpp"
#include "rondo/fold/nest_builder.hpp"

namespace rondo::fold {
namespace {

// Up to here runs are the smallest and clearest form; beyond, differences may find a rule.
constexpr std::size_t kMaxRuns = 8;
// A nest over differences must halve the sequence, or it is not worth its time.
constexpr std::uint64_t kTrialLength = 256;
constexpr std::size_t kMaxDifferences = 4096;

// Differences wrap, so that any two values have one.
std::int64_t difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

} // namespace

ColumnBuilder::ColumnBuilder() = default;
ColumnBuilder::ColumnBuilder(const ColumnBuilder& other)
    : staged_(other.staged_), has_staged_(other.has_staged_), kind_(other.kind_),
      size_(other.size_), sum_(other.sum_), runs_(other.runs_), first_(other.first_),
      previous_(other.previous_), dictionary_(other.dictionary_), symbols_(other.symbols_),
      nest_(other.nest_ ? std::make_unique<NestBuilder>(*other.nest_) : nullptr),
      values_(other.values_) {}

ColumnBuilder& ColumnBuilder::operator=(const ColumnBuilder& other) {
  return *this = ColumnBuilder(other);
}

ColumnBuilder::ColumnBuilder(ColumnBuilder&&) noexcept = default;
ColumnBuilder& ColumnBuilder::operator=(ColumnBuilder&&) noexcept = default;
ColumnBuilder::~ColumnBuilder() = default;

void ColumnBuilder::push(std::int64_t value) {
  if (has_staged_) append(staged_);
  staged_ = value;
  has_staged_ = true;
}

std::int64_t ColumnBuilder::take_back() {
  has_staged_ = false;
  return staged_;
}

void ColumnBuilder::append(std::int64_t value) {
  switch (kind_) {
  case trace::Column::Kind::kRuns:
    append_run(value);
    break;
  case trace::Column::Kind::kDifferences:
    append_difference(value);
    break;
  case trace::Column::Kind::kValues:
    values_.push_back(value);
    break;
  }
  ++size_;
  sum_ = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum_) +
                                   static_cast<std::uint64_t>(value));
}

void ColumnBuilder::append_run(std::int64_t value) {
  if (!runs_.empty() && runs_.back().value == value) {
    ++runs_.back().count;
    return;
  }
  runs_.push_back({value, 1});
  if (runs_.size() > kMaxRuns) start_differences();
}

void ColumnBuilder::append_difference(std::int64_t value) {
  const std::int64_t d = difference(value, previous_);
  previous_ = value;
  const std::uint32_t expected = nest_->expected();
  if (expected != NestBuilder::kNothing && dictionary_[expected] == d) {
    nest_->push(expected);
    return;
  }
  const auto [place, is_new] =
      symbols_.try_emplace(d, static_cast<std::uint32_t>(dictionary_.size()));
  if (is_new) dictionary_.push_back(d);
  nest_->push(place->second);
  const bool too_long = nest_->size() % kTrialLength == 0 && nest_->terms() > nest_->size() / 2;
  if (too_long || dictionary_.size() > kMaxDifferences) start_values();
}

void ColumnBuilder::start_differences() {
  kind_ = trace::Column::Kind::kDifferences;
  nest_ = std::make_unique<NestBuilder>();
  first_ = previous_ = runs_.front().value;
  const std::vector<trace::Run> runs = std::move(runs_);
  runs_ = {};
  bool is_first = true; // the first value is not a difference
  for (const trace::Run& run : runs) {
    for (std::uint64_t i = 0; i < run.count; ++i) {
      if (is_first) {
        is_first = false;
      } else if (kind_ == trace::Column::Kind::kDifferences) {
        append_difference(run.value);
      } else {
        values_.push_back(run.value);
      }
    }
  }
}

void ColumnBuilder::start_values() {
  const auto column =
      trace::Column::from_differences(first_, std::move(dictionary_), nest_->finish());
  nest_.reset();
  dictionary_ = {};
  symbols_ = {};
  kind_ = trace::Column::Kind::kValues;
  trace::ColumnReader reader(column);
  values_.reserve(2 * column.size());
  while (const auto value = reader.next()) values_.push_back(*value);
}

std::size_t ColumnBuilder::memory() const {
  constexpr std::size_t kTerm = 48; // of a nest, with what finds it
  constexpr std::size_t kDifference = 48; // in the dictionary and its index
  return sizeof *this + runs_.capacity() * sizeof(trace::Run) +
         values_.capacity() * sizeof(std::int64_t) + dictionary_.size() * kDifference +
         (nest_ ? nest_->terms() * kTerm : 0);
}

trace::Column ColumnBuilder::finish() {
  if (has_staged_) append(staged_);
  has_staged_ = false;
  switch (kind_) {
  case trace::Column::Kind::kRuns:
    return trace::Column::from_runs(std::move(runs_));
  case trace::Column::Kind::kDifferences:
    return trace::Column::from_differences(first_, std::move(dictionary_), polish(nest_->finish()),
                                           sum_);
  case trace::Column::Kind::kValues:
    break;
  }
  return trace::Column::from_values(std::move(values_));
}

} // namespace rondo::fold
