// SPDX-License-Identifier: Apache-2.0
#include "rondo/simulate/schedule.hpp"

#include "tests/support/predicted.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

namespace rondo::simulate {
namespace {

using support::Caller;
using support::compute;
using support::kDouble;
using support::kWorld;
using support::receive;
using support::recorded;
using trace::Trace;

constexpr std::uint64_t kEnough = 100'000;

std::vector<RankSchedule> scheduled(const Trace& trace) {
  const auto found = schedule_of(trace, kEnough);
  EXPECT_TRUE(found.has_value()) << (found ? "" : found.error().text());
  return found ? *found : std::vector<RankSchedule>{};
}

// "send 1 80 wait finish": what a step is, with whom, how much, and what becomes of it.
std::string text_of(const ScheduleStep& step) {
  constexpr const char* kNames[] = {"compute", "send", "receive", "probe",
                                    "put",     "wait", "begin",   "end"};
  std::string text = kNames[static_cast<std::size_t>(step.kind)];
  using Kind = ScheduleStep::Kind;
  if (step.kind == Kind::kSend)
    text += " " + std::to_string(step.peer) + " " + std::to_string(step.bytes);
  if (step.kind == Kind::kReceive)
    text += " " + std::to_string(step.peer) + " #" + std::to_string(step.number);
  if (step.kind == Kind::kWait) text += " #" + std::to_string(step.number);
  if (step.waits) text += " wait";
  if (step.finishes) text += " finish";
  return text;
}

std::vector<std::string> texts_of(const RankSchedule& schedule) {
  std::vector<std::string> texts;
  for (const ScheduleStep& step : schedule.steps) texts.push_back(text_of(step));
  return texts;
}

using Texts = std::vector<std::string>;

TEST(Schedule, HasSendsReceivesAndComputationInTheOrderOfTheProgram) {
  const auto found = scheduled(recorded(2, [](Caller& s) {
    compute(s, 3000);
    compute(s, 2000);
    if (s.rank == 0) s.send(1, 10);
    receive(s, 1 - s.rank, 10);
    if (s.rank == 1) s.send(0, 10);
  }));
  EXPECT_EQ(texts_of(found[0]),
            (Texts{"compute", "send 1 80 wait finish", "receive 1 #0 wait finish"}));
  EXPECT_EQ(texts_of(found[1]),
            (Texts{"compute", "receive 0 #0 wait finish", "send 0 80 wait finish"}));
  ASSERT_EQ(found[0].computing_s.size(), 1u); // of two calls that do nothing to the network
  EXPECT_NEAR(found[0].computing_s[0], 5e-6, 1e-12);
}

void message(Caller& s, std::string_view name, std::string_view peer, std::int64_t tag) {
  s.call(name,
         {{"count", 1}, {"datatype", kDouble}, {peer, 1 - s.rank}, {"tag", tag}, {"comm", kWorld}});
}

TEST(Schedule, SaysWhichMessageOfItsSenderAReceiveGets) {
  const auto found = scheduled(recorded(2, [](Caller& s) {
    if (s.rank == 0) {
      message(s, "MPI_Send", "dest", 5);
      message(s, "MPI_Send", "dest", 7);
    } else {
      message(s, "MPI_Recv", "source", 7);
      message(s, "MPI_Recv", "source", 5);
    }
  }));
  EXPECT_EQ(texts_of(found[1]), (Texts{"receive 0 #1 wait finish", "receive 0 #0 wait finish"}));
}

TEST(Schedule, WaitsForRequestsByTheirNumbers) {
  const auto found = scheduled(recorded(2, [](Caller& s) {
    message(s, "MPI_Irecv", "source", 0);
    message(s, "MPI_Isend", "dest", 0);
    const std::int64_t both =
        s.array({trace::request_by_age(1), trace::request_by_age(0)}); // the receive, the send
    s.call("MPI_Waitall", {{"array_of_requests", both}});
  }));
  EXPECT_EQ(texts_of(found[0]), (Texts{"receive 1 #0", "send 1 8", "wait #0", "wait #1 finish"}));
}

TEST(Schedule, PutsWhatGoesOnBehindAProgramWhereItBegins) {
  const auto found = scheduled(recorded(2, [](Caller& s) {
    s.call("MPI_Iallreduce", {{"count", 2}, {"datatype", kDouble}, {"comm", kWorld}});
    compute(s, 1000);
    s.call("MPI_Wait", {{"request", trace::request_by_age(0)}});
  }));
  EXPECT_EQ(texts_of(found[0]), (Texts{"begin", "receive 1 #0 wait", "send 1 16 wait finish", "end",
                                       "compute", "wait #0 finish"}));
}

// Of each pair every message is received once.
TEST(Schedule, OfCollectivesIsTheirMessages) {
  for (const std::int64_t ranks : {1, 2, 5, 9}) {
    const auto found = scheduled(recorded(ranks, [](Caller& s) {
      s.call("MPI_Alltoall", {{"sendcount", 100},
                              {"sendtype", kDouble},
                              {"recvcount", 100},
                              {"recvtype", kDouble},
                              {"comm", kWorld}});
      s.call("MPI_Bcast", {{"count", 5}, {"datatype", kDouble}, {"root", 0}, {"comm", kWorld}});
      s.call("MPI_Barrier", {{"comm", kWorld}});
    }));
    std::map<std::pair<std::int64_t, std::int64_t>, std::uint64_t> sent;
    std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::uint64_t>> received;
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      for (const ScheduleStep& step : found[static_cast<std::size_t>(rank)].steps) {
        if (step.kind == ScheduleStep::Kind::kSend) ++sent[{rank, step.peer}];
        if (step.kind == ScheduleStep::Kind::kReceive)
          received[{step.peer, rank}].push_back(step.number);
      }
    }
    ASSERT_EQ(sent.size(), received.size());
    EXPECT_EQ(sent.empty(), ranks == 1);
    for (auto& [pair, numbers] : received) {
      std::sort(numbers.begin(), numbers.end());
      ASSERT_EQ(numbers.size(), sent[pair]);
      for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(numbers[i], i);
    }
  }
}

TEST(Schedule, OfMoreStepsThanAreWantedIsAnError) {
  const Trace trace = recorded(3, [](Caller& s) {
    for (int i = 0; i < 100; ++i) s.call("MPI_Barrier", {{"comm", kWorld}});
  });
  const auto refused = schedule_of(trace, 500);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
  EXPECT_TRUE(schedule_of(trace, 3 * 100 * 4).has_value()); // two rounds, sent and received
}

TEST(Schedule, OfCallsThatNoModelHasIsAnError) {
  const auto refused = schedule_of(recorded(2,
                                            [](Caller& s) {
                                              s.call("MPI_Comm_connect", {{"comm", kWorld}});
                                            }),
                                   kEnough);
  ASSERT_FALSE(refused.has_value());
  EXPECT_EQ(refused.error().code, ErrorCode::kUnsupported);
}

} // namespace
} // namespace rondo::simulate
