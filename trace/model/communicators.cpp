// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/communicators.hpp"

#include "rondo/base/sort_stably.hpp"
#include "rondo/trace/functions.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace rondo::trace {
namespace {

using Members = std::vector<std::int64_t>;
// Both groups, the lower first: the two sides of an inter-communicator see them the other way
// round.
using Groups = std::pair<Members, Members>;
// What all members say of a communicator, besides its groups: the parent's number, tag, ordinal.
using Origin = std::tuple<std::uint32_t, std::int64_t, std::int64_t>;

// Communicators with the same groups. Their numbers are in the order in which they are met.
struct Alike {
  std::map<Origin, std::uint32_t> numbers;
  std::vector<std::uint32_t> in_order;
  std::unordered_map<std::int64_t, std::int64_t> made; // by rank: those without a known ordinal
};

struct Definition {
  const CommDefinition* comm = nullptr;
  std::shared_ptr<const Members> peers;
  Alike* alike = nullptr;
  std::int64_t all = 0;
};

// In the order of slots: a parent stands before what was made from it.
std::vector<Definition> definitions_of(const Trace& trace, std::map<Groups, Alike>& groups) {
  std::vector<Definition> definitions;
  for (const CommDefinition& comm : trace.comms) {
    Members members = sequence_of(comm.members);
    Members remote = sequence_of(comm.remote);
    const auto all = static_cast<std::int64_t>(members.size() + remote.size());
    auto peers = std::make_shared<const Members>(remote.empty() ? members : remote);
    if (remote < members) std::swap(members, remote);
    Alike& alike = groups[{std::move(members), std::move(remote)}];
    definitions.push_back({&comm, std::move(peers), &alike, all});
  }
  sort_stably(definitions.begin(), definitions.end(),
              [](const Definition& a, const Definition& b) { return a.comm->slot < b.comm->slot; });
  return definitions;
}

// The number of one of those alike; a new one is `next`.
std::uint32_t number_in(Alike& alike, const Origin& origin, std::uint32_t& next) {
  const auto [known, is_new] = alike.numbers.try_emplace(origin, next);
  if (is_new) {
    alike.in_order.push_back(next);
    ++next;
  }
  return known->second;
}

// Ids are in the order of groups, which does not depend on who made what first.
std::vector<std::uint32_t> ids_of(const std::map<Groups, Alike>& groups, std::uint32_t numbers) {
  std::vector<std::uint32_t> ids(numbers);
  std::uint32_t next = 0;
  ids[Communicators::kWorld] = next++;
  ids[Communicators::kSelf] = next++;
  for (const auto& [members, alike] : groups) {
    for (const std::uint32_t number : alike.in_order) ids[number] = next++;
  }
  return ids;
}

} // namespace

Communicators::Communicators(const Trace& trace)
    : of_rank_(static_cast<std::size_t>(std::max<std::int64_t>(trace.run.ranks, 0))) {
  for (std::size_t rank = 0; rank < of_rank_.size(); ++rank) {
    const auto own = static_cast<std::int64_t>(rank);
    of_rank_[rank][kWorldSlot] = {kWorld, trace.run.ranks, 0, nullptr, trace.run.ranks};
    of_rank_[rank][kSelfSlot] = {kSelf, 1, own, nullptr, 1};
  }
  std::map<Groups, Alike> groups;
  for (const Definition& definition : definitions_of(trace, groups)) {
    const CommOrigin& origin = definition.comm->origin;
    Alike& alike = *definition.alike;
    for (const std::int64_t rank : definition.comm->holders.ranks()) {
      if (rank < 0 || static_cast<std::size_t>(rank) >= of_rank_.size()) continue;
      const Origin agreed = origin.ordinal < 0
                                ? Origin{kUnknown, kNothing, alike.made[rank]++}
                                : Origin{of(rank, origin.parent).id, origin.tag, origin.ordinal};
      of_rank_[static_cast<std::size_t>(rank)][definition.comm->slot] = {
          number_in(alike, agreed, size_), definition.all, 0, definition.peers,
          static_cast<std::int64_t>(definition.peers->size())};
    }
  }
  const std::vector<std::uint32_t> ids = ids_of(groups, size_);
  for (auto& views : of_rank_) {
    for (auto& [slot, view] : views) view.id = ids[view.id];
  }
}

const Communicators::View& Communicators::of(std::int64_t rank, std::int64_t slot) const {
  if (rank < 0 || static_cast<std::size_t>(rank) >= of_rank_.size()) return unknown_;
  const auto& views = of_rank_[static_cast<std::size_t>(rank)];
  const auto found = views.find(slot);
  return found == views.end() ? unknown_ : found->second;
}

} // namespace rondo::trace
