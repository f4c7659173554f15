// SPDX-License-Identifier: Apache-2.0
// One-sided communication of one rank: transfers that go on by themselves, and what waits for them.
#include "simulate/rank_program.hpp"

#include <algorithm>

namespace rondo::simulate::internal {

using trace::is_special;

void RankProgram::window_call(const CallPlan& plan) {
  const std::int64_t window = own_word(plan.window, trace::kNull);
  constexpr std::int64_t kAll = -1;
  switch (plan.act) {
  case Act::kMakeWindow:
    windows_[window].comm = own_word(plan.comm, trace::kWorldSlot);
    return meet_all(windows_[window].comm, false);
  case Act::kFreeWindow:
  case Act::kFence:
    if (windows_.count(window) == 0)
      return unsupported("is on a window that was not seen being made");
    flush(window, kAll);
    then_ = [this, comm = windows_[window].comm] { meet_all(comm, false); };
    return;
  case Act::kOneSided:
    return one_sided(plan);
  case Act::kFlush:
    return flush(window, plan.target >= 0 ? own_word(plan.target, kAll) : kAll);
  case Act::kWindowPost:
    windows_[window].origins = source_.group(own_word(plan.group, trace::kNull));
    return notify(windows_[window].origins, window, kWindowPostTag, true);
  case Act::kWindowStart:
    windows_[window].targets = source_.group(own_word(plan.group, trace::kNull));
    return notify(windows_[window].targets, window, kWindowPostTag, false);
  case Act::kWindowComplete:
    flush(window, kAll);
    return notify(windows_[window].targets, window, kWindowCompleteTag, true);
  case Act::kWindowWait:
    if (plan.flag >= 0 && own_word(plan.flag, 0) != 1) return;
    return notify(windows_[window].origins, window, kWindowCompleteTag, false);
  default:
    return;
  }
}

void RankProgram::one_sided(const CallPlan& plan) {
  const std::int64_t target = own_word(plan.target, trace::kProcNull);
  if (is_special(target)) {
    if (call_->function->makes_request) add_request(transport_.timed(clock_));
    return;
  }
  const std::int64_t name = own_word(plan.window, trace::kNull);
  const auto window = windows_.find(name);
  const bool is_known = window != windows_.end();
  const std::int64_t world =
      is_known ? source_.comm(window->second.comm).world_rank(target) : std::int64_t{-1};
  if (world < 0 && transport_.has_carrier())
    return unsupported("is on a window that was not seen being made");
  const std::int64_t count = plan.send_count >= 0 ? own_word(plan.send_count, 0) : 1;
  Request* const asked = call_->function->makes_request ? transport_.open_request() : nullptr;
  Request* const request =
      transport_.one_sided(clock_, *this, world, bytes(count, own_word(plan.send_type, 0)),
                           plan.is_there_and_back, asked);
  outstanding_.push_back({name, target, request});
  if (asked != nullptr) add_request(asked);
}

// Waits until what was put is there and what is gotten is here.
void RankProgram::flush(std::int64_t window, std::int64_t target) {
  std::erase_if(outstanding_, [&](const Outstanding& each) {
    if (each.window != window || (target >= 0 && each.target != target)) return false;
    wait_for(each.request);
    return true;
  });
}

void RankProgram::notify(const std::vector<std::int32_t>& peers, std::int64_t window,
                         std::int64_t tag, bool is_send) {
  const std::uint32_t comm = source_.comm(windows_[window].comm).id;
  std::vector<Step> steps;
  for (const std::int32_t peer : peers)
    steps.push_back({is_send ? -1 : peer, is_send ? peer : -1, 0, true});
  play(steps, comm, tag);
}

} // namespace rondo::simulate::internal
