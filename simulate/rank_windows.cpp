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
    return meet_all(windows_[window].comm, false);
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
  double finish = clock_;
  if (!is_special(target)) {
    const std::int64_t count = plan.send_count >= 0 ? own_word(plan.send_count, 0) : 1;
    finish = transport_.one_sided(clock_, rank_, bytes(count, own_word(plan.send_type, 0)),
                                  plan.is_there_and_back);
    outstanding_.push_back({own_word(plan.window, trace::kNull), target, finish});
  }
  if (call_->function->makes_request) add_request(transport_.timed(finish));
}

// Waits until what was put is there and what is gotten is here.
void RankProgram::flush(std::int64_t window, std::int64_t target) {
  double finish = clock_;
  std::erase_if(outstanding_, [&](const Outstanding& each) {
    if (each.window != window || (target >= 0 && each.target != target)) return false;
    finish = std::max(finish, each.finish);
    return true;
  });
  clock_ = finish;
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
