// SPDX-License-Identifier: Apache-2.0
#include "efficiency/window_locks.hpp"

#include "rondo/base/sort_stably.hpp"
#include "rondo/trace/call_meaning.hpp"
#include "simulate/transport/lock_queue.hpp"
#include "trace/mpi_names.hpp"

#include <algorithm>

namespace rondo::efficiency::internal {
bool WindowLocks::are_in(const trace::Trace& trace) {
  return std::ranges::any_of(trace.classes, [](const trace::RankClass& c) {
    return std::ranges::any_of(c.program->calls, [](const trace::Call& call) {
      return trace::find_function(call.function)->name == mpi::Win_lock;
    });
  });
}

void WindowLocks::make_window(std::int64_t rank, const trace::CallView& call) {
  WindowsOfRank& own = windows_[static_cast<std::size_t>(rank)];
  const std::uint32_t comm = comms_.of(rank, call.comm()).id;
  if (comm == trace::Communicators::kUnknown) return;
  own.open[call.window()] = {comm, own.made[comm]++};
  own.ranks[call.window()] = comms_.of(rank, call.comm());
}

void WindowLocks::comes_to(std::int64_t actor, std::int64_t rank, const trace::CallInstance& call) {
  Next& next = next_[static_cast<std::size_t>(actor)];
  next.what = Next::What::kOther;
  if (call.function->role != trace::Role::kRma && call.function->role != trace::Role::kWin) return;
  if (call.error != 0) return;
  const trace::CallView view(trace::meaning_of(*call.function), call.words);
  if (view.means().act == trace::Act::kMakeWindow) return make_window(rank, view);
  const std::int64_t name = view.window();
  const auto& open = windows_[static_cast<std::size_t>(rank)].open;
  const auto window = open.find(name);
  next.held.window = window == open.end() ? Window{.number = name} : window->second;
  next.held.target = view.target();
  if (call.function->name == mpi::Win_lock) {
    if (simulate::internal::locks_unchecked(call) || trace::is_special(next.held.target)) return;
    next.what = Next::What::kLock;
    const auto& ranks = windows_[static_cast<std::size_t>(rank)].ranks;
    const auto known = ranks.find(name);
    next.target = known == ranks.end() ? -1 : known->second.world_rank(next.held.target);
    next.is_exclusive = simulate::internal::locks_alone(call);
  } else if (call.function->name == mpi::Win_unlock) {
    next.what = Next::What::kUnlock;
  } else {
    next.what = Next::What::kInside;
  }
}

void WindowLocks::called(std::int64_t actor, std::uint32_t spot, double from_s, double to_s) {
  const Next& next = next_[static_cast<std::size_t>(actor)];
  if (next.what == Next::What::kOther) return;
  auto& open = open_[static_cast<std::size_t>(actor)];
  if (next.what == Next::What::kLock) {
    open[next.held] = {actor, next.target, next.is_exclusive, {{spot, from_s, to_s}}};
    return;
  }
  const auto epoch = open.find(next.held);
  if (epoch == open.end()) return;
  epoch->second.calls.push_back({spot, from_s, to_s});
  if (next.what != Next::What::kUnlock) return;
  done_[next.held].push_back(std::move(epoch->second));
  open.erase(epoch);
}

// MPIs may take a lock as late as in MPI_Win_unlock: who came later, and is in that call when the
// other comes to its own, has waited there.
bool WindowLocks::waits_in_unlock(const Epoch& one, const Epoch& other) {
  return one.unlocked_s() < other.unlocked_s() && other.unlocked_s() < one.end_s() &&
         other.locked_s() < one.locked_s();
}

// Else who wants to give it back first had it first.
bool WindowLocks::was_before(const Epoch& one, const Epoch& other) {
  if (one.unlocked_s() <= other.locked_s() || waits_in_unlock(one, other)) return false;
  return waits_in_unlock(other, one) || one.unlocked_s() <= other.unlocked_s();
}

// Some libraries do for the target what others do without it: then nothing comes of a call until
// the target is inside MPI, however long it computes.
std::optional<Computed> WindowLocks::target_computes(const Epoch& epoch, const CallOf& call,
                                                     double from_s, const Timeline& timeline) {
  if (epoch.target < 0 || epoch.target == epoch.actor) return std::nullopt;
  const auto& computed = timeline.computation_of(epoch.target);
  const auto after = std::ranges::upper_bound(computed, from_s, {}, &Computed::from_s);
  if (after == computed.begin()) return std::nullopt;
  const Computed last = *std::prev(after);
  if (last.until_s() <= from_s || last.until_s() > call.to_s) return std::nullopt;
  return last;
}

void WindowLocks::find_waits_of(const Epoch& epoch, std::span<const Epoch> others,
                                const Timeline& timeline, std::vector<Timeline::LaterWait>& waits) {
  const Epoch* last = nullptr; // of those that were before
  for (const Epoch& other : others) {
    if (other.locked_s() >= epoch.end_s()) break; // sorted
    const bool excludes = other.is_exclusive || epoch.is_exclusive;
    if (other.actor == epoch.actor || !excludes || !was_before(other, epoch)) continue;
    if (last == nullptr || other.unlocked_s() > last->unlocked_s()) last = &other;
  }
  for (const CallOf& call : epoch.calls) {
    Waited wait;
    wait.kind = WaitKind::kLock;
    wait.spot = call.spot;
    wait.rank = static_cast<std::int32_t>(epoch.actor);
    wait.from_s = call.from_s;
    wait.until_s = call.from_s;
    if (last != nullptr) {
      wait.other = static_cast<std::int32_t>(last->actor);
      wait.until_s = std::min(call.to_s, last->unlocked_s());
      if (wait.until_s > wait.from_s)
        waits.push_back({wait, epoch.locked_s(), last->locked_s(), last->unlocked_s()});
    }
    wait.kind = WaitKind::kTarget;
    wait.other = static_cast<std::int32_t>(epoch.target);
    wait.from_s = std::max(wait.from_s, wait.until_s);
    const auto computes = target_computes(epoch, call, wait.from_s, timeline);
    if (!computes) continue;
    wait.until_s = computes->until_s();
    waits.push_back({wait, wait.from_s, computes->from_s, wait.until_s});
  }
}

std::vector<Timeline::LaterWait> WindowLocks::waits(const Timeline& timeline) const {
  std::vector<Timeline::LaterWait> waits;
  for (const auto& [held, epochs] : done_) {
    std::vector<Epoch> sorted = epochs;
    sort_stably(sorted.begin(), sorted.end(),
                [](const Epoch& a, const Epoch& b) { return a.locked_s() < b.locked_s(); });
    std::size_t first = 0; // that is not over when this one begins
    for (const Epoch& epoch : sorted) {
      while (&sorted[first] != &epoch && sorted[first].end_s() <= epoch.locked_s()) ++first;
      find_waits_of(epoch, std::span(sorted).subspan(first), timeline, waits);
    }
  }
  return waits;
}

} // namespace rondo::efficiency::internal
