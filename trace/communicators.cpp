// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/communicators.hpp"

#include "rondo/trace/functions.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace rondo::trace {
namespace {

using Members = std::vector<std::int64_t>;
// Both groups, the lower first: the two sides of an inter-communicator see them the other way
// round.
using Groups = std::pair<Members, Members>;

struct Definition {
  const CommDefinition* comm = nullptr;
  std::shared_ptr<const Members> peers;
};

} // namespace

Communicators::Communicators(const Trace& trace)
    : of_rank_(static_cast<std::size_t>(std::max<std::int64_t>(trace.run.ranks, 0))) {
  for (std::size_t rank = 0; rank < of_rank_.size(); ++rank) {
    const auto own = static_cast<std::int64_t>(rank);
    of_rank_[rank][kWorldSlot] = {kWorld, trace.run.ranks, 0, nullptr, trace.run.ranks};
    of_rank_[rank][kSelfSlot] = {kSelf, 1, own, nullptr, 1};
  }
  std::map<Groups, std::vector<Definition>> alike;
  for (const CommDefinition& comm : trace.comms) {
    Members members = sequence_of(comm.members);
    Members remote = sequence_of(comm.remote);
    auto peers = std::make_shared<const Members>(remote.empty() ? members : remote);
    if (remote < members) std::swap(members, remote);
    alike[{std::move(members), std::move(remote)}].push_back({&comm, std::move(peers)});
  }
  for (auto& [groups, definitions] : alike) {
    std::stable_sort(
        definitions.begin(), definitions.end(),
        [](const Definition& a, const Definition& b) { return a.comm->slot < b.comm->slot; });
    const auto all = static_cast<std::int64_t>(groups.first.size() + groups.second.size());
    std::unordered_map<std::int64_t, std::uint32_t> made; // by rank
    std::uint32_t most = 0;
    for (const Definition& definition : definitions) {
      for (const std::int64_t rank : definition.comm->holders.ranks()) {
        if (rank < 0 || static_cast<std::size_t>(rank) >= of_rank_.size()) continue;
        const std::uint32_t ordinal = made[rank]++;
        most = std::max(most, ordinal + 1);
        of_rank_[static_cast<std::size_t>(rank)][definition.comm->slot] = {
            size_ + ordinal, all, 0, definition.peers,
            static_cast<std::int64_t>(definition.peers->size())};
      }
    }
    size_ += most;
  }
}

const Communicators::View& Communicators::of(std::int64_t rank, std::int64_t slot) const {
  if (rank < 0 || static_cast<std::size_t>(rank) >= of_rank_.size()) return unknown_;
  const auto& views = of_rank_[static_cast<std::size_t>(rank)];
  const auto found = views.find(slot);
  return found == views.end() ? unknown_ : found->second;
}

} // namespace rondo::trace
