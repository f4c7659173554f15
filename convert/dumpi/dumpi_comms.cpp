// SPDX-License-Identifier: Apache-2.0
#include "convert/dumpi/dumpi_comms.hpp"

#include "rondo/base/sort_stably.hpp"
#include "rondo/trace/functions.hpp"

#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace rondo::convert::internal {
namespace {

using CreationKind = DumpiCreation::Kind;
constexpr std::size_t kWorldComm = 0;

class CommResolver {
public:
  explicit CommResolver(const std::vector<std::vector<DumpiCreation>>& by_rank)
      : by_rank_(by_rank), next_(by_rank.size(), 0), known_(by_rank.size()) {
    Comm world;
    world.members.resize(by_rank.size());
    std::iota(world.members.begin(), world.members.end(), 0);
    comms_.push_back(std::move(world));
    for (auto& known : known_) known[trace::kWorldSlot] = kWorldComm;
  }

  DumpiCommunicators resolve() {
    for (bool goes_on = true; goes_on;) {
      goes_on = false;
      for (std::size_t rank = 0; rank < by_rank_.size(); ++rank) goes_on = advance(rank) || goes_on;
    }
    return definitions();
  }

private:
  struct Comm {
    std::vector<std::int64_t> members; // world ranks
    std::vector<std::int64_t> dims; // of a grid
  };
  struct Joiner {
    std::int64_t rank = 0;
    const DumpiCreation* call = nullptr;
  };

  bool advance(std::size_t rank) {
    bool moved = false;
    const auto& calls = by_rank_[rank];
    for (; next_[rank] < calls.size(); ++next_[rank]) {
      const DumpiCreation& call = calls[next_[rank]];
      if (call.parent == trace::kSelfSlot) {
        comms_.push_back({{static_cast<std::int64_t>(rank)}, call.dims});
        known_[rank][call.made] = comms_.size() - 1;
        moved = true;
        continue;
      }
      const auto parent = known_[rank].find(call.parent);
      if (parent == known_[rank].end()) break;
      join(rank, parent->second, call);
      moved = true;
    }
    return moved;
  }

  void join(std::size_t rank, std::size_t parent, const DumpiCreation& call) {
    const std::uint64_t number = calls_on_[{rank, parent}]++;
    auto& joiners = open_[{parent, number}];
    joiners.push_back({static_cast<std::int64_t>(rank), &call});
    if (joiners.size() < comms_[parent].members.size()) return;
    make(parent, joiners);
    open_.erase({parent, number});
  }

  void make(std::size_t parent, const std::vector<Joiner>& joiners) {
    std::unordered_map<std::int64_t, std::int64_t> place; // in the parent
    for (const std::int64_t member : comms_[parent].members)
      place.emplace(member, static_cast<std::int64_t>(place.size()));
    using Order = std::tuple<std::vector<std::int64_t>, std::int64_t, std::int64_t>;
    std::vector<std::pair<Order, Joiner>> sorted; // by new communicator, and by place in it
    for (const Joiner& joiner : joiners) {
      if (joiner.call->made == trace::kNull || joiner.call->kind == CreationKind::kUnknown)
        continue;
      const std::int64_t here = place[joiner.rank];
      sorted.push_back({{color_of(parent, *joiner.call, here),
                         joiner.call->kind == CreationKind::kSplit ? joiner.call->key : 0, here},
                        joiner});
    }
    sort_stably(sorted.begin(), sorted.end(),
                [](const auto& a, const auto& b) { return a.first < b.first; });
    for (std::size_t i = 0; i < sorted.size(); ++i) {
      if (i == 0 || std::get<0>(sorted[i].first) != std::get<0>(sorted[i - 1].first))
        comms_.push_back({{}, dims_of(parent, *sorted[i].second.call)});
      comms_.back().members.push_back(sorted[i].second.rank);
      known_[static_cast<std::size_t>(sorted[i].second.rank)][sorted[i].second.call->made] =
          comms_.size() - 1;
    }
  }

  // What keeps ranks of one call apart.
  std::vector<std::int64_t> color_of(std::size_t parent, const DumpiCreation& call,
                                     std::int64_t here) const {
    if (call.kind == CreationKind::kSplit) return {call.color};
    if (call.kind != CreationKind::kCartSub) return {};
    std::vector<std::int64_t> color;
    const auto& dims = comms_[parent].dims;
    for (std::size_t i = dims.size(); i-- > 0;) {
      const std::int64_t size = std::max<std::int64_t>(dims[i], 1);
      if (i >= call.dims.size() || call.dims[i] == 0) color.push_back(here % size);
      here /= size;
    }
    return color;
  }

  std::vector<std::int64_t> dims_of(std::size_t parent, const DumpiCreation& call) const {
    if (call.kind == CreationKind::kCart) return call.dims;
    if (call.kind == CreationKind::kDup) return comms_[parent].dims;
    std::vector<std::int64_t> dims;
    for (std::size_t i = 0; call.kind == CreationKind::kCartSub && i < comms_[parent].dims.size();
         ++i)
      if (i < call.dims.size() && call.dims[i] != 0) dims.push_back(comms_[parent].dims[i]);
    return dims;
  }

  DumpiCommunicators definitions() const {
    DumpiCommunicators found;
    std::map<std::pair<std::int64_t, std::size_t>, std::vector<std::int64_t>> holders;
    for (std::size_t rank = 0; rank < by_rank_.size(); ++rank) {
      for (const DumpiCreation& call : by_rank_[rank]) {
        if (call.made == trace::kNull) continue;
        const auto comm = known_[rank].find(call.made);
        if (comm == known_[rank].end())
          ++found.unknown;
        else
          holders[{call.made, comm->second}].push_back(static_cast<std::int64_t>(rank));
      }
    }
    for (const auto& [where, ranks] : holders) {
      trace::CommDefinition made;
      made.slot = where.first;
      made.members = trace::ranges_of(comms_[where.second].members);
      made.holders = trace::RankSet::of(ranks);
      found.definitions.push_back(std::move(made));
    }
    return found;
  }

  const std::vector<std::vector<DumpiCreation>>& by_rank_;
  std::vector<std::size_t> next_;
  std::vector<std::unordered_map<std::int64_t, std::size_t>> known_; // by rank: slot -> comm
  std::vector<Comm> comms_;
  std::map<std::pair<std::size_t, std::size_t>, std::uint64_t> calls_on_; // by rank and comm
  std::map<std::pair<std::size_t, std::uint64_t>, std::vector<Joiner>> open_;
};

} // namespace

DumpiCommunicators dumpi_communicators(const std::vector<std::vector<DumpiCreation>>& by_rank) {
  return CommResolver(by_rank).resolve();
}

} // namespace rondo::convert::internal
