// SPDX-License-Identifier: Apache-2.0
#include "simulate/ranks/unknown_receives.hpp"

namespace rondo::simulate::internal {

bool UnknownReceives::has(const Request* request) const {
  return std::ranges::find(receives_, request, &UnknownReceive::request) != receives_.end();
}

bool UnknownReceives::has_posted() const {
  return std::ranges::any_of(receives_, [&](const auto& each) { return !is_held(each); });
}

bool UnknownReceives::hold_up(const UnknownReceive& receive) const {
  return std::ranges::any_of(receives_, [&](const UnknownReceive& before) {
    const bool same_source = before.source == receive.source || before.source == trace::kAnySource;
    const bool same_tag = before.tag == receive.tag || before.tag == trace::kAnyTag;
    return before.comm == receive.comm && same_source && same_tag;
  });
}

std::optional<UnknownReceive> UnknownReceives::take_held(std::int64_t held_before) {
  const auto found = std::ranges::find_if(
      receives_, [&](const UnknownReceive& each) { return is_held(each) && held_before-- == 0; });
  if (found == receives_.end()) return std::nullopt;
  const UnknownReceive taken = *found;
  receives_.erase(found);
  return taken;
}

std::vector<UnknownReceive> UnknownReceives::take(std::span<const Completion> done) {
  std::vector<UnknownReceive> waiting, taken;
  waiting.swap(receives_);
  for (UnknownReceive& each : waiting) {
    const auto completion = std::ranges::find(done, each.request, &Completion::request);
    const bool is_completed = completion != done.end();
    if (is_completed && each.is_wild) each.envelope = completion->envelope;
    const bool is_known = is_completed || (!each.is_wild && !hold_up(each));
    (is_known ? taken : receives_).push_back(each);
  }
  return taken;
}

void UnknownReceives::forget(const Request* request) {
  std::erase_if(receives_, [&](const UnknownReceive& each) { return each.request == request; });
}

} // namespace rondo::simulate::internal
