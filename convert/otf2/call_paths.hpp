// SPDX-License-Identifier: Apache-2.0
// Call paths of one rank as call sites: a site for each way of regions on which the program came
// to an MPI call.
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

namespace rondo::convert::internal {

class CallPaths {
public:
  struct Frame {
    std::uint32_t region = 0;
    std::uint32_t site = 0; // 0: not asked for yet
    bool has_calls = false; // MPI ones, in itself or in what it called
  };
  /// Frames of a stack that are kept, and sites of a rank; beyond them paths end early.
  static constexpr std::size_t kDeepest = 256;
  static constexpr std::size_t kMostSites = std::size_t{1} << 16;
  static constexpr std::string_view kModule = "regions of the OTF2 trace";

  /// The site of a call that stands in the last of these frames, 0 if there are none.
  /// @complexity  O(frames that were not asked for yet)
  std::uint32_t site_of(std::vector<Frame>& stack);

  /// All but the unknown one: offset is the region's reference and 1 more.
  std::vector<trace::CallSite> take() { return std::move(sites_); }

private:
  std::vector<trace::CallSite> sites_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> known_; // by caller and region
};

} // namespace rondo::convert::internal
