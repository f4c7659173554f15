// SPDX-License-Identifier: Apache-2.0
#include "logical/places/conditions.hpp"

#include "logical/places/peer_topologies.hpp"
#include "rondo/base/escape.hpp"
#include "rondo/base/mixed.hpp"
#include "rondo/trace/program_text.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <variant>

namespace rondo::logical::internal {
namespace {

using trace::RankSet;

constexpr std::string_view kInProgram = "in "; // "if in ocean:"

// Of a star or a group: whom one talks to, and so where one is.
struct Role {
  std::string direction;
  std::string condition;
};
const std::array<Role, 4> kRoles = {{{"centre", "at a leaf"},
                                     {"leaf", "at the centre"},
                                     {"leader", "at a member"},
                                     {"member", "at a leader"}}};

// "leaf of star of 9 ranks 2" -> "at the centre of star of 9 ranks 2".
std::string condition_at(const std::string& direction) {
  for (const Role& role : kRoles) {
    if (direction == role.direction || direction.starts_with(role.direction + " of "))
      return role.condition + direction.substr(role.direction.size());
  }
  return "";
}

bool has_roles(const PeerTopology& peer_topology) {
  return peer_topology.topology.kind == topology::TopologyKind::kStar ||
         peer_topology.topology.kind == topology::TopologyKind::kHierarchy;
}

// A direction that is there or not, and the ranks among some for which that is so.
struct Literal {
  std::string text;
  std::vector<bool> holds;
  bool is_missing = false;
  std::size_t peer_topology = 0;
};

bool is_place(const std::string& literal) {
  return literal.starts_with("at ") || literal.starts_with("on ") ||
         literal.starts_with("not on ") || names_program(literal);
}

std::vector<Literal> literals_of(const std::vector<Presence>& directions,
                                 const std::vector<std::int64_t>& around) {
  std::vector<Literal> literals;
  for (const Presence& presence : directions) {
    Literal there{presence.condition.empty() ? presence.direction : presence.condition,
                  {},
                  false,
                  presence.peer_topology};
    for (const std::int64_t rank : around) there.holds.push_back(presence.ranks.contains(rank));
    if (!presence.has_opposite) {
      literals.push_back(std::move(there));
      continue;
    }
    Literal missing{"not " + there.text, there.holds, true, presence.peer_topology};
    missing.holds.flip();
    literals.push_back(std::move(there));
    literals.push_back(std::move(missing));
  }
  // "at the centre" says what "not at a leaf" does, "east" what "not west" does where there are but
  // two; not "host", which is the same rank on a topology of fewer messages.
  constexpr std::size_t kOfAny = 0;
  std::map<std::vector<bool>, std::size_t> there; // the topology, of those that say the same first
  for (const Literal& literal : literals) {
    if (literal.is_missing) continue;
    const std::size_t of = is_place(literal.text) ? kOfAny : literal.peer_topology;
    const auto known = there.emplace(literal.holds, of).first;
    known->second = std::min(known->second, of);
  }
  std::erase_if(literals, [&](const Literal& literal) {
    const auto known = there.find(literal.holds);
    return literal.is_missing && known != there.end() && known->second <= literal.peer_topology;
  });
  return literals;
}

bool includes(const std::vector<bool>& outer, const std::vector<bool>& inner) {
  for (std::size_t i = 0; i < inner.size(); ++i) {
    if (inner[i] && !outer[i]) return false;
  }
  return true;
}

// The literals whose conjunction is `set`, each of them needed; empty if there are none.
std::vector<const Literal*> conjunction(const std::vector<Literal>& literals,
                                        const std::vector<bool>& set) {
  std::vector<const Literal*> result;
  std::vector<bool> met(set.size(), true);
  const auto meet = [&](const Literal& literal) {
    for (std::size_t i = 0; i < met.size(); ++i) met[i] = met[i] && literal.holds[i];
  };
  for (const Literal& literal : literals) {
    if (!includes(literal.holds, set) || includes(literal.holds, met)) continue;
    result.push_back(&literal);
    meet(literal);
  }
  if (met != set) return {};
  for (std::size_t i = 0; i < result.size();) { // later ones may do without an earlier one
    met.assign(set.size(), true);
    for (std::size_t k = 0; k < result.size(); ++k) {
      if (k != i) meet(*result[k]);
    }
    if (met == set) {
      result.erase(result.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  return result;
}

bool has_parity(const PeerTopology& peer_topology) {
  const auto& dimensions = peer_topology.topology.dimensions;
  return peer_topology.copy_of.empty() && topology::has_coordinates(peer_topology.topology) &&
         peer_topology.topology.kind != topology::TopologyKind::kMultigrid &&
         std::any_of(dimensions.begin(), dimensions.end(),
                     [](const topology::Dimension& d) { return d.size > 2; });
}

// Red and black: cells of the only copy of a lattice whose coordinates add up to an even number,
// and the others.
void add_parities(const LogicalProgram& logical, const Names& names,
                  const std::vector<std::size_t>& ranks, std::vector<Presence>& to) {
  bool is_first = true;
  for (std::size_t g = 0; g < logical.peer_topologies.size(); ++g) {
    const PeerTopology& peer_topology = logical.peer_topologies[g];
    if (!has_parity(peer_topology)) continue;
    std::array<std::vector<std::int64_t>, 2> cells;
    for (std::size_t cell = 0; cell < ranks.size(); ++cell) {
      const topology::Vertex at = peer_topology.cells[ranks[cell]];
      if (at < 0) continue;
      topology::Vertex sum = 0;
      for (const topology::Vertex x : topology::coordinates(peer_topology.topology.dimensions, at))
        sum += x;
      cells[static_cast<std::size_t>(sum % 2)].push_back(static_cast<std::int64_t>(cell));
    }
    const std::string of = is_first ? "" : " of " + names.peer_topologies()[g];
    to.push_back({"even" + of, RankSet::of(std::move(cells[0])), "", false});
    to.push_back({"odd" + of, RankSet::of(std::move(cells[1])), "", false});
    is_first = false;
  }
}

// Partners in pairs are told apart by which of the two one is, as are the two sides of a complete
// bipartite graph.
void add_sides(const LogicalProgram& logical, const Names& names,
               const std::vector<std::size_t>& ranks, std::vector<Presence>& to) {
  std::array<bool, 2> is_first{true, true}; // of pairs, of others
  for (std::size_t g = 0; g < logical.peer_topologies.size(); ++g) {
    const PeerTopology& peer_topology = logical.peer_topologies[g];
    const bool is_pair =
        topology::has_coordinates(peer_topology.topology) && peer_topology.topology.ranks == 2;
    const bool has_sides = peer_topology.topology.kind == topology::TopologyKind::kMultipartite;
    if (!is_pair && !has_sides) continue;
    const topology::Vertex second = is_pair ? 1 : peer_topology.topology.parts[0]; // its first cell
    std::array<std::vector<std::int64_t>, 2> cells;
    for (std::size_t cell = 0; cell < ranks.size(); ++cell) {
      const topology::Vertex at = peer_topology.cells[ranks[cell]];
      if (at >= 0) cells[at < second ? 0 : 1].push_back(static_cast<std::int64_t>(cell));
    }
    const bool needs_name = !std::exchange(is_first[is_pair ? 0 : 1], false);
    const std::string of = needs_name ? " of " + names.peer_topologies()[g]
                           : is_pair  ? " of a pair"
                                      : "";
    const std::string side = is_pair ? "" : " side";
    const std::string in = is_pair ? "at the " : "on the ";
    to.push_back({"", RankSet::of(std::move(cells[0])), in + "first" + side + of, false});
    to.push_back({"", RankSet::of(std::move(cells[1])), in + "second" + side + of, false});
  }
}

// Of several programs that a launcher started together, the one that a rank runs.
void add_programs(const LogicalProgram& logical, std::vector<Presence>& to) {
  for (const trace::RanProgram& program : logical.programs) {
    std::vector<std::int64_t> cells;
    for (const std::int64_t rank : program.ranks.ranks())
      cells.push_back(logical.cell_of_rank[static_cast<std::size_t>(rank)]);
    std::sort(cells.begin(), cells.end());
    const std::string in = std::string(kInProgram) + escape::terminal(program.name);
    to.push_back({in, RankSet::of(std::move(cells)), in});
  }
}

// Where only some ranks are on a topology, as each half of a coupled program is on its own.
void add_members(const LogicalProgram& logical, const Names& names,
                 const std::vector<std::size_t>& ranks, std::vector<Presence>& to) {
  std::set<std::string> known; // ranks
  for (std::size_t g = 0; g < logical.peer_topologies.size(); ++g) {
    std::vector<std::int64_t> cells;
    for (std::size_t cell = 0; cell < ranks.size(); ++cell) {
      if (logical.peer_topologies[g].cells[ranks[cell]] >= 0)
        cells.push_back(static_cast<std::int64_t>(cell));
    }
    if (cells.size() == ranks.size()) continue;
    const std::string on = "on " + names.peer_topologies()[g];
    RankSet members = RankSet::of(std::move(cells));
    if (known.insert(members.text()).second) to.push_back({on, std::move(members), on});
  }
}

// That all calls have, and no other; "" if there is none.
std::string only_direction(std::span<const Statement> statements) {
  std::string only;
  for (const Statement& statement : statements) {
    std::vector<std::string> said;
    if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) {
      said = {only_direction(loop->body)};
    } else if (const auto* call = std::get_if<CallStatement>(&statement.is)) {
      for (const SaidWord& word : call->words) {
        if (word.kind == SaidWord::Kind::kPeer) said.push_back(word.text);
      }
    }
    if (said.empty()) return "";
    for (std::string& direction : said) {
      if (direction.empty() || (!only.empty() && direction != only)) return "";
      only = std::move(direction);
    }
  }
  return only;
}

} // namespace

bool names_program(std::string_view literal) {
  constexpr std::string_view kNot = "not ";
  if (literal.starts_with(kNot)) literal.remove_prefix(kNot.size());
  return literal.starts_with(kInProgram);
}

std::string direction_for(const std::string& condition) {
  for (const Role& role : kRoles) {
    if (condition.starts_with(role.condition))
      return role.direction + condition.substr(role.condition.size());
  }
  return condition;
}

std::vector<std::size_t> rank_of_cell(const LogicalProgram& logical) {
  std::vector<std::size_t> ranks(logical.cell_of_rank.size());
  for (std::size_t rank = 0; rank < ranks.size(); ++rank)
    ranks[static_cast<std::size_t>(logical.cell_of_rank[rank])] = rank;
  return ranks;
}

std::vector<Presence> presence_of(const LogicalProgram& logical, const Names& names) {
  const std::vector<std::size_t> ranks = rank_of_cell(logical);
  std::vector<Presence> result;
  add_programs(logical, result); // says most
  for (std::size_t g = 0; g < logical.peer_topologies.size(); ++g) {
    const PeerTopology& peer_topology = logical.peer_topologies[g];
    std::vector<std::vector<std::int64_t>> cells(peer_topology.directions.size());
    for (std::size_t cell = 0; cell < ranks.size(); ++cell) {
      const topology::Vertex at = peer_topology.cells[ranks[cell]];
      if (at < 0) continue;
      for (const std::size_t direction : peer_topology.directions.from(at))
        cells[direction].push_back(static_cast<std::int64_t>(cell));
    }
    std::vector<std::int64_t> centres;
    for (std::size_t d = 0; d < cells.size(); ++d) {
      if (is_leaf(peer_topology, d)) {
        centres.insert(centres.end(), cells[d].begin(), cells[d].end());
        continue;
      }
      std::string name = names.direction({Peer::Form::kDirection, g, d, 0});
      std::string condition = has_roles(peer_topology) ? condition_at(name) : "";
      result.push_back(
          {std::move(name), RankSet::of(std::move(cells[d])), std::move(condition), true, g});
    }
    if (centres.empty() && !has_roles(peer_topology)) continue;
    std::sort(centres.begin(), centres.end());
    centres.erase(std::unique(centres.begin(), centres.end()), centres.end());
    std::string name = names.direction({Peer::Form::kDirection, g, Peer::kAnyLeaf, 0});
    std::string condition = condition_at(name);
    result.push_back(
        {std::move(name), RankSet::of(std::move(centres)), std::move(condition), true, g});
  }
  add_parities(logical, names, ranks, result);
  add_members(logical, names, ranks, result);
  add_sides(logical, names, ranks, result); // on a pair or not says as much to more ranks
  return result;
}

std::string ranks_text(const LogicalProgram& logical, const RankSet& cells) {
  if (logical.says_cells) return trace::guard_text(cells);
  const std::vector<std::size_t> of_cell = rank_of_cell(logical);
  std::vector<std::int64_t> ranks;
  for (const std::int64_t cell : cells.ranks())
    ranks.push_back(static_cast<std::int64_t>(of_cell[static_cast<std::size_t>(cell)]));
  return trace::guard_text(RankSet::of(std::move(ranks)));
}

RankSet ranks_of(const Statement& statement, const RankSet& ranks,
                 const std::vector<Presence>& directions) {
  const auto* guard = std::get_if<GuardStatement>(&statement.is);
  const std::string said = guard != nullptr ? guard->condition : only_direction({&statement, 1});
  for (const Presence& presence : directions) {
    const bool is_of_guard = guard != nullptr && !presence.condition.empty();
    if (said.empty() || said != (is_of_guard ? presence.condition : presence.direction)) continue;
    std::vector<std::int64_t> both;
    for (const std::int64_t rank : ranks.ranks()) {
      if (presence.ranks.contains(rank)) both.push_back(rank);
    }
    return RankSet::of(std::move(both));
  }
  return ranks;
}

std::string condition_of(const RankSet& ranks, const RankSet& around,
                         const std::vector<Presence>& directions,
                         const std::function<std::string(const RankSet&)>& otherwise) {
  const std::vector<std::int64_t> all = around.ranks();
  std::vector<bool> set;
  for (const std::int64_t rank : all) set.push_back(ranks.contains(rank));
  std::vector<Literal> literals = literals_of(directions, all);
  for (const bool by_place : {true, false}) { // where one is says more than who is not there
    for (const Literal& literal : literals) {
      if (literal.holds == set && is_place(literal.text) == by_place) return literal.text;
    }
  }
  constexpr std::size_t kMostLiterals = 4; // more are harder to read than numbers
  const auto joined = [](const std::vector<const Literal*>& parts, const char* word) {
    std::string text;
    for (const Literal* part : parts) text += (text.empty() ? "" : word) + part->text;
    return text;
  };
  const auto both = conjunction(literals, set);
  // A or B is what not A and not B is not.
  for (Literal& literal : literals) literal.holds.flip();
  set.flip();
  const auto either = conjunction(literals, set);
  const bool is_either = !either.empty() && (both.empty() || either.size() < both.size());
  const auto& best = is_either ? either : both;
  if (best.empty() || best.size() > kMostLiterals) return otherwise(ranks);
  return joined(best, is_either ? " or " : " and ");
}

namespace {

std::uint64_t mixed_with(std::uint64_t hash, const RankSet& ranks) {
  hash = mixed(hash, static_cast<std::uint64_t>(ranks.size()));
  if (ranks.empty()) return hash;
  for (const std::int64_t end : {ranks.front(), ranks.back()})
    hash = mixed(hash, static_cast<std::uint64_t>(end));
  return hash;
}

} // namespace

const std::string& KnownConditions::of(const RankSet& ranks, const RankSet& around) {
  const std::uint64_t hash = mixed_with(mixed_with(0, ranks), around);
  const auto [first, end] = known_.equal_range(hash);
  for (auto at = first; at != end; ++at) {
    if (at->second.ranks == ranks && at->second.around == around) return at->second.text;
  }
  return known_
      .emplace(hash, Known{ranks, around, condition_of(ranks, around, directions_, otherwise_)})
      ->second.text;
}

} // namespace rondo::logical::internal
