// SPDX-License-Identifier: Apache-2.0
#include "logical/folding/seldom_rounds.hpp"

#include "logical/folding/rounds_at_ends.hpp"
#include "logical/joining/alike.hpp"
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

constexpr std::size_t kMostSeldom = 100'000; // that the seldom part is counted one by one

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

// What each round of a loop has, and what comes in some of them: at its end or its beginning, or
// between the two parts of a round.
struct OftenAndSeldom {
  Body first;
  Body seldom;
  Body last{}; // of a round that what is seldom stands in the middle of
};

// A loop put together: its rounds, and after how many of them the seldom part comes.
class RoundsPutTogether {
public:
  explicit RoundsPutTogether(const OftenAndSeldom& parts) : parts_(parts) {}

  /// How many of the statements from `at` on go on with a round, or are the seldom part; 0: none.
  /// They are added.
  std::size_t add_at(Body all, std::size_t at) {
    const Body rest = all.subspan(at);
    const std::optional<Step> step = step_at(rest, is_open_, 1);
    if (!step) return 0;
    add(*step, 1);
    return step->length;
  }

  /// Whether statements may be some of those, wherever a round is then.
  bool may_be(Body statements) const {
    return std::any_of(std::begin(kStates), std::end(kStates), [&](bool is_open) {
      const auto step = step_at(statements, is_open, 1);
      return step && step->length == statements.size();
    });
  }

  /// The loop, if the rounds in which the seldom part comes can be said.
  std::optional<Statement> loop() const {
    if (is_open_ || after_.size() < 2 || rounds_ > kMostPutTogether || after_.size() > kMostSeldom)
      return {};
    bool is_behind = after_.front() > 0 && parts_.last.empty();
    auto count = which_rounds(is_behind ? 0 : 1);
    if (!count && is_behind) {
      is_behind = false;
      count = which_rounds(1);
    }
    if (!count) return std::nullopt;
    std::vector<Statement> body = joined(firsts_);
    const Statement seldom{LoopStatement{*count, joined(seldoms_)}};
    const bool is_in_front = !is_behind && parts_.last.empty();
    body.insert(is_in_front ? body.begin() : body.end(), seldom);
    if (!parts_.last.empty()) {
      for (Statement& statement : joined(lasts_)) body.push_back(std::move(statement));
    }
    return Statement{LoopStatement{std::to_string(rounds_), std::move(body)}};
  }

private:
  static constexpr bool kStates[] = {false, true};

  struct Executions {
    Bodies bodies;
    std::vector<std::uint64_t> times; // of each
  };

  struct Step {
    enum class Kind : std::uint8_t { kFirst, kLast, kSeldom, kRounds, kSteps };
    Kind kind;
    std::size_t length; // statements
    Body first{};
    Body last{};
    Body seldom{};
    bool is_open = false; // afterwards
    bool is_cut = false; // the last of the rounds ends with its first part
    std::vector<std::uint64_t> rounds{}; // each time, or for all times
    std::vector<Step> steps{}; // of each time round
    std::uint64_t times = 1;
  };

  static std::vector<Statement> joined(const Executions& executions) {
    return join_alike(executions.bodies, false, executions.times);
  }

  static bool begins_with(Body rest, Body part) {
    return !part.empty() && rest.size() >= part.size() &&
           are_rounds_of_one_loop(part, rest.first(part.size()));
  }

  /// @param is_open  whether the first part of a round has come, and not the last
  /// @param entries  how often it is come to
  std::optional<Step> step_at(Body rest, bool is_open, std::uint64_t entries) const {
    const bool has_last = !parts_.last.empty();
    if (!is_open && begins_with(rest, parts_.first))
      return Step{.kind = Step::Kind::kFirst,
                  .length = parts_.first.size(),
                  .first = rest.first(parts_.first.size()),
                  .is_open = has_last};
    if (is_open && begins_with(rest, parts_.last))
      return Step{.kind = Step::Kind::kLast,
                  .length = parts_.last.size(),
                  .last = rest.first(parts_.last.size())};
    if (is_open == has_last && begins_with(rest, parts_.seldom))
      return Step{.kind = Step::Kind::kSeldom,
                  .length = parts_.seldom.size(),
                  .seldom = rest.first(parts_.seldom.size()),
                  .is_open = is_open};
    const LoopStatement* loop = rest.empty() ? nullptr : plain_loop_in(rest[0]);
    if (loop == nullptr) return std::nullopt;
    if (auto rounds = rounds_in(*loop, is_open, entries)) return rounds;
    return entries == 1 ? steps_in(*loop, is_open) : std::nullopt;
  }

  // A loop of rounds, which may begin in the middle of one, or end there.
  std::optional<Step> rounds_in(const LoopStatement& loop, bool is_open,
                                std::uint64_t entries) const {
    const Body body(loop.body);
    const std::size_t size = parts_.first.size();
    if (body.size() < size) return std::nullopt;
    Step step{.kind = Step::Kind::kRounds, .length = 1, .is_open = is_open};
    const LoopStatement* inner = plain_loop_in(body.back());
    step.is_cut = !is_open && !parts_.last.empty() && body.size() == size + 1 && inner != nullptr &&
                  inner->count == all_but_one_end(false);
    if (step.is_cut) {
      step.first = body.first(size);
      step.last = Body(inner->body);
      step.is_open = true;
    } else {
      step.first = is_open ? body.last(size) : body.first(size);
      step.last = is_open ? body.first(body.size() - size) : body.subspan(size);
    }
    const auto is_part = [](Body part, Body other) {
      return part.size() == other.size() && (part.empty() || begins_with(other, part));
    };
    if (!is_part(parts_.first, step.first) || !is_part(parts_.last, step.last)) return std::nullopt;
    const auto count = plain_count(loop.count);
    step.rounds = count ? std::vector<std::uint64_t>{*count} : listed_counts(loop.count, entries);
    const bool comes_always = std::all_of(step.rounds.begin(), step.rounds.end(),
                                          [](std::uint64_t rounds) { return rounds > 0; });
    if (step.rounds.empty() || (step.is_cut && !comes_always)) return std::nullopt;
    return step;
  }

  // A loop of rounds and the seldom part by turns.
  std::optional<Step> steps_in(const LoopStatement& loop, bool is_open) const {
    const auto count = plain_count(loop.count);
    if (!count || *count == 0 || *count > kMostSeldom) return std::nullopt;
    Step result{.kind = Step::Kind::kSteps, .length = 1, .is_open = is_open, .times = *count};
    const Body body(loop.body);
    constexpr std::uint64_t kInner = 2; // of loops in loops in loops there are too many ways
    for (std::size_t at = 0; at < body.size(); at += result.steps.back().length) {
      auto step = step_at(body.subspan(at), is_open, std::max(*count, kInner));
      if (!step) return std::nullopt;
      is_open = step->is_open;
      result.steps.push_back(std::move(*step));
    }
    return is_open == result.is_open ? std::optional(std::move(result)) : std::nullopt;
  }

  void add(const Step& step, std::uint64_t times) {
    const auto note = [&](Executions& to, Body body, std::uint64_t often) {
      if (body.empty()) return;
      to.bodies.push_back(body);
      to.times.push_back(often);
    };
    if (step.kind == Step::Kind::kSteps) {
      for (std::uint64_t i = 0; i < step.times; ++i) {
        for (const Step& inner : step.steps) count(inner, i);
      }
      for (const Step& inner : step.steps) add_bodies(inner, step.times, note);
    } else {
      count(step, 0);
      add_bodies(step, times, note);
    }
    is_open_ = step.is_open;
  }

  template <class Note> void add_bodies(const Step& step, std::uint64_t times, const Note& note) {
    std::uint64_t often = step.rounds.empty() ? times : 0;
    for (std::uint64_t i = 0; !step.rounds.empty() && i < times; ++i)
      often += step.rounds[i % step.rounds.size()];
    note(firsts_, step.first, often);
    note(lasts_, step.last, often - (step.is_cut ? times : 0));
    note(seldoms_, step.seldom, often);
  }

  void count(const Step& step, std::uint64_t time) {
    const bool has_last = !parts_.last.empty();
    switch (step.kind) {
    case Step::Kind::kFirst:
      rounds_ += has_last ? 0 : 1;
      return;
    case Step::Kind::kLast:
      ++rounds_;
      return;
    case Step::Kind::kSeldom:
      after_.push_back(rounds_);
      return;
    case Step::Kind::kRounds:
      rounds_ += step.rounds[time % step.rounds.size()] - (step.is_cut ? 1 : 0);
      return;
    case Step::Kind::kSteps:
      return;
    }
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

  OftenAndSeldom parts_;
  bool is_open_ = false;
  std::uint64_t rounds_ = 0; // that have ended
  std::vector<std::uint64_t> after_; // rounds before each of the seldom parts
  Executions firsts_;
  Executions lasts_;
  Executions seldoms_;
};

// Of "loop 10: { gather, loop 20: { reduce, exchange } }", which the gather has cut in the middle
// of a round, the ways to cut what is in the inner loop.
void add_cut_rounds(const LoopStatement& inner, Body rest, std::vector<OftenAndSeldom>& parts) {
  constexpr std::size_t kMostStatements = 24;
  const Body all(inner.body);
  const LoopStatement* cut = plain_loop_in(all.back());
  if (all.size() > kMostStatements) return;
  const auto without = [&](Body front, Body back) { // of a round beside the inner loop
    Body seldom = rest;
    if (seldom.size() > front.size() && !front.empty() &&
        are_rounds_of_one_loop(front, seldom.first(front.size())))
      seldom = seldom.subspan(front.size());
    if (seldom.size() > back.size() && are_rounds_of_one_loop(back, seldom.last(back.size())))
      seldom = seldom.first(seldom.size() - back.size());
    return seldom;
  };
  if (cut != nullptr && all.size() > 1 && cut->count == all_but_one_end(false)) {
    const Body last(cut->body);
    parts.push_back({all.first(all.size() - 1), without({}, last), last});
  }
  for (std::size_t size = 1; size < all.size(); ++size) {
    const Body front = all.first(size);
    const Body back = all.subspan(size);
    parts.push_back({back, rest, front});
    if (const Body seldom = without(front, back); seldom.size() + all.size() == rest.size())
      parts.push_back({front, seldom, back});
  }
}

std::vector<OftenAndSeldom> often_and_seldom_of(const LoopStatement& loop) {
  const Body all(loop.body);
  std::vector<OftenAndSeldom> parts;
  if (all.size() < 2) return parts;
  for (const bool is_at_end : {true, false}) {
    const LoopStatement* inner = plain_loop_in(is_at_end ? all.back() : all.front());
    if (inner == nullptr || inner->body.empty()) continue;
    const std::size_t size = inner->body.size();
    const Body rest = is_at_end ? all.first(all.size() - 1) : all.last(all.size() - 1);
    add_cut_rounds(*inner, rest, parts);
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

// "loop 3: loop 1, 3 x2:" asks for as much as a line.
std::uint64_t lists_of_counts_in(Body statements) {
  std::uint64_t lists = 0;
  for (const Statement& statement : statements) {
    const LoopStatement* loop = plain_loop_in(statement);
    if (loop == nullptr) continue;
    lists += plain_count(loop->count) || is_condition(loop->count) ? 0 : 1;
    lists += lists_of_counts_in(loop->body);
  }
  return lists;
}

// Whether rounds stand in the midst of what is seldom, too: who is the loop then?
bool has_rounds_within(const OftenAndSeldom& parts) {
  return std::any_of(parts.seldom.begin(), parts.seldom.end(), [&](const Statement& statement) {
    const LoopStatement* loop = plain_loop_in(statement);
    return loop != nullptr && are_rounds_of_one_loop(parts.first, loop->body);
  });
}

bool is_worth_it(const Statement& loop, Body before, const OftenAndSeldom& parts) {
  const auto to_read = [&](Body body) {
    return lines_of(body) + (has_rounds_within(parts) ? 0 : lists_of_counts_in(body));
  };
  return to_read({&loop, 1}) < to_read(before);
}

std::optional<LoopAround> loop_around(const std::vector<Statement>& statements, std::size_t at,
                                      const OftenAndSeldom& parts) {
  const Body all(statements);
  const RoundsPutTogether probe(parts);
  std::vector<std::size_t> begins = {at}; // the farthest last
  for (bool is_more = true; is_more;) {
    is_more = false;
    for (const std::size_t size :
         {parts.first.size(), parts.seldom.size(), parts.last.size(), std::size_t{1}}) {
      if (size > begins.back() || size == 0) continue;
      const std::size_t begin = begins.back() - size;
      if (!probe.may_be(all.subspan(begin, size))) continue;
      begins.push_back(begin);
      is_more = true;
      break;
    }
  }
  for (; !begins.empty(); begins.pop_back()) {
    RoundsPutTogether rounds(parts);
    std::optional<LoopAround> best;
    std::size_t end = begins.back();
    while (end < all.size()) {
      const std::size_t length = rounds.add_at(all, end);
      if (length == 0) break;
      end += length;
      if (end <= at) continue;
      auto loop = rounds.loop();
      if (loop && is_worth_it(*loop, all.subspan(begins.back(), end - begins.back()), parts))
        best = LoopAround{begins.back(), end, std::move(*loop)};
    }
    if (best) return best;
  }
  return std::nullopt;
}

} // namespace

std::vector<Statement> with_seldom_rounds(std::vector<Statement> statements, bool is_once) {
  for (std::size_t at = 0; at < statements.size(); ++at) {
    const LoopStatement* loop = plain_loop_in(statements[at]);
    if (loop == nullptr) continue;
    std::optional<LoopAround> found;
    for (const OftenAndSeldom& parts : often_and_seldom_of(*loop)) {
      found = loop_around(statements, at, parts);
      if (found) break;
    }
    if (!found) found = loop_with_other_ends(statements, at, is_once);
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
