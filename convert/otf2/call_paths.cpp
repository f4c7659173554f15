// SPDX-License-Identifier: Apache-2.0
#include "convert/otf2/call_paths.hpp"

namespace rondo::convert::internal {

std::uint32_t CallPaths::site_of(std::vector<Frame>& stack) {
  std::size_t first = stack.size();
  while (first > 0 && stack[first - 1].site == 0) --first;
  std::uint32_t caller = first == 0 ? 0 : stack[first - 1].site;
  for (std::size_t i = first; i < stack.size(); ++i) {
    const auto [found, is_new] = known_.try_emplace({caller, stack[i].region}, 0);
    if (is_new) {
      if (sites_.size() >= kMostSites) {
        known_.erase(found);
        return caller;
      }
      sites_.push_back(
          {std::string(kModule), std::uint64_t{stack[i].region} + 1, caller == 0 ? 0 : caller + 1});
      found->second = static_cast<std::uint32_t>(sites_.size());
    }
    caller = stack[i].site = found->second;
  }
  if (!stack.empty()) stack.back().has_calls = true;
  return caller;
}

} // namespace rondo::convert::internal
