// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/passes.hpp"

#include <algorithm>
#include <limits>
#include <utility>

namespace rondo::trace {
namespace {

// Loops with fewer passes are played.
constexpr std::uint64_t kLeastPasses = 16;
// Stops in vain in one time of going through a loop: enough to try all periods.
constexpr std::uint64_t kMostStops = 4 * PassReader::kMostPeriod;
// Fewer periods are not worth the look.
constexpr std::uint64_t kFewest = 3;
// What is left out must take so many times as long as a look.
constexpr std::uint64_t kGain = 4;
// What may be a period by the state of who follows, and is none by the calls that come next: so
// often, and then a loop is played to its end.
constexpr std::size_t kMostInVain = 4 * PassReader::kMostPeriod;
// Periods with one length: who follows may come to its steady state a few of them later.
constexpr int kMostTries = 4;

} // namespace

std::vector<std::uint64_t> read_since(const std::vector<std::uint64_t>& now,
                                      const std::vector<std::uint64_t>& before) {
  std::vector<std::uint64_t> result(now.size());
  for (std::size_t i = 0; i < now.size(); ++i) result[i] = now[i] - before[i];
  return result;
}

std::vector<std::uint64_t> SymbolReader::taken() const {
  std::vector<std::uint64_t> result;
  result.reserve(nest_.trip_counts().size());
  for (const ColumnReader& counts : nest_.trip_counts()) result.push_back(counts.taken());
  return result;
}

std::uint64_t SymbolReader::repeats(std::span<const std::uint64_t> values,
                                    std::uint64_t most) const {
  for (std::size_t i = 0; i < values.size() && most > 1; ++i)
    most = std::min(most, nest_.trip_counts()[i].repeats(values[i], most));
  return most;
}

template <class Reader>
PassesOf<Reader>::PassesOf(Reader& reader, PassFollower& follower)
    : reader_(reader), follower_(follower) {
  reader_.stop_at_iterations(kLeastPasses, kMostStops, true);
}

template <class Reader> void PassesOf<Reader>::look() {
  if (reader_.stopped_loop() != loop_) return begin_loop();
  calls_of_pass_ = played_ - played_before_;
  played_before_ = played_;
  if (period_ > 0 && --passes_left_ > 0) return;
  if (period_ == 0 && !is_worth_it()) return;
  stops_.push_back({follower_.fingerprint(), reader_.iterations_left(), played_, reader_.taken()});
  if (stops_.size() > kMostPeriod + 1) stops_.pop_front();
  period_ > 0 ? end_period() : find_period();
}

template <class Reader> void PassesOf<Reader>::begin_loop() {
  loop_ = reader_.stopped_loop();
  played_before_ = played_;
  calls_of_pass_ = 0;
  stops_.clear();
  least_period_ = 1;
  period_ = 0;
  in_vain_ = 0;
}

template <class Reader> bool PassesOf<Reader>::is_worth_it() const {
  const std::uint64_t left = std::min<std::uint64_t>(reader_.iterations_left(), 1U << 31);
  return left >= kFewest && in_vain_ < kMostInVain &&
         left * calls_of_pass_ >= kGain * follower_.effort();
}

// Of passes behind each other only: those that were not looked at are not among the stops.
template <class Reader> void PassesOf<Reader>::find_period() {
  const Stop& now = stops_.back();
  for (std::size_t period = least_period_; period < stops_.size(); ++period) {
    const Stop& before = stops_[stops_.size() - 1 - period];
    if (before.fingerprint != now.fingerprint || before.left - now.left != period) continue;
    values_ = read_since(now.taken, before.taken);
    alike_ = reader_.repeats(
        values_, std::min<std::uint64_t>((now.left - 1) / period, std::numeric_limits<int>::max()));
    if (alike_ < kFewest) {
      ++in_vain_;
      continue;
    }
    period_ = passes_left_ = period;
    begin_ = now;
    stops_.clear();
    tries_ = 0;
    follower_.begin_period();
    return;
  }
}

// The period that ends was the first of those that are alike.
template <class Reader> void PassesOf<Reader>::end_period() {
  const Stop now = std::move(stops_.back());
  stops_.clear();
  --alike_;
  if (alike_ < kFewest || read_since(now.taken, begin_.taken) != values_) return give_up_period();
  const std::uint64_t times = std::min(alike_, follower_.most_repeats());
  if (times < kFewest) {
    if (++tries_ == kMostTries) return give_up_period();
    begin_ = now;
    passes_left_ = period_;
    return follower_.begin_period();
  }
  follower_.repeat(times);
  for (std::uint64_t& count : values_) count *= times;
  reader_.skip_iterations(times * period_, values_, times);
  left_out_ += times * (now.played - begin_.played);
  period_ = 0;
  least_period_ = 1;
  in_vain_ = 0;
}

template <class Reader> void PassesOf<Reader>::give_up_period() {
  least_period_ = period_ < kMostPeriod ? period_ + 1 : 1;
  period_ = 0;
  ++in_vain_;
}

template class PassesOf<CallReader>;
template class PassesOf<SymbolReader>;

} // namespace rondo::trace
