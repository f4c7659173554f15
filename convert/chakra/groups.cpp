// SPDX-License-Identifier: Apache-2.0
#include "convert/chakra/groups.hpp"

#include "convert/text/tokens.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace rondo::convert::internal {
namespace {

bool is_default(std::string_view name) {
  return name.empty() || name == "0" || name == "default_pg" || name == "world";
}

} // namespace

Status ChakraGroups::read_members(std::string_view json) {
  const auto groups = nlohmann::json::parse(json, nullptr, false);
  if (!groups.is_object()) return bad("is no JSON object of groups' names and their ranks");
  for (const auto& [name, ranks] : groups.items()) {
    std::set<std::int64_t> members;
    bool is_set = ranks.is_array();
    for (const auto& rank : is_set ? ranks : nlohmann::json::array()) {
      const std::int64_t number = rank.is_number_integer() ? rank.get<std::int64_t>() : -1;
      is_set = is_set && number >= 0 && number < ranks_ && members.insert(number).second;
    }
    if (!is_set)
      return bad(sentence("group ", shown(name), " is no list of different ranks from 0 to ",
                          std::to_string(ranks_ - 1)));
    said_[name] = {members.begin(), members.end()};
  }
  return {};
}

void ChakraGroups::count(std::int64_t rank, const std::vector<ChakraNode>& nodes) {
  for (const ChakraNode& node : nodes) {
    if (node.kind != ChakraKind::kCollective) continue;
    Kinds& kinds = counts_[node.group][rank];
    const auto kind = static_cast<std::uint64_t>(node.operation.value_or(-1));
    ++kinds[std::min<std::uint64_t>(kind, kinds.size() - 1)];
  }
}

// The first above those of all members: groups side by side get the same one, as they would
// from one call of MPI_Comm_split.
std::int64_t ChakraGroups::slot_of(const std::vector<std::int64_t>& members) {
  if (members.empty()) return trace::kNothing;
  if (members.size() == 1) return trace::kSelfSlot;
  std::int64_t slot = 0;
  for (const std::int64_t rank : members)
    slot = std::max(slot, slots_taken_[static_cast<std::size_t>(rank)]);
  for (const std::int64_t rank : members) slots_taken_[static_cast<std::size_t>(rank)] = slot + 1;
  return slot;
}

void ChakraGroups::settle() {
  slots_taken_.assign(static_cast<std::size_t>(ranks_), 0);
  for (const auto& [name, ranks] : counts_) {
    ChakraGroup& group = groups_[name];
    const auto said = said_.find(name);
    const auto is_member = [&](const auto& rank) {
      return std::binary_search(said->second.begin(), said->second.end(), rank.first);
    };
    if (said != said_.end()) {
      const bool agrees = std::all_of(ranks.begin(), ranks.end(), is_member);
      if (agrees) group.members = said->second;
    } else if (is_default(name)) {
      group.slot = trace::kWorldSlot;
      continue;
    } else {
      const Kinds& first = ranks.begin()->second;
      const bool agrees = std::all_of(ranks.begin(), ranks.end(),
                                      [&](const auto& rank) { return rank.second == first; });
      for (const auto& [rank, kinds] : ranks)
        if (agrees) group.members.push_back(rank);
    }
    group.slot = slot_of(group.members);
  }
}

std::vector<trace::CommDefinition> ChakraGroups::definitions() const {
  std::vector<trace::CommDefinition> definitions;
  for (const auto& [name, group] : groups_) {
    if (group.slot >= 0 && !group.members.empty())
      definitions.push_back(
          {group.slot, trace::ranges_of(group.members), {}, trace::RankSet::of(group.members)});
  }
  return definitions;
}

std::vector<const ChakraGroup*> ChakraGroups::groups_of(std::int64_t rank) const {
  std::vector<const ChakraGroup*> found;
  for (const auto& [name, group] : groups_) {
    const bool is_own =
        group.slot >= 0 && std::binary_search(group.members.begin(), group.members.end(), rank);
    if (is_own) found.push_back(&group);
  }
  return found;
}

} // namespace rondo::convert::internal
