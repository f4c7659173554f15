// SPDX-License-Identifier: Apache-2.0
#include "topology/parts/layer_groups.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

namespace rondo::topology::internal {
namespace {

using Ranks = std::vector<std::int64_t>; // ascending

Ranks ranks_of(const trace::CommDefinition* comm, std::int64_t ranks) {
  Ranks result;
  if (comm == nullptr) {
    result.resize(static_cast<std::size_t>(ranks));
    std::iota(result.begin(), result.end(), 0);
    return result;
  }
  result = trace::sequence_of(comm->members);
  const Ranks remote = trace::sequence_of(comm->remote);
  result.insert(result.end(), remote.begin(), remote.end());
  std::sort(result.begin(), result.end());
  return result;
}

// Communicators that do not overlap.
struct Group {
  std::vector<std::size_t> layers;
  std::set<Ranks> communicators;
  std::vector<bool> has; // by rank

  bool takes(const Ranks& ranks) const {
    return communicators.contains(ranks) ||
           std::none_of(ranks.begin(), ranks.end(),
                        [&](std::int64_t rank) { return has[static_cast<std::size_t>(rank)]; });
  }
};

} // namespace

std::vector<std::vector<std::size_t>>
by_overlapping_communicators(const matrix::LayeredTraffic& layered,
                             const std::vector<std::size_t>& layers, std::int64_t ranks) {
  std::vector<Group> groups;
  std::map<const trace::CommDefinition*, std::size_t> group_of;
  for (const std::size_t layer : layers) {
    const trace::CommDefinition* comm = layered.layers[layer].comm;
    auto known = group_of.find(comm);
    if (known == group_of.end()) {
      Ranks members = ranks_of(comm, ranks);
      auto group = std::find_if(groups.begin(), groups.end(),
                                [&](const Group& one) { return one.takes(members); });
      if (group == groups.end())
        group = groups.insert(groups.end(),
                              {{}, {}, std::vector<bool>(static_cast<std::size_t>(ranks))});
      for (const std::int64_t rank : members) group->has[static_cast<std::size_t>(rank)] = true;
      group->communicators.insert(std::move(members));
      known = group_of.emplace(comm, group - groups.begin()).first;
    }
    groups[known->second].layers.push_back(layer);
  }
  std::vector<std::vector<std::size_t>> result;
  for (Group& group : groups) result.push_back(std::move(group.layers));
  return result;
}

std::vector<std::vector<std::size_t>> by_tags(const matrix::LayeredTraffic& layered,
                                              const std::vector<std::size_t>& layers) {
  std::map<std::int64_t, std::vector<std::size_t>> groups;
  for (const std::size_t layer : layers) {
    const auto& tag = layered.layers[layer].tag;
    if (!tag) return {};
    groups[*tag].push_back(layer);
  }
  std::vector<std::vector<std::size_t>> result;
  for (auto& [tag, group] : groups) result.push_back(std::move(group));
  return result;
}

} // namespace rondo::topology::internal
