// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/outsiders.hpp"

#include <algorithm>
#include <vector>

namespace rondo::trace {
namespace {

bool are_outside(const std::vector<RankRange>& ranks) {
  return std::any_of(ranks.begin(), ranks.end(), [](const RankRange& range) {
    return range.start < 0 || range.start + (range.count - 1) * range.stride < 0;
  });
}

} // namespace

bool has_outsiders(const Trace& trace) {
  return std::any_of(trace.comms.begin(), trace.comms.end(), [](const CommDefinition& comm) {
    return are_outside(comm.members) || are_outside(comm.remote);
  });
}

} // namespace rondo::trace
