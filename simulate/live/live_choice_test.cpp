// SPDX-License-Identifier: Apache-2.0
#include "simulate/live/live_choice.hpp"

#include "rondo/fold/program_builder.hpp"

#include <gtest/gtest.h>

#include <string_view>

namespace rondo::simulate::internal {
namespace {

namespace live = trace::live;
using namespace std::chrono_literals;

// A live run of three ranks whose words are put into their mouths.
class Choice : public testing::Test {
protected:
  Choice() : run_(model(), options(), 3), choice_(run_) {
    for (std::int64_t rank = 0; rank < 3; ++rank) {
      run_.add(rank, false);
      say(rank, live::ItemKind::kDatatype, {kByte, 1});
    }
  }

  static NetworkModel model() {
    NetworkModel result;
    result.latency_s = result.handshake_s = 1e-6;
    return result;
  }
  static SimulateOptions options() {
    SimulateOptions result;
    result.orders_receives = true;
    return result;
  }

  void say(std::int64_t rank, live::ItemKind kind, std::vector<std::int64_t> words) {
    const live::Item item{kind, words};
    if (choice_.heard(rank, item) || kind == live::ItemKind::kEntered ||
        kind == live::ItemKind::kAsk)
      return;
    EXPECT_TRUE(run_.calls(rank)->take(item));
    run_.play();
  }
  // A send or receive of 8 bytes, after so much computing.
  void call(std::int64_t rank, std::string_view name, std::string_view side, std::int64_t peer,
            std::int64_t tag, std::int64_t computing_ns) {
    const trace::Function& function = *trace::find_function(name);
    std::vector<std::int64_t> words = {0, computing_ns, fold::header_word(function.id, 0), 0};
    words.resize(4 + function.words(), trace::kNothing);
    const auto put = [&](std::string_view field, std::int64_t value) {
      words[4 + static_cast<std::size_t>(function.word_of(field))] = value;
    };
    put("count", 8);
    put("datatype", kByte);
    put(side, peer);
    put("tag", tag);
    put("comm", trace::kWorldSlot);
    say(rank, live::ItemKind::kCall, words);
  }
  void send(std::int64_t rank, std::int64_t dest, std::int64_t tag, std::int64_t computing_ns) {
    call(rank, "MPI_Send", "dest", dest, tag, computing_ns);
  }
  // A receive from anywhere that MPI has not got yet.
  void posts(std::int64_t rank) {
    call(rank, "MPI_Irecv", "source", trace::kAnySource, trace::kAnyTag, 0);
  }
  // For the first of these. @param tests  that have found nothing; 0: it waits
  void asks_for_held(std::int64_t rank, std::int64_t tests = 0, std::int64_t computing_ns = 0) {
    say(rank, live::ItemKind::kWhich,
        {tests, computing_ns, 0, trace::kWorldSlot, trace::kAnySource, trace::kAnyTag});
  }
  void asks_which(std::int64_t rank, std::int64_t tag = trace::kAnyTag) {
    say(rank, live::ItemKind::kWhich, {0, 0, -1, trace::kWorldSlot, trace::kAnySource, tag});
  }
  void receives(std::int64_t rank, std::int64_t source) {
    say(rank, live::ItemKind::kEntered, {0, 0, trace::kWorldSlot, source, trace::kAnyTag});
  }
  std::optional<LiveChoice::Words> chosen(std::int64_t rank,
                                          LiveChoice::Clock::duration silence = 0s) {
    choice_.make(silence);
    return choice_.take(rank);
  }

  static constexpr std::int64_t kByte = 7;
  LiveRun run_;
  LiveChoice choice_;
};

LiveChoice::Words message(std::int64_t source, std::int64_t tag, std::int64_t which = 0) {
  return {which, source, tag};
}
const LiveChoice::Words kMpis;
const LiveChoice::Words kNotYet = {-1};

TEST_F(Choice, WaitsForWhoMayStillSendSomethingThatArrivesFirst) {
  asks_which(0);
  send(2, 0, 5, 9000); // said first, arrives last
  EXPECT_FALSE(chosen(0));
  send(1, 0, 4, 3000);
  EXPECT_EQ(chosen(0), message(1, 4));
  EXPECT_FALSE(chosen(0)); // once
}

TEST_F(Choice, WhoIsLateInVirtualTimeIsNotWaitedFor) {
  send(1, 2, 0, 50'000); // has come far
  send(2, 0, 5, 9000);
  asks_which(0);
  EXPECT_EQ(chosen(0), message(2, 5));
}

TEST_F(Choice, WhoWaitsForTheAskerSendsNothing) {
  send(2, 0, 5, 9000);
  asks_which(0);
  EXPECT_FALSE(chosen(0));
  receives(1, 2); // rank 2 may still send to it, and it to rank 0
  receives(2, 0);
  EXPECT_EQ(chosen(0), message(2, 5));
}

TEST_F(Choice, NeverOvertakesWhatTheSameRankSentBefore) {
  send(1, 0, 8, 1000);
  send(1, 0, 3, 1000);
  send(2, 0, 3, 9000);
  asks_which(0, 3);
  EXPECT_EQ(chosen(0), message(1, 3));
  say(0, live::ItemKind::kReturned, {});
  asks_which(0); // that was not played: both of rank 1 are still there, the first one is first
  EXPECT_EQ(chosen(0), message(1, 8));
}

TEST_F(Choice, GoesOnWhereNothingIsKnown) {
  asks_which(0);
  say(1, live::ItemKind::kEntered, {0, 0});
  EXPECT_FALSE(chosen(0, 1min)); // rank 2 runs
  say(2, live::ItemKind::kEntered, {0, 0});
  EXPECT_FALSE(chosen(0, 0s));
  EXPECT_EQ(chosen(0, 1s), kMpis); // MPI is to choose
  choice_.add_remark();
  const auto prediction = run_.prediction();
  ASSERT_TRUE(prediction.has_value());
  ASSERT_EQ(prediction->remarks.size(), 1u);
  EXPECT_NE(prediction->remarks[0].find("MPI chose the messages of 1 receives"), std::string::npos);
}

TEST_F(Choice, TwoWhoAreHeldAreTakenInTheirOrder) {
  send(2, 0, 1, 9000);
  send(2, 1, 1, 0);
  receives(2, 0);
  asks_which(0);
  asks_which(1);
  // What rank 1 takes comes as late: it could answer with something for rank 0 only after that.
  EXPECT_EQ(chosen(0), message(2, 1));
}

TEST_F(Choice, HeldReceivesTakeTheFirstMessagesInTheirOrder) {
  posts(0);
  posts(0);
  asks_for_held(0);
  send(2, 0, 5, 9000);
  EXPECT_FALSE(chosen(0));
  send(1, 0, 4, 3000);
  EXPECT_EQ(chosen(0), message(1, 4));
  asks_for_held(0); // what was chosen is no longer there
  send(1, 2, 0, 50'000);
  EXPECT_EQ(chosen(0), message(2, 5));
}

TEST_F(Choice, TestsFindWhatHasComeByNow) {
  posts(0);
  send(1, 0, 4, 3000);
  send(2, 1, 0, 50'000);
  asks_for_held(0, 1, 1000);
  EXPECT_EQ(chosen(0), kNotYet);
  asks_for_held(0, 2, 4500);
  EXPECT_EQ(chosen(0), message(1, 4));
}

TEST_F(Choice, WhoOnlyTestsWaitsAfterAWhile) {
  posts(0);
  send(1, 0, 4, 3000);
  send(2, 1, 0, 50'000);
  asks_for_held(0, 1000, 0);
  EXPECT_EQ(chosen(0), message(1, 4));
}

TEST_F(Choice, WhatMpiGotIsNotChosen) {
  posts(0);
  say(0, live::ItemKind::kGivenUp, {1});
  posts(0);
  send(1, 0, 4, 3000);
  asks_for_held(0);
  EXPECT_EQ(chosen(0), kMpis);
}

} // namespace
} // namespace rondo::simulate::internal
