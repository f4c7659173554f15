// SPDX-License-Identifier: Apache-2.0
#include "rondo/matrix/call_table.hpp"

#include "tests/support/recorded.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rondo::matrix {
namespace {

using support::Caller;
using support::kInt;
using support::kWorld;
using support::recorded;
using testing::ElementsAre;

const CallRow* row_of(const CallTable& table, std::string_view name, std::uint32_t site = 0) {
  for (const CallRow& row : table.rows) {
    if (row.function->name == name && row.site == site) return &row;
  }
  return nullptr;
}

TEST(CallTable, HasCallsAndBytesOfEachRank) {
  const trace::Trace trace = recorded(4, [](Caller& s) {
    for (int i = 0; i < 10 * (s.rank + 1); ++i) s.send((s.rank + 1) % 4, 3);
    s.call("MPI_Bcast", {{"count", 7}, {"datatype", kInt}, {"root", 2}, {"comm", kWorld}});
  });
  const CallTable table = call_table(trace, CallsBy::kFunction);
  ASSERT_EQ(table.rows.size(), 2u);
  const CallRow& send = *row_of(table, "MPI_Send");
  EXPECT_THAT(send.calls.values, ElementsAre(10u, 20u, 30u, 40u));
  EXPECT_THAT(send.bytes.values, ElementsAre(240u, 480u, 720u, 960u));
  EXPECT_EQ(send.bytes.sum, 2400u);
  EXPECT_EQ(send.bytes.least, 240u);
  EXPECT_EQ(send.bytes.least_rank, 0);
  EXPECT_EQ(send.bytes.most_rank, 3);
  EXPECT_DOUBLE_EQ(send.bytes.mean, 600);
  EXPECT_THAT(row_of(table, "MPI_Bcast")->bytes.values, ElementsAre(0u, 0u, 28u, 0u));
  EXPECT_EQ(table.total.calls.sum, 104u);
  EXPECT_EQ(table.total.bytes.sum, 2428u);
}

TEST(CallTable, NothingGoesToNobody) {
  const trace::Trace trace =
      recorded(3, [](Caller& s) { s.send(s.rank < 2 ? s.rank + 1 : trace::kProcNull, 3); });
  const CallTable table = call_table(trace, CallsBy::kFunction);
  EXPECT_THAT(row_of(table, "MPI_Send")->bytes.values, ElementsAre(24u, 24u, 0u));
}

TEST(CallTable, PutsWhatPersistentRequestsMoveWhereTheyAreStarted) {
  const trace::Trace trace = recorded(2, [](Caller& s) {
    s.site = 1;
    s.send(1 - s.rank, 5, kInt, kWorld, "MPI_Send_init");
    for (int i = 0; i < 6; ++i) {
      s.site = 2;
      s.start(0);
      s.site = 3;
      s.start(0);
    }
  });
  const CallTable functions = call_table(trace, CallsBy::kFunction);
  EXPECT_THAT(row_of(functions, "MPI_Start")->bytes.values, ElementsAre(240u, 240u));
  EXPECT_EQ(row_of(functions, "MPI_Send_init")->bytes.sum, 0u);
  const CallTable sites = call_table(trace, CallsBy::kSite);
  ASSERT_EQ(sites.rows.size(), 3u);
  const CallTables both = call_tables(trace);
  EXPECT_TRUE(both.functions == functions);
  EXPECT_TRUE(both.sites == sites);
  EXPECT_THAT(row_of(sites, "MPI_Start", 3)->bytes.values, ElementsAre(120u, 120u));
}

TEST(CallTable, HasBytesOfFilesAndOneSidedCalls) {
  const trace::Trace trace = recorded(2, [](Caller& s) {
    s.call("MPI_Win_create", {{"comm", kWorld}, {"win", 0}});
    s.call("MPI_Fetch_and_op", {{"datatype", kInt}, {"target_rank", 0}, {"op", -3}, {"win", 0}});
    s.call("MPI_File_write", {{"fh", 0}, {"count", 3 + s.rank}, {"datatype", kInt}});
    s.call("MPI_File_read_all_begin", {{"fh", 0}, {"count", 2}, {"datatype", kInt}});
    s.call("MPI_File_read_all_end", {{"fh", 0}});
  });
  const CallTable table = call_table(trace, CallsBy::kFunction);
  EXPECT_THAT(row_of(table, "MPI_Fetch_and_op")->bytes.values, ElementsAre(8u, 8u));
  EXPECT_THAT(row_of(table, "MPI_File_write")->bytes.values, ElementsAre(12u, 16u));
  EXPECT_THAT(row_of(table, "MPI_File_read_all_begin")->bytes.values, ElementsAre(8u, 8u));
  EXPECT_EQ(row_of(table, "MPI_File_read_all_end")->bytes.sum, 0u);
}

TEST(CallTable, TimesAddUpToWhatWasMeasuredAndFollowTheMeansOfRanks) {
  trace::Trace trace = recorded(3, [](Caller& s) {
    for (int i = 0; i < 5; ++i) s.send((s.rank + 1) % 3, 3);
  });
  auto program = std::make_shared<trace::Program>(*trace.classes[0].program);
  ASSERT_EQ(trace.classes.size(), 1u);
  trace::PlaceTimes place;
  place.call = 0;
  for (const std::uint64_t ns : {100, 200, 701}) place.inside.add(ns);
  for (const std::uint64_t ns : {100, 200, 700}) {
    trace::Durations one;
    one.add(ns);
    place.means.push_back({0, trace::mean_code(one)});
  }
  program->times = {place};
  trace.classes[0].program = program;
  const CallTable table = call_table(trace, CallsBy::kFunction);
  const RankValues& times = table.rows[0].time_ns;
  EXPECT_EQ(times.sum, 1001u);
  EXPECT_NEAR(static_cast<double>(times.values[0]), 100, 5);
  EXPECT_NEAR(static_cast<double>(times.values[1]), 200, 10);
  EXPECT_EQ(times.most_rank, 2);
  EXPECT_FALSE(table.is_exact);
}

TEST(CallTable, TimesOfFunctionsAreExactWhereEachRankHasItsSums) {
  trace::Trace trace = recorded(2, [](Caller& s) { s.send((s.rank + 1) % 2, 3); });
  const std::uint16_t send = trace::find_function("MPI_Send")->id;
  trace.ranks.assign(2, {});
  for (std::uint64_t rank : {0, 1}) {
    trace::RankFacts& facts = trace.ranks[rank];
    facts.calls = 1;
    facts.computation_ns = 5;
    facts.inside_ns = 1001 + rank;
    facts.sums.add_function(send, {5, 1001 + rank});
  }
  const CallTable table = call_table(trace, CallsBy::kFunction);
  EXPECT_TRUE(table.is_exact);
  EXPECT_THAT(row_of(table, "MPI_Send")->time_ns.values, ElementsAre(1001u, 1002u));
  trace.ranks[1].inside_ns += 1; // times were given up on the way: the sums are not of all calls
  EXPECT_EQ(call_table(trace, CallsBy::kFunction).rows[0].time_ns.sum, 0u);
}

TEST(CallTable, StartAndEndAreNoPartOfTheTotal) {
  const trace::Trace trace = recorded(2, [](Caller& s) {
    s.call("MPI_Init", {});
    s.call("MPI_Barrier", {{"comm", kWorld}});
    s.call("MPI_Finalize", {});
  });
  const CallTable table = call_table(trace, CallsBy::kFunction);
  ASSERT_EQ(table.rows.size(), 3u);
  EXPECT_EQ(table.rows[0].function->name, "MPI_Barrier");
  EXPECT_TRUE(table.rows[1].is_frame());
  EXPECT_EQ(table.total.calls.sum, 2u);
}

} // namespace
} // namespace rondo::matrix
