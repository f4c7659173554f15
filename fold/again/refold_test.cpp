// SPDX-License-Identifier: Apache-2.0
#include "rondo/fold/refold.hpp"

#include "fold/again/rank_shares.hpp"
#include "rondo/fold/merge.hpp"
#include "rondo/fold/recast.hpp"
#include "tests/support/nest_text.hpp"
#include "tests/support/spmd.hpp"
#include "tests/support/stamp_sums.hpp"

#include <gmock/gmock.h>
#include <numeric>
#include <set>

namespace rondo::fold {
namespace {

using support::events_of;
using support::IsStream;
using support::Pattern;
using testing::IsEmpty;
using trace::Trace;

constexpr std::int64_t kRefoldedRanks = 8;

Trace run_of(Pattern pattern, bool stamps) {
  std::vector<RecordingPart> parts;
  for (const auto& rank : support::run(pattern, kRefoldedRanks, 40))
    parts.push_back(stamps ? rank->part_with_stamps() : rank->part());
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return resolve(support::merged(std::move(parts), order));
}

void expect_same_calls(const Trace& a, const Trace& b) {
  for (std::int64_t rank = 0; rank < kRefoldedRanks; ++rank)
    ASSERT_THAT(events_of(a, rank), IsStream(events_of(b, rank))) << rank;
}

std::uint64_t timed_calls(const Trace& trace) {
  std::uint64_t calls = 0;
  for (const trace::RankClass& c : trace.classes) {
    for (const trace::PlaceTimes& place : c.program->times) calls += place.inside.count;
  }
  return calls;
}

class Refold : public testing::TestWithParam<Pattern> {};

TEST_P(Refold, KeepsTheCallsHoweverFarItGoes) {
  const Trace trace = run_of(GetParam(), false);
  for (const Folding folding : {Folding::kNone, Folding::kLoops, Folding::kFull})
    expect_same_calls(refold(trace, folding, {}).trace, trace);
}

TEST_P(Refold, ByTheFlowOfControlKeepsTheCalls) {
  const Trace trace = run_of(GetParam(), false);
  Recasting recasting;
  recasting.by_flow.assign(64, true); // sites, all that there are
  const Trace by_flow = recast(trace, recasting).trace;
  expect_same_calls(by_flow, trace);
  EXPECT_EQ(timed_calls(by_flow), timed_calls(trace));
}

TEST_P(Refold, WithoutFoldingAProgramIsItsCalls) {
  const Trace trace = refold(run_of(GetParam(), false), Folding::kNone, {}).trace;
  EXPECT_EQ(trace.classes.size(), static_cast<std::size_t>(kRefoldedRanks));
  for (const trace::RankClass& c : trace.classes) {
    EXPECT_THAT(c.program->nest.loops(), IsEmpty());
    EXPECT_THAT(c.program->columns, IsEmpty());
    EXPECT_EQ(c.program->nest.terms(), events_of(trace, c.ranks.ranks().front()).size());
  }
}

TEST_P(Refold, WithLoopsOnlyEachRankHasAProgram) {
  const Trace trace = refold(run_of(GetParam(), false), Folding::kLoops, {}).trace;
  EXPECT_EQ(trace.classes.size(), static_cast<std::size_t>(kRefoldedRanks));
}

TEST_P(Refold, ComesBackToWhereItWas) {
  const Trace trace = run_of(GetParam(), true);
  for (const Folding folding : {Folding::kNone, Folding::kLoops, Folding::kFull}) {
    const Trace there = refold(trace, folding, {}).trace;
    EXPECT_THAT(support::disagreements(there), IsEmpty());
    const Trace back = refold(there, Folding::kFull, {}).trace;
    EXPECT_THAT(support::disagreements(back), IsEmpty());
    ASSERT_EQ(back.classes.size(), trace.classes.size());
    for (std::size_t i = 0; i < trace.classes.size(); ++i) {
      EXPECT_EQ(back.classes[i].ranks, trace.classes[i].ranks);
      EXPECT_EQ(back.classes[i].program->nest, trace.classes[i].program->nest);
      EXPECT_EQ(back.classes[i].program->calls, trace.classes[i].program->calls);
    }
  }
}

TEST_P(Refold, HistogramsOfSeveralRanksStayTogetherOrAreGivenUp) {
  const Trace trace = run_of(GetParam(), false);
  const Refolded full = refold(trace, Folding::kFull, {});
  EXPECT_EQ(timed_calls(full.trace), timed_calls(trace));
  EXPECT_EQ(full.streams_without_times, 0U);
  const Refolded loops = refold(trace, Folding::kLoops, {});
  std::uint64_t shared = 0;
  for (const trace::RankClass& c : trace.classes) shared += c.ranks.size() > 1 ? c.ranks.size() : 0;
  EXPECT_GE(loops.streams_without_times, shared); // classes of one rank may lack times, too
}

// Codes of means are rounded twice, sums to whole nanoseconds.
MATCHER_P(IsAboutTheMeanOf, wanted, "") {
  const auto near = [](std::uint16_t a, std::uint16_t b) {
    const double ns = trace::mean_of_code_ns(b);
    return std::abs(trace::mean_of_code_ns(a) - ns) <= 1.5 + 0.05 * ns;
  };
  return near(arg.computation, wanted.computation) && near(arg.inside, wanted.inside);
}

TEST_P(Refold, EachRankKeepsItsMeansAndAllTheirSum) {
  const Trace trace = run_of(GetParam(), false);
  const Trace again = refold(trace, Folding::kFull, {}).trace;
  ASSERT_EQ(again.classes.size(), trace.classes.size());
  for (std::size_t i = 0; i < trace.classes.size(); ++i) {
    const auto& before = trace.classes[i].program->times;
    const auto& after = again.classes[i].program->times;
    ASSERT_EQ(after.size(), before.size());
    for (std::size_t place = 0; place < before.size(); ++place) {
      EXPECT_EQ(after[place].computation.sum_ns, before[place].computation.sum_ns);
      EXPECT_EQ(after[place].inside.sum_ns, before[place].inside.sum_ns);
      EXPECT_EQ(after[place].computation.bins, before[place].computation.bins);
      ASSERT_EQ(after[place].means.size(), before[place].means.size());
      for (std::size_t rank = 0; rank < before[place].means.size(); ++rank)
        EXPECT_THAT(after[place].means[rank], IsAboutTheMeanOf(before[place].means[rank]));
    }
  }
}

// All words of a rank's calls, peers as far from it as they are.
std::vector<std::int64_t> words_from(const Trace& trace, const trace::RankClass& of,
                                     std::int64_t rank) {
  std::vector<std::int64_t> result;
  trace::CallReader calls(trace, of, rank);
  while (const trace::CallInstance* call = calls.next()) {
    for (std::size_t word = 0; word < call->words.size(); ++word) {
      const bool is_distance = is_peer_word(*call->function, word) &&
                               !is_root_word(*call->function, word) &&
                               !trace::is_special(call->words[word]);
      result.push_back(call->words[word] - (is_distance ? rank : 0));
    }
  }
  return result;
}

TEST_P(Refold, PlaysOneOfTheRanksThatDoTheSame) {
  const Trace trace = run_of(GetParam(), false);
  std::size_t not_played = 0;
  std::set<std::pair<const trace::RankClass*, std::vector<std::int64_t>>> kinds;
  for (const trace::RankClass& c : trace.classes) {
    for (const std::int64_t rank : c.ranks.ranks()) kinds.emplace(&c, words_from(trace, c, rank));
  }
  Recasting recasting;
  recasting.likeness = [&](const trace::RankClass& of, std::int64_t rank) {
    return std::optional(words_from(trace, of, rank));
  };
  recasting.not_played = [&](std::int64_t rank, std::int64_t played) {
    EXPECT_NE(rank, played);
    ++not_played;
  };
  const Trace there = recast(trace, recasting).trace;
  EXPECT_EQ(not_played, static_cast<std::size_t>(kRefoldedRanks) - kinds.size());
  expect_same_calls(there, trace);
  EXPECT_EQ(timed_calls(there), timed_calls(trace));
  const Trace played = recast(trace, {}).trace;
  ASSERT_EQ(there.classes.size(), played.classes.size());
  for (std::size_t i = 0; i < there.classes.size(); ++i) {
    EXPECT_EQ(there.classes[i].ranks, played.classes[i].ranks);
    EXPECT_EQ(there.classes[i].program->nest, played.classes[i].program->nest);
    EXPECT_EQ(there.classes[i].program->calls, played.classes[i].program->calls);
  }
}

std::int64_t next_to(std::int64_t rank) { return (rank + 1) % kRefoldedRanks; }

// Ranks that split a communicator by where they stand, and tag messages with their number.
Trace run_with_own_numbers(bool varies) {
  std::vector<RecordingPart> parts;
  for (std::int64_t r = 0; r < kRefoldedRanks; ++r) {
    support::RankRecorder rank(r, kRefoldedRanks);
    rank.call("MPI_Comm_split", {{"color", r / 3}, {"key", 7 * r % 5}, {"newcomm", 0}});
    for (int i = 0; i < 9; ++i) {
      const std::int64_t tag = varies && i % 2 == 1 ? 100 + i : 10 * r;
      rank.call("MPI_Send", {{"count", 4}, {"dest", next_to(r)}, {"tag", tag}});
    }
    parts.push_back(rank.part());
  }
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  return resolve(support::merged(std::move(parts), order));
}

struct WithOwnNumbers {
  Trace trace;
  int played = 0;
  int again = 0;
};

// As likeness only the distance of the peer is said; colour, key and tag are each rank's own.
WithOwnNumbers recast_with_own_numbers(const Trace& trace, const ProgramOptions& options) {
  WithOwnNumbers result;
  Recasting recasting;
  recasting.likeness = [](const trace::RankClass&, std::int64_t rank) {
    return std::optional(std::vector{next_to(rank) - rank});
  };
  recasting.again = [&](std::int64_t) { ++result.again; };
  recasting.words = [](const trace::RankClass&, std::int64_t, const trace::CallInstance& call,
                       std::span<std::int64_t> words) {
    for (const char* name : {"color", "key", "tag"}) {
      const int word = call.function->word_of(name);
      if (word >= 0)
        words[static_cast<std::size_t>(word)] = Recasting::own_number(10 * call.symbol + word);
    }
  };
  recasting.own_numbers = [&](const trace::RankClass& of, std::int64_t rank, std::int64_t n) {
    trace::CallReader calls(trace, of, rank);
    while (const trace::CallInstance* call = calls.next()) {
      if (call->symbol == n / 10) return call->words[static_cast<std::size_t>(n % 10)];
    }
    return trace::kNothing;
  };
  std::set<std::int64_t> not_played;
  recasting.not_played = [&](std::int64_t rank, std::int64_t) { not_played.insert(rank); };
  result.trace = recast(trace, recasting, options).trace;
  result.played = static_cast<int>(kRefoldedRanks) - static_cast<int>(not_played.size());
  return result;
}

TEST(OwnNumbers, AreFilledInForRanksThatAreNotPlayed) {
  const Trace trace = run_with_own_numbers(false);
  ASSERT_EQ(trace.classes.size(), 1U);
  const WithOwnNumbers there = recast_with_own_numbers(trace, {});
  EXPECT_EQ(there.played, 2); // one of those with the next rank to the right, and the last
  expect_same_calls(there.trace, trace);
  EXPECT_EQ(there.trace.classes.front().program->calls, trace.classes.front().program->calls);
}

// Calls that differ in such a number alone become one call whose number varies.
TEST(OwnNumbers, ThatComeToVaryHaveEachRankPlayed) {
  const Trace trace = run_with_own_numbers(true);
  ASSERT_EQ(trace.classes.size(), 1U);
  ProgramOptions softer;
  softer.soften_after = 2;
  const WithOwnNumbers there = recast_with_own_numbers(trace, softer);
  EXPECT_EQ(there.again, 1);
  expect_same_calls(there.trace, trace);
}

INSTANTIATE_TEST_SUITE_P(Patterns, Refold, testing::ValuesIn(support::kPatterns),
                         [](const auto& param) { return support::name_of(param.param); });

// Also of ranks that have none, and of more ranks than sums are kept for.
TEST(RankShares, OfAllRanksAddUpToTheWhole) {
  constexpr std::size_t kMany = 53;
  trace::PlaceTimes place;
  for (std::size_t rank = 0; rank < kMany; ++rank) {
    trace::Durations own;
    for (std::uint64_t i = 0; i < 3; ++i) own.add(rank % 5 * 1000 + i);
    place.computation.add(own);
    place.means.push_back({trace::mean_code(own), 0});
  }
  auto program = std::make_shared<trace::Program>();
  program->times.push_back(place);
  trace::RankClass all;
  all.program = program;
  const RankShares shares(all);
  trace::Durations sum;
  for (std::size_t rank = 0; rank < kMany; ++rank) {
    const trace::Durations own = shares.of(0, rank).computation;
    EXPECT_EQ(own.count, 3u);
    EXPECT_EQ(trace::mean_code(own), place.means[rank].computation) << rank;
    sum.add(own);
  }
  EXPECT_EQ(sum.count, place.computation.count);
  EXPECT_EQ(sum.sum_ns, place.computation.sum_ns);
  EXPECT_EQ(sum.bins, place.computation.bins);
}

} // namespace
} // namespace rondo::fold
