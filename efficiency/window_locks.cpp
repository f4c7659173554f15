// SPDX-License-Identifier: Apache-2.0
#include "efficiency/window_locks.hpp"

#include "rondo/base/sort_stably.hpp"
#include "rondo/trace/call_meaning.hpp"
#include "simulate/transport/lock_queue.hpp"
#include "trace/mpi_names.hpp"

#include <algorithm>
#include <set>
#include <string_view>

namespace rondo::efficiency::internal {
bool WindowLocks::are_in(const trace::Trace& trace) {
  return std::ranges::any_of(trace.classes, [](const trace::RankClass& c) {
    return std::ranges::any_of(c.program->calls, [](const trace::Call& call) {
      const trace::Function& function = *trace::find_function(call.function);
      return trace::meaning_of(function).act == trace::Act::kLock;
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
  const WindowsOfRank& own = windows_[static_cast<std::size_t>(rank)];
  const auto window = own.open.find(name);
  next.held.window = window == own.open.end() ? Window{.number = name} : window->second;
  next.held.target = view.target();
  const auto ranks = own.ranks.find(name);
  next.target_rank = ranks == own.ranks.end() || trace::is_special(next.held.target)
                         ? -1
                         : ranks->second.world_rank(next.held.target);
  const std::string_view function = call.function->name;
  if (view.means().act == trace::Act::kLock) {
    const bool is_of_none = next.held.target != kAll && trace::is_special(next.held.target);
    if (simulate::internal::locks_unchecked(call) || is_of_none) return;
    next.what = Next::What::kLock;
    next.is_exclusive = simulate::internal::locks_alone(call);
  } else if (function == mpi::Win_unlock || function == mpi::Win_unlock_all) {
    next.what = Next::What::kUnlock;
  } else {
    next.what = Next::What::kInside;
  }
}

// That the call at hand is of: a lock of its target alone, or of all.
WindowLocks::Epoch* WindowLocks::epoch_of(std::int64_t actor) {
  auto& open = open_[static_cast<std::size_t>(actor)];
  Held held = next_[static_cast<std::size_t>(actor)].held;
  auto epoch = open.find(held);
  held.target = kAll;
  if (epoch == open.end()) epoch = open.find(held);
  return epoch == open.end() ? nullptr : &epoch->second;
}

void WindowLocks::called(std::int64_t actor, std::uint32_t spot, double from_s, double to_s) {
  const Next& next = next_[static_cast<std::size_t>(actor)];
  if (next.what == Next::What::kOther) return;
  auto& open = open_[static_cast<std::size_t>(actor)];
  const CallOf call{spot, from_s, to_s, next.held.target, next.target_rank};
  if (next.what == Next::What::kLock) {
    open[next.held] = {actor, next.target_rank, next.is_exclusive, {call}};
    return;
  }
  Epoch* const epoch = epoch_of(actor);
  if (epoch == nullptr) return;
  epoch->calls.push_back(call);
  if (next.what != Next::What::kUnlock) return;
  done_[next.held].push_back(std::move(*epoch));
  open.erase(next.held);
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
  const std::optional<Computed> last = timeline.computed_before(epoch.target, from_s);
  if (!last || last->until_s() <= from_s || last->until_s() > call.to_s) return std::nullopt;
  return last;
}

void WindowLocks::find_waits_of(const Epoch& epoch, std::span<const Epoch> others,
                                const Timeline& timeline, AllWaits& waits) {
  const Epoch* last = nullptr; // of those that were before
  for (const Epoch& other : others) {
    if (other.locked_s() >= epoch.end_s()) break; // sorted
    const bool excludes = other.is_exclusive || epoch.is_exclusive;
    if (other.actor == epoch.actor || !excludes || !was_before(other, epoch)) continue;
    if (last == nullptr || other.unlocked_s() > last->unlocked_s()) last = &other;
  }
  for (const CallOf& call : epoch.calls) {
    WaitsOfCall found;
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
        found.push_back({wait, epoch.locked_s(), last->locked_s(), last->unlocked_s()});
    }
    wait.kind = WaitKind::kTarget;
    wait.other = static_cast<std::int32_t>(epoch.target);
    wait.from_s = std::max(wait.from_s, wait.until_s);
    if (const auto computes = target_computes(epoch, call, wait.from_s, timeline)) {
      wait.until_s = computes->until_s();
      found.push_back({wait, wait.from_s, computes->from_s, wait.until_s});
    }
    if (found.empty()) continue;
    // Whoever waits for several targets waits until the last is there.
    WaitsOfCall& known = waits[{epoch.actor, call.from_s}];
    if (known.empty() || known.back().wait.until_s < found.back().wait.until_s)
      known = std::move(found);
  }
}

// A lock of all targets, told apart by target, as MPIs take it as late as in the first call to one.
// Calls to all are to those targets that were communicated with since the one before.
// @param parts  has the targets that are locked alone, which such a lock stands at, too
void WindowLocks::tell_apart(const Epoch& of_all, std::map<std::int64_t, Epoch>& parts) {
  const auto part_of = [&](std::int64_t target) -> Epoch& {
    Epoch& part = parts[target];
    if (part.calls.empty()) part = {of_all.actor, -1, false, {of_all.calls.front()}};
    return part;
  };
  std::set<std::int64_t> reached;
  for (const CallOf& call : std::span(of_all.calls).subspan(1)) {
    if (call.target != kAll) {
      Epoch& part = part_of(call.target);
      part.target = call.target_rank;
      part.calls.push_back(call);
      reached.insert(call.target);
      continue;
    }
    for (const std::int64_t target : reached) parts[target].calls.push_back(call);
    reached.clear();
  }
  for (const auto& [target, unused] : parts) {
    Epoch& part = part_of(target);
    if (part.unlocked_s() < of_all.unlocked_s()) part.calls.push_back(of_all.calls.back());
  }
}

std::map<WindowLocks::Held, std::vector<WindowLocks::Epoch>> WindowLocks::epochs_by_target() const {
  std::map<Held, std::vector<Epoch>> result = done_;
  for (const auto& [held, epochs] : done_) {
    if (held.target != kAll) continue;
    std::map<std::int64_t, Epoch> alone;
    for (const auto& [other, unused] : done_) {
      if (other.window == held.window && other.target != kAll) alone[other.target];
    }
    for (const Epoch& epoch : epochs) {
      std::map<std::int64_t, Epoch> parts = alone;
      tell_apart(epoch, parts);
      for (auto& [target, part] : parts) result[{held.window, target}].push_back(std::move(part));
    }
    result.erase(held);
  }
  return result;
}

std::vector<Timeline::LaterWait> WindowLocks::waits(const Timeline& timeline) const {
  AllWaits waits;
  for (auto& [held, epochs] : epochs_by_target()) {
    std::vector<Epoch> sorted = epochs;
    sort_stably(sorted.begin(), sorted.end(),
                [](const Epoch& a, const Epoch& b) { return a.locked_s() < b.locked_s(); });
    std::size_t first = 0; // that is not over when this one begins
    for (const Epoch& epoch : sorted) {
      while (&sorted[first] != &epoch && sorted[first].end_s() <= epoch.locked_s()) ++first;
      find_waits_of(epoch, std::span(sorted).subspan(first), timeline, waits);
    }
  }
  std::vector<Timeline::LaterWait> result;
  for (const auto& [call, found] : waits) result.insert(result.end(), found.begin(), found.end());
  return result;
}

} // namespace rondo::efficiency::internal
