// SPDX-License-Identifier: Apache-2.0
#include "fold/period.hpp"

#include "rondo/base/mixed.hpp"

#include <algorithm>
#include <map>

namespace rondo::fold {

using rondo::mixed;

// Nests -----------------------------------------------------------------------------------------

NestPeriod::NestPeriod(const NestBuilder& builder)
    : frames_(builder.frames_), frames_before_(builder.frames_before_),
      crossing_(builder.crossing_), first_index_(builder.first_index_),
      uncommitted_(builder.uncommitted_), size_(builder.size_),
      size_at_attempt_(builder.size_at_attempt_), unexplained_(builder.unexplained_) {
  last_counts_.reserve(builder.bodies_.size());
  trip_counts_.reserve(builder.bodies_.size());
  for (const NestBuilder::Body& body : builder.bodies_) {
    last_counts_.push_back(body.last_count);
    trip_counts_.emplace_back(body.trip_counts);
  }
}

NestPeriod::NestPeriod(NestPeriod&&) noexcept = default;
NestPeriod& NestPeriod::operator=(NestPeriod&&) noexcept = default;
NestPeriod::~NestPeriod() = default;

// The cursor is where it was, but for the count of one loop.
NestPeriod::Moved NestPeriod::moved(const NestBuilder::Frames& before,
                                    const NestBuilder::Frames& now) const {
  Moved result;
  if (before.size() != now.size()) return {};
  for (std::size_t depth = 0; depth < now.size(); ++depth) {
    const NestBuilder::Frame& a = before[depth];
    const NestBuilder::Frame& b = now[depth];
    if (a.loop != b.loop || a.index != b.index || a.predicted != b.predicted) return {};
    if (a.completed == b.completed) continue;
    if (result.iterations > 0 || b.completed < a.completed) return {};
    result = {depth, b.completed - a.completed};
  }
  return result;
}

std::uint64_t NestPeriod::most_repeats(const NestBuilder& now) const {
  if (now.size_ == size_) return kAnyTimes;
  // An attempt to fold is made whenever the finished sequence has changed.
  if (now.size_at_attempt_ != size_at_attempt_ || now.unexplained_ != unexplained_) return 0;
  if (now.crossing_ != crossing_ || now.first_index_ != first_index_ ||
      now.uncommitted_ != uncommitted_ || now.bodies_.size() != last_counts_.size())
    return 0;
  const Moved own = moved(frames_, now.frames_);
  if (own.iterations == 0) return 0;
  if (crossing_ == NestBuilder::Crossing::kPath) { // it may be taken back
    const Moved before = moved(frames_before_, now.frames_before_);
    if (before.depth != own.depth || before.iterations != own.iterations) return 0;
  }
  std::uint64_t most = kAnyTimes;
  const NestBuilder::Frame& frame = now.frames_[own.depth];
  if (frame.predicted != NestBuilder::kUnlimited) { // near its end it goes on in other ways
    constexpr std::uint64_t kEnd = 3;
    if (frame.completed + kEnd >= frame.predicted) return 0;
    most = (frame.predicted - kEnd - frame.completed) / own.iterations;
  }
  for (std::size_t i = 0; i < last_counts_.size() && most > 0; ++i) {
    if (now.bodies_[i].last_count != last_counts_[i]) return 0;
    most = std::min(most, trip_counts_[i].most_repeats(now.bodies_[i].trip_counts));
  }
  return most;
}

void NestPeriod::repeat(NestBuilder& builder, std::uint64_t times) const {
  if (builder.size_ == size_) return;
  const Moved own = moved(frames_, builder.frames_);
  const auto go_on = [&](NestBuilder::Frames& frames) {
    NestBuilder::Frames inner; // than the one that moved
    while (frames.size() > own.depth + 1) {
      inner.push(frames.back());
      frames.pop();
    }
    frames.back().completed += times * own.iterations;
    while (!inner.empty()) {
      frames.push(inner.back());
      inner.pop();
    }
  };
  go_on(builder.frames_);
  if (crossing_ == NestBuilder::Crossing::kPath) go_on(builder.frames_before_);
  builder.size_ += times * (builder.size_ - size_);
  for (std::size_t i = 0; i < trip_counts_.size(); ++i)
    trip_counts_[i].repeat(builder.bodies_[i].trip_counts, times);
  builder.predict(); // what it foresaw had the counts of before
}

std::uint64_t NestPeriod::fingerprint(const NestBuilder& builder) {
  std::uint64_t hash = builder.frames_.size();
  for (std::size_t depth = 0; depth < builder.frames_.size(); ++depth) {
    const NestBuilder::Frame& frame = builder.frames_[depth];
    hash = mixed(mixed(hash, frame.loop), static_cast<std::uint64_t>(frame.index));
  }
  return hash;
}

// Columns ---------------------------------------------------------------------------------------

ColumnPeriod::ColumnPeriod(const ColumnBuilder& builder)
    : staged_(builder.staged_), has_staged_(builder.has_staged_), mode_(builder.mode_),
      size_(builder.size_), sum_(builder.sum_), runs_(builder.runs_.size()),
      previous_(builder.previous_), dictionary_(builder.dictionary_.size()),
      surprises_(builder.surprises_), nest_(builder.mode_ == ColumnBuilder::Mode::kDifferences
                                                ? std::make_unique<NestPeriod>(*builder.nest_)
                                                : nullptr) {}

std::uint64_t ColumnPeriod::most_repeats(const ColumnBuilder& now) const {
  if (now.staged_ != staged_ || now.has_staged_ != has_staged_ || now.mode_ != mode_) return 0;
  if (!has_grown(now)) return kAnyTimes;
  switch (mode_) {
  case ColumnBuilder::Mode::kRuns: // all of one value: the last one's
    return runs_ > 0 && now.runs_.size() == runs_ ? kAnyTimes : 0;
  case ColumnBuilder::Mode::kDifferences:
    if (now.previous_ != previous_ || now.dictionary_.size() != dictionary_ ||
        now.surprises_ != surprises_)
      return 0;
    return nest_->most_repeats(*now.nest_);
  case ColumnBuilder::Mode::kValues:
    break;
  }
  return 0;
}

void ColumnPeriod::repeat(ColumnBuilder& builder, std::uint64_t times) const {
  if (!has_grown(builder)) return;
  const std::uint64_t more = times * (builder.size_ - size_);
  const std::uint64_t sum =
      static_cast<std::uint64_t>(builder.sum_) - static_cast<std::uint64_t>(sum_);
  if (mode_ == ColumnBuilder::Mode::kRuns) builder.runs_.back().count += more;
  if (mode_ == ColumnBuilder::Mode::kDifferences) nest_->repeat(*builder.nest_, times);
  builder.size_ += more;
  builder.sum_ = trace::wrapping_sum(builder.sum_, static_cast<std::int64_t>(times * sum));
}

std::uint64_t ColumnPeriod::fingerprint(const ColumnBuilder& builder) {
  std::uint64_t hash =
      mixed(static_cast<std::uint64_t>(builder.mode_), static_cast<std::uint64_t>(builder.staged_));
  switch (builder.mode_) {
  case ColumnBuilder::Mode::kRuns:
    return mixed(hash, builder.runs_.size());
  case ColumnBuilder::Mode::kDifferences:
    return mixed(hash, NestPeriod::fingerprint(*builder.nest_));
  case ColumnBuilder::Mode::kValues: // no two are alike
    return mixed(hash, builder.values_.size());
  }
  return hash;
}

// Programs --------------------------------------------------------------------------------------

ProgramPeriod::Sizes::Sizes(const ProgramBuilder& builder)
    : words(builder.words_.size()), shapes(builder.shapes_.size()), arrays(builder.arrays_.size()),
      texts(builder.texts_.size()), places(builder.places_.size()),
      varying(builder.varying_.size()), sums(builder.sums_.size()),
      columns(builder.columns_.size()) {}

ProgramPeriod::ProgramPeriod(ProgramBuilder& builder)
    : builder_(builder), sizes_(builder), previous_(builder.previous_), nest_(builder.nest_),
      symbols_(builder.symbols_), again_(builder.again_) {
  columns_.reserve(builder.columns_.size());
  for (const ColumnBuilder& column : builder.columns_) columns_.emplace_back(column);
  for (const ProgramBuilder::Sum& sum : builder.sums_) sums_.push_back({sum.reached, sum.calls});
  if (!builder.course_sums_.empty() ||
      std::ranges::any_of(
          builder.sums_, [](const ProgramBuilder::Sum& sum) { return !sum.times.courses.empty(); }))
    builder_.order_ = &order_;
}

ProgramPeriod::~ProgramPeriod() { builder_.order_ = nullptr; }

bool ProgramPeriod::is_same_program() const {
  if (Sizes(builder_) != sizes_ || builder_.previous_ != previous_ ||
      builder_.symbols_.size() != symbols_.size())
    return false;
  for (std::size_t i = 0; i < symbols_.size(); ++i) {
    const Symbol& a = symbols_[i];
    const Symbol& b = builder_.symbols_[i];
    if (a.surprises != b.surprises || a.unexpected_after != b.unexpected_after ||
        a.varying != b.varying || a.places != b.places || a.next_of_shape != b.next_of_shape)
      return false;
    for (std::size_t k = 0; k < a.last_places.size(); ++k) {
      if (a.last_places[k].before != b.last_places[k].before ||
          a.last_places[k].place != b.last_places[k].place)
        return false;
    }
  }
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    if (builder_.sums_[i].reached.size() != sums_[i].reached.size()) return false;
  }
  return true;
}

std::uint64_t ProgramPeriod::most_repeats() const {
  if (!is_same_program()) return 0;
  std::uint64_t most = nest_.most_repeats(builder_.nest_);
  for (std::size_t i = 0; i < columns_.size() && most > 0; ++i)
    most = std::min(most, columns_[i].most_repeats(builder_.columns_[i]));
  return most;
}

std::uint64_t ProgramPeriod::again(std::size_t place) const {
  return place < again_.size() ? again_[place] : 0;
}

void ProgramPeriod::repeat(std::uint64_t times) {
  const auto more = [times](std::uint64_t& count, std::uint64_t before) {
    count += times * (count - before);
  };
  repeat_courses(times); // with the counts from which they go on
  nest_.repeat(builder_.nest_, times);
  for (std::size_t i = 0; i < columns_.size(); ++i) columns_[i].repeat(builder_.columns_[i], times);
  for (std::size_t i = 0; i < symbols_.size(); ++i)
    more(builder_.symbols_[i].count, symbols_[i].count);
  for (std::size_t i = 0; i < sums_.size(); ++i) {
    ProgramBuilder::Sum& sum = builder_.sums_[i];
    more(sum.calls, sums_[i].calls);
    for (std::size_t k = 0; k < sum.reached.size(); ++k)
      more(sum.reached[k].second, sums_[i].reached[k].second);
  }
  for (std::size_t place = 0; place < builder_.again_.size(); ++place)
    more(builder_.again_[place], again(place));
}

// A place's course keeps few of its passes: only those are looked up in the courses of the sums
// that its calls are of.
void ProgramPeriod::repeat_courses(std::uint64_t times) {
  struct Call {
    ProgramBuilder::Sum* source = nullptr; // of its time, if that has a course
    std::uint64_t offset = 0; // in a period, among the source's calls
  };
  std::map<std::uint32_t, std::vector<Call>> calls; // by place, of one period
  std::map<const ProgramBuilder::Sum*, std::uint64_t> calls_of_source;
  for (const auto& [place, sum] : order_) {
    ProgramBuilder::Sum& source = builder_.source_of(builder_.sums_[sum]);
    Call call;
    if (!source.times.courses.empty()) call = {&source, calls_of_source[&source]++};
    calls[place].push_back(call);
  }
  for (const auto& [place, period] : calls) {
    trace::PlaceTimes& into = builder_.places_[place];
    if (into.courses.empty()) continue;
    trace::TimeCourse& course = into.courses.front().course;
    const std::uint64_t first = into.computation.count + builder_.again_[place];
    const std::uint64_t end = first + times * period.size();
    for (std::uint64_t number = first; number < end; number = course.next_kept(number)) {
      const Call& call = period[(number - first) % period.size()];
      if (call.source == nullptr) continue;
      const std::uint64_t passed = (number - first) / period.size();
      const std::uint64_t at =
          call.source->calls + passed * calls_of_source.at(call.source) + call.offset;
      course.add_code(number, call.source->times.courses.front().course.at(at));
    }
  }
}

std::uint64_t ProgramPeriod::fingerprint(const ProgramBuilder& builder) {
  std::uint64_t hash = mixed(builder.previous_, NestPeriod::fingerprint(builder.nest_));
  for (const ColumnBuilder& column : builder.columns_)
    hash = mixed(hash, ColumnPeriod::fingerprint(column));
  return hash;
}

std::uint64_t ProgramPeriod::effort(const ProgramBuilder& builder) {
  return builder.symbols_.size() + builder.columns_.size() + NestPeriod::effort(builder.nest_) +
         builder.sums_.size() + builder.places_.size() / 8;
}

} // namespace rondo::fold
