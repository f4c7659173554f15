// SPDX-License-Identifier: Apache-2.0
// One-sided communication of one rank: transfers that go on by themselves, and what waits for them.
#include "simulate/ranks/rank_windows.hpp"

#include "trace/mpi_names.hpp"

#include <algorithm>
#include <utility>

namespace rondo::simulate::internal {

using trace::Act;
using trace::CallView;
using trace::is_special;

void RankWindows::call(const CallView& call) {
  const std::int64_t window = call.window();
  const std::int64_t group = trace::word_or(call.words(), call.means().group, trace::kNull);
  constexpr std::int64_t kAll = -1;
  switch (call.means().act) {
  case Act::kMakeWindow: {
    RankObjects::Window& made = rank_.objects().windows[window];
    made.comm = call.comm();
    made.number = ++rank_.objects().windows_made[rank_.source().comm(made.comm).id];
    return collectives_.meet_all(made.comm, false);
  }
  case Act::kFreeWindow:
  case Act::kFence:
    if (rank_.objects().windows.count(window) == 0)
      return rank_.unsupported("is on a window that was not seen being made");
    flush(window, kAll);
    rank_.do_then([this, comm = rank_.objects().windows[window].comm] {
      collectives_.meet_all(comm, false);
    });
    return;
  case Act::kOneSided:
    return one_sided(call);
  case Act::kLock:
    return lock(call);
  case Act::kFlush:
    flush(window, trace::word_or(call.words(), call.means().target, kAll));
    return unlock(call);
  case Act::kExpose:
    rank_.objects().windows[window].origins = rank_.source().group(group);
    return notify(rank_.objects().windows[window].origins, window, kWindowPostTag, true);
  case Act::kAccess:
    rank_.objects().windows[window].targets = rank_.source().group(group);
    rank_.objects().windows[window].poster = -1;
    return notify(rank_.objects().windows[window].targets, window, kWindowPostTag, false);
  case Act::kEndAccess:
    wait_for_post(window);
    flush(window, kAll);
    return notify(rank_.objects().windows[window].targets, window, kWindowCompleteTag, true);
  case Act::kEndExposure:
    if (!call.has_found()) return;
    return notify(rank_.objects().windows[window].origins, window, kWindowCompleteTag, false);
  default:
    return;
  }
}

// Of a target's MPI_Win_post, which MPI_Win_start has waited for in the play.
void RankWindows::note_post(const Request& request) {
  RankObjects::Window& window = rank_.objects().windows[rank_.call_view().window()];
  if (window.poster >= 0 && request.other_start <= window.posted_s) return;
  window.posted_s = request.other_start;
  window.poster = request.other_rank;
  window.poster_actor = request.other_actor;
}

// At recorded times: MPIs that let MPI_Win_start go wait in the calls behind it.
void RankWindows::wait_for_post(std::int64_t name) {
  const auto found = rank_.objects().windows.find(name);
  if (!rank_.recorded() || found == rank_.objects().windows.end()) return;
  const RankObjects::Window& window = found->second;
  const double until_s = std::min(window.posted_s, rank_.recorded()->to_s);
  if (window.poster < 0 || window.poster == rank_.rank() || until_s <= rank_.call_start_s()) return;
  rank_.note_wait(window.poster, until_s - rank_.call_start_s());
  if (Observer* const observer = rank_.stage().options.observer)
    observer->met({rank_.actor(), rank_.call_name(), Met::For::kOperation, rank_.call_start_s(),
                   until_s, window.poster_actor, window.posted_s});
}

void RankWindows::one_sided(const CallView& call) {
  const std::int64_t target = trace::word_or(call.words(), call.means().target, trace::kProcNull);
  if (is_special(target)) {
    if (rank_.call().function->makes_request)
      rank_.open().add(rank_.transport().timed(rank_.clock()));
    return;
  }
  const std::int64_t name = call.window();
  wait_for_post(name);
  const auto window = rank_.objects().windows.find(name);
  const bool is_known = window != rank_.objects().windows.end();
  const std::int64_t world =
      is_known ? rank_.source().comm(window->second.comm).world_rank(target) : std::int64_t{-1};
  if (world < 0 && rank_.transport().has_carrier())
    return rank_.unsupported("is on a window that was not seen being made");
  const std::int64_t count = trace::word_or(call.words(), call.means().target_count, 1);
  const std::int64_t type = trace::word_or(call.words(), call.means().target_type, 0);
  Request* const asked =
      rank_.call().function->makes_request ? rank_.transport().open_request() : nullptr;
  Request* const request =
      rank_.transport().one_sided(rank_.running_clock(), rank_, world, rank_.bytes(count, type),
                                  call.means().gives_back, asked);
  outstanding_.push_back({name, target, request});
  if (asked != nullptr) rank_.open().add(asked);
}

// Waits until what was put is there and what is gotten is here.
void RankWindows::flush(std::int64_t window, std::int64_t target) {
  std::erase_if(outstanding_, [&](const Outstanding& each) {
    if (each.window != window || (target >= 0 && each.target != target)) return false;
    rank_.wait_for(each.request);
    return true;
  });
}

// Locks of windows that were not seen being made, and of MPI_PROC_NULL, keep nobody out.
std::optional<LockQueue::Lock> RankWindows::lock_of(const CallView& call) {
  if (!rank_.stage().locks) return std::nullopt;
  const auto window = rank_.objects().windows.find(call.window());
  if (window == rank_.objects().windows.end()) return std::nullopt;
  const trace::Communicators::View& view = rank_.source().comm(window->second.comm);
  LockQueue::Lock lock{view.id, window->second.number, LockQueue::kAll};
  if (rank_.call().function->name == mpi::Win_lock_all ||
      rank_.call().function->name == mpi::Win_unlock_all)
    return lock;
  if (is_special(call.target())) return std::nullopt;
  lock.target = view.world_rank(call.target());
  return lock.target < 0 ? std::nullopt : std::optional(lock);
}

void RankWindows::lock(const CallView& call) {
  const auto lock = lock_of(call);
  if (!lock || locks_unchecked(rank_.call())) return;
  rank_.wait_for(
      rank_.stage().locks->ask(*lock, locks_alone(rank_.call()), rank_, rank_.transport()));
}

// Once what was put is there.
void RankWindows::unlock(const CallView& call) {
  const std::string_view name = rank_.call().function->name;
  if (name != mpi::Win_unlock && name != mpi::Win_unlock_all) return;
  const auto lock = lock_of(call);
  if (lock) rank_.do_then([this, held = *lock] { rank_.stage().locks->give_back(held, rank_); });
}

void RankWindows::notify(const std::vector<std::int32_t>& peers, std::int64_t window,
                         std::int64_t tag, bool is_send) {
  const std::uint32_t comm = rank_.source().comm(rank_.objects().windows[window].comm).id;
  std::vector<Step> steps;
  for (const std::int32_t peer : peers)
    steps.push_back({is_send ? -1 : peer, is_send ? peer : -1, 0, true});
  rank_.play(std::move(steps), comm, tag);
}

} // namespace rondo::simulate::internal
