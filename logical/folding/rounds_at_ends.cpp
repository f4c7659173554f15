// SPDX-License-Identifier: Apache-2.0
#include "logical/folding/rounds_at_ends.hpp"

#include "logical/joining/guards.hpp"
#include "logical/joining/one_place.hpp"
#include "logical/text/rounds_text.hpp"

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace rondo::logical::internal {
namespace {

bool bodies_say_the_same(Body a, Body b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), says_the_same);
}

// "tag 9" behind "tag 0..8", or the other way round; all else but amounts is the same.
bool counts_on(const CallStatement& a, const CallStatement& b, bool& has_tags) {
  return a.words.size() == b.words.size() &&
         std::equal(a.words.begin(), a.words.end(), b.words.begin(),
                    [&](const SaidWord& x, const SaidWord& y) {
                      if (x.text == y.text) return true;
                      const bool is_tag = x.remark == SaidWord::Remark::kTag;
                      const bool goes_on = y.least == x.most + 1 || x.least == y.most + 1;
                      has_tags = has_tags || (is_tag && goes_on);
                      return is_tag ? goes_on : x.kind == SaidWord::Kind::kNumber && !x.is_remark;
                    });
}

bool counts_on(Body a, Body b, bool& has_tags) {
  for (std::size_t i = 0; i < a.size(); ++i) {
    const auto* call = std::get_if<CallStatement>(&a[i].is);
    const auto* loop = std::get_if<LoopStatement>(&a[i].is);
    if (call != nullptr) {
      if (!counts_on(*call, std::get<CallStatement>(b[i].is), has_tags)) return false;
    } else if (loop != nullptr) {
      if (!counts_on(loop->body, std::get<LoopStatement>(b[i].is).body, has_tags)) return false;
    } else if (!says_the_same(a[i], b[i])) {
      return false;
    }
  }
  return true;
}

// Where lines are not known, as of Python, tags that count on tell rounds.
bool tags_count_on(Body a, Body b) {
  bool has_tags = false;
  return counts_on(a, b, has_tags) && has_tags;
}

} // namespace

const LoopStatement* plain_loop_in(const Statement& statement) {
  const auto* loop = std::get_if<LoopStatement>(&statement.is);
  return loop == nullptr || loop->is_by_rank ? nullptr : loop;
}

bool are_rounds_of_one_loop(Body a, Body b) {
  if (a.size() != b.size() || !are_alike(a, b) || !are_at_one_place(a, b)) return false;
  return bodies_say_the_same(a, b) || (knows_places(a) && !differs_in_peers({a, b})) ||
         tags_count_on(a, b);
}

namespace {

// Where the first call of a body stands in the source.
std::uint32_t place_of_first(Body body) {
  while (!body.empty()) {
    if (const auto* call = std::get_if<CallStatement>(&body[0].is)) return call->place;
    const auto* loop = std::get_if<LoopStatement>(&body[0].is);
    const auto* guard = std::get_if<GuardStatement>(&body[0].is);
    body = loop != nullptr ? Body(loop->body) : guard != nullptr ? Body(guard->body) : Body();
  }
  return CallStatement{}.place;
}

// "loop 9: { exchange, reduce }, exchange" of one exchange in the source is "loop 10: exchange, in
// all but the last round: reduce", or, where the source has the reduction in front, "in all but the
// first".
std::optional<LoopAround> with_round_beside(const std::vector<Statement>& statements,
                                            std::size_t at) {
  constexpr std::uint64_t kWorthIt = 2; // lines
  const Body all(statements);
  const LoopStatement& loop = *plain_loop_in(statements[at]);
  const auto count = plain_count(loop.count);
  const Body body(loop.body);
  if (!count || *count < 2) return std::nullopt;
  for (std::size_t size = body.size(); size-- > 1;) { // of a round without what is not in all
    for (const bool is_behind : {true, false}) {
      if (is_behind ? at + size >= all.size() : at < size) continue;
      const Body often = is_behind ? body.first(size) : body.last(size);
      const Body seldom = is_behind ? body.subspan(size) : body.first(body.size() - size);
      const Body beside = is_behind ? all.subspan(at + 1, size) : all.subspan(at - size, size);
      if (!are_rounds_of_one_loop(often, beside) || !knows_places(often) ||
          lines_of(often) < kWorthIt + 1)
        continue;
      const bool is_in_front = place_of_first(seldom) < place_of_first(often);
      std::vector<Statement> joined = join_alike({often, beside}, false, {*count, 1});
      const Statement inner{
          LoopStatement{all_but_one_end(is_in_front), {seldom.begin(), seldom.end()}}};
      joined.insert(is_in_front ? joined.begin() : joined.end(), inner);
      return LoopAround{is_behind ? at : at - size,
                        is_behind ? at + 1 + size : at + 1,
                        {LoopStatement{std::to_string(*count + 1), std::move(joined)}}};
    }
  }
  return std::nullopt;
}

// "exchange, reduce, loop 9: exchange, reduce", of one exchange and one reduction in the source, is
// "loop 10: exchange, in rounds 1, 10 of 10: reduce".
std::optional<LoopAround> with_both_ends(const std::vector<Statement>& statements, std::size_t at) {
  constexpr std::uint64_t kLeastRounds = 3; // of the loop; "exchange" stands twice else, too
  constexpr std::uint64_t kWorthIt = 3; // lines that stand twice
  const Body all(statements);
  const LoopStatement& loop = *plain_loop_in(statements[at]);
  const auto count = plain_count(loop.count);
  const Body often(loop.body);
  if (!count || *count < kLeastRounds || *count > kMostPutTogether || !knows_places(often))
    return {};
  for (std::size_t size = 1; size + often.size() <= at && at + size < all.size(); ++size) {
    const Body first = all.subspan(at - size - often.size(), often.size());
    const Body seldom = all.subspan(at - size, size);
    const Body last = all.subspan(at + 1, size);
    if (!are_rounds_of_one_loop(often, first) || !are_rounds_of_one_loop(seldom, last) ||
        !knows_places(seldom) || lines_of(often) + lines_of(seldom) < kWorthIt)
      continue;
    std::vector<Statement> joined = join_alike({first, often}, false, {1, *count});
    joined.push_back({LoopStatement{"1, 0 x" + std::to_string(*count - 1) + ", 1",
                                    join_alike({seldom, last}, false, {1, 1})}});
    return LoopAround{at - size - often.size(),
                      at + 1 + size,
                      {LoopStatement{std::to_string(*count + 1), std::move(joined)}}};
  }
  return std::nullopt;
}

// "send, loop 9: { receive, send, wait }, receive", of one send and one receive in the source, is
// "loop 10: send, in all but the first round: wait, receive": what goes on behind the work of a
// round is waited for in the next. A loop that was cut elsewhere has both in front of it: "send,
// receive, loop 9: { send, wait, receive }".
std::optional<LoopAround> with_round_around(const std::vector<Statement>& statements,
                                            std::size_t at) {
  constexpr std::uint64_t kWorthIt = 2; // lines that stand twice
  const Body all(statements);
  const LoopStatement& loop = *plain_loop_in(statements[at]);
  const auto count = plain_count(loop.count);
  const Body body(loop.body);
  if (!count || *count < 2) return std::nullopt;
  struct Cut {
    Body first, seldom, last; // of a round
    std::size_t before, behind; // statements of another round beside the loop
  };
  std::vector<Cut> cuts;
  for (std::size_t a = 1; a < body.size(); ++a) {
    for (std::size_t b = a + 1; b < body.size(); ++b) {
      const Body front = body.first(a), middle = body.subspan(a, b - a), back = body.subspan(b);
      cuts.push_back({middle, back, front, middle.size(), front.size()});
      cuts.push_back({front, middle, back, front.size() + back.size(), 0});
    }
  }
  for (const Cut& cut : cuts) {
    if (cut.before > at || cut.behind >= all.size() - at) continue;
    const Body first = all.subspan(at - cut.before, cut.first.size());
    const Body last = cut.behind > 0 ? all.subspan(at + 1, cut.behind)
                                     : all.subspan(at - cut.last.size(), cut.last.size());
    if (!knows_places(cut.first) || !knows_places(cut.last) ||
        !are_rounds_of_one_loop(cut.first, first) || !are_rounds_of_one_loop(cut.last, last) ||
        place_of_first(cut.first) > place_of_first(cut.last) ||
        lines_of(first) + lines_of(last) < kWorthIt)
      continue;
    std::vector<Statement> joined = join_alike({cut.first, first}, false, {*count, 1});
    joined.push_back(
        {LoopStatement{all_but_one_end(true), {cut.seldom.begin(), cut.seldom.end()}}});
    for (Statement& statement : join_alike({cut.last, last}, false, {*count, 1}))
      joined.push_back(std::move(statement));
    return LoopAround{at - cut.before,
                      at + 1 + cut.behind,
                      {LoopStatement{std::to_string(*count + 1), std::move(joined)}}};
  }
  return std::nullopt;
}

// "exchange, loop 9: { reduce, exchange }, reduce" is "loop 10: exchange, reduce", as what repeats
// could not tell where the reduction has another tag each time. What stands between the first
// exchange and the loop is "in the first round".
std::optional<LoopAround> with_rounds_turned(const std::vector<Statement>& statements,
                                             std::size_t at, bool is_once) {
  constexpr std::size_t kMostOnce = 3; // statements in the first round only
  const std::uint64_t worth_it = is_once ? 3 : 4; // lines that stand twice, where there are such
  const Body all(statements);
  const LoopStatement& loop = *plain_loop_in(statements[at]);
  const auto count = plain_count(loop.count);
  const Body body(loop.body);
  if (!count || *count < 2 || *count > kMostPutTogether) return std::nullopt;
  for (std::size_t once = 0; once <= std::min(kMostOnce, at); ++once) {
    const std::size_t end = at - once; // of the first exchange
    for (std::size_t size = 1; size < body.size(); ++size) {
      const Body last = body.first(size);
      const Body first = body.subspan(size);
      if (first.size() > end || at + size >= all.size()) continue;
      const Body before = all.subspan(end - first.size(), first.size());
      const Body behind = all.subspan(at + 1, size);
      if (!are_rounds_of_one_loop(first, before) || !are_rounds_of_one_loop(last, behind) ||
          (once > 0 && lines_of(body) < worth_it))
        continue;
      std::vector<Statement> joined = join_alike({before, first}, false, {1, *count});
      const Body seldom = all.subspan(end, once);
      if (once > 0)
        joined.push_back({LoopStatement{in_the_first(), {seldom.begin(), seldom.end()}}});
      for (Statement& statement : join_alike({last, behind}, false, {*count, 1}))
        joined.push_back(std::move(statement));
      return LoopAround{end - first.size(),
                        at + 1 + size,
                        {LoopStatement{std::to_string(*count + 1), std::move(joined)}}};
    }
  }
  return std::nullopt;
}

// A round of `body` that has `more` statements in its middle, and the other `count` rounds, as one
// loop.
std::optional<Statement> loop_with_more(Body body, Body other, bool is_first, std::uint64_t count) {
  const std::size_t more = other.size() - body.size();
  for (std::size_t cut = 1; cut < body.size(); ++cut) {
    const Body front = body.first(cut), back = body.subspan(cut);
    const Body seldom = other.subspan(cut, more);
    if (!are_rounds_of_one_loop(front, other.first(cut)) ||
        !are_rounds_of_one_loop(back, other.last(back.size())) ||
        place_of_first(front) > place_of_first(seldom) ||
        place_of_first(seldom) > place_of_first(back))
      continue;
    std::vector<Statement> joined = join_alike({front, other.first(cut)}, false, {count, 1});
    joined.push_back(
        {LoopStatement{is_first ? in_the_first() : in_the_last(), {seldom.begin(), seldom.end()}}});
    for (Statement& statement : join_alike({back, other.last(back.size())}, false, {count, 1}))
      joined.push_back(std::move(statement));
    return Statement{LoopStatement{std::to_string(count + 1), std::move(joined)}};
  }
  return std::nullopt;
}

// "exchange, gather, reduce, loop 9: { exchange, reduce }" is "loop 10: exchange, in the first
// round: gather, reduce". So is a last round behind the loop that has something more in its middle.
std::optional<LoopAround> with_more_in_a_round(const std::vector<Statement>& statements,
                                               std::size_t at) {
  constexpr std::size_t kMostMore = 3; // statements
  constexpr std::uint64_t kWorthIt = 3; // lines that stand twice
  const Body all(statements);
  const LoopStatement& loop = *plain_loop_in(statements[at]);
  const auto count = plain_count(loop.count);
  const Body body(loop.body);
  if (!count || *count < 2 || *count > kMostPutTogether || lines_of(body) < kWorthIt)
    return std::nullopt;
  for (std::size_t size = body.size() + 1; size <= body.size() + kMostMore; ++size) {
    if (size <= at) {
      if (auto one = loop_with_more(body, all.subspan(at - size, size), true, *count))
        return LoopAround{at - size, at + 1, std::move(*one)};
    }
    if (size < all.size() - at) {
      if (auto one = loop_with_more(body, all.subspan(at + 1, size), false, *count))
        return LoopAround{at, at + 1 + size, std::move(*one)};
    }
  }
  return std::nullopt;
}

} // namespace

std::optional<LoopAround> loop_with_other_ends(const std::vector<Statement>& statements,
                                               std::size_t at, bool is_once) {
  auto found = with_round_beside(statements, at);
  if (!found) found = with_round_around(statements, at);
  if (!found) found = with_both_ends(statements, at);
  if (!found) found = with_rounds_turned(statements, at, is_once);
  if (!found && is_once) found = with_more_in_a_round(statements, at);
  return found;
}

} // namespace rondo::logical::internal
