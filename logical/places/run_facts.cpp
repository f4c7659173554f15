// SPDX-License-Identifier: Apache-2.0
#include "logical/places/run_facts.hpp"

#include "logical/places/peer_topologies.hpp"
#include "rondo/fold/recast.hpp"

#include <algorithm>
#include <numeric>

namespace rondo::logical::internal {
namespace {

std::vector<std::int64_t> as_they_are(std::int64_t ranks) {
  std::vector<std::int64_t> numbers(static_cast<std::size_t>(ranks));
  std::iota(numbers.begin(), numbers.end(), std::int64_t{0});
  return numbers;
}

} // namespace

RunFacts::RunFacts(const trace::Trace& trace, bool by_rank_numbers)
    : trace_(trace), uses_(uses_of(trace, !by_rank_numbers)),
      numbers_(by_rank_numbers ? as_they_are(trace.run.ranks) : numbers_by_use(uses_)) {}

const RunFacts::Topologies& RunFacts::topologies(const DirectionOptions& directions) {
  const auto [known, is_new] =
      topologies_.try_emplace({directions.across_twos, directions.square_is_grid});
  if (is_new) {
    known->second.all = peer_topologies_of(trace_, traffic(), uses_, numbers_, directions);
    known->second.of_calls = peer_topologies_of_calls(trace_, known->second.all);
  }
  return known->second;
}

const std::vector<std::uint32_t>& RunFacts::order_of_sites() {
  if (!order_of_sites_) {
    // Compilers move branches, so without lines nothing tells in which order they stand.
    const bool has_lines = trace_.names.size() == trace_.sites.size() &&
                           std::any_of(trace_.names.begin(), trace_.names.end(),
                                       [](const trace::SiteName& name) { return name.line != 0; });
    order_of_sites_.emplace();
    if (has_lines) order_of_sites_ = fold::order_of_sites(trace_);
  }
  return *order_of_sites_;
}

const CommRoles& RunFacts::roles() {
  if (!roles_) roles_.emplace(trace_);
  return *roles_;
}

const matrix::LayeredTraffic& RunFacts::traffic() {
  if (!traffic_) traffic_ = matrix::layers_of(trace_);
  return *traffic_;
}

void RunFacts::find_all(const LogicalizeOptions& options,
                        const std::vector<DirectionOptions>& directions) {
  for (const DirectionOptions& one : directions) topologies(one);
  traffic();
  if (options.by_roles) roles();
  if (options.for_text) order_of_sites();
}

} // namespace rondo::logical::internal
