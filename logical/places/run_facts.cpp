// SPDX-License-Identifier: Apache-2.0
#include "logical/places/run_facts.hpp"

#include "logical/folding/small_dimensions.hpp"
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
  const std::lock_guard lock(finding_);
  const auto [known, is_new] =
      topologies_.try_emplace({directions.across_twos, directions.square_is_grid});
  if (is_new) {
    known->second.all = peer_topologies_of(trace_, traffic(), uses_, numbers_, directions);
    known->second.of_calls = peer_topologies_of_calls(trace_, known->second.all);
  }
  return known->second;
}

const std::vector<std::uint32_t>& RunFacts::order_of_sites() {
  const std::lock_guard lock(finding_);
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
  const std::lock_guard lock(finding_);
  if (!roles_) roles_.emplace(trace_);
  return *roles_;
}

const matrix::LayeredTraffic& RunFacts::traffic() {
  const std::lock_guard lock(finding_);
  if (!traffic_) traffic_ = matrix::layers_of(trace_);
  return *traffic_;
}

RunFacts::Making RunFacts::making_of(const LogicalizeOptions& of,
                                     const DirectionOptions& directions, bool is_soft) {
  const std::array<int, 9> options = {static_cast<int>(of.detail),
                                      static_cast<int>(of.unseen),
                                      of.for_text,
                                      of.plays_alike_once,
                                      of.by_roles,
                                      of.drops_sites,
                                      of.directions_apart,
                                      of.in_source_order,
                                      of.says_cells};
  return {options, of.by_flow, {directions.across_twos, directions.square_is_grid, is_soft}};
}

std::optional<LogicalProgram> RunFacts::known_program(const LogicalizeOptions& of,
                                                      const DirectionOptions& directions,
                                                      bool is_soft) {
  const Making making = making_of(of, directions, is_soft);
  const std::lock_guard lock(known_mutex_);
  const auto found = std::find_if(known_.begin(), known_.end(),
                                  [&](const Known& known) { return known.making == making; });
  if (found == known_.end()) return std::nullopt;
  return found->program;
}

void RunFacts::keep_program(const LogicalizeOptions& of, const DirectionOptions& directions,
                            bool is_soft, const LogicalProgram& program) {
  constexpr std::size_t kMostPrograms = 64;
  constexpr std::size_t kMostOfAll = std::size_t{1} << 18; // terms, ranks and sites: some 100 MB
  const std::size_t size = terms_of(program) + program.cells.sites.size() +
                           program.cell_of_rank.size() * (1 + program.peer_topologies.size());
  const std::lock_guard lock(known_mutex_);
  ++made_;
  if (size > kMostOfAll) return;
  Known known{making_of(of, directions, is_soft), program, size};
  known_.push_back(std::move(known));
  size_of_known_ += size;
  while (known_.size() > kMostPrograms || size_of_known_ > kMostOfAll) {
    size_of_known_ -= known_.front().size;
    known_.pop_front();
  }
}

void RunFacts::find_all(const LogicalizeOptions& options,
                        const std::vector<DirectionOptions>& directions) {
  for (const DirectionOptions& one : directions) topologies(one);
  traffic();
  if (options.by_roles) roles();
  if (options.for_text) order_of_sites();
}

} // namespace rondo::logical::internal
