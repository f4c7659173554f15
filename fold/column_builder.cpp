// SPDX-License-Identifier: Apache-2.0
#include "rondo/fold/column_builder.hpp"

#include "fold/polish/polish.hpp"
#include "rondo/fold/nest_builder.hpp"

#include <algorithm>
#include <utility>

namespace rondo::fold {
namespace {

// Up to here runs are the smallest and clearest form; beyond, differences may find a rule.
constexpr std::size_t kMaxRuns = 8;
// A nest over differences must halve so many of them, or it is not worth its time.
constexpr std::uint64_t kTrialLength = 256;
constexpr std::size_t kMaxDifferences = 4096;
// Values kept as they are until folding is tried again; twice as many after each trial that fails.
constexpr std::size_t kFirstPause = 1024;
constexpr std::size_t kLongestPause = 1 << 16;

// Differences wrap, so that any two values have one.
std::int64_t difference(std::int64_t a, std::int64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b));
}

} // namespace

struct ColumnBuilder::Trial {
  NestBuilder nest;
  std::unordered_map<std::int64_t, std::uint32_t> symbols;
  std::int64_t previous = 0;

  void push(std::int64_t value) {
    const auto next = static_cast<std::uint32_t>(symbols.size());
    nest.push(symbols.try_emplace(difference(value, previous), next).first->second);
    previous = value;
  }
};

ColumnBuilder::ColumnBuilder() = default;
ColumnBuilder::ColumnBuilder(const ColumnBuilder& other)
    : staged_(other.staged_), has_staged_(other.has_staged_), mode_(other.mode_),
      size_(other.size_), sum_(other.sum_), runs_(other.runs_), first_(other.first_),
      previous_(other.previous_), dictionary_(other.dictionary_), symbols_(other.symbols_),
      nest_(other.nest_ ? std::make_unique<NestBuilder>(*other.nest_) : nullptr),
      surprises_(other.surprises_), terms_before_(other.terms_before_),
      next_look_(other.next_look_), values_(other.values_), stretches_(other.stretches_),
      trial_(other.trial_ ? std::make_unique<Trial>(*other.trial_) : nullptr),
      trial_at_(other.trial_at_), pause_(other.pause_) {}

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
  add(value);
  ++size_;
  sum_ = trace::wrapping_sum(sum_, value);
}

void ColumnBuilder::add(std::int64_t value) {
  switch (mode_) {
  case Mode::kRuns:
    append_run(value);
    break;
  case Mode::kDifferences:
    append_difference(value);
    break;
  case Mode::kValues:
    append_value(value);
    break;
  }
}

void ColumnBuilder::append_run(std::int64_t value) {
  if (!runs_.empty() && runs_.back().value == value) {
    ++runs_.back().count;
    return;
  }
  runs_.push_back({value, 1});
  if (runs_.size() > kMaxRuns) start_differences();
}

void ColumnBuilder::start_differences() {
  mode_ = Mode::kDifferences;
  nest_ = std::make_unique<NestBuilder>();
  first_ = previous_ = runs_.front().value;
  --runs_.front().count; // the first value is not a difference
  const std::vector<trace::Run> runs = std::move(runs_);
  runs_ = {};
  for (const trace::Run& run : runs) {
    for (std::uint64_t i = 0; i < run.count; ++i) add(run.value);
  }
}

void ColumnBuilder::append_difference(std::int64_t value) {
  const std::int64_t d = difference(value, previous_);
  previous_ = value;
  const std::uint32_t expected = nest_->expected();
  if (expected != NestBuilder::kNothing && dictionary_[expected] == d) {
    nest_->push(expected);
    return;
  }
  ++surprises_;
  const auto [place, is_new] =
      symbols_.try_emplace(d, static_cast<std::uint32_t>(dictionary_.size()));
  if (is_new) dictionary_.push_back(d);
  nest_->push(place->second);
  if (nest_->size() >= next_look_ && is_in_vain()) start_values();
}

bool ColumnBuilder::is_in_vain() {
  const std::size_t terms_before = std::exchange(terms_before_, nest_->terms());
  const std::uint64_t looked_at = std::exchange(next_look_, nest_->size() + kTrialLength);
  if (looked_at == 0) return false;
  return terms_before_ > terms_before + kTrialLength / 2 || dictionary_.size() > kMaxDifferences;
}

// Stretches without a rule
// --------------------------------------------------------------------------------

void ColumnBuilder::start_values() {
  mode_ = Mode::kValues;
  // A symbol of its own is part of no loop.
  const auto symbol = static_cast<std::uint32_t>(dictionary_.size());
  dictionary_.push_back(0);
  nest_->push(symbol);
  stretches_.push_back({symbol, values_.size(), previous_});
  pause_ = kFirstPause;
  trial_at_ = values_.size() + pause_;
}

void ColumnBuilder::append_value(std::int64_t value) {
  values_.push_back(value);
  if (trial_) {
    trial_->push(value);
    if (trial_->nest.size() == kTrialLength) end_trial();
  } else if (values_.size() == trial_at_ && dictionary_.size() < kMaxDifferences) {
    trial_ = std::make_unique<Trial>();
    trial_->previous = value;
  }
}

// If the trial folded, its values leave the stretch and go into the nest.
void ColumnBuilder::end_trial() {
  const bool folds = trial_->nest.terms() <= kTrialLength / 2;
  trial_.reset();
  if (!folds) {
    pause_ = std::min(2 * pause_, kLongestPause);
    trial_at_ = values_.size() + pause_;
    return;
  }
  const auto begin = values_.end() - static_cast<std::ptrdiff_t>(kTrialLength);
  const std::vector<std::int64_t> tried(begin, values_.end());
  values_.erase(begin, values_.end());
  previous_ = values_.back(); // a stretch is longer than a trial
  mode_ = Mode::kDifferences;
  terms_before_ = nest_->terms();
  next_look_ = nest_->size() + kTrialLength;
  for (const std::int64_t value : tried) add(value);
}

std::size_t ColumnBuilder::memory() const {
  constexpr std::size_t kTerm = 48; // of a nest, with what finds it
  constexpr std::size_t kDifference = 48; // in the dictionary and its index
  return sizeof *this + runs_.capacity() * sizeof(trace::Run) +
         values_.capacity() * sizeof(std::int64_t) + dictionary_.size() * kDifference +
         (nest_ ? nest_->terms() * kTerm : 0) + (trial_ ? trial_->nest.terms() * kTerm : 0);
}

trace::Column ColumnBuilder::finish(Polishing polishing) {
  if (has_staged_) append(staged_);
  has_staged_ = false;
  if (mode_ == Mode::kRuns) return trace::Column::from_runs(std::move(runs_));
  // Mostly without a rule: a dictionary of its differences would only take memory.
  if (2 * values_.size() >= size_) return trace::Column::from_values(finish_values());
  trace::Column column = finish_differences(polishing);
  if (column.nest()->terms() + column.dictionary().size() < size_) return column;
  std::vector<std::int64_t> values;
  values.reserve(size_);
  for (trace::ColumnReader reader(column); const auto value = reader.next();)
    values.push_back(*value);
  return trace::Column::from_values(std::move(values));
}

std::vector<std::int64_t> ColumnBuilder::finish_values() {
  const trace::Nest nest = nest_->finish(Polishing::kNone);
  std::vector<std::int64_t> values;
  values.reserve(size_);
  values.push_back(first_);
  auto stretch = stretches_.begin();
  trace::NestReader reader(nest);
  while (const auto symbol = reader.next()) {
    if (stretch == stretches_.end() || *symbol != stretch->symbol) {
      values.push_back(trace::wrapping_sum(values.back(), dictionary_[*symbol]));
      continue;
    }
    const std::size_t begin = stretch->begin;
    const std::size_t end = ++stretch == stretches_.end() ? values_.size() : stretch->begin;
    values.insert(values.end(), values_.begin() + static_cast<std::ptrdiff_t>(begin),
                  values_.begin() + static_cast<std::ptrdiff_t>(end));
  }
  return values;
}

// Writes the stretches without a rule into the nest, as differences.
trace::Column ColumnBuilder::finish_differences(Polishing polishing) {
  trace::Nest nest = nest_->finish(polishing);
  const auto polished = [&](trace::Nest of) {
    return polishing == Polishing::kAll ? polish(std::move(of)) : std::move(of);
  };
  if (stretches_.empty())
    return trace::Column::from_differences(first_, std::move(dictionary_),
                                           polished(std::move(nest)), sum_);
  const auto symbol_of = [&](std::int64_t d) {
    const auto [place, is_new] =
        symbols_.try_emplace(d, static_cast<std::uint32_t>(dictionary_.size()));
    if (is_new) dictionary_.push_back(d);
    return trace::Term::symbol(place->second);
  };
  std::vector<trace::Term> top;
  auto stretch = stretches_.begin();
  for (const trace::Term term : nest.top()) {
    if (stretch == stretches_.end() || term != trace::Term::symbol(stretch->symbol)) {
      top.push_back(term);
      continue;
    }
    std::int64_t before = stretch->before;
    const std::size_t begin = stretch->begin;
    const std::size_t end = ++stretch == stretches_.end() ? values_.size() : stretch->begin;
    for (std::size_t i = begin; i < end; ++i) {
      top.push_back(symbol_of(difference(values_[i], before)));
      before = values_[i];
    }
  }
  nest = polished(trace::Nest(nest.loops(), std::move(top)));
  return trace::Column::from_differences(first_, std::move(dictionary_), std::move(nest), sum_);
}

} // namespace rondo::fold
