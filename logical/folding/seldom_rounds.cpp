// SPDX-License-Identifier: Apache-2.0
#include "logical/folding/seldom_rounds.hpp"

#include "logical/joining/alike.hpp"
#include "logical/joining/guards.hpp"
#include "logical/joining/one_place.hpp"
#include "logical/text/rounds_text.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace rondo::logical::internal {
namespace {

constexpr std::uint64_t kMostPutTogether = std::uint64_t{1} << 40; // of a loop that is put together
constexpr std::size_t kMostSeldom = 100'000; // that the seldom part is counted one by one

const LoopStatement* plain_loop_in(const Statement& statement) {
  const auto* loop = std::get_if<LoopStatement>(&statement.is);
  return loop == nullptr || loop->is_by_rank ? nullptr : loop;
}

bool bodies_say_the_same(Body a, Body b) {
  return a.size() == b.size() && std::equal(a.begin(), a.end(), b.begin(), says_the_same);
}

// The same statements of the source, which may say other amounts each time. What says the same
// elsewhere is no round, even if it comes in the right number.
bool are_rounds_of_one_loop(Body a, Body b) {
  if (a.size() != b.size() || !are_alike(a, b) || !are_at_one_place(a, b)) return false;
  return bodies_say_the_same(a, b) || (knows_places(a) && !differs_in_peers({a, b}));
}

// "4, 4 x2, 3" of as many entries; nothing of other counts.
std::vector<std::uint64_t> listed_counts(std::string_view text, std::uint64_t entries) {
  std::vector<std::uint64_t> counts;
  while (!text.empty() && counts.size() <= entries) {
    const std::size_t comma = std::min(text.find(", "), text.size());
    const std::string_view run = text.substr(0, comma);
    const std::size_t times = run.find(" x");
    const auto count = plain_count(std::string(run.substr(0, times)));
    const auto length = times == run.npos ? std::optional<std::uint64_t>(1)
                                          : plain_count(std::string(run.substr(times + 2)));
    if (!count || !length || *length > entries) return {};
    counts.insert(counts.end(), *length, *count);
    text.remove_prefix(std::min(comma + 2, text.size()));
  }
  return counts.size() == entries ? counts : std::vector<std::uint64_t>{};
}

// A loop put together: its rounds, and after how many of them the seldom part comes.
class RoundsPutTogether {
public:
  RoundsPutTogether(Body often, Body seldom) : often_(often), seldom_(seldom) {}

  /// How many of the statements from `at` on are rounds, or the seldom part; 0: none. Where
  /// is_kept, they are added.
  std::size_t length_at(Body all, std::size_t at, bool is_kept) {
    const Body rest = all.subspan(at);
    if (is_round(rest)) {
      if (is_kept) add_rounds(rest.first(often_.size()), 1);
      return often_.size();
    }
    if (is_seldom(rest)) {
      if (is_kept) add_seldom(rest.first(seldom_.size()));
      return seldom_.size();
    }
    const LoopStatement* loop = rest.empty() ? nullptr : plain_loop_in(rest[0]);
    return loop != nullptr && add_loop(*loop, is_kept) ? 1 : 0;
  }

  std::uint64_t rounds() const { return rounds_; }

  /// The loop, if the rounds in which the seldom part comes can be said.
  std::optional<Statement> loop() const {
    if (after_.size() < 2 || rounds_ > kMostPutTogether || after_.size() > kMostSeldom) return {};
    bool is_behind = after_.front() > 0;
    auto count = which_rounds(is_behind ? 0 : 1);
    if (!count && is_behind) {
      is_behind = false;
      count = which_rounds(1);
    }
    if (!count) return std::nullopt;
    std::vector<Statement> body = join_alike(bodies_, false, weights_);
    const Statement seldom{LoopStatement{
        *count, join_alike(seldoms_, false, std::vector<std::uint64_t>(seldoms_.size(), 1))}};
    body.insert(is_behind ? body.end() : body.begin(), seldom);
    return Statement{LoopStatement{std::to_string(rounds_), std::move(body)}};
  }

private:
  bool is_round(Body rest) const {
    return rest.size() >= often_.size() &&
           are_rounds_of_one_loop(often_, rest.first(often_.size()));
  }
  bool is_seldom(Body rest) const {
    return rest.size() >= seldom_.size() &&
           are_rounds_of_one_loop(seldom_, rest.first(seldom_.size()));
  }

  void add_rounds(Body body, std::uint64_t times) {
    bodies_.push_back(body);
    weights_.push_back(times);
    rounds_ += times;
  }
  void add_seldom(Body body) {
    seldoms_.push_back(body);
    after_.push_back(rounds_);
  }

  // A loop of rounds, or of rounds and the seldom part by turns.
  bool add_loop(const LoopStatement& loop, bool is_kept) {
    const auto count = plain_count(loop.count);
    if (!count || *count == 0) return false;
    if (are_rounds_of_one_loop(often_, loop.body)) {
      if (is_kept) add_rounds(loop.body, *count);
      return true;
    }
    if (*count > kMostSeldom) return false;
    const std::optional<std::vector<Step>> steps = steps_of(loop.body, *count);
    if (!steps) return false;
    for (std::uint64_t i = 0; i < *count && is_kept; ++i) {
      for (const Step& step : *steps) {
        if (step.is_seldom) {
          after_.push_back(rounds_);
        } else {
          rounds_ += step.counts[i % step.counts.size()];
        }
      }
    }
    for (const Step& step : *steps) {
      if (!is_kept) break;
      if (step.is_seldom) {
        seldoms_.push_back(step.body);
      } else {
        std::uint64_t times = 0;
        for (std::uint64_t i = 0; i < *count; ++i) times += step.counts[i % step.counts.size()];
        bodies_.push_back(step.body);
        weights_.push_back(times);
      }
    }
    return true;
  }

  struct Step { // in a loop of both
    bool is_seldom;
    Body body;
    std::vector<std::uint64_t> counts; // each time, or one for all
  };

  std::optional<std::vector<Step>> steps_of(Body body, std::uint64_t entries) const {
    std::vector<Step> steps;
    for (std::size_t at = 0; at < body.size();) {
      const Body rest = body.subspan(at);
      const LoopStatement* inner = plain_loop_in(rest[0]);
      if (is_round(rest)) {
        steps.push_back({false, rest.first(often_.size()), {1}});
      } else if (is_seldom(rest)) {
        steps.push_back({true, rest.first(seldom_.size()), {}});
      } else if (inner != nullptr && are_rounds_of_one_loop(often_, inner->body)) {
        const auto count = plain_count(inner->count);
        std::vector<std::uint64_t> counts =
            count ? std::vector<std::uint64_t>{*count} : listed_counts(inner->count, entries);
        if (counts.empty()) return std::nullopt;
        steps.push_back({false, inner->body, std::move(counts)});
        ++at;
        continue;
      } else {
        return std::nullopt;
      }
      at += steps.back().body.size();
    }
    return steps;
  }

  // "0..1 (every 5th from 2)": of rounds at whose end, or in front of which, the seldom part comes.
  std::optional<std::string> which_rounds(std::uint64_t shift) const {
    constexpr std::uint64_t kLeastStep = 3; // "often, seldom, often" needs no `if`
    const std::uint64_t first = after_[0] + shift;
    const std::uint64_t step = after_.back() - after_[after_.size() - 2];
    if (first < 1 || first > step || step < kLeastStep) return std::nullopt;
    // Any two are as far from one another as they are.
    if (after_.size() == 2 && first != 1 && first != step) return std::nullopt;
    std::vector<std::uint64_t> comes = after_;
    for (std::uint64_t& round : comes) round += shift;
    return comes.back() > rounds_ ? std::nullopt : every_kth(comes, rounds_);
  }

  Body often_;
  Body seldom_;
  std::uint64_t rounds_ = 0;
  std::vector<std::uint64_t> after_; // rounds before each of the seldom parts
  Bodies bodies_;
  Bodies seldoms_;
  std::vector<std::uint64_t> weights_;
};

// What a loop that begins or ends with an inner loop has often and seldom.
struct OftenAndSeldom {
  Body often;
  Body seldom;
};

std::vector<OftenAndSeldom> often_and_seldom_of(const LoopStatement& loop) {
  const Body all(loop.body);
  std::vector<OftenAndSeldom> parts;
  if (all.size() < 2) return parts;
  for (const bool is_at_end : {true, false}) {
    const LoopStatement* inner = plain_loop_in(is_at_end ? all.back() : all.front());
    if (inner == nullptr) continue;
    const std::size_t size = inner->body.size();
    const Body rest = is_at_end ? all.first(all.size() - 1) : all.last(all.size() - 1);
    if (rest.size() > size) { // a round stands at the other side of what is seldom
      const Body other = is_at_end ? rest.first(size) : rest.last(size);
      if (are_rounds_of_one_loop(inner->body, other))
        parts.push_back({inner->body, is_at_end ? rest.last(rest.size() - size)
                                                : rest.first(rest.size() - size)});
    }
    parts.push_back({inner->body, rest});
  }
  return parts;
}

// One loop for what stands around the loop at `at`; nothing if it is no shorter.
struct LoopAround {
  std::size_t begin;
  std::size_t end;
  Statement loop;
};

std::optional<LoopAround> loop_around(const std::vector<Statement>& statements, std::size_t at,
                                      const OftenAndSeldom& parts) {
  const Body all(statements);
  RoundsPutTogether probe(parts.often, parts.seldom);
  std::vector<std::size_t> begins = {at}; // the farthest last
  for (bool is_more = true; is_more;) {
    is_more = false;
    for (const std::size_t size : {parts.often.size(), parts.seldom.size(), std::size_t{1}}) {
      if (size > begins.back()) continue;
      const std::size_t begin = begins.back() - size;
      if (probe.length_at(all.first(begins.back()), begin, false) != size) continue;
      begins.push_back(begin);
      is_more = true;
      break;
    }
  }
  for (; !begins.empty(); begins.pop_back()) {
    RoundsPutTogether rounds(parts.often, parts.seldom);
    std::optional<LoopAround> best;
    std::size_t end = begins.back();
    while (end < all.size()) {
      const std::size_t length = rounds.length_at(all, end, true);
      if (length == 0) break;
      end += length;
      if (end <= at) continue;
      auto loop = rounds.loop();
      if (loop && lines_of({&*loop, 1}) < lines_of(all.subspan(begins.back(), end - begins.back())))
        best = LoopAround{begins.back(), end, std::move(*loop)};
    }
    if (best) return best;
  }
  return std::nullopt;
}

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

} // namespace

std::vector<Statement> with_seldom_rounds(std::vector<Statement> statements) {
  for (std::size_t at = 0; at < statements.size(); ++at) {
    const LoopStatement* loop = plain_loop_in(statements[at]);
    if (loop == nullptr) continue;
    std::optional<LoopAround> found;
    for (const OftenAndSeldom& parts : often_and_seldom_of(*loop)) {
      found = loop_around(statements, at, parts);
      if (found) break;
    }
    if (!found) found = with_round_beside(statements, at);
    if (!found) found = with_round_around(statements, at);
    if (!found) found = with_both_ends(statements, at);
    if (!found) continue;
    Statement one = std::move(found->loop);
    const auto begin = statements.begin() + static_cast<std::ptrdiff_t>(found->begin);
    *begin = std::move(one);
    statements.erase(begin + 1, statements.begin() + static_cast<std::ptrdiff_t>(found->end));
    at = found->begin;
  }
  return statements;
}

} // namespace rondo::logical::internal
