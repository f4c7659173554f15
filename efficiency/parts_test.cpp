// SPDX-License-Identifier: Apache-2.0
#include "rondo/efficiency/parts.hpp"

#include "rondo/efficiency/wait_states.hpp"
#include "tests/support/predicted.hpp"

#include <gtest/gtest.h>

namespace rondo::efficiency {
namespace {

using support::Caller;
using support::compute;
using support::kMs;
using support::kMsInNs;
using support::kOfCodes;
using support::recorded;

void call_on(Caller& s, std::string_view name, std::int64_t comm, std::uint64_t before_ns,
             std::uint64_t inside_ns) {
  const trace::Function& function = *trace::find_function(name);
  std::vector<std::int64_t> event(fold::kEventHead + function.words(), trace::kNothing);
  event[0] = fold::header_word(function.id, 0);
  event[1] = s.site;
  event[fold::kEventHead + static_cast<std::size_t>(function.comm_word())] = comm;
  s.builder.record(event.data(), event.size(), before_ns, inside_ns);
}

// What a recorder would have summed up.
void set_facts(trace::Trace& trace, std::uint64_t useful_ns, std::uint64_t inside_ns) {
  trace.ranks.assign(static_cast<std::size_t>(trace.run.ranks), {});
  for (trace::RankFacts& facts : trace.ranks) {
    facts.computation_ns = useful_ns;
    facts.inside_ns = inside_ns;
    facts.span_ns = useful_ns + inside_ns;
  }
}

struct Found {
  Factors factors;
  Parts parts;
  WaitStates waits;
  const PartFactors& of(const std::string& name) const {
    for (const PartFactors& part : parts.parts) {
      if (part.name == name) return part;
    }
    ADD_FAILURE() << "no part '" << name << "'";
    return parts.parts.front();
  }
  const PartWaits& waits_of(const std::string& name) const {
    return waits.parts[static_cast<std::size_t>(&of(name) - parts.parts.data())];
  }
};

Found found(const trace::Trace& trace, PartsBy by, ProcedureOfSite procedure = {}) {
  Found result;
  PartNumbers numbers(trace, by, std::move(procedure));
  result.factors = factors_of(trace);
  result.parts = parts_of(trace, result.factors, numbers);
  WaitOptions options;
  options.parts = &numbers;
  auto waits = wait_states(trace, options);
  EXPECT_TRUE(waits.has_value());
  if (waits) result.waits = std::move(*waits);
  add_ideal(result.parts, result.factors, result.waits.ideal->part_s);
  return result;
}

void expect_whole(const trace::Trace& trace, const Found& found) {
  for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank) {
    PartTime sum;
    for (const PartFactors& part : found.parts.parts) {
      sum.useful_ns += part.by_rank[rank].useful_ns;
      sum.inside_ns += part.by_rank[rank].inside_ns;
    }
    EXPECT_EQ(sum.useful_ns, trace.ranks[rank].computation_ns);
    EXPECT_EQ(sum.inside_ns, trace.ranks[rank].inside_ns);
  }
  double lost = found.parts.in_none;
  for (const PartFactors& part : found.parts.parts) lost += part.lost;
  EXPECT_NEAR(lost, 1 - found.factors.parallel, 1e-12);
  double waited = 0;
  double blamed = 0;
  for (const PartWaits& part : found.waits.parts) {
    waited += part.seconds;
    blamed += part.blamed_s;
  }
  EXPECT_NEAR(waited, found.waits.seconds, 1e-12);
  EXPECT_NEAR(blamed, found.waits.seconds, 1e-9);
}

// The same barrier in two phases: rank 0 computes longer in the second alone.
TEST(Parts, AnImbalanceIsInItsPhase) {
  trace::Trace trace = recorded(4, [](Caller& s) {
    for (int step = 0; step < 10; ++step) {
      s.phase("even", true);
      call_on(s, "MPI_Barrier", support::kWorld, 10 * kMsInNs, 0);
      s.phase("even", false);
      s.phase("uneven", true);
      const bool is_late = s.rank == 0;
      call_on(s, "MPI_Barrier", support::kWorld, (is_late ? 40 : 10) * kMsInNs,
              is_late ? 0 : 30 * kMsInNs);
      s.phase("uneven", false);
    }
  });
  set_facts(trace, 200 * kMsInNs, 300 * kMsInNs);
  trace.ranks[0].computation_ns = 500 * kMsInNs;
  trace.ranks[0].inside_ns = 0;
  const Found found = efficiency::found(trace, PartsBy::kPhase);
  expect_whole(trace, found);
  EXPECT_NEAR(found.of("even").parallel, 1, kOfCodes);
  EXPECT_EQ(found.of("even").lost, 0);
  EXPECT_NEAR(found.of("uneven").load_balance, 17.5 / 40, kOfCodes);
  EXPECT_EQ(found.of("uneven").slowest_rank, 0);
  EXPECT_NEAR(found.of("uneven").serialisation, 1, kOfCodes);
  EXPECT_NEAR(found.of("uneven").lost, 900.0 / 2000, 1e-9);
  EXPECT_EQ(found.waits_of("even").seconds, 0);
  EXPECT_NEAR(found.waits_of("uneven").seconds, 900 * kMs, 900 * kMs * kOfCodes);
  EXPECT_NEAR(found.waits_of("uneven").blamed_s, 900 * kMs, 900 * kMs * kOfCodes);
}

// Where a recording has the exact sums, parts have these, and not what means make of them.
TEST(Parts, HaveWhatWasMeasuredToTheNanosecond) {
  trace::Trace trace = recorded(2, [](Caller& s) {
    call_on(s, "MPI_Barrier", support::kWorld, 10 * kMsInNs, kMsInNs);
    s.phase("solve", true);
    call_on(s, "MPI_Barrier", support::kWorld, 5 * kMsInNs, kMsInNs);
    s.phase("solve", false);
  });
  set_facts(trace, 15 * kMsInNs + 7, 2 * kMsInNs + 3);
  for (trace::RankFacts& rank : trace.ranks) {
    rank.startup_ns = 1;
    rank.sums.add_phase("", {10 * kMsInNs + 3, kMsInNs + 1});
    rank.sums.add_phase("solve", {5 * kMsInNs + 4, kMsInNs + 2});
  }
  PartNumbers numbers(trace, PartsBy::kPhase);
  const Parts parts = parts_of(trace, factors_of(trace), numbers);
  ASSERT_EQ(parts.parts.size(), 2u);
  EXPECT_EQ(parts.parts[0].by_rank[1].useful_ns, 10 * kMsInNs + 3);
  EXPECT_EQ(parts.parts[0].by_rank[1].inside_ns, kMsInNs); // without start-up
  EXPECT_EQ(parts.parts[1].by_rank[0].useful_ns, 5 * kMsInNs + 4);
  EXPECT_EQ(parts.parts[1].by_rank[0].inside_ns, kMsInNs + 2);
}

// What makes ranks wait may be in another part than the waiting.
TEST(Parts, AreBlamedForWaitsElsewhere) {
  trace::Trace trace = recorded(2, [](Caller& s) {
    s.phase("compute", true);
    compute(s, s.rank == 0 ? 30 * kMsInNs : 10 * kMsInNs);
    s.phase("compute", false);
    s.phase("meet", true);
    call_on(s, "MPI_Barrier", support::kWorld, 0, s.rank == 0 ? 0 : 20 * kMsInNs);
    s.phase("meet", false);
  });
  set_facts(trace, 30 * kMsInNs, 0);
  trace.ranks[1].computation_ns = 10 * kMsInNs;
  trace.ranks[1].inside_ns = 20 * kMsInNs;
  const Found found = efficiency::found(trace, PartsBy::kPhase);
  expect_whole(trace, found);
  EXPECT_NEAR(found.waits_of("meet").seconds, 20 * kMs, 20 * kMs * kOfCodes);
  EXPECT_NEAR(found.waits_of("meet").blamed_s, 0, 1e-9);
  EXPECT_NEAR(found.waits_of("compute").blamed_s, 20 * kMs, 20 * kMs * kOfCodes);
  EXPECT_NEAR(found.of("compute").load_balance, 20.0 / 30, kOfCodes);
}

// Waits for requests are of the communicator of the requests.
TEST(Parts, AnImbalanceIsOnItsCommunicator) {
  static constexpr std::int64_t kOther = 0; // slot
  trace::Trace trace = recorded(2, [](Caller& s) {
    s.builder.set_position(kOther, s.rank, 2);
    call_on(s, "MPI_Barrier", support::kWorld, 5 * kMsInNs, 0);
    if (s.rank == 0) {
      call_on(s, "MPI_Barrier", kOther, 25 * kMsInNs, 0);
    } else {
      s.call("MPI_Ibarrier", {{"comm", kOther}});
      const trace::Function& function = *trace::find_function("MPI_Wait");
      std::vector<std::int64_t> event(fold::kEventHead + function.words(), trace::kNothing);
      event[0] = fold::header_word(function.id, 0);
      event[1] = s.site;
      event[fold::kEventHead + static_cast<std::size_t>(function.word_of("request"))] =
          trace::request_by_age(0);
      s.builder.record(event.data(), event.size(), 5 * kMsInNs, 20 * kMsInNs);
    }
  });
  support::define_comm(trace, kOther, {0, 1});
  set_facts(trace, 30 * kMsInNs, 0);
  trace.ranks[1].computation_ns = 10 * kMsInNs;
  trace.ranks[1].inside_ns = 20 * kMsInNs;
  PartNumbers numbers(trace, PartsBy::kCommunicator);
  const Parts parts = parts_of(trace, factors_of(trace), numbers);
  ASSERT_EQ(parts.parts.size(), 2u);
  EXPECT_EQ(parts.parts[0].name, "MPI_COMM_WORLD");
  EXPECT_EQ(parts.parts[0].lost, 0);
  EXPECT_NEAR(parts.parts[1].load_balance, 15.0 / 25, kOfCodes);
  EXPECT_EQ(parts.parts[1].by_rank[1].inside_ns, 20 * kMsInNs);
}

TEST(Parts, AreFunctionsOfMpiOrOfTheProgram) {
  trace::Trace trace = recorded(2, [](Caller& s) {
    s.site = 1;
    call_on(s, "MPI_Barrier", support::kWorld, 5 * kMsInNs, kMsInNs);
    s.site = 2;
    call_on(s, "MPI_Barrier", support::kWorld, 6 * kMsInNs, kMsInNs);
    s.site = 1;
    support::block_of_all(s, "MPI_Allreduce");
  });
  set_facts(trace, 11 * kMsInNs, 2 * kMsInNs);
  const Found mpi = found(trace, PartsBy::kFunction);
  expect_whole(trace, mpi);
  EXPECT_EQ(mpi.of("MPI_Barrier").by_rank[0].useful_ns, 11 * kMsInNs);
  const Found own = found(trace, PartsBy::kProcedure, [&](std::uint32_t site) {
    return trace.sites[site].offset == 2 ? "solve" : "start";
  });
  expect_whole(trace, own);
  EXPECT_EQ(own.of("solve").by_rank[1].useful_ns, 6 * kMsInNs);
  EXPECT_EQ(own.of("start").by_rank[1].useful_ns, 5 * kMsInNs);
}

} // namespace
} // namespace rondo::efficiency
