// SPDX-License-Identifier: Apache-2.0
// One-sided communication of one rank: transfers that go on by themselves, and what waits for them.
#include "simulate/ranks/rank_program.hpp"

#include "trace/mpi_names.hpp"

#include <algorithm>

namespace rondo::simulate::internal {

using trace::Act;
using trace::is_special;

void RankProgram::window_call(const CallView& call) {
  const std::int64_t window = call.window();
  const std::int64_t group = trace::word_or(call.words(), call.means().group, trace::kNull);
  constexpr std::int64_t kAll = -1;
  switch (call.means().act) {
  case Act::kMakeWindow: {
    Window& made = objects_->windows[window];
    made.comm = call.comm();
    made.number = ++objects_->windows_made[source_.comm(made.comm).id];
    return meet_all(made.comm, false);
  }
  case Act::kFreeWindow:
  case Act::kFence:
    if (objects_->windows.count(window) == 0)
      return unsupported("is on a window that was not seen being made");
    flush(window, kAll);
    then_ = [this, comm = objects_->windows[window].comm] { meet_all(comm, false); };
    return;
  case Act::kOneSided:
    return one_sided(call);
  case Act::kLock:
    return lock(call);
  case Act::kFlush:
    flush(window, trace::word_or(call.words(), call.means().target, kAll));
    return unlock(call);
  case Act::kExpose:
    objects_->windows[window].origins = source_.group(group);
    return notify(objects_->windows[window].origins, window, kWindowPostTag, true);
  case Act::kAccess:
    objects_->windows[window].targets = source_.group(group);
    objects_->windows[window].poster = -1;
    return notify(objects_->windows[window].targets, window, kWindowPostTag, false);
  case Act::kEndAccess:
    wait_for_post(window);
    flush(window, kAll);
    return notify(objects_->windows[window].targets, window, kWindowCompleteTag, true);
  case Act::kEndExposure:
    if (!call.has_found()) return;
    return notify(objects_->windows[window].origins, window, kWindowCompleteTag, false);
  default:
    return;
  }
}

// Of a target's MPI_Win_post, which MPI_Win_start has waited for in the play.
void RankProgram::note_post(const Request& request) {
  Window& window = objects_->windows[own_call().window()];
  if (window.poster >= 0 && request.other_start <= window.posted_s) return;
  window.posted_s = request.other_start;
  window.poster = request.other_rank;
  window.poster_actor = request.other_actor;
}

// At recorded times: MPIs that let MPI_Win_start go wait in the calls behind it.
void RankProgram::wait_for_post(std::int64_t name) {
  const auto window = objects_->windows.find(name);
  if (!recorded_ || window == objects_->windows.end() || window->second.poster < 0) return;
  const double until_s = std::min(window->second.posted_s, recorded_->to_s);
  if (until_s <= call_start_ || window->second.poster == rank_) return;
  mine().waiting_s += until_s - call_start_;
  ledger_.waited(rank_, window->second.poster, until_s - call_start_);
  if (Observer* const observer = stage_.options.observer)
    observer->met({actor_, call_name(), Met::For::kOperation, call_start_, until_s,
                   window->second.poster_actor, window->second.posted_s});
}

void RankProgram::one_sided(const CallView& call) {
  const std::int64_t target = trace::word_or(call.words(), call.means().target, trace::kProcNull);
  if (is_special(target)) {
    if (call_->function->makes_request) open_.add(transport_.timed(clock_));
    return;
  }
  const std::int64_t name = call.window();
  wait_for_post(name);
  const auto window = objects_->windows.find(name);
  const bool is_known = window != objects_->windows.end();
  const std::int64_t world =
      is_known ? source_.comm(window->second.comm).world_rank(target) : std::int64_t{-1};
  if (world < 0 && transport_.has_carrier())
    return unsupported("is on a window that was not seen being made");
  const std::int64_t count = trace::word_or(call.words(), call.means().target_count, 1);
  const std::int64_t type = trace::word_or(call.words(), call.means().target_type, 0);
  Request* const asked = call_->function->makes_request ? transport_.open_request() : nullptr;
  Request* const request = transport_.one_sided(clock_, *this, world, bytes(count, type),
                                                call.means().gives_back, asked);
  outstanding_.push_back({name, target, request});
  if (asked != nullptr) open_.add(asked);
}

// Waits until what was put is there and what is gotten is here.
void RankProgram::flush(std::int64_t window, std::int64_t target) {
  std::erase_if(outstanding_, [&](const Outstanding& each) {
    if (each.window != window || (target >= 0 && each.target != target)) return false;
    wait_for(each.request);
    return true;
  });
}

// Locks of windows that were not seen being made, and of MPI_PROC_NULL, keep nobody out.
std::optional<LockQueue::Lock> RankProgram::lock_of(const CallView& call) {
  if (!stage_.locks) return std::nullopt;
  const auto window = objects_->windows.find(call.window());
  if (window == objects_->windows.end()) return std::nullopt;
  const trace::Communicators::View& view = source_.comm(window->second.comm);
  LockQueue::Lock lock{view.id, window->second.number, LockQueue::kAll};
  if (call_->function->name == mpi::Win_lock_all || call_->function->name == mpi::Win_unlock_all)
    return lock;
  const std::int64_t target = named_word("rank");
  if (is_special(target)) return std::nullopt;
  lock.target = view.world_rank(target);
  return lock.target < 0 ? std::nullopt : std::optional(lock);
}

void RankProgram::lock(const CallView& call) {
  const auto lock = lock_of(call);
  if (!lock || locks_unchecked(*call_)) return;
  wait_for(stage_.locks->ask(*lock, locks_alone(*call_), *this, transport_));
}

// Once what was put is there.
void RankProgram::unlock(const CallView& call) {
  const std::string_view name = call_->function->name;
  if (name != mpi::Win_unlock && name != mpi::Win_unlock_all) return;
  const auto lock = lock_of(call);
  if (lock) then_ = [this, held = *lock] { stage_.locks->give_back(held, *this); };
}

void RankProgram::notify(const std::vector<std::int32_t>& peers, std::int64_t window,
                         std::int64_t tag, bool is_send) {
  const std::uint32_t comm = source_.comm(objects_->windows[window].comm).id;
  std::vector<Step> steps;
  for (const std::int32_t peer : peers)
    steps.push_back({is_send ? -1 : peer, is_send ? peer : -1, 0, true});
  play(steps, comm, tag);
}

} // namespace rondo::simulate::internal
