// SPDX-License-Identifier: Apache-2.0
#include "simulate/ranks/process_topologies.hpp"

namespace rondo::simulate::internal {
namespace {

using trace::is_special;
using trace::MadeTopology;

std::vector<std::int64_t> copy_of(std::span<const std::int64_t> words) {
  return {words.begin(), words.end()};
}

} // namespace

void ProcessTopologies::learn(const CallSource& source, std::int64_t made, JoinedGraphs& graphs,
                              std::int64_t rank) {
  const trace::CallInstance& call = source.call();
  const trace::CallView view{trace::meaning_of(*call.function), call.words};
  const auto words_of = [&](std::string_view field) {
    return source.array(trace::word_or(call.words, call.function->word_of(field), trace::kNothing));
  };
  // Ranks in arrays are less this rank in MPI_COMM_WORLD.
  const auto ranks_of = [&](std::string_view field) {
    std::vector<std::int64_t> ranks;
    for (const std::int64_t peer : words_of(field))
      ranks.push_back(is_special(peer) ? -1 : peer + source.rank_in(trace::kWorldSlot));
    return ranks;
  };
  if (view.means().topology != MadeTopology::kNone) joined_.erase(made);
  switch (view.means().topology) {
  case MadeTopology::kNone:
    return;
  case MadeTopology::kSame:
    return learn_same(view.comm(), made);
  case MadeTopology::kCart:
    return learn_grid(source, made, {copy_of(words_of("dims")), copy_of(words_of("periods"))});
  case MadeTopology::kCartSub:
    return learn_grid(source, made, part_of(view.comm(), words_of("remain_dims")));
  case MadeTopology::kGraph:
    return set(source, made,
               trace::graph_neighbors(source.rank_in(made), words_of("index"), words_of("edges")));
  case MadeTopology::kDistGraphAdjacent:
    return set(source, made, {ranks_of("sources"), ranks_of("destinations")});
  case MadeTopology::kDistGraph:
    neighbors_.erase(made);
    joined_[made] = graphs.add(source.comm(made).id, rank, ranks_of("sources"), words_of("degrees"),
                               ranks_of("destinations"));
    return;
  }
}

void ProcessTopologies::learn_same(std::int64_t comm, std::int64_t made) {
  const auto copy = [&](auto& known) {
    const auto old = known.find(comm);
    if (old == known.end()) {
      known.erase(made);
    } else {
      auto value = old->second; // known[made] may move what it points to
      known[made] = std::move(value);
    }
  };
  copy(neighbors_);
  copy(grids_);
  copy(joined_);
}

ProcessTopologies::Grid ProcessTopologies::part_of(std::int64_t comm,
                                                   std::span<const std::int64_t> kept) const {
  Grid part;
  const auto whole = grids_.find(comm);
  if (whole == grids_.end()) return part;
  const auto& [dims, periods] = whole->second;
  for (std::size_t i = 0; i < dims.size() && i < kept.size(); ++i) {
    if (kept[i] == 0) continue;
    part.dims.push_back(dims[i]);
    part.periods.push_back(periods[i]);
  }
  return part;
}

void ProcessTopologies::learn_grid(const CallSource& source, std::int64_t comm, const Grid& grid) {
  grids_[comm] = grid;
  set(source, comm, trace::grid_neighbors(source.rank_in(comm), grid.dims, grid.periods));
}

void ProcessTopologies::set(const CallSource& source, std::int64_t comm,
                            const trace::Neighbors& ranks) {
  const trace::Communicators::View& view = source.comm(comm);
  Neighbors& mine = neighbors_[comm] = {};
  for (const std::int64_t rank : ranks.sources)
    mine.sources.push_back(static_cast<std::int32_t>(view.world_rank(rank)));
  for (const std::int64_t rank : ranks.destinations)
    mine.destinations.push_back(static_cast<std::int32_t>(view.world_rank(rank)));
}

const ProcessTopologies::Neighbors* ProcessTopologies::of(const CallSource& source,
                                                          std::int64_t comm) {
  if (const auto graph = joined_.find(comm); graph != joined_.end()) {
    set(source, comm, graph->second->of(source.rank_in(comm)));
    joined_.erase(graph);
  }
  const auto found = neighbors_.find(comm);
  return found == neighbors_.end() ? nullptr : &found->second;
}

} // namespace rondo::simulate::internal
