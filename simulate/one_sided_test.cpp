// SPDX-License-Identifier: Apache-2.0
// One-sided communication against closed formulas: with L the latency and B = bytes / bandwidth, a
// put takes L + B and a get 2 L + B, and everybody meets in a fence. On a platform whose links
// nobody shares, SimGrid says the same.
#include "tests/support/predicted.hpp"

#include <array>
#include <functional>
#include <string>
#include <string_view>

namespace rondo::simulate {
namespace {

using support::Caller;
using support::compute;
using support::expect_seconds;
using support::kBandwidth;
using support::kBytes;
using support::kCount;
using support::kDouble;
using support::kLatency;
using support::kWorld;
using support::linear;
using support::predicted;
using support::recorded;
using trace::Trace;

constexpr double kL = kLatency;
constexpr double kB = kBytes / kBandwidth;

NetworkModel on_platform(const std::string& shape) {
  return *parse_network(shape + ", 1GB/s, 5us");
}

// Whether rondo was built with it.
bool has_simgrid() {
  const Trace trace = recorded(2, [](Caller&) {});
  const auto result = simulate(trace, on_platform("complete 2"));
  return result || result.error().message.find("libsimgrid-dev") == std::string::npos;
}

void make_window(Caller& s) { s.call("MPI_Win_create", {{"comm", kWorld}, {"win", 0}}); }
void fence(Caller& s) { s.call("MPI_Win_fence", {{"win", 0}}); }
void transfer(Caller& s, std::string_view name, std::int64_t target) {
  s.call(name, {{"target_rank", target},
                {"target_count", kCount},
                {"target_datatype", kDouble},
                {"win", 0}});
}

Trace one_transfer(std::string_view name) {
  return recorded(2, [&](Caller& s) {
    make_window(s);
    fence(s);
    if (s.rank == 0) transfer(s, name, 1);
    fence(s);
  });
}

// Groups 0 and 1 have ranks 0 and 1.
Trace with_groups(Trace&& trace) {
  for (const std::int64_t rank : {0, 1}) {
    trace.groups.push_back(
        {rank, trace::ranges_of({rank}), trace::RankSet::from_range({0, 1, trace.run.ranks})});
  }
  return std::move(trace);
}

class OneSided : public testing::TestWithParam<bool> {
protected:
  void SetUp() override {
    if (GetParam() && !has_simgrid()) GTEST_SKIP() << "rondo was built without SimGrid";
  }
  NetworkModel model(std::int64_t ranks) const {
    return GetParam() ? on_platform("complete " + std::to_string(ranks)) : linear();
  }
  void expect_time(const Trace& trace, double seconds) const {
    expect_seconds(predicted(trace, model(trace.run.ranks)).seconds, seconds);
  }
};

TEST_P(OneSided, AFenceComesAfterWhatWasPut) {
  for (const std::string_view name : {"MPI_Put", "MPI_Accumulate"})
    expect_time(one_transfer(name), 4 * kL + kB);
}

TEST_P(OneSided, WhatIsGottenIsAskedForFirst) {
  for (const std::string_view name : {"MPI_Get", "MPI_Get_accumulate"})
    expect_time(one_transfer(name), 5 * kL + kB);
}

TEST_P(OneSided, TransfersOfAnEpochGoAtOnce) {
  expect_time(recorded(4,
                       [](Caller& s) {
                         make_window(s);
                         if (s.rank == 0) {
                           for (const std::int64_t target : {1, 2, 3})
                             transfer(s, "MPI_Put", target);
                         }
                         fence(s);
                       }),
              2 * kL + kL + kB + 2 * kL);
}

TEST_P(OneSided, AnUnlockComesAfterTheTransfersToItsTarget) {
  const auto trace = recorded(2, [](Caller& s) {
    make_window(s);
    if (s.rank != 0) return;
    s.call("MPI_Win_lock", {{"rank", 1}, {"win", 0}});
    transfer(s, "MPI_Get", 1);
    compute(s, 7000);
    s.call("MPI_Win_unlock", {{"rank", 1}, {"win", 0}});
  });
  expect_time(trace, kL + 2 * kL + kB); // 7 us of computation go on meanwhile
}

TEST_P(OneSided, RequestsAreOverWithTheirTransfers) {
  const auto trace = recorded(2, [](Caller& s) {
    make_window(s);
    if (s.rank == 0) {
      transfer(s, "MPI_Rput", 1);
      s.call("MPI_Wait", {{"request", trace::request_by_age(0)}});
      compute(s, 10'000);
    }
    fence(s);
  });
  expect_time(trace, kL + (kL + kB) + 1e-5 + kL);
}

TEST_P(OneSided, AnEpochOfSomeRanksBeginsAndEndsWithTheirWords) {
  const auto trace = with_groups(recorded(2, [](Caller& s) {
    make_window(s);
    if (s.rank == 0) {
      s.call("MPI_Win_start", {{"group", 1}, {"win", 0}});
      transfer(s, "MPI_Put", 1);
      s.call("MPI_Win_complete", {{"win", 0}});
    } else {
      compute(s, 20'000);
      s.call("MPI_Win_post", {{"group", 0}, {"win", 0}});
      s.call("MPI_Win_wait", {{"win", 0}});
    }
  }));
  // the window, the computation, the word that it may begin, the put, the word that it is over
  expect_time(trace, kL + 2e-5 + kL + (kL + kB) + kL);
}

TEST_P(OneSided, AFormulaForFencesCountsFromTheTransfersOn) {
  SimulateOptions options;
  options.collectives = *Formula::parse("0.001");
  const Trace trace = one_transfer("MPI_Put");
  expect_seconds(predicted(trace, model(2), options).seconds, 3 * 1e-3 + kL + kB);
}

TEST_P(OneSided, TransfersAreOnTheCriticalPath) {
  SimulateOptions options;
  options.wants_critical_path = true;
  const auto trace = recorded(2, [](Caller& s) {
    make_window(s);
    if (s.rank != 1) return;
    compute(s, 50'000);
    transfer(s, "MPI_Rput", 0);
    s.call("MPI_Wait", {{"request", trace::request_by_age(0)}});
  });
  const Prediction prediction = predicted(trace, model(2), options);
  ASSERT_TRUE(prediction.path);
  EXPECT_EQ(prediction.path->last_rank, 1);
  expect_seconds(prediction.path->computing_s, 5e-5);
  expect_seconds(prediction.path->communicating_s, kL + kL + kB);
}

INSTANTIATE_TEST_SUITE_P(Models, OneSided, testing::Bool(), [](const auto& its) {
  return std::string(its.param ? "SimGrid" : "Linear");
});

// The word for how a lock is held.
std::int64_t lock_type(std::string_view name) {
  const trace::Field& field = trace::find_function("MPI_Win_lock")->fields[0];
  int number = 0;
  while (number < 2 && trace::named_value(field, trace::choice(number)) != name) ++number;
  return trace::choice(number);
}

// Computes for so long, and then has the window of rank 0 for 50 ms.
void hold(Caller& s, std::uint64_t after_ms, std::string_view type) {
  compute(s, after_ms * support::kMsInNs);
  if (type.empty()) {
    s.call("MPI_Win_lock_all", {{"win", 0}});
  } else {
    s.call("MPI_Win_lock", {{"lock_type", lock_type(type)}, {"rank", 0}, {"win", 0}});
  }
  compute(s, 50 * support::kMsInNs);
  if (type.empty()) {
    s.call("MPI_Win_unlock_all", {{"win", 0}});
  } else {
    s.call("MPI_Win_unlock", {{"rank", 0}, {"win", 0}});
  }
}

constexpr std::string_view kAlone = "MPI_LOCK_EXCLUSIVE";
constexpr std::string_view kShared = "MPI_LOCK_SHARED";

// When ranks have had it that come for it after 30, 20 and 10 ms, in ms.
void expect_ends(const std::array<std::string_view, 3>& types, const std::array<double, 3>& ends) {
  const Prediction prediction = predicted(recorded(3,
                                                   [&](Caller& s) {
                                                     make_window(s);
                                                     const auto rank =
                                                         static_cast<std::size_t>(s.rank);
                                                     hold(s, 30 - 10 * rank, types[rank]);
                                                   }),
                                          NetworkModel{});
  for (std::size_t rank = 0; rank < 3; ++rank) {
    EXPECT_NEAR(prediction.ranks[rank].end_s, ends[rank] * support::kMs,
                support::kOfCodes * ends[rank] * support::kMs)
        << rank;
  }
}

TEST(WindowLocks, AreHeldOneAfterTheOtherAsTheyWereAskedFor) {
  expect_ends({kAlone, kAlone, kAlone}, {160, 110, 60});
}

TEST(WindowLocks, ThatAreSharedKeepOutOnlyThoseWhoWantThemAlone) {
  expect_ends({kShared, kShared, kShared}, {80, 70, 60});
  expect_ends({kShared, kShared, kAlone}, {110, 110, 60});
  expect_ends({kAlone, kShared, kShared}, {120, 70, 60});
}

TEST(WindowLocks, OfAllTargetsAreShared) {
  expect_ends({"", "", ""}, {80, 70, 60});
  expect_ends({"", kShared, kAlone}, {110, 110, 60});
  expect_ends({kAlone, "", ""}, {120, 70, 60});
}

TEST(WindowLocks, OfTwoTargetsOrWindowsKeepNobodyOut) {
  const auto one_each = [](bool windows) {
    return recorded(2, [windows](Caller& s) {
      make_window(s);
      s.call("MPI_Win_create", {{"comm", kWorld}, {"win", 1}});
      const std::int64_t target = windows ? 0 : s.rank;
      const std::int64_t window = windows ? s.rank : 0;
      s.call("MPI_Win_lock", {{"lock_type", lock_type(kAlone)}, {"rank", target}, {"win", window}});
      compute(s, 50 * support::kMsInNs);
      s.call("MPI_Win_unlock", {{"rank", target}, {"win", window}});
    });
  };
  expect_seconds(predicted(one_each(true), NetworkModel{}).seconds, 0.05);
  expect_seconds(predicted(one_each(false), NetworkModel{}).seconds, 0.05);
}

TEST(WindowLocks, ThatAreNotCheckedKeepNobodyOut) {
  const auto trace = recorded(2, [](Caller& s) {
    make_window(s);
    s.call("MPI_Win_lock",
           {{"lock_type", lock_type(kAlone)}, {"rank", 0}, {"assert", s.rank}, {"win", 0}});
    compute(s, 50 * support::kMsInNs);
    s.call("MPI_Win_unlock", {{"rank", 0}, {"win", 0}});
  });
  expect_seconds(predicted(trace, NetworkModel{}).seconds, 0.05); // rank 1: MPI_MODE_NOCHECK
}

TEST(OneSidedContention, PutsToOneRankShareItsLink) {
  if (!has_simgrid()) GTEST_SKIP() << "rondo was built without SimGrid";
  const auto trace = recorded(3, [](Caller& s) {
    make_window(s);
    if (s.rank == 0) return;
    s.call("MPI_Win_lock", {{"rank", 0}, {"win", 0}});
    transfer(s, "MPI_Put", 0);
    s.call("MPI_Win_unlock", {{"rank", 0}, {"win", 0}});
  });
  // Every way has two links. The window is made in a barrier of two rounds, without bytes.
  expect_seconds(predicted(trace, on_platform("crossbar 3")).seconds, 2 * 2 * kL + 2 * kL + 2 * kB);
  const auto gets = recorded(3, [](Caller& s) {
    make_window(s);
    if (s.rank == 0) return;
    transfer(s, "MPI_Get", 0);
    s.call("MPI_Win_flush", {{"rank", 0}, {"win", 0}});
  });
  expect_seconds(predicted(gets, on_platform("crossbar 3")).seconds, 2 * 2 * kL + 4 * kL + 2 * kB);
}

TEST(OneSidedContention, AWindowThatWasNotSeenBeingMadeIsRefused) {
  if (!has_simgrid()) GTEST_SKIP() << "rondo was built without SimGrid";
  const auto trace = recorded(2, [](Caller& s) {
    if (s.rank == 0) transfer(s, "MPI_Put", 1);
  });
  const auto result = simulate(trace, on_platform("complete 2"));
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::kUnsupported);
  EXPECT_NE(result.error().message.find("MPI_Put"), std::string::npos) << result.error().message;
}

} // namespace
} // namespace rondo::simulate
