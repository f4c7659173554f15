// SPDX-License-Identifier: Apache-2.0
#include "simulate/repetition.hpp"

#include "rondo/trace/passes.hpp"
#include "simulate/ranks/rank_program.hpp"
#include "simulate/ranks/trace_calls.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace rondo::simulate::internal {
namespace {

constexpr std::size_t kMostPeriod = 8; // passes
// Of a course one block stands for others, and so comes again.
constexpr std::size_t kMostPeriodOfCourses = trace::TimeCourse::kBlock;
constexpr int kMostTries = 8; // periods that may differ from the one before in who waits since when
// Fewer periods are not worth looking for more.
constexpr std::uint64_t kFewest = 3;
constexpr std::uint64_t kFewestBlocks = 2; // they are long
constexpr std::size_t kLooksInVain = kMostPeriodOfCourses / 4; // until the next one for a block
// Clocks are sums of many numbers, each rounded: what is less than this is nothing.
constexpr double kOfPeriod = 1e-9;
constexpr double kOfClock = 16 * std::numeric_limits<double>::epsilon();

bool is_alike(double one, double other, double clock) {
  const double most = std::max(kOfPeriod * std::abs(one), kOfClock * std::abs(clock));
  return std::abs(one - other) <= most;
}

} // namespace

// A meeting that was waited for moves the one who waits as far as the other.
void Drift::met(std::int64_t rank, std::int64_t other, double late_s) {
  const double own = period_s_[static_cast<std::size_t>(rank)];
  const double others = period_s_[static_cast<std::size_t>(other)];
  if (std::abs(own - others) <= kOfPeriod * std::max(own, others)) return;
  if (late_s > 0) {
    most_ = 0;
  } else if (others > own) {
    most_ = std::min(most_, -late_s / (others - own));
  }
}

Repetition::Repetition(Stage& stage, std::vector<RankProgram*> programs,
                       std::vector<TraceCalls*> sources)
    : stage_(stage), programs_(std::move(programs)), sources_(std::move(sources)) {
  follows_courses_ =
      std::ranges::any_of(sources_, [](const auto* source) { return source->follows_courses(); });
  most_period_ = follows_courses_ ? kMostPeriodOfCourses : kMostPeriod;
  // What starts somewhere takes as many passes to get to all as there are ranks. In a course
  // shorter periods may seem to be there first, and blocks end.
  const std::uint64_t most = (follows_courses_ ? 1024 : 64) + 2 * programs_.size();
  for (TraceCalls* source : sources_) source->stop_at_iterations(most);
}

void Repetition::look() {
  if (!is_quiet()) {
    clocks_.clear();
    block_from_.clear();
    return give_up();
  }
  note_clocks();
  if (follows_courses_) note_steps();
  const bool was_in_period = period_ > 0;
  if (was_in_period && --looks_left_ == 0) is_block_ ? end_block() : end_period();
  if (period_ == 0) look_for_block();
  if (was_in_period || period_ > 0) return;
  if (pauses_left_ > 0) {
    --pauses_left_;
  } else if (const std::size_t period = find_period(); period > 0) {
    begin(period);
  }
}

void Repetition::note_clocks() {
  Clocks& now = clocks_.emplace_back();
  for (const RankProgram* program : programs_) now.push_back(program->clock());
  if (clocks_.size() > 2 * most_period_ + 1) clocks_.pop_front();
}

void Repetition::note_steps() {
  if (!block_from_.empty() && ++block_looks_ < kMostPeriodOfCourses) return;
  Places now = places();
  if (!block_from_.empty()) block_steps_ = steps(block_from_, now);
  block_from_ = std::move(now);
  block_looks_ = 0;
}

bool Repetition::is_quiet() const {
  return stage_.transport.is_quiet() && stage_.meetings.is_empty() &&
         stage_.gatherings.is_empty() &&
         std::all_of(stage_.background.begin(), stage_.background.end(),
                     [](const auto& activity) { return activity->is_over(); }) &&
         std::all_of(programs_.begin(), programs_.end(),
                     [](const RankProgram* program) { return program->is_quiet(); });
}

std::size_t Repetition::find_period() const {
  // In a block shorter ones are often there by chance, which would be tried for ever.
  if (most_period_ > kMostPeriod && has_moved_alike(most_period_)) return most_period_;
  for (std::size_t period = least_period_; 2 * period < clocks_.size(); ++period) {
    if (has_moved_alike(period)) return period;
  }
  return 0;
}

// Whether all clocks went on in the last period as in the one before. Where messages take time,
// clocks that drift apart may bring about what meetings do not tell.
bool Repetition::has_moved_alike(std::size_t period) const {
  const std::size_t last = clocks_.size() - 1;
  if (last < 2 * period) return false;
  const Clocks& now = clocks_[last];
  const Clocks& middle = clocks_[last - period];
  const Clocks& before = clocks_[last - 2 * period];
  const NetworkModel& model = stage_.transport.model();
  const bool may_drift = model.latency_s == 0 && model.handshake_s == 0 && model.byte_s == 0 &&
                         !stage_.options.collectives;
  std::optional<double> common;
  for (std::size_t i = 0; i < programs_.size(); ++i) {
    if (programs_[i]->is_over()) continue;
    const double moved = now[i] - middle[i];
    if (!is_alike(moved, middle[i] - before[i], now[i])) return false;
    if (!common) common = moved;
    if (!may_drift && !is_alike(moved, *common, now[i])) return false;
  }
  return common.has_value() && *common > 0;
}

// A state that is as before, only later.
bool Repetition::has_moved_as_one(std::size_t period) const {
  if (clocks_.size() <= period) return false;
  const Clocks& now = clocks_.back();
  const Clocks& before = clocks_[clocks_.size() - 1 - period];
  std::optional<double> common;
  for (std::size_t i = 0; i < programs_.size(); ++i) {
    if (programs_[i]->is_over()) continue;
    const double moved = now[i] - before[i];
    if (!common) common = moved;
    if (!is_alike(moved, *common, now[i])) return false;
  }
  return common.has_value() && *common > 0;
}

Repetition::Places Repetition::places() const {
  Places result(programs_.size());
  for (std::size_t i = 0; i < programs_.size(); ++i) {
    if (programs_[i]->is_over()) continue;
    const trace::CallReader& reader = sources_[i]->reader();
    result[i] = {reader.stopped_loop(), reader.iterations_left(), programs_[i]->calls(),
                 sources_[i]->taken()};
  }
  return result;
}

// None where a rank has come to another loop.
Repetition::Places Repetition::steps(const Places& from, const Places& to) const {
  Places result(programs_.size());
  for (std::size_t i = 0; i < programs_.size(); ++i) {
    if (programs_[i]->is_over() || from[i].loop != to[i].loop || from[i].left <= to[i].left)
      continue;
    result[i] = {to[i].loop, from[i].left - to[i].left, to[i].calls - from[i].calls,
                 trace::read_since(to[i].values, from[i].values)};
  }
  return result;
}

Repetition::Counts Repetition::counts() const {
  Counts result;
  result.sums = stage_.ledger.sums();
  result.free_calls = stage_.free_calls;
  result.unknown_sizes = stage_.unknown_sizes;
  result.unknown_requests = stage_.unknown_requests;
  result.messages = stage_.transport.messages();
  result.bytes = stage_.transport.bytes();
  result.next_id = stage_.next_id;
  result.places = places();
  return result;
}

void Repetition::begin(std::size_t period) {
  period_ = period;
  since_ = counts();
  looks_left_ = period_;
  tried_ = 0;
  if (Observer* observer = stage_.options.observer) observer->period_begins();
}

void Repetition::give_up() {
  period_ = 0;
  is_block_ = false;
  before_.reset();
  stage_.drift = nullptr;
}

// One rank tells most often that there is none.
bool Repetition::is_at_block() const {
  for (std::size_t i = 0; i < programs_.size(); ++i) {
    if (programs_[i]->is_over() || !sources_[i]->follows_courses()) continue;
    const Place& step = block_steps_[i];
    return step.left > 0 && step.loop == sources_[i]->reader().stopped_loop() &&
           sources_[i]->repeats(programs_[i]->calls(), step.calls, step.values, kFewestBlocks) >=
               kFewestBlocks;
  }
  return false;
}

void Repetition::look_for_block() {
  if (block_steps_.empty()) return;
  if (no_block_ > 0) {
    --no_block_;
    return;
  }
  if (!is_at_block()) return;
  alike_ = times_ahead(places(), block_steps_);
  if (alike_ < kFewestBlocks) {
    no_block_ = kLooksInVain;
    return;
  }
  is_block_ = true;
  begin(kMostPeriodOfCourses);
}

// Who looks on, and ranks that drift apart, need a period more.
void Repetition::end_block() {
  Counts now = counts();
  if (steps(since_.places, now.places) != block_steps_) return give_up();
  --alike_;
  const bool is_as_one = has_moved_as_one(period_);
  if (is_as_one && stage_.options.observer == nullptr) {
    drift_.emplace(period_s());
    leave_out(alike_, now);
    return give_up();
  }
  if (alike_ < kFewestBlocks) return give_up();
  if (is_as_one || has_moved_alike(period_)) {
    is_block_ = false;
    return watch_next(std::move(now));
  }
  since_ = std::move(now);
  looks_left_ = period_;
  if (Observer* observer = stage_.options.observer) observer->period_begins();
}

// Passes that move clocks alike may differ in what is called. Looking into that costs more than
// looking at clocks, and is done less and less often.
void Repetition::give_up_period() {
  least_period_ = period_ + 1;
  give_up();
  if (least_period_ <= most_period_) return;
  least_period_ = 1;
  pauses_left_ = pause_;
  pause_ *= 2;
}

// One period says what is read of each column, the next one is told to observers.
void Repetition::end_period() {
  if (!has_moved_as_one(period_) && !has_moved_alike(period_)) return give_up();
  const std::uint64_t fewest = period_ == kMostPeriodOfCourses ? kFewestBlocks : kFewest;
  const bool is_second = before_.has_value();
  Counts now = counts();
  const bool goes_on = is_second && is_as_before(now);
  if (is_second && !goes_on && ++tried_ > kMostTries) return give_up_period();
  if (goes_on) {
    const auto count =
        static_cast<std::uint64_t>(std::min(static_cast<double>(alike_ - 1), drift_->most()));
    if (!has_moved_alike(period_)) drift_.emplace(period_s()); // of the one that comes again
    if (count + 1 >= fewest) leave_out(count, now);
    return give_up();
  }
  alike_ = times_ahead(now.places, steps(since_.places, now.places));
  if (alike_ < fewest) return give_up_period();
  watch_next(std::move(now));
}

void Repetition::watch_next(Counts&& now) {
  before_ = std::exchange(since_, std::move(now));
  looks_left_ = period_;
  stage_.drift = &drift_.emplace(period_s());
  if (Observer* observer = stage_.options.observer) observer->period_begins();
}

// By rank: how long the period was that is over.
std::vector<double> Repetition::period_s() const {
  std::vector<double> result(stage_.ledger.ranks.size());
  const Clocks& begin = clocks_[clocks_.size() - 1 - period_];
  for (std::size_t i = 0; i < programs_.size(); ++i)
    result[static_cast<std::size_t>(programs_[i]->rank())] = clocks_.back()[i] - begin[i];
  return result;
}

// How often what comes next comes in a row, if it goes as far as that each time.
std::uint64_t Repetition::times_ahead(const Places& now, const Places& steps) const {
  std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  for (std::size_t i = 0; i < programs_.size(); ++i) {
    if (programs_[i]->is_over()) continue;
    if (steps[i].left == 0 || steps[i].loop != now[i].loop) return 0;
    most = std::min(most, (now[i].left - 1) / steps[i].left);
  }
  for (std::size_t i = 0; i < programs_.size() && most >= kFewestBlocks; ++i) {
    if (!programs_[i]->is_over())
      most = sources_[i]->repeats(now[i].calls, steps[i].calls, steps[i].values, most);
  }
  return most;
}

// Whether the period that ends is the one that was counted on, and the one before, for all that is
// known of them.
bool Repetition::is_as_before(const Counts& now) const {
  if (steps(since_.places, now.places) != steps(before_->places, since_.places)) return false;
  // Operations behind programs do not tell whom they met.
  if (now.next_id != since_.next_id && !moves_as_one()) return false;
  return stage_.options.observer == nullptr || stage_.options.observer->repeats_itself();
}

bool Repetition::moves_as_one() const {
  std::optional<double> common;
  for (const RankProgram* program : programs_) {
    if (program->is_over()) continue;
    const double own = drift_->period_s()[static_cast<std::size_t>(program->rank())];
    if (!common) common = own;
    if (!is_alike(own, *common, program->clock())) return false;
  }
  return true;
}

void Repetition::leave_out(std::uint64_t times, const Counts& now) {
  if (RunGraph* const graph = stage_.transport.graph()) graph->give_up();
  const auto more = [times](auto& sum, auto before) { sum += times * (sum - before); };
  Places period = steps(since_.places, now.places);
  for (std::size_t i = 0; i < programs_.size(); ++i) {
    if (programs_[i]->is_over()) continue;
    Place& step = period[i];
    for (std::uint64_t& count : step.values) count *= times;
    sources_[i]->skip_iterations(times * step.left, step.values, times);
    const double period_s = drift_->period_s()[static_cast<std::size_t>(programs_[i]->rank())];
    programs_[i]->passed(times * step.calls, static_cast<double>(times) * period_s);
  }
  stage_.ledger.repeat(since_.sums, static_cast<double>(times));
  for (auto& [what, count] : stage_.free_calls) {
    const auto before = since_.free_calls.find(what);
    more(count, before == since_.free_calls.end() ? 0 : before->second);
  }
  more(stage_.unknown_sizes, since_.unknown_sizes);
  more(stage_.unknown_requests, since_.unknown_requests);
  stage_.transport.passed(times * (stage_.transport.messages() - since_.messages),
                          times * (stage_.transport.bytes() - since_.bytes));
  if (Observer* observer = stage_.options.observer) observer->repeated(times, drift_->period_s());
  clocks_.clear();
  note_clocks();
  block_from_.clear();
  least_period_ = 1;
  pause_ = 1;
}

} // namespace rondo::simulate::internal
