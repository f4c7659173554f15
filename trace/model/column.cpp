// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/column.hpp"

#include "rondo/trace/nest.hpp"
#include "trace/model/times_in_a_row.hpp"

#include <algorithm>
#include <array>
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
ColumnReader::ColumnReader(const ColumnReader& other)
    : column_(other.column_), position_(other.position_), in_run_(other.in_run_),
      taken_(other.taken_), value_(other.value_),
      differences_(other.differences_ ? std::make_unique<NestReader>(*other.differences_)
                                      : nullptr) {}
ColumnReader::~ColumnReader() = default;

std::optional<std::int64_t> ColumnReader::next() {
  std::int64_t value = 0;
  if (read({&value, 1}) == 0) return std::nullopt;
  return value;
}

std::size_t ColumnReader::read(std::span<std::int64_t> out) {
  std::size_t count = 0;
  switch (column_->kind()) {
  case Column::Kind::kRuns:
    count = read_runs(out);
    break;
  case Column::Kind::kDifferences:
    count = read_differences(out);
    break;
  case Column::Kind::kValues: {
    const auto left = static_cast<std::size_t>(column_->size() - position_);
    count = std::min(out.size(), left);
    std::copy_n(column_->values().data() + position_, count, out.data());
    position_ += count;
  }
  }
  taken_ += count;
  return count;
}

std::uint64_t ColumnReader::repeats(std::uint64_t period, std::uint64_t most) const {
  if (period == 0 || most == 0 || period <= equal_ahead() / most) return most;
  ColumnReader rest = *this;
  return internal::times_in_a_row(period, most, rest,
                                  [&](std::span<std::int64_t> out) { return rest.read(out); });
}

struct ColumnReader::Place {
  std::int64_t value = 0;
  std::uint64_t taken = 0;
  NestReader::Position in_nest;
};

std::shared_ptr<const ColumnReader::Place> ColumnReader::place() const {
  if (!differences_) return nullptr;
  return std::make_shared<const Place>(Place{value_, taken_, differences_->position()});
}

std::uint64_t ColumnReader::leave_out_again(const Place& before, std::uint64_t most) {
  if (!differences_ || value_ != before.value) return 0;
  const std::uint64_t times = std::min(most, differences_->repeats_since(before.in_nest));
  differences_->leave_out_again(before.in_nest, times);
  taken_ += times * (taken_ - before.taken);
  return times;
}

void ColumnReader::skip(std::uint64_t count, std::uint64_t period) {
  if (column_->kind() == Column::Kind::kValues) {
    count = std::min(count, column_->size() - position_);
    position_ += count;
    taken_ += count;
    return;
  }
  if (column_->kind() == Column::Kind::kRuns) {
    while (count > 0 && position_ < column_->runs().size()) {
      const std::uint64_t left = column_->runs()[position_].count - in_run_;
      const std::uint64_t here = std::min(left, count);
      taken_ += here;
      count -= here;
      in_run_ = here == left ? 0 : in_run_ + here;
      position_ += here == left ? 1 : 0;
    }
    return;
  }
  std::array<std::int64_t, 256> values;
  const auto read_on = [&](std::uint64_t values_left) {
    while (values_left > 0) {
      const auto wanted =
          static_cast<std::size_t>(std::min<std::uint64_t>(values.size(), values_left));
      if (read({values.data(), wanted}) < wanted) return false;
      values_left -= wanted;
    }
    return true;
  };
  while (period > 0 && count > 2 * period) {
    const auto before = place(); // nullptr before the first value
    if (!read_on(period)) return;
    count -= period;
    if (before) count -= period * leave_out_again(*before, count / period);
  }
  read_on(count);
}

std::uint64_t ColumnReader::equal_ahead() const {
  const bool is_in_runs =
      column_->kind() == Column::Kind::kRuns && position_ < column_->runs().size();
  return is_in_runs ? column_->runs()[position_].count - in_run_ : 0;
}

std::size_t ColumnReader::read_runs(std::span<std::int64_t> out) {
  const auto& runs = column_->runs();
  std::size_t count = 0;
  while (count < out.size() && position_ < runs.size()) {
    const Run& run = runs[position_];
    const std::uint64_t here = std::min<std::uint64_t>(run.count - in_run_, out.size() - count);
    std::fill_n(out.data() + count, here, run.value);
    count += here;
    in_run_ += here;
    if (in_run_ == run.count) {
      ++position_;
      in_run_ = 0;
    }
  }
  return count;
}

std::size_t ColumnReader::read_differences(std::span<std::int64_t> out) {
  if (out.empty()) return 0;
  std::size_t count = 0;
  if (!differences_) { // the nest's reader is made late: most columns never need one
    differences_ = std::make_unique<NestReader>(*column_->nest());
    out[count++] = value_ = column_->first();
  }
  constexpr std::size_t kAtOnce = 32;
  std::array<std::uint32_t, kAtOnce> symbols;
  const auto& dictionary = column_->dictionary();
  while (count < out.size()) {
    const std::size_t wanted = std::min(kAtOnce, out.size() - count);
    const std::size_t here = differences_->read({symbols.data(), wanted});
    // Wraps like the subtraction that made the difference, so that any two values are fine.
    for (std::size_t i = 0; i < here; ++i)
      out[count++] = value_ = wrapping_sum(value_, dictionary[symbols[i]]);
    if (here < wanted) break;
  }
  return count;
}

} // namespace rondo::trace
