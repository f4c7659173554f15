// SPDX-License-Identifier: Apache-2.0
#include "rondo/efficiency/wait_states.hpp"

#include "tests/support/predicted.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace rondo::efficiency {
namespace {

using support::Caller;
using support::compute;
using support::recorded;

constexpr double kMs = 1e-3;
constexpr double kOfCodes = 0.03; // ranks' means are kept in steps of 4 %
constexpr std::uint64_t kMsInNs = 1'000'000;

WaitStates found(const trace::Trace& trace) {
  auto waits = wait_states(trace);
  EXPECT_TRUE(waits.has_value()) << (waits ? "" : waits.error().text());
  return waits ? *waits : WaitStates{};
}

double of_kind(const WaitStates& waits, WaitKind kind) {
  return waits.by_kind[static_cast<std::size_t>(kind)];
}

double of_causes(const WaitStates& waits) {
  return std::accumulate(waits.causes.begin(), waits.causes.end(), 0.0,
                         [](double sum, const Cause& cause) { return sum + cause.seconds; });
}

void barrier(Caller& s) { s.call("MPI_Barrier", {{"comm", support::kWorld}}); }

TEST(WaitStates, ALateSenderIsBlamed) {
  const WaitStates waits = found(recorded(2, [](Caller& s) {
    compute(s, s.rank == 0 ? 30 * kMsInNs : 10 * kMsInNs);
    if (s.rank == 0) s.send(1, 1);
    if (s.rank == 1) support::receive(s, 0, 1);
  }));
  EXPECT_FALSE(waits.is_measured);
  EXPECT_NEAR(of_kind(waits, WaitKind::kLateSender), 20 * kMs, 1e-9);
  EXPECT_NEAR(waits.seconds, 20 * kMs, 1e-9);
  ASSERT_EQ(waits.states.size(), 1u);
  EXPECT_EQ(waits.states[0].worst_rank, 1);
  ASSERT_FALSE(waits.causes.empty());
  EXPECT_EQ(waits.causes[0].rank, 0);
  EXPECT_EQ(waits.causes[0].what, Cause::What::kComputation);
  EXPECT_NEAR(waits.causes[0].seconds, 20 * kMs, 1e-6);
}

TEST(WaitStates, NothingIsFoundWhereNobodyWaits) {
  const WaitStates waits = found(recorded(4, [](Caller& s) {
    compute(s, 5 * kMsInNs);
    barrier(s);
    compute(s, 5 * kMsInNs);
    support::block_of_all(s, "MPI_Allreduce");
  }));
  EXPECT_EQ(waits.seconds, 0);
  EXPECT_TRUE(waits.states.empty());
  EXPECT_TRUE(waits.causes.empty());
}

TEST(WaitStates, AllWaitAtABarrierForTheLast) {
  constexpr std::int64_t kRanks = 5;
  const WaitStates waits = found(recorded(kRanks, [](Caller& s) {
    compute(s, s.rank == 3 ? 50 * kMsInNs : 10 * kMsInNs);
    barrier(s);
  }));
  EXPECT_NEAR(of_kind(waits, WaitKind::kBarrier), 4 * 40 * kMs, 160 * kMs * kOfCodes);
  EXPECT_NEAR(of_causes(waits), waits.seconds, 1e-9);
  ASSERT_FALSE(waits.causes.empty());
  EXPECT_EQ(waits.causes[0].rank, 3);
  EXPECT_NEAR(waits.causes[0].seconds, 4 * 40 * kMs, 160 * kMs * kOfCodes);
}

// Rank 0 delays 1, which delays 2: the second wait is rank 0's fault, too.
TEST(WaitStates, ChainsLeadToTheirBeginning) {
  const WaitStates waits = found(recorded(3, [](Caller& s) {
    if (s.rank == 0) compute(s, 40 * kMsInNs);
    if (s.rank > 0) support::receive(s, s.rank - 1, 1);
    if (s.rank < 2) s.send(s.rank + 1, 1);
  }));
  EXPECT_NEAR(waits.seconds, 80 * kMs, 1e-9);
  ASSERT_FALSE(waits.causes.empty());
  EXPECT_EQ(waits.causes[0].rank, 0);
  EXPECT_NEAR(waits.causes[0].seconds, 80 * kMs, 1e-6);
  EXPECT_NEAR(waits.causes[0].direct_s, 40 * kMs, 1e-6);
}

// The imbalance is in the first computation, though everybody waits behind the second.
TEST(WaitStates, TheUnevenComputationIsBlamedNotTheLast) {
  const WaitStates waits = found(recorded(2, [](Caller& s) {
    compute(s, s.rank == 0 ? 30 * kMsInNs : 10 * kMsInNs);
    const trace::Function& function = *trace::find_function("MPI_Barrier");
    std::vector<std::int64_t> event(fold::kEventHead + function.words(), support::kWorld);
    event[0] = fold::header_word(function.id, 0);
    event[1] = 2;
    s.builder.record(event.data(), event.size(), 20 * kMsInNs, 0);
  }));
  ASSERT_FALSE(waits.causes.empty());
  EXPECT_EQ(trace::find_function(waits.causes[0].place.function)->name, "MPI_Pcontrol");
  EXPECT_NEAR(waits.causes[0].seconds, 20 * kMs, 20 * kMs * kOfCodes);
  ASSERT_FALSE(waits.imbalances.empty());
  EXPECT_NEAR(waits.imbalances[0].mean_s, 20 * kMs, 20 * kMs * kOfCodes);
  EXPECT_NEAR(waits.imbalances[0].most_s, 30 * kMs, 30 * kMs * kOfCodes);
  EXPECT_EQ(waits.imbalances[0].most_rank, 0);
}

TEST(WaitStates, RootsThatComeLateOrEarlyAreToldApart) {
  const WaitStates late = found(recorded(4, [](Caller& s) {
    compute(s, s.rank == 0 ? 25 * kMsInNs : 5 * kMsInNs);
    s.call("MPI_Bcast",
           {{"count", 10}, {"datatype", support::kDouble}, {"root", 0}, {"comm", support::kWorld}});
  }));
  EXPECT_NEAR(of_kind(late, WaitKind::kLateBroadcast), 3 * 20 * kMs, 60 * kMs * kOfCodes);
  const WaitStates early = found(recorded(4, [](Caller& s) {
    compute(s, s.rank == 0 ? 5 * kMsInNs : 25 * kMsInNs);
    s.call("MPI_Reduce", {{"sendbuf", 0},
                          {"count", 10},
                          {"datatype", support::kDouble},
                          {"root", 0},
                          {"comm", support::kWorld}});
  }));
  EXPECT_NEAR(of_kind(early, WaitKind::kEarlyReduce), 20 * kMs, 20 * kMs * kOfCodes);
}

TEST(WaitStates, OneWaitallCountsItsLatestSenderAlone) {
  const WaitStates waits = found(recorded(3, [](Caller& s) {
    if (s.rank > 0) {
      compute(s, static_cast<std::uint64_t>(s.rank) * 20 * kMsInNs);
      s.send(0, 1);
      return;
    }
    for (std::int64_t source : {2, 1}) {
      s.call("MPI_Irecv", {{"count", 1},
                           {"datatype", support::kDouble},
                           {"source", source},
                           {"tag", 0},
                           {"comm", support::kWorld}});
    }
    s.call("MPI_Waitall",
           {{"array_of_requests", s.array({trace::request_by_age(1), trace::request_by_age(0)})}});
  }));
  EXPECT_NEAR(waits.seconds, 40 * kMs, 1e-9);
  EXPECT_NEAR(of_causes(waits), waits.seconds, 1e-9);
}

} // namespace
} // namespace rondo::efficiency
