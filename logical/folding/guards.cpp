// SPDX-License-Identifier: Apache-2.0
#include "logical/folding/guards.hpp"

#include "logical/folding/alike.hpp"
#include "logical/folding/alike_guards.hpp"
#include "logical/folding/disorder.hpp"
#include "logical/folding/parts_joining.hpp"
#include "logical/places/peer_topologies.hpp"
#include "rondo/trace/program_text.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <set>
#include <utility>

namespace rondo::logical::internal {
namespace {

using trace::RankSet;

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
  return peer_topology.topology.kind == topology::Kind::kStar ||
         peer_topology.topology.kind == topology::Kind::kHierarchy;
}

std::string direction_for(const std::string& condition) {
  for (const Role& role : kRoles) {
    if (condition.starts_with(role.condition))
      return role.direction + condition.substr(role.condition.size());
  }
  return condition;
}

bool say_the_same(const std::vector<Statement>& a, const std::vector<Statement>& b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), says_the_same);
}

bool are_disjoint(const RankSet& a, const RankSet& b) {
  const std::vector<std::int64_t> ranks = a.ranks();
  return std::none_of(ranks.begin(), ranks.end(), [&](auto rank) { return b.contains(rank); });
}

constexpr std::uint32_t kNoPlace = ~std::uint32_t{0};

// Of the first call.
std::uint32_t place_of(const std::vector<Statement>& statements) {
  for (const Statement& statement : statements) {
    std::uint32_t place = kNoPlace;
    if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) {
      place = place_of(loop->body);
    } else if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) {
      place = place_of(guard->body);
    } else if (const auto* call = std::get_if<CallStatement>(&statement.is)) {
      place = call->place;
    }
    if (place != kNoPlace) return place;
  }
  return kNoPlace;
}

// What no rank has an order of comes as in the source. What comes from one place several times is
// of several rounds of a loop, and stays.
void put_in_order(std::vector<Guarded>& items) {
  constexpr std::size_t kFarthest = 64;
  std::vector<std::uint32_t> places;
  std::map<std::uint32_t, std::size_t> times;
  for (const Guarded& item : items) ++times[places.emplace_back(place_of(item.body))];
  for (std::size_t i = 1; i < items.size(); ++i) {
    if (places[i] == kNoPlace || times[places[i]] > 1) continue;
    std::size_t to = i;
    while (to > 0 && i - to < kFarthest && places[to - 1] != kNoPlace &&
           places[to - 1] > places[i] && are_disjoint(items[to - 1].ranks, items[i].ranks))
      --to;
    const auto put = [&](auto& all) {
      const auto at = [&](std::size_t k) { return all.begin() + static_cast<std::ptrdiff_t>(k); };
      std::rotate(at(to), at(i), at(i + 1));
    };
    put(items);
    put(places);
  }
}

// Joins the last item with an earlier one that says the same, if no rank can tell: what has to
// stand between them for some ranks goes in front of both, and is done by none of the earlier
// one's.
void join_last(std::vector<Guarded>& items, const RankSet& around) {
  constexpr std::size_t kFarthest = 16;
  const std::size_t last = items.size() - 1;
  std::vector<std::size_t> before; // between the two, in front of the last; descending
  const auto comes_before_one = [&](std::size_t i) {
    return !are_disjoint(items[i].ranks, items[last].ranks) ||
           std::any_of(before.begin(), before.end(), [&](std::size_t later) {
             return !are_disjoint(items[i].ranks, items[later].ranks);
           });
  };
  for (std::size_t i = last; i-- > 0 && last - i <= kFarthest;) {
    const bool comes_before = comes_before_one(i);
    if (comes_before || !say_the_same(items[i].body, items[last].body)) {
      if (comes_before) before.push_back(i);
      continue;
    }
    items[i].ranks.add(items[last].ranks);
    join_equal(items[i].body, items[last].body);
    items[i].is_free = items[i].ranks == around;
    items.pop_back();
    for (std::size_t k = before.size(); k-- > 0;) { // in their order, each in front of the joined
      const auto joined = items.begin() + static_cast<std::ptrdiff_t>(i++);
      const auto one = items.begin() + static_cast<std::ptrdiff_t>(before[k]);
      std::rotate(joined, one, one + 1);
    }
    return;
  }
}

// One call each that are alike stand together, if no rank can tell: "send child 3", "recv parent",
// "send child 1" as the receive and two sends. What is between them goes in front or behind.
void bring_alike_together(std::vector<Guarded>& items) {
  constexpr std::size_t kFewestAlike = 3;
  std::vector<const CallStatement*> calls; // of items that are one
  for (const Guarded& item : items)
    calls.push_back(item.body.size() == 1 ? std::get_if<CallStatement>(&item.body.front().is)
                                          : nullptr);
  const auto are_alike_at = [&](std::size_t a, std::size_t b) {
    return calls[a] != nullptr && calls[b] != nullptr && are_alike(*calls[a], *calls[b]);
  };
  const auto can_pass = [&](std::size_t at, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      if (!are_disjoint(items[i].ranks, items[at].ranks)) return false;
    }
    return true;
  };
  const auto turn = [&](auto& all, std::size_t first, std::size_t middle, std::size_t end) {
    const auto at = [&](std::size_t i) { return all.begin() + static_cast<std::ptrdiff_t>(i); };
    std::rotate(at(first), at(middle), at(end));
  };
  for (std::size_t i = 1; i + 1 < items.size(); ++i) {
    if (calls[i] == nullptr || !are_alike_at(i - 1, i + 1) || are_alike_at(i - 1, i)) continue;
    std::size_t begin = i - 1;
    std::size_t end = i + 1;
    while (begin > 0 && are_alike_at(begin - 1, i - 1)) --begin;
    while (end < items.size() && are_alike_at(end, i - 1)) ++end;
    if (end - begin - 1 < kFewestAlike) continue;
    if (can_pass(i, begin, i)) {
      turn(items, begin, i, i + 1);
      turn(calls, begin, i, i + 1);
    } else if (can_pass(i, i + 1, end)) {
      turn(items, i, i + 1, end);
      turn(calls, i, i + 1, end);
    }
  }
}

// A loop of some ranks goes to an alike one of others, if none of its ranks does anything between
// them: each rank goes round as often as it has neighbours, and meets the same loop.
void bring_loops_together(std::vector<Guarded>& items) {
  constexpr std::size_t kFarthest = 8;
  std::vector<const LoopStatement*> loops; // of items that are one
  for (const Guarded& item : items) {
    const auto* loop = !item.is_free && item.body.size() == 1
                           ? std::get_if<LoopStatement>(&item.body.front().is)
                           : nullptr;
    loops.push_back(loop != nullptr && !loop->body.empty() ? loop : nullptr);
  }
  for (std::size_t i = 1; i < items.size(); ++i) {
    if (loops[i] == nullptr) continue;
    for (std::size_t before = i; before-- > 0 && i - before <= kFarthest;) {
      if (loops[before] != nullptr && are_alike(Body(loops[before]->body), Body(loops[i]->body))) {
        const auto turn = [&](auto& all) {
          const auto at = [&](std::size_t k) {
            return all.begin() + static_cast<std::ptrdiff_t>(k);
          };
          std::rotate(at(before + 1), at(i), at(i + 1));
        };
        turn(items);
        turn(loops);
        break;
      }
      if (!are_disjoint(items[before].ranks, items[i].ranks)) break;
    }
  }
}

// A call in one direction is made by those for which the direction leads somewhere.
bool is_said_by(const std::string& condition, const std::vector<Statement>& body) {
  const auto* call = body.size() == 1 ? std::get_if<CallStatement>(&body[0].is) : nullptr;
  if (call == nullptr || condition.starts_with("not ")) return false;
  const std::string direction = direction_for(condition);
  return call->what == direction || call->what.starts_with(direction + " ");
}

// Neighbours of the same ranks as one.
std::vector<Guarded> by_ranks(std::vector<Guarded>&& guarded) {
  std::vector<Guarded> items;
  for (Guarded& one : guarded) {
    if (!items.empty() && !one.is_free && !items.back().is_free &&
        items.back().ranks == one.ranks) {
      std::move(one.body.begin(), one.body.end(), std::back_inserter(items.back().body));
    } else {
      items.push_back(std::move(one));
    }
  }
  return items;
}

// A direction that is there or not, and the ranks among some for which that is so.
struct Literal {
  std::string text;
  std::vector<bool> holds;
};

std::vector<Literal> literals_of(const std::vector<Presence>& directions,
                                 const std::vector<std::int64_t>& around) {
  std::vector<Literal> literals;
  for (const Presence& presence : directions) {
    Literal there{presence.condition.empty() ? presence.direction : presence.condition, {}};
    for (const std::int64_t rank : around) there.holds.push_back(presence.ranks.contains(rank));
    if (!presence.has_opposite) {
      literals.push_back(std::move(there));
      continue;
    }
    Literal missing{"not " + there.text, there.holds};
    missing.holds.flip();
    literals.push_back(std::move(there));
    literals.push_back(std::move(missing));
  }
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

// Neighbours that are loops of the ones and of all others, in which both do much the same.
void join_loops_of_all(std::vector<Guarded>& items, const RankSet& around,
                       const ConditionText& condition) {
  for (std::size_t i = 0; i + 1 < items.size(); ++i) {
    Guarded& a = items[i];
    const Guarded& b = items[i + 1];
    if (a.is_free || b.is_free || a.is_in_disorder || b.is_in_disorder) continue;
    RankSet both = a.ranks;
    both.add(b.ranks);
    if (both != around || a.ranks.size() + b.ranks.size() != around.size()) continue;
    auto loop = loops_joined({a.ranks, a.body}, {b.ranks, b.body},
                             [&](const RankSet& set, const RankSet&) { return condition(set); });
    if (!loop) continue;
    a = {around, {std::move(*loop)}, true};
    items.erase(items.begin() + static_cast<std::ptrdiff_t>(i) + 1);
  }
}

bool has_parity(const PeerTopology& peer_topology) {
  const auto& dimensions = peer_topology.topology.dimensions;
  return peer_topology.copy_of.empty() && topology::has_coordinates(peer_topology.topology) &&
         peer_topology.topology.kind != topology::Kind::kMultigrid &&
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

bool is_place(const std::string& literal) {
  return literal.starts_with("at ") || literal.starts_with("on ") || literal.starts_with("not on ");
}

} // namespace

bool says_the_same(const Statement& a, const Statement& b) {
  if (a.is.index() != b.is.index()) return false;
  if (const auto* loop = std::get_if<LoopStatement>(&a.is)) {
    const auto& other = std::get<LoopStatement>(b.is);
    return loop->count == other.count && say_the_same(loop->body, other.body);
  }
  if (const auto* guard = std::get_if<GuardStatement>(&a.is)) {
    // The ranks below a guard that names ranks are some of those around it, so never the same.
    const auto& other = std::get<GuardStatement>(b.is);
    return guard->condition == other.condition && !guard->condition.starts_with("rank") &&
           say_the_same(guard->body, other.body);
  }
  if (const auto* call = std::get_if<CallStatement>(&a.is)) {
    const auto& other = std::get<CallStatement>(b.is);
    return call->name == other.name && call->what == other.what && call->remarks == other.remarks;
  }
  return false;
}

void join_equal(std::span<Statement> into, std::span<const Statement> from) {
  for (std::size_t i = 0; i < into.size(); ++i) {
    if (auto* loop = std::get_if<LoopStatement>(&into[i].is)) {
      const auto& other = std::get<LoopStatement>(from[i].is);
      loop->is_by_rank = loop->is_by_rank || other.is_by_rank;
      join_equal(loop->body, other.body);
    } else if (auto* guard = std::get_if<GuardStatement>(&into[i].is)) {
      join_equal(guard->body, std::get<GuardStatement>(from[i].is).body);
    } else {
      add_executions_of(std::get<CallStatement>(into[i].is), std::get<CallStatement>(from[i].is));
    }
  }
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
      result.push_back({std::move(name), RankSet::of(std::move(cells[d])), std::move(condition)});
    }
    if (!has_roles(peer_topology)) continue;
    std::sort(centres.begin(), centres.end());
    centres.erase(std::unique(centres.begin(), centres.end()), centres.end());
    std::string name = names.direction({Peer::Form::kDirection, g, Peer::kAnyLeaf, 0});
    std::string condition = condition_at(name);
    result.push_back({std::move(name), RankSet::of(std::move(centres)), std::move(condition)});
  }
  add_parities(logical, names, ranks, result);
  add_members(logical, names, ranks, result);
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

std::vector<Statement> statements_under_guards(std::vector<Guarded>&& guarded,
                                               const RankSet& around,
                                               const ConditionText& condition,
                                               const CountsText& counts,
                                               std::optional<std::uint64_t> entries) {
  put_in_order(guarded);
  std::vector<Guarded> items;
  for (Guarded& one : guarded) {
    items.push_back(std::move(one));
    join_last(items, around);
  }
  bring_alike_together(items);
  constexpr int kPasses = 2; // what is joined may be like others then
  for (int pass = 0; counts && pass < kPasses; ++pass) {
    bring_loops_together(items);
    items = alike_guards_joined(std::move(items), around, condition, counts);
  }
  items = by_ranks(std::move(items));
  if (counts) items = alike_guards_joined(std::move(items), around, condition, counts);
  if (counts) join_loops_of_all(items, around, condition);
  if (entries) items = disorder_as_one(std::move(items), condition, *entries);
  std::vector<Statement> result;
  for (Guarded& item : items) {
    const std::string who = item.is_free ? "" : condition(item.ranks);
    if (item.is_in_disorder) {
      result.push_back({GuardStatement{who + ", in no common order", std::move(item.body)}});
    } else if (item.is_free || is_said_by(who, item.body)) {
      std::move(item.body.begin(), item.body.end(), std::back_inserter(result));
    } else {
      result.push_back({GuardStatement{who, std::move(item.body)}});
    }
  }
  return result;
}

} // namespace rondo::logical::internal
