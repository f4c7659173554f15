// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/column.hpp"

#include "rondo/trace/nest.hpp"

#include <algorithm>
#include <limits>

namespace rondo::trace {
namespace {

__extension__ using Wide = __int128;

std::int64_t nearest(Wide sum) {
  constexpr Wide kLow = std::numeric_limits<std::int64_t>::min();
  constexpr Wide kHigh = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::clamp(sum, kLow, kHigh));
}

} // namespace

Column::Column() = default;
Column::Column(Column&&) noexcept = default;
Column& Column::operator=(Column&&) noexcept = default;
Column::~Column() = default;

Column::Column(const Column& other)
    : kind_(other.kind_), size_(other.size_), runs_(other.runs_), first_(other.first_),
      dictionary_(other.dictionary_),
      nest_(other.nest_ ? std::make_unique<Nest>(*other.nest_) : nullptr), sum_(other.sum_),
      values_(other.values_) {}

Column& Column::operator=(const Column& other) {
  Column copy(other);
  *this = std::move(copy);
  return *this;
}

Column Column::from_runs(std::vector<Run> runs) {
  Column column;
  std::erase_if(runs, [](const Run& run) { return run.count == 0; });
  for (const Run& run : runs) column.size_ = saturating_add(column.size_, run.count);
  column.runs_ = std::move(runs);
  return column;
}

Column Column::from_differences(std::int64_t first, std::vector<std::int64_t> dictionary, Nest nest,
                                std::optional<std::int64_t> sum) {
  Column column;
  column.kind_ = Kind::kDifferences;
  column.first_ = first;
  column.size_ = 1;
  for (std::uint64_t n : nest.occurrences(dictionary.size()))
    column.size_ = saturating_add(column.size_, n);
  column.dictionary_ = std::move(dictionary);
  column.nest_ = std::make_unique<Nest>(std::move(nest));
  column.sum_ = sum;
  return column;
}

Column Column::from_values(std::vector<std::int64_t> values) {
  Column column;
  column.kind_ = Kind::kValues;
  column.size_ = values.size();
  column.values_ = std::move(values);
  return column;
}

std::optional<std::int64_t> Column::constant() const {
  if (kind_ != Kind::kRuns || runs_.size() != 1) return std::nullopt;
  return runs_.front().value;
}

std::int64_t Column::sum() const {
  if (sum_) return *sum_;
  Wide sum = 0; // cannot overflow: at most 2^62 values
  if (kind_ == Kind::kRuns) {
    if (size_ > kMaxLength) return std::numeric_limits<std::int64_t>::max();
    for (const Run& run : runs_) sum += static_cast<Wide>(run.value) * static_cast<Wide>(run.count);
    return nearest(sum);
  }
  ColumnReader reader(*this);
  while (auto value = reader.next()) sum += *value;
  return nearest(sum);
}

bool Column::has_negative() const {
  return std::any_of(runs_.begin(), runs_.end(), [](const Run& run) { return run.value < 0; }) ||
         std::any_of(values_.begin(), values_.end(), [](std::int64_t value) { return value < 0; });
}

bool operator==(const Column& a, const Column& b) {
  const bool nests_equal = a.nest_ && b.nest_ ? *a.nest_ == *b.nest_ : !a.nest_ && !b.nest_;
  return nests_equal && a.kind_ == b.kind_ && a.size_ == b.size_ && a.runs_ == b.runs_ &&
         a.first_ == b.first_ && a.dictionary_ == b.dictionary_ && a.values_ == b.values_;
}

ColumnReader::ColumnReader(const Column& column) : column_(&column) {}
ColumnReader::ColumnReader(ColumnReader&&) noexcept = default;
ColumnReader::~ColumnReader() = default;

std::optional<std::int64_t> ColumnReader::next() {
  switch (column_->kind()) {
  case Column::Kind::kRuns: {
    const auto& runs = column_->runs();
    if (position_ == runs.size()) return std::nullopt;
    const Run& run = runs[position_];
    if (++in_run_ == run.count) {
      ++position_;
      in_run_ = 0;
    }
    return run.value;
  }
  case Column::Kind::kDifferences: {
    if (!differences_) { // the nest's reader is made late: most columns never need one
      differences_ = std::make_unique<NestReader>(*column_->nest());
      return value_ = column_->first();
    }
    const auto symbol = differences_->next();
    if (!symbol) return std::nullopt;
    // Wraps like the subtraction that made the difference, so that any two values are fine.
    value_ = static_cast<std::int64_t>(static_cast<std::uint64_t>(value_) +
                                       static_cast<std::uint64_t>(column_->dictionary()[*symbol]));
    return value_;
  }
  case Column::Kind::kValues:
    if (position_ == column_->values().size()) return std::nullopt;
    return column_->values()[position_++];
  }
  return std::nullopt;
}

} // namespace rondo::trace
