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
  const bool follows_courses =
      std::ranges::any_of(sources_, [](const auto* source) { return source->follows_courses(); });
  most_period_ = follows_courses ? kMostPeriodOfCourses : kMostPeriod;
  // What starts somewhere takes as many passes to get to all as there are ranks. In a course
  // shorter periods may seem to be there first, and blocks end.
  const std::uint64_t most = (follows_courses ? 1024 : 64) + 2 * programs_.size();
  for (TraceCalls* source : sources_) source->stop_at_iterations(most);
}

void Repetition::look() {
  if (!is_quiet()) {
    clocks_.clear();
    return give_up();
  }
  Clocks& now = clocks_.emplace_back();
  for (const RankProgram* program : programs_) now.push_back(program->clock());
  if (clocks_.size() > 2 * most_period_ + 1) clocks_.pop_front();
  if (pauses_left_ > 0) {
    --pauses_left_;
  } else if (period_ == 0) {
    period_ = find_period();
    if (period_ > 0) begin();
  } else if (--looks_left_ == 0) {
    end_period();
  }
}

bool Repetition::is_quiet() const {
  return stage_.transport.is_quiet() && stage_.meetings.is_empty() &&
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

Repetition::Counts Repetition::counts() const {
  Counts result;
  result.sums = stage_.ledger.sums();
  result.free_calls = stage_.free_calls;
  result.unknown_sizes = stage_.unknown_sizes;
  result.unknown_requests = stage_.unknown_requests;
  result.messages = stage_.transport.messages();
  result.bytes = stage_.transport.bytes();
  result.next_id = stage_.next_id;
  for (std::size_t i = 0; i < programs_.size(); ++i) {
    Place place;
    if (!programs_[i]->is_over()) {
      const trace::CallReader& reader = sources_[i]->reader();
      place = {reader.stopped_loop(), reader.iterations_left(), programs_[i]->calls(),
               sources_[i]->taken()};
    }
    result.places.push_back(std::move(place));
  }
  return result;
}

void Repetition::begin() {
  since_ = counts();
  looks_left_ = period_;
  tried_ = 0;
  if (Observer* observer = stage_.options.observer) observer->period_begins();
}

void Repetition::give_up() {
  period_ = 0;
  before_.reset();
  stage_.drift = nullptr;
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
  if (!has_moved_alike(period_)) return give_up();
  const bool is_second = before_.has_value();
  Counts now = counts();
  const bool goes_on = is_second && is_as_before(now);
  if (is_second && !goes_on && ++tried_ > kMostTries) return give_up_period();
  if (goes_on) {
    const auto count =
        static_cast<std::uint64_t>(std::min(static_cast<double>(alike_ - 1), drift_->most()));
    if (count + 1 >= kFewest) leave_out(count);
    return give_up();
  }
  before_ = std::exchange(since_, std::move(now));
  looks_left_ = period_;
  alike_ = times_ahead();
  if (alike_ < kFewest) return give_up_period();
  std::vector<double> period_s(stage_.ledger.ranks.size());
  const Clocks& middle = clocks_[clocks_.size() - 1 - period_];
  for (std::size_t i = 0; i < programs_.size(); ++i)
    period_s[static_cast<std::size_t>(programs_[i]->rank())] = clocks_.back()[i] - middle[i];
  stage_.drift = &drift_.emplace(std::move(period_s));
  if (Observer* observer = stage_.options.observer) observer->period_begins();
}

// How often what comes next comes in a row, if it reads as much of each column as the period that
// is over.
std::uint64_t Repetition::times_ahead() const {
  std::uint64_t most = std::numeric_limits<std::uint32_t>::max();
  for (std::size_t i = 0; i < programs_.size(); ++i) {
    if (programs_[i]->is_over()) continue;
    const Place& now = since_.places[i];
    const Place& before = before_->places[i];
    if (now.loop != before.loop || now.left >= before.left) return 0;
    most = std::min(most, (now.left - 1) / (before.left - now.left));
  }
  for (std::size_t i = 0; i < programs_.size() && most >= kFewest; ++i) {
    if (programs_[i]->is_over()) continue;
    const Place& now = since_.places[i];
    const Place& before = before_->places[i];
    most = sources_[i]->repeats(now.calls, now.calls - before.calls,
                                trace::read_since(now.values, before.values), most);
  }
  return most;
}

// Whether the period that ends is the one that was counted on, and the one before, for all that is
// known of them.
bool Repetition::is_as_before(const Counts& now) const {
  for (std::size_t i = 0; i < programs_.size(); ++i) {
    if (programs_[i]->is_over()) continue;
    const Place& last = since_.places[i];
    const Place& first = before_->places[i];
    const Place& place = now.places[i];
    if (place.loop != last.loop || last.left - place.left != first.left - last.left ||
        place.calls - last.calls != last.calls - first.calls ||
        trace::read_since(place.values, last.values) !=
            trace::read_since(last.values, first.values))
      return false;
  }
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

void Repetition::leave_out(std::uint64_t times) {
  if (RunGraph* const graph = stage_.transport.graph()) graph->give_up();
  const auto more = [times](auto& sum, auto before) { sum += times * (sum - before); };
  for (std::size_t i = 0; i < programs_.size(); ++i) {
    if (programs_[i]->is_over()) continue;
    const Place& now = since_.places[i];
    const Place& before = before_->places[i];
    std::vector<std::uint64_t> values = trace::read_since(now.values, before.values);
    for (std::uint64_t& count : values) count *= times;
    sources_[i]->skip_iterations(times * (before.left - now.left), values, times);
    const double period_s = drift_->period_s()[static_cast<std::size_t>(programs_[i]->rank())];
    programs_[i]->passed(times * (now.calls - before.calls), static_cast<double>(times) * period_s);
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
  least_period_ = 1;
  pause_ = 1;
}

} // namespace rondo::simulate::internal
