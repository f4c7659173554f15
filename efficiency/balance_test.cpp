// SPDX-License-Identifier: Apache-2.0
#include "rondo/efficiency/balance.hpp"

#include "tests/support/predicted.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string_view>

namespace rondo::efficiency {
namespace {

using support::Caller;
using support::kMs;
using support::kMsInNs;
using support::kOfCodes;

// Programs whose run is known by hand, in ms: before and after evening out.

// A call at a site, computation before it and time inside it.
void call_at(Caller& s, std::string_view name, std::uint32_t site, std::uint64_t before_ms,
             std::uint64_t inside_ms) {
  const trace::Function& function = *trace::find_function(name);
  std::vector<std::int64_t> event(fold::kEventHead + function.words(), 0);
  if (const int comm = function.comm_word(); comm >= 0)
    event[fold::kEventHead + static_cast<std::size_t>(comm)] = support::kWorld;
  event[0] = fold::header_word(function.id, 0);
  event[1] = site;
  s.builder.record(event.data(), event.size(), before_ms * kMsInNs, inside_ms * kMsInNs);
}

// @param inside_ms  of each rank
trace::Trace with_facts(trace::Trace trace, const std::vector<std::uint64_t>& computation_ms,
                        const std::vector<std::uint64_t>& inside_ms) {
  for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank) {
    trace::RankFacts& facts = trace.ranks[rank];
    facts.computation_ns = computation_ms[rank] * kMsInNs;
    facts.inside_ns = inside_ms[rank] * kMsInNs;
    facts.span_ns = facts.computation_ns + facts.inside_ns;
  }
  return trace;
}

std::vector<Balanced> evened_out(const trace::Trace& trace, bool keeps_graph) {
  Factors factors = factors_of(trace);
  WaitOptions options;
  options.keeps_graph = keeps_graph;
  const auto waits = wait_states(trace, options);
  EXPECT_TRUE(waits.has_value()) << (waits ? "" : waits.error().text());
  if (!waits) return {};
  EXPECT_EQ(waits->graph != nullptr, keeps_graph);
  EXPECT_TRUE(waits->ideal.has_value());
  if (waits->ideal) add_ideal(factors, *waits->ideal);
  return most_worthwhile(trace, factors, *waits);
}

// By the graph of the run, and by playing it anew.
std::vector<Balanced> evened_out(const trace::Trace& trace) {
  const auto played = evened_out(trace, false);
  const auto found = evened_out(trace, true);
  EXPECT_EQ(found.size(), played.size());
  for (std::size_t i = 0; i < std::min(found.size(), played.size()); ++i)
    EXPECT_NEAR(found[i].runtime_s, played[i].runtime_s, 1e-12);
  return found;
}

// Rank 0 computes 30, rank 1 computes 10 and spends `own_ms` in MPI by itself; the barrier takes 5
// once both are there.
std::vector<Balanced> with_costs(std::uint64_t own_ms) {
  const std::uint64_t waits_ms = own_ms < 20 ? 20 - own_ms : 0;
  const trace::Trace trace = support::recorded(2, [&](Caller& s) {
    call_at(s, "MPI_Pcontrol", 1, s.rank == 0 ? 30 : 10, s.rank == 0 ? 0 : own_ms);
    call_at(s, "MPI_Barrier", 2, 0, s.rank == 0 ? 5 : waits_ms + 5);
  });
  return evened_out(with_facts(trace, {30, 10}, {5, own_ms + waits_ms + 5}));
}

TEST(Balance, WinsWhatTheSlowestComputesMoreThanTheMean) {
  const auto balanced = with_costs(0); // both come to the barrier after 20
  ASSERT_EQ(balanced.size(), 1u);
  EXPECT_NEAR(balanced[0].instead_of_s, 35 * kMs, 1e-9);
  EXPECT_NEAR(balanced[0].runtime_s, 25 * kMs, 25 * kMs * kOfCodes);
  EXPECT_EQ(balanced[0].imbalance.place.site, 1u);
  EXPECT_EQ(balanced[0].imbalance.most_rank, 0);
  EXPECT_NEAR(balanced[0].won(), 10. / 35, kOfCodes);
}

// Each rank has 40 in all, but a thread of its own with most of it; pairs of threads meet.
TEST(Balance, IsOfThreadsWhereARankHasSeveralThere) {
  trace::Trace trace = support::recorded_threads(2, 2, [](Caller& s, std::uint32_t thread) {
    const bool is_slow = s.rank == static_cast<std::int64_t>(thread);
    call_at(s, "MPI_Pcontrol", 1, is_slow ? 30 : 10, 0);
    if (s.rank == 0) s.send(1, 1);
    if (s.rank == 1) support::receive(s, 0, 1);
  });
  trace.run.thread_level = 3;
  const auto balanced = evened_out(with_facts(std::move(trace), {40, 40}, {0, 20}));
  ASSERT_EQ(balanced.size(), 1u);
  EXPECT_TRUE(balanced[0].imbalance.is_of_threads);
  EXPECT_NEAR(balanced[0].imbalance.mean_s, 20 * kMs, 1e-9);
  EXPECT_NEAR(balanced[0].runtime_s / balanced[0].instead_of_s, 2. / 3, 1e-9);
}

TEST(Balance, LeavesWhatCallsTakeThemselves) {
  const auto balanced = with_costs(5); // rank 1 comes to the barrier after 25
  ASSERT_EQ(balanced.size(), 1u);
  EXPECT_NEAR(balanced[0].runtime_s, 30 * kMs, 30 * kMs * kOfCodes);
}

TEST(Balance, WinsNothingWhereTheOthersAreInMpiMeanwhile) {
  EXPECT_TRUE(with_costs(15).empty()); // rank 1 would come to the barrier after 35
}

// Rank 2 waits long for rank 1, but all wait for rank 0 in the end.
TEST(Balance, WinsNothingBesideTheCriticalPath) {
  trace::Trace trace = support::recorded(3, [](Caller& s) {
    call_at(s, "MPI_Pcontrol", 1, s.rank == 1 ? 10 : 0, 0);
    if (s.rank == 1) s.send(2, 1);
    if (s.rank == 2) support::receive(s, 1, 1);
    call_at(s, "MPI_Pcontrol", 2, s.rank == 0 ? 36 : 3, 0);
    call_at(s, "MPI_Barrier", 3, 0, s.rank == 0 ? 1 : 24);
  });
  trace = with_facts(std::move(trace), {36, 13, 3}, {1, 24, 34});
  const auto waits = wait_states(trace);
  ASSERT_TRUE(waits.has_value());
  EXPECT_TRUE(std::any_of(waits->imbalances.begin(), waits->imbalances.end(),
                          [](const Imbalance& each) { return each.place.site == 1; }));
  const auto balanced = evened_out(trace);
  ASSERT_EQ(balanced.size(), 1u);
  EXPECT_EQ(balanced[0].imbalance.place.site, 2u);
  EXPECT_NEAR(balanced[0].runtime_s, (10 + 14 + 1) * kMs, 25 * kMs * kOfCodes); // through rank 1
}

TEST(Balance, OfRanksThatSharedProcessorsIsSaidOfTheRunWithoutThat) {
  trace::Trace trace = support::recorded(2, [](Caller& s) {
    call_at(s, "MPI_Barrier", 2, s.rank == 0 ? 30 : 10, s.rank == 0 ? 50 : 70);
  });
  trace = with_facts(std::move(trace), {30, 10}, {50, 70});
  const auto both = trace::RankSet::from_range({0, 1, 2});
  trace.hosts = {{"node", both}};
  trace.affinities = {{trace::RankSet::of({0}), 1, true, both}};
  const auto balanced = evened_out(trace);
  ASSERT_EQ(balanced.size(), 1u);
  EXPECT_NEAR(balanced[0].instead_of_s, 30 * kMs, 30 * kMs * kOfCodes);
  EXPECT_NEAR(balanced[0].runtime_s, 20 * kMs, 20 * kMs * kOfCodes);
}

// @param find  looks at the graph of the run
template <class Found>
std::optional<Found> found_by(std::optional<Found> (&find)(const trace::Trace&, const Factors&,
                                                           const WaitStates&),
                              const trace::Trace& run) {
  Factors factors = factors_of(run);
  WaitOptions options;
  options.keeps_graph = true;
  const auto waits = wait_states(run, options);
  if (!waits || !waits->ideal) return std::nullopt;
  add_ideal(factors, *waits->ideal);
  return find(run, factors, *waits);
}

// In each of four passes one of four ranks computes 10 ms and the others 2 before a barrier, rank
// after rank if they take turns, else always rank 0.
std::optional<Balanced> of_passes(bool takes_turns) {
  std::vector<std::uint64_t> computation_ms(4, 8);
  for (std::size_t rank = 0; rank < 4; ++rank) computation_ms[rank] = takes_turns ? 16 : 8;
  if (!takes_turns) computation_ms[0] = 40;
  const trace::Trace trace = support::recorded(4, [&](Caller& s) {
    for (std::int64_t pass = 0; pass < 4; ++pass) {
      const bool is_slow = s.rank == (takes_turns ? pass : 0);
      call_at(s, "MPI_Barrier", 2, is_slow ? 10 : 2, is_slow ? 0 : 8);
    }
  });
  std::vector<std::uint64_t> inside_ms;
  for (const std::uint64_t computed : computation_ms) inside_ms.push_back(40 - computed);
  return found_by(slow_in_turns, with_facts(trace, computation_ms, inside_ms));
}

// Rank 0 computes 30 ms before one call and rank 1 before another, ranks 2 and 3 hardly: evening
// out one of them leaves the other.
TEST(Balance, SaysWhatEvenRanksWouldTakeIfNoPlaceAloneIsWorthIt) {
  trace::Trace trace = support::recorded(4, [](Caller& s) {
    call_at(s, "MPI_Pcontrol", 1, s.rank == 0 ? 30 : 0, 0);
    call_at(s, "MPI_Pcontrol", 2, s.rank == 1 ? 30 : 0, 0);
    call_at(s, "MPI_Pcontrol", 3, s.rank > 1 ? 3 : 0, 0);
    call_at(s, "MPI_Barrier", 4, 0, s.rank > 1 ? 27 : 0);
  });
  trace = with_facts(std::move(trace), {30, 30, 3, 3}, {0, 0, 27, 27});
  for (const bool keeps_graph : {false, true}) {
    EXPECT_TRUE(evened_out(trace, keeps_graph).empty());
    Factors factors = factors_of(trace);
    WaitOptions options;
    options.keeps_graph = keeps_graph;
    const auto waits = wait_states(trace, options);
    ASSERT_TRUE(waits.has_value() && waits->ideal.has_value());
    add_ideal(factors, *waits->ideal);
    const auto even = even_in_all(trace, factors, *waits);
    ASSERT_TRUE(even.has_value());
    EXPECT_NEAR(even->instead_of_s, 30 * kMs, 1e-9);
    EXPECT_NEAR(even->runtime_s, 16.5 * kMs, 16.5 * kMs * kOfCodes);
  }
}

// Each of three ranks computes 6 ms in each round, and 4 ms as soon as it has the token.
trace::Trace with_token(int rounds) {
  constexpr std::int64_t kRanks = 3;
  const auto in_rounds = static_cast<std::uint64_t>(10 * rounds);
  const trace::Trace trace = support::recorded(kRanks, [rounds](Caller& s) {
    for (int round = 0; round < rounds; ++round) {
      call_at(s, "MPI_Pcontrol", 1, 6, 0);
      if (round > 0 || s.rank > 0) support::receive(s, (s.rank + kRanks - 1) % kRanks, 1);
      call_at(s, "MPI_Pcontrol", 2, 4, 0);
      s.send((s.rank + 1) % kRanks, 1);
    }
    if (s.rank == 0) support::receive(s, kRanks - 1, 1);
    call_at(s, "MPI_Barrier", 3, 0, 0);
  });
  const auto waits = static_cast<std::uint64_t>(6 + 12 * rounds) - in_rounds;
  return with_facts(trace, {in_rounds, in_rounds, in_rounds}, {waits, waits, waits});
}

// Also in rounds that are all alike.
TEST(Balance, SaysWhereRanksComputeOneAfterTheOther) {
  for (const int rounds : {4, 100}) {
    const auto found = found_by(one_after_the_other, with_token(rounds));
    ASSERT_TRUE(found.has_value()) << rounds;
    EXPECT_EQ(found->imbalance.place.site, 2u);
    EXPECT_NEAR(found->instead_of_s, (6 + 12 * rounds) * kMs, 1e-9);
    EXPECT_NEAR(found->runtime_s, 10 * rounds * kMs, 10 * rounds * kMs * kOfCodes);
    EXPECT_FALSE(found_by(slow_in_turns, with_token(rounds)));
  }
}

// Four ranks in a ring, which wait for their neighbours' messages before they compute 10 ms; in
// each second pass the even ones compute 10 ms more before they send, in the others the odd ones.
trace::Trace exchange(int passes, bool is_pipeline) {
  constexpr std::int64_t kRanks = 4;
  const trace::Trace trace = support::recorded(kRanks, [&](Caller& s) {
    const std::int64_t last = (s.rank + kRanks - 1) % kRanks;
    const std::int64_t next = (s.rank + 1) % kRanks;
    const auto wait = [&s](std::int64_t source) {
      s.call("MPI_Irecv", {{"count", 1},
                           {"datatype", support::kDouble},
                           {"source", source},
                           {"tag", 0},
                           {"comm", support::kWorld}});
    };
    for (int pass = 0; pass < passes; ++pass) {
      call_at(s, "MPI_Pcontrol", 1, pass % 2 == s.rank % 2 ? 11 : 1, 0);
      if (!is_pipeline) s.send(next, 1);
      if (!is_pipeline || s.rank > 0) {
        wait(last);
        s.call("MPI_Wait", {{"request", trace::request_by_age(0)}});
      }
      call_at(s, "MPI_Pcontrol", 3, 10, 0);
      if (is_pipeline && s.rank < kRanks - 1) s.send(next, 1);
    }
  });
  const auto each_ms = static_cast<std::uint64_t>(16 * passes);
  const auto inside_ms = static_cast<std::uint64_t>(5 * passes); // a pass takes 21 ms
  return with_facts(trace, {each_ms, each_ms, each_ms, each_ms},
                    {inside_ms, inside_ms, inside_ms, inside_ms});
}

TEST(Balance, SaysWhereWaitingLaterWins) {
  constexpr int kPasses = 40;
  const auto found = found_by(waited_later, exchange(kPasses, false));
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(trace::find_function(found->place.function)->name, "MPI_Wait");
  EXPECT_GT(found->won(), 0.1);
  EXPECT_GE(found->runtime_s, 16 * kPasses * kMs * (1 - kOfCodes)); // nothing is computed less
}

// What it waits for is sent only behind the other one's wait.
TEST(Balance, WaitsOfAPipelineAreNotToComeLater) {
  EXPECT_FALSE(found_by(waited_later, exchange(40, true)));
}

TEST(Balance, SaysWhereRanksAreSlowInTurns) {
  const auto found = of_passes(true); // each pass would take 4 ms, and in sum all compute as long
  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR(found->instead_of_s, 40 * kMs, 1 * kMs);
  EXPECT_NEAR(found->runtime_s, 16 * kMs, 1 * kMs);
  EXPECT_EQ(found->imbalance.place.site, 2u);
  EXPECT_FALSE(of_passes(false)) << "evening out the sums wins as much";
}

} // namespace
} // namespace rondo::efficiency
