// SPDX-License-Identifier: Apache-2.0
#include "matrix/traffic/rank_neighbors.hpp"

#include "rondo/trace/call_meaning.hpp"

#include <algorithm>
#include <array>

namespace rondo::matrix::internal {
namespace {

using trace::Call;
using trace::Function;
using trace::MadeTopology;
using trace::Neighbors;
using trace::Word;

MadeTopology topology_of(const Call& call) {
  return trace::meaning_of(*trace::find_function(call.function)).topology;
}

// A word that is the same at every execution; kNothing for columns and fields that are not there.
std::int64_t constant_of(const trace::Program& program, std::int64_t rank, const Call& call,
                         std::string_view field) {
  const int index = trace::find_function(call.function)->word_of(field);
  if (index < 0) return trace::kNothing;
  const Word& word = call.words[static_cast<std::size_t>(index)];
  if (trace::is_column(word)) return trace::kNothing;
  return trace::value_of_word(program, word, rank, {rank, 1, nullptr});
}

std::vector<std::int64_t> array_of(const trace::Program& program, std::int64_t rank,
                                   const Call& call, std::string_view field) {
  const std::int64_t index = constant_of(program, rank, call, field);
  const bool is_array = index >= 0 && static_cast<std::size_t>(index) < program.arrays.size();
  return is_array ? program.arrays[static_cast<std::size_t>(index)] : std::vector<std::int64_t>{};
}

// Ranks in arrays are less the rank that calls.
std::vector<std::int64_t> ranks_of(const trace::Program& program, std::int64_t rank,
                                   const Call& call, std::string_view field) {
  std::vector<std::int64_t> ranks = array_of(program, rank, call, field);
  for (std::int64_t& peer : ranks) peer = trace::is_special(peer) ? -1 : peer + rank;
  return ranks;
}

bool is_dist_graph(const Call& call) {
  const Function* function = trace::find_function(call.function);
  return function != nullptr && call.error == 0 &&
         trace::meaning_of(*function).topology == MadeTopology::kDistGraph;
}

bool has_dist_graphs(const trace::Trace& trace) {
  return std::any_of(trace.classes.begin(), trace.classes.end(), [](const auto& c) {
    return std::any_of(c.program->calls.begin(), c.program->calls.end(), is_dist_graph);
  });
}

} // namespace

DistGraphs::DistGraphs(const trace::Trace& trace) {
  if (!has_dist_graphs(trace)) return;
  comms_.emplace(trace);
  for (const trace::RankClass& c : trace.classes) {
    for (const std::int64_t rank : c.ranks.ranks()) add(c, rank);
  }
}

void DistGraphs::add(const trace::RankClass& rank_class, std::int64_t rank) {
  using Edges = std::array<std::vector<std::int64_t>, 3>;
  const trace::Program& program = *rank_class.program;
  std::map<std::uint32_t, Edges> said; // by communicator
  for (const Call& call : program.calls) {
    if (!is_dist_graph(call)) continue;
    const std::int64_t comm = constant_of(program, rank, call, "comm_dist_graph");
    const std::uint32_t id = comms_->of(rank, comm).id;
    Edges edges = {ranks_of(program, rank, call, "sources"),
                   array_of(program, rank, call, "degrees"),
                   ranks_of(program, rank, call, "destinations")};
    const auto [known, is_new] = said.emplace(id, edges);
    if (!is_new && known->second != edges) is_unclear_[id] = true;
  }
  for (const auto& [id, edges] : said) graphs_[id].add(edges[0], edges[1], edges[2]);
}

const trace::DistGraph* DistGraphs::of(std::int64_t rank, std::int64_t comm) const {
  if (!comms_) return nullptr;
  const std::uint32_t id = comms_->of(rank, comm).id;
  const auto found = graphs_.find(id);
  const bool is_known = id != trace::Communicators::kUnknown && is_unclear_.count(id) == 0;
  return is_known && found != graphs_.end() ? &found->second : nullptr;
}

const std::optional<Neighbors>& RankNeighbors::of(std::int64_t comm, const TopologyMaker* maker) {
  // Nothing while it is being found: a communicator made from one in its own slot.
  const auto [known, is_new] = known_.try_emplace({comm, maker});
  if (!is_new) return known->second;
  return known->second = maker != nullptr ? made_by(maker->call, maker) : find(comm);
}

std::vector<const Call*> RankNeighbors::makers_of(std::int64_t comm) const {
  std::vector<const Call*> makers;
  for (const Call& call : program_->calls) {
    const Function* function = trace::find_function(call.function);
    if (function == nullptr || call.error != 0) continue;
    const trace::CallMeaning& means = trace::meaning_of(*function);
    if (means.topology == MadeTopology::kNone) continue;
    if (call.words[static_cast<std::size_t>(means.new_comm)] == Word{Word::Form::kConstant, comm})
      makers.push_back(&call);
  }
  return makers;
}

// What all makers of a slot have alike; nothing if they differ, or one says nothing.
template <class Found, class Of>
std::optional<Found> RankNeighbors::alike(std::int64_t comm, const Of& found_by) const {
  std::optional<Found> result;
  for (const Call* call : makers_of(comm)) {
    const std::optional<Found> made = found_by(*call);
    if (!made || (result && *result != *made)) return std::nullopt;
    result = made;
  }
  return result;
}

std::optional<Neighbors> RankNeighbors::find(std::int64_t comm) {
  return alike<Neighbors>(comm, [&](const Call& call) {
    return topology_of(call) == MadeTopology::kSame ? of(old_comm(call), nullptr)
                                                    : made_by(call, nullptr);
  });
}

std::int64_t RankNeighbors::old_comm(const Call& call) const {
  return constant_of(*program_, rank_, call, "comm");
}

std::optional<Neighbors> RankNeighbors::made_by(const Call& call, const TopologyMaker* maker) {
  const trace::CallMeaning& means = trace::meaning_of(*trace::find_function(call.function));
  const std::int64_t comm = call.words[static_cast<std::size_t>(means.new_comm)].value;
  const std::int64_t own = positions_->of(comm).rank;
  const auto array = [&](std::string_view field) {
    return array_of(*program_, rank_, call, field);
  };
  const auto ranks = [&](std::string_view field) {
    return ranks_of(*program_, rank_, call, field);
  };
  switch (means.topology) {
  case MadeTopology::kNone:
  case MadeTopology::kSame:
    break;
  case MadeTopology::kCart:
  case MadeTopology::kCartSub: {
    const auto grid = grid_by(call, maker, 0);
    if (!grid) return std::nullopt;
    return trace::grid_neighbors(own, grid->dims, grid->periods);
  }
  case MadeTopology::kGraph:
    return trace::graph_neighbors(own, array("index"), array("edges"));
  case MadeTopology::kDistGraphAdjacent:
    return Neighbors{ranks("sources"), ranks("destinations")};
  case MadeTopology::kDistGraph:
    if (const trace::DistGraph* graph = graphs_->of(rank_, comm)) return graph->of(own);
    break;
  }
  return std::nullopt;
}

// Of a part of a grid the dimensions that were kept.
std::optional<RankNeighbors::Grid> RankNeighbors::grid_by(const Call& call,
                                                          const TopologyMaker* maker, int depth) {
  const auto array = [&](std::string_view field) {
    return array_of(*program_, rank_, call, field);
  };
  const MadeTopology topology = topology_of(call);
  if (topology == MadeTopology::kCart) return Grid{array("dims"), array("periods")};
  if (topology == MadeTopology::kSame) return grid_of(old_comm(call));
  if (topology != MadeTopology::kCartSub || depth > kMostCuts) return std::nullopt;
  std::optional<Grid> whole;
  if (maker == nullptr) {
    whole = grid_of(old_comm(call));
  } else if (maker->old != nullptr) {
    whole = grid_by(maker->old->call, maker->old.get(), depth + 1);
  }
  if (!whole) return std::nullopt;
  const std::vector<std::int64_t> is_kept = array("remain_dims");
  Grid part;
  for (std::size_t i = 0; i < std::min(is_kept.size(), whole->dims.size()); ++i) {
    if (is_kept[i] == 0 || i >= whole->periods.size()) continue;
    part.dims.push_back(whole->dims[i]);
    part.periods.push_back(whole->periods[i]);
  }
  return part;
}

std::optional<RankNeighbors::Grid> RankNeighbors::grid_of(std::int64_t comm) {
  const auto [known, is_new] = grids_.try_emplace(comm); // nothing while it is being found
  if (!is_new) return known->second;
  return known->second =
             alike<Grid>(comm, [&](const Call& call) { return grid_by(call, nullptr, 0); });
}

} // namespace rondo::matrix::internal
