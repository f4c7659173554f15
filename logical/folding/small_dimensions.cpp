// SPDX-License-Identifier: Apache-2.0
#include "logical/folding/small_dimensions.hpp"

#include "logical/text/beyond_topology.hpp"
#include "logical/text/without_bytes.hpp"
#include "rondo/logical/logical_text.hpp"
#include "rondo/trace/trace_size.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <variant>
#include <vector>

namespace rondo::logical::internal {

std::size_t terms_of(const LogicalProgram& logical) { return trace::terms_in(logical.cells); }

bool has_open_twos(const std::vector<PeerTopology>& peer_topologies) {
  return std::any_of(
      peer_topologies.begin(), peer_topologies.end(), [](const PeerTopology& peer_topology) {
        const bool has_bits =
            peer_topology.topology.kind == topology::TopologyKind::kIncompleteHypercube ||
            peer_topology.topology.kind == topology::TopologyKind::kRecursiveDoubling;
        if (has_bits) return true; // each is two ranks across, as a dimension of a hypercube is
        const bool are_partners =
            peer_topology.topology.ranks == 2 && peer_topology.cells.size() > 2;
        return !are_partners &&
               std::any_of(peer_topology.topology.dimensions.begin(),
                           peer_topology.topology.dimensions.end(),
                           [](const topology::Dimension& d) { return d.size == 2 && !d.periodic; });
      });
}

bool has_square(const std::vector<PeerTopology>& peer_topologies) {
  return std::any_of(peer_topologies.begin(), peer_topologies.end(),
                     [](const PeerTopology& peer_topology) {
                       return peer_topology.topology.ranks == 4 &&
                              peer_topology.topology.kind == topology::TopologyKind::kRing;
                     });
}

namespace {

std::size_t choices_in(const std::vector<Statement>& statements) {
  std::size_t choices = 0;
  for (const Statement& statement : statements) {
    if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) {
      choices += choices_in(loop->body);
    } else if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) {
      choices += choices_in(guard->body);
    } else if (const auto* call = std::get_if<CallStatement>(&statement.is)) {
      choices += static_cast<std::size_t>(std::count(call->what.begin(), call->what.end(), '|'));
    }
  }
  return choices;
}

// A tag is said as a formula in the rank, and the peer is whoever is across.
bool has_tag_of_border(const CallStatement& call) {
  const auto is_across = [](const SaidWord& word) {
    return word.kind == SaidWord::Kind::kPeer &&
           (word.text.starts_with("across") || word.text.starts_with("partner"));
  };
  const auto is_by_rank = [](const SaidWord& word) {
    return word.remark == SaidWord::Remark::kTag && word.text.find("rank") != word.text.npos;
  };
  return std::any_of(call.words.begin(), call.words.end(), is_across) &&
         std::any_of(call.words.begin(), call.words.end(), is_by_rank);
}

bool have_tags_of_borders(const std::vector<Statement>& statements) {
  return std::any_of(statements.begin(), statements.end(), [](const Statement& statement) {
    if (const auto* loop = std::get_if<LoopStatement>(&statement.is))
      return have_tags_of_borders(loop->body);
    if (const auto* guard = std::get_if<GuardStatement>(&statement.is))
      return have_tags_of_borders(guard->body);
    const auto* call = std::get_if<CallStatement>(&statement.is);
    return call != nullptr && has_tag_of_border(*call);
  });
}

// How much there is to read, and how little it says: terms; peers that are one of several; records
// under guards that name ranks.
std::array<std::size_t, 3> burden_of(const LogicalProgram& logical) {
  std::array<std::size_t, 3> burden{terms_of(logical), 0, 0};
  for (std::vector<Statement>& statements : statements_without_bytes(logical)) {
    burden[1] += choices_in(statements);
    const BeyondTopology beyond = beyond_of({{"", std::move(statements)}}, 0);
    for (const RankDifference& set : beyond.sets) burden[2] += set.records;
  }
  return burden;
}

// A wavefront on the grid has peers that are one of several where the ring has guards that name
// ranks; both say as little, and count alike.
bool is_lighter_square(const std::array<std::size_t, 3>& grid,
                       const std::array<std::size_t, 3>& ring) {
  return std::pair(grid[0], grid[1] + grid[2]) < std::pair(ring[0], ring[1] + ring[2]);
}

} // namespace

bool has_tags_of_borders(const LogicalProgram& logical) {
  const auto statements = statements_without_bytes(logical);
  return std::any_of(statements.begin(), statements.end(),
                     [](const auto& part) { return have_tags_of_borders(part); });
}

bool is_plainer(const LogicalProgram& borders, const LogicalProgram& swaps) {
  // Terms decide first, and to write the statements takes long.
  if (terms_of(borders) != terms_of(swaps)) return terms_of(borders) < terms_of(swaps);
  const auto burden = burden_of(swaps);
  const auto other = burden_of(borders);
  return has_square(swaps.peer_topologies) ? is_lighter_square(other, burden) : other <= burden;
}

} // namespace rondo::logical::internal
