// SPDX-License-Identifier: Apache-2.0
#include "simulate/transport/ledger.hpp"

#include <algorithm>

namespace rondo::simulate::internal {

void Ledger::waited(std::int64_t rank, std::int64_t waits_for, double seconds) {
  if (seconds <= 0 || waits_for < 0) return;
  const auto index = static_cast<std::size_t>(rank);
  if (index >= waits_.size()) waits_.resize(std::max(ranks.size(), index + 1));
  WaitsOfRank& mine = waits_[index];
  if (mine.next == mine.others.size()) mine.next = 0;
  if (mine.others.empty() || mine.others[mine.next].rank != waits_for)
    mine.next = place_of(mine, rank, waits_for);
  mine.others[mine.next++].seconds += seconds;
}

std::size_t Ledger::place_of(WaitsOfRank& waits, std::int64_t rank, std::int64_t other) {
  constexpr std::size_t kLookedFor = 32; // of a rank that waits for more a table knows the others
  auto& others = waits.others;
  const std::size_t first = std::min(others.size(), kLookedFor);
  for (std::size_t i = 0; i < first; ++i) {
    if (others[i].rank == other) return i;
  }
  if (first == kLookedFor) {
    const auto key = static_cast<std::uint64_t>(rank) << 32 | static_cast<std::uint64_t>(other);
    const auto [known, is_new] = far_.try_emplace(key, others.size());
    if (!is_new) return known->second;
  }
  others.push_back({other, 0});
  return others.size() - 1;
}

void Ledger::repeat(const Sums& since, double times) {
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    ranks[i].computing_s += times * (ranks[i].computing_s - since.ranks[i].computing_s);
    ranks[i].waiting_s += times * (ranks[i].waiting_s - since.ranks[i].waiting_s);
  }
  for (std::size_t rank = 0; rank < waits_.size(); ++rank) {
    auto& others = waits_[rank].others;
    for (std::size_t i = 0; i < others.size(); ++i) {
      const bool is_new = rank >= since.waits.size() || i >= since.waits[rank].others.size();
      const double before = is_new ? 0 : since.waits[rank].others[i].seconds;
      others[i].seconds += times * (others[i].seconds - before);
    }
  }
}

std::vector<WaitPair> Ledger::waits() const {
  std::vector<WaitPair> result;
  for (std::size_t rank = 0; rank < waits_.size(); ++rank) {
    for (const auto& [other, seconds] : waits_[rank].others)
      result.push_back({static_cast<std::int64_t>(rank), other, seconds});
  }
  std::sort(result.begin(), result.end(), [](const WaitPair& a, const WaitPair& b) {
    if (a.seconds != b.seconds) return a.seconds > b.seconds;
    return std::pair(a.rank, a.waits_for) < std::pair(b.rank, b.waits_for);
  });
  return result;
}

std::vector<Delay>& Ledger::delays_of(std::uint32_t activity) {
  if (activity >= delays_.size()) delays_.resize(std::size_t{activity} + 1);
  return delays_[activity];
}

void Ledger::begin_activity(std::uint32_t id, std::uint32_t starter, double at, CallName name) {
  if (!keeps_delays_) return;
  background_.resize(std::max(background_.size(), std::size_t{id} + 1 - ranks.size()));
  background_[id - ranks.size()] = name;
  delays_of(id).push_back({at, at, starter, name});
}

// From the end of the last rank or thread backwards: an activity's own time since it was last
// delayed, then what delayed it.
PathParts Ledger::critical_path() const {
  PathParts path;
  const auto last = std::max_element(
      ranks.begin(), ranks.end(),
      [](const RankPrediction& a, const RankPrediction& b) { return a.end_s < b.end_s; });
  if (last == ranks.end()) return path;
  auto activity = static_cast<std::uint32_t>(last - ranks.begin());
  path.last_rank = activity;
  double time = last->end_s;
  for (const auto& [id, thread] : threads_) {
    if (thread.end_s <= time) continue;
    activity = id;
    path.last_rank = thread.rank;
    time = thread.end_s;
  }
  path.own.resize(threads_.empty() ? ranks.size() : std::size_t{threads_.rbegin()->first} + 1);
  // Where a cause is at the same time as its effect, an activity must not look at a delay twice.
  std::vector<std::size_t> left(std::max(delays_.size(), path.own.size()));
  for (std::size_t i = 0; i < delays_.size(); ++i) left[i] = delays_[i].size();
  while (time > 0) {
    std::size_t& count = left[activity];
    while (count > 0 && delays_[activity][count - 1].at > time) --count;
    const Delay start{};
    const Delay& delay = count > 0 ? delays_[activity][--count] : start;
    if (is_program(activity)) {
      path.own[activity].push_back({delay.at, time});
    } else {
      const CallName name = background_[activity - ranks.size()];
      path.shares[name].communicating_s += time - delay.at;
    }
    if (&delay == &start) break;
    path.shares[delay.name].communicating_s += delay.at - delay.cause_time;
    if (delay.cause != activity) ++path.hops;
    activity = delay.cause;
    time = delay.cause_time;
  }
  for (auto& intervals : path.own) std::reverse(intervals.begin(), intervals.end());
  return path;
}

void Ledger::follow(const PathParts* path) {
  path_ = path;
  at_.assign(path->own.size(), 0);
  shares_ = path->shares;
}

void Ledger::add_share(std::uint32_t activity, double from, double to, CallName name,
                       bool is_computation) {
  if (activity >= at_.size() || to <= from) return;
  const std::vector<Interval>& intervals = path_->own[activity];
  std::size_t& at = at_[activity];
  double seconds = 0;
  while (at < intervals.size() && intervals[at].from < to) {
    seconds += std::max(std::min(to, intervals[at].to) - std::max(from, intervals[at].from), 0.0);
    if (intervals[at].to > to) break;
    ++at;
  }
  if (seconds <= 0) return;
  PathShare& share = shares_[name];
  (is_computation ? share.computing_s : share.communicating_s) += seconds;
}

} // namespace rondo::simulate::internal
