// SPDX-License-Identifier: Apache-2.0
#include "logical/joining/alike_runs.hpp"

#include "logical/folding/levelling.hpp"
#include "logical/folding/rounds_together.hpp"
#include "logical/folding/seldom_rounds.hpp"
#include "logical/joining/alike.hpp"
#include "logical/joining/one_place.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

namespace rondo::logical::internal {
namespace {

constexpr std::size_t kLongestBody = 48;
constexpr int kMostPasses = 16;
constexpr std::uint64_t kWorthBeingLessExact = 4; // lines, and one for each word
constexpr std::uint64_t kWorthAList = 5; // lines, where each time round has directions of its own

class RunFolding {
public:
  RunFolding(std::vector<Statement> statements, bool lists_few) : lists_few_(lists_few) {
    for (Statement& statement : statements) add(std::move(statement));
  }

  std::vector<Statement> run() {
    for (int pass = 0; pass < kMostPasses && fold_once(); ++pass) {
    }
    return std::move(statements_);
  }

private:
  // What is known of a statement.
  struct Item {
    std::uint32_t skeleton = 0;
    std::uint32_t on_any = 0; // the same, but for communicators and directions of guards
    std::vector<std::uint32_t> body; // of a loop with a plain count
    std::uint64_t count = 0; // of that loop
  };

  // One time, or several, that a body stands there.
  struct Turn {
    std::size_t begin = 0;
    std::size_t length = 0; // 1: a loop, if the body is longer or is_loop
    std::uint64_t times = 1;
    bool is_loop = false;
  };

  void add(Statement statement) {
    items_.push_back(item_of(statement));
    statements_.push_back(std::move(statement));
  }

  Item item_of(const Statement& statement) {
    Item item;
    item.skeleton = known(skeleton_of(statement));
    item.on_any = known(skeleton_on_any(statement));
    if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) {
      const auto count = plain_count(loop->count);
      if (count && *count > 0) {
        item.count = *count;
        for (const Statement& inner : loop->body) item.body.push_back(known(skeleton_of(inner)));
      }
    }
    return item;
  }

  std::uint32_t known(std::string skeleton) {
    return known_.try_emplace(std::move(skeleton), static_cast<std::uint32_t>(known_.size()))
        .first->second;
  }

  // Q, loop n: {P Q}, P is the same as Q P, loop n: {Q P}: the one that has most of its body as
  // neighbours, so that what stood there another time before or after can become one with it.
  void turn_loops() {
    for (std::size_t at = 1; at < items_.size(); ++at) {
      std::size_t best = 0;
      std::size_t most = neighbours(at, 0);
      for (std::size_t first = 1; first < items_[at].body.size() && turns(at, first); ++first) {
        const std::size_t number = neighbours(at, first);
        if (number > most) best = first;
        most = std::max(most, number);
      }
      if (best > 0) turn(at, best);
      at += best;
    }
  }

  // Whether the statement behind the body's first `first` ones can be turned too.
  bool turns(std::size_t at, std::size_t first) const {
    const auto* loop = std::get_if<LoopStatement>(&statements_[at].is);
    if (loop == nullptr || at + first >= items_.size()) return false;
    if (items_[at + first].skeleton != items_[at].body[first - 1]) return false;
    return differing_words({{&statements_[at + first], 1}, {&loop->body[first - 1], 1}}) == 0;
  }

  // How often the body stands before and after the loop if it begins with its statement `first`.
  std::size_t neighbours(std::size_t at, std::size_t first) const {
    std::vector<std::uint32_t> body = items_[at].body;
    if (body.empty()) return 0;
    std::rotate(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(first), body.end());
    const auto skeleton = [&](std::size_t i) { // without the loop
      return items_[i < at + first ? (i < at ? i : i + 1) : i].skeleton;
    };
    std::size_t number = 0;
    std::size_t end = at + first;
    const auto stands = [&](std::size_t from) {
      for (std::size_t i = 0; i < body.size(); ++i) {
        if (skeleton(from + i) != body[i]) return false;
      }
      return true;
    };
    for (; end >= body.size() && stands(end - body.size()); end -= body.size()) ++number;
    for (std::size_t i = at + first + 1; i + body.size() <= items_.size() && stands(i);
         i += body.size())
      ++number;
    return number;
  }

  void turn(std::size_t at, std::size_t first) {
    std::vector<Statement>& body = std::get<LoopStatement>(statements_[at].is).body;
    std::rotate(body.begin(), body.begin() + static_cast<std::ptrdiff_t>(first), body.end());
    items_[at] = item_of(statements_[at]);
    const auto put_behind = [&](auto& all) {
      const auto loop = all.begin() + static_cast<std::ptrdiff_t>(at);
      std::rotate(loop, loop + 1, loop + 1 + static_cast<std::ptrdiff_t>(first));
    };
    put_behind(items_);
    put_behind(statements_);
  }

  bool fold_once() {
    bool has_changed = false;
    turn_loops();
    // What stands at one place in the source is one loop rather than what is alike only.
    for (const Likeness likeness : {Likeness::kEqual, Likeness::kOfOnePlace, Likeness::kAlike}) {
      for (std::size_t length = 1; length <= kLongestBody; ++length)
        has_changed = fold(length, likeness) || has_changed;
    }
    return has_changed;
  }

  enum class Likeness : std::uint8_t { kEqual, kOfOnePlace, kAlike };

  // All runs of one length of the body.
  bool fold(std::size_t length, Likeness likeness) {
    const bool is_exact = likeness == Likeness::kEqual;
    std::vector<Item> items;
    std::vector<Statement> statements;
    std::size_t from = 0; // what stands in front of it is in these; most often nothing changes
    const auto move_up_to = [&](std::size_t end) {
      for (; from < end; ++from) {
        items.push_back(std::move(items_[from]));
        statements.push_back(std::move(statements_[from]));
      }
    };
    for (std::size_t i = 0; i < items_.size();) {
      std::vector<Turn> turns;
      if (may_begin(i, length)) turns = turns_at(i, length);
      if (are_two_loops(turns)) turns.clear();
      if (likeness == Likeness::kOfOnePlace) keep_of_one_place(turns);
      if (turns.size() > 1) {
        const std::vector<Turn> all = turns;
        turns = worth_a_loop(std::move(turns), is_exact);
        if (turns.size() < 2 && !is_exact && is_worth_a_list(all)) turns = all;
        if (length == 1 && !is_exact) turns = as_several_statements(std::move(turns));
      }
      if (turns.size() < 2 && likeness == Likeness::kOfOnePlace && may_be_in_turn(i, length)) {
        turns = listed_turns(i, length);
        if (turns.size() > 1 && !is_worth_a_list(turns)) turns.clear();
      }
      const LoopsInLoop loops =
          likeness == Likeness::kOfOnePlace ? loops_in_loop(i) : LoopsInLoop{};
      const bool is_loop_of_loops = loops.rounds > 0 && (turns.size() < 2 || loops.is_list);
      if (turns.size() < 2 && !is_loop_of_loops) {
        ++i;
        continue;
      }
      move_up_to(i);
      if (is_loop_of_loops) {
        statements.push_back(loop_of_loops(i, loops));
        items.push_back(item_of(statements.back()));
        from = i += loops.rounds;
        continue;
      }
      statements.push_back(loop_of(turns));
      items.push_back(item_of(statements.back()));
      from = i = turns.back().begin + turns.back().length;
    }
    if (from == 0) return false;
    move_up_to(items_.size());
    items_ = std::move(items);
    statements_ = std::move(statements);
    return true;
  }

  // "loop 25: send leaf, tag 1", "loop 5: send leaf, tag 2" say more than "loop 2: loop 25, 5", and
  // if they are one loop of the source, its body is tried, too.
  bool are_two_loops(const std::vector<Turn>& turns) const {
    return turns.size() == 2 && std::all_of(turns.begin(), turns.end(), [&](const Turn& turn) {
             return !turn.is_loop && turn.length == 1 && items_[turn.begin].count > 0;
           });
  }

  // Loops that are rounds of one loop of the source around one inside.
  struct LoopsInLoop {
    std::size_t rounds = 0; // 0: there are none
    bool is_list = false; // what differs is listed, in the order of the rounds
  };

  // "loop 6: recv leaf, tag 4", "loop 6: recv leaf, tag 8", ..., where numbers differ; or sweeps
  // that go each its own way: "loop 4: loop 6: recv west, east, west, east".
  LoopsInLoop loops_in_loop(std::size_t at) const {
    constexpr std::size_t kFewestRounds = 3; // two loops say what comes when as shortly
    const auto* first = std::get_if<LoopStatement>(&statements_[at].is);
    if (first == nullptr || items_[at].count < 2 || !knows_places(first->body)) return {};
    const auto is_round = [&](std::size_t i) {
      const auto* loop = std::get_if<LoopStatement>(&statements_[i].is);
      return loop != nullptr && items_[i].count == items_[at].count &&
             items_[i].skeleton == items_[at].skeleton && are_at_one_place(first->body, loop->body);
    };
    Bodies bodies{first->body};
    for (std::size_t i = at + 1; i < items_.size() && is_round(i); ++i)
      bodies.push_back(std::get<LoopStatement>(statements_[i].is).body);
    if (bodies.size() < kFewestRounds) return {};
    if (differs_in_numbers(bodies)) return {bodies.size(), false};
    const bool are_all =
        at == 0 || !is_round(at - 1); // else it was no list, and part of it is none
    return are_all && lists_ways(bodies, items_[at].count) ? LoopsInLoop{bodies.size(), true}
                                                           : LoopsInLoop{};
  }

  // A list belongs to the loop that goes round as often as it is long, so the one inside must not.
  static bool lists_ways(const Bodies& bodies, std::uint64_t count_inside) {
    const bool are_calls = std::all_of(bodies[0].begin(), bodies[0].end(), [](const auto& inner) {
      return std::holds_alternative<CallStatement>(inner.is);
    });
    return are_calls && count_inside != bodies.size() && differs_in_directions(bodies) &&
           words_lost_in_list(bodies, false, true) == std::size_t{0};
  }

  Statement loop_of_loops(std::size_t at, const LoopsInLoop& loops) const {
    Bodies bodies;
    for (std::size_t i = at; i < at + loops.rounds; ++i)
      bodies.push_back(std::get<LoopStatement>(statements_[i].is).body);
    const std::vector<std::uint64_t> once(loops.rounds, 1);
    LoopStatement inner{std::to_string(items_[at].count), join_alike(bodies, loops.is_list, once)};
    return {LoopStatement{std::to_string(loops.rounds), {{std::move(inner)}}}};
  }

  // False where the next turn cannot follow; for nearly all places.
  bool may_begin(std::size_t at, std::size_t length) const {
    const bool is_loop = items_[at].body.size() == length;
    const std::size_t next = at + (is_loop ? 1 : length);
    if (next >= items_.size()) return false;
    const std::uint32_t first = is_loop ? items_[at].body[0] : items_[at].skeleton;
    return items_[next].skeleton == first || items_[next].body.size() == length;
  }

  // The next round begins alike, on another communicator, or under a guard of another direction.
  bool may_be_in_turn(std::size_t at, std::size_t length) const {
    if (at + 2 * length > items_.size()) return false;
    bool differ = false;
    for (std::size_t i = at; i < at + length; ++i) {
      if (items_[i].on_any != items_[i + length].on_any) return false;
      differ = differ || items_[i].skeleton != items_[i + length].skeleton;
    }
    return differ;
  }

  // A body of `length` from here on, as it stands there or as a loop, as often as it does.
  std::vector<Turn> turns_at(std::size_t at, std::size_t length) const {
    std::vector<std::uint32_t> body;
    if (items_[at].body.size() == length) {
      body = items_[at].body;
    } else {
      if (at + length > items_.size()) return {};
      for (std::size_t i = at; i < at + length; ++i) body.push_back(items_[i].skeleton);
    }
    std::vector<Turn> turns;
    while (at < items_.size()) {
      if (items_[at].body == body) {
        turns.push_back({at, 1, items_[at].count, true});
      } else if (stands_at(at, body)) {
        turns.push_back({at, length, 1, false});
      } else {
        break;
      }
      at += turns.back().length;
    }
    return turns;
  }

  bool stands_at(std::size_t at, const std::vector<std::uint32_t>& body) const {
    if (at + body.size() > items_.size()) return false;
    for (std::size_t i = 0; i < body.size(); ++i) {
      if (items_[at + i].skeleton != body[i] ||
          std::holds_alternative<PhaseStatement>(statements_[at + i].is))
        return false;
    }
    return true;
  }

  Body body_of(const Turn& turn) const {
    if (turn.is_loop) return std::get<LoopStatement>(statements_[turn.begin].is).body;
    return {&statements_[turn.begin], turn.length};
  }

  // The first that stand at one place in the source.
  void keep_of_one_place(std::vector<Turn>& turns) const {
    for (std::size_t i = 1; i < turns.size(); ++i) {
      if (!are_at_one_place(body_of(turns[0]), body_of(turns[i]))) {
        turns.resize(i);
        return;
      }
    }
  }

  // Rounds of a loop of the source on a communicator each, as those of levels are: "on split#1,
  // split#2", or under guards of a direction each: "if +1, +2, +4".
  std::vector<Turn> listed_turns(std::size_t at, std::size_t length) const {
    std::vector<Turn> turns;
    for (; at + length <= items_.size(); at += length) {
      const auto is_as_first = [&](std::size_t i) {
        return items_[at + i].on_any == items_[turns[0].begin + i].on_any &&
               !std::holds_alternative<PhaseStatement>(statements_[at + i].is);
      };
      bool is_alike = true;
      for (std::size_t i = 0; i < length && !turns.empty() && is_alike; ++i)
        is_alike = is_as_first(i);
      const Turn turn{at, length, 1, false};
      if (!is_alike || !knows_places(body_of(turn)) ||
          (!turns.empty() && !are_at_one_place(body_of(turns[0]), body_of(turn))))
        break;
      turns.push_back(turn);
    }
    return turns;
  }

  // As many of them as are worth it: the first that go the same ways, or are equal.
  std::vector<Turn> worth_a_loop(std::vector<Turn> turns, bool is_exact) const {
    Bodies all;
    std::uint64_t lines = 0;
    for (std::size_t i = 0; i < turns.size(); ++i) {
      const Body body = body_of(turns[i]);
      if (i > 0 && (is_exact ? differing_words({all[0], body}) > 0
                             : differs_in_directions({all[0], body}))) {
        turns.resize(i);
        break;
      }
      all.push_back(body);
      lines += lines_of(body) + (turns[i].is_loop ? 1 : 0);
    }
    const std::uint64_t new_lines = 1 + lines_of(all[0]);
    const std::size_t differing = is_exact ? 0 : differing_words(all);
    const bool is_known = differing > 0 && turns.size() > 1 && says_what_a_loop_said(turns, all);
    const bool is_plain = is_exact || is_known || are_loops_of_few_amounts(turns, all);
    const std::uint64_t needed = is_plain ? 1 : kWorthBeingLessExact + differing;
    if (lines < new_lines + needed) turns.clear();
    return turns;
  }

  // "loop 3: send leaf 9" and "loop 8: send leaf 8" are a loop over blocks of uneven size.
  static bool are_loops_of_few_amounts(const std::vector<Turn>& turns, const Bodies& bodies) {
    return turns.size() > 1 &&
           std::any_of(turns.begin(), turns.end(), [](const Turn& turn) { return turn.is_loop; }) &&
           differs_in_few_amounts(bodies);
  }

  // "loop 12: bcast 1..2 int|char root 0, 0, 1, 1, ..." is a loop of two statements, each with
  // fewer words that differ, if any.
  std::vector<Turn> as_several_statements(std::vector<Turn> turns) const {
    constexpr std::size_t kMostStatements = 4;
    const bool has_loop =
        std::any_of(turns.begin(), turns.end(), [](const Turn& turn) { return turn.is_loop; });
    if (turns.size() < 4 || has_loop) return turns;
    Bodies all;
    for (const Turn& turn : turns) all.push_back(body_of(turn));
    if (are_of_one_statement(all)) return turns; // as the source has it
    const std::size_t differing = differing_words(all);
    for (std::size_t statements = 2; statements <= kMostStatements; ++statements) {
      if (turns.size() % statements != 0 || turns.size() / statements < 2) continue;
      std::size_t differing_in_each = 0;
      for (std::size_t first = 0; first < statements; ++first) {
        Bodies one;
        for (std::size_t i = first; i < all.size(); i += statements) one.push_back(all[i]);
        differing_in_each += differing_words(one);
      }
      if (differing < 2 || differing_in_each > differing) continue;
      const std::vector<Turn> rounds =
          worth_a_loop(turns_at(turns.front().begin, statements), false);
      if (rounds.size() * statements == turns.size()) return rounds;
    }
    return turns;
  }

  // The same in several directions, one after the other.
  bool is_worth_a_list(const std::vector<Turn>& turns) const {
    Bodies all;
    for (const Turn& turn : turns) {
      if (turn.is_loop) return false;
      all.push_back(body_of(turn));
    }
    if (are_of_several_loops(all)) return false;
    const bool is_one_statement = are_of_one_statement(all); // a loop of the source
    const auto lost =
        words_lost_in_list(all, is_one_statement && differs_in_peers(all), is_one_statement);
    const std::uint64_t lines = turns.size() * lines_of(all[0]);
    const bool lists_few = (lists_few_ || is_one_statement) && are_on_one_topology(all);
    const std::uint64_t worth = lists_few || directions_count_on(all) ? 1 : kWorthAList;
    return lost && lines >= 1 + lines_of(all[0]) + worth + *lost;
  }

  // Each is the same statements of the source.
  static bool are_of_one_statement(const Bodies& bodies) {
    return knows_places(bodies[0]) && std::all_of(bodies.begin(), bodies.end(), [&](Body body) {
             return are_at_one_place(bodies[0], body);
           });
  }

  // Rounds of a loop that calls from elsewhere would be mixed into.
  static bool are_of_several_loops(const Bodies& bodies) {
    bool are_equal = true;
    bool are_distinct = true;
    for (std::size_t i = 1; i < bodies.size(); ++i) {
      for (std::size_t k = 0; k < i; ++k) {
        const bool is_one = are_at_one_place(bodies[k], bodies[i]);
        are_equal = are_equal && is_one;
        are_distinct = are_distinct && !is_one;
      }
    }
    return !are_equal && !are_distinct;
  }

  // "tag 7000..7015" of a loop holds for "tag rank+7000" behind it: one with both is no less exact.
  bool says_what_a_loop_said(const std::vector<Turn>& turns, const Bodies& bodies) const {
    std::vector<std::uint64_t> weights;
    for (const Turn& turn : turns) weights.push_back(turn.times);
    const std::vector<Statement> joined = join_alike(bodies, true, weights);
    for (std::size_t i = 0; i < turns.size(); ++i) {
      if (turns[i].is_loop && differing_words({joined, bodies[i]}) == 0) return true;
    }
    return false;
  }

  Statement loop_of(const std::vector<Turn>& turns) const {
    Bodies bodies;
    std::vector<std::uint64_t> weights;
    std::uint64_t times = 0;
    for (const Turn& turn : turns) {
      bodies.push_back(body_of(turn));
      weights.push_back(turn.times);
      times += turn.times;
    }
    return {LoopStatement{std::to_string(times), join_alike(bodies, true, weights)}};
  }

  bool lists_few_;
  std::vector<Item> items_;
  std::vector<Statement> statements_; // of the items
  std::unordered_map<std::string, std::uint32_t> known_;
};

} // namespace

namespace {

// @param entries  how often a rank comes to the statements; 0: not known
std::vector<Statement> with_runs_of_body(std::vector<Statement> statements, std::uint64_t entries,
                                         bool lists_few) {
  for (Statement& statement : statements) {
    if (auto* loop = std::get_if<LoopStatement>(&statement.is)) {
      const std::uint64_t count = plain_count(loop->count).value_or(0);
      count_equal_rounds(*loop);
      loop->body = with_runs_of_body(std::move(loop->body), entries * count, lists_few);
    }
    if (auto* guard = std::get_if<GuardStatement>(&statement.is))
      guard->body = with_runs_of_body(std::move(guard->body), entries, lists_few);
  }
  if (statements.size() > 1) statements = RunFolding(std::move(statements), lists_few).run();
  statements = with_seldom_rounds(std::move(statements), entries == 1);
  return with_rounds_together(levelled(std::move(statements), entries));
}

} // namespace

std::vector<Statement> with_runs_as_loops(std::vector<Statement> statements, bool lists_few,
                                          std::uint64_t entries) {
  return with_runs_of_body(std::move(statements), entries, lists_few);
}

} // namespace rondo::logical::internal
