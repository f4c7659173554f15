// SPDX-License-Identifier: Apache-2.0
// From which size on sends wait for their receivers where a run is played, as its times tell.
#include "rondo/efficiency/wait_states.hpp"

#include "tests/support/predicted.hpp"

#include <gtest/gtest.h>

#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

namespace rondo::efficiency {
namespace {

using support::Caller;
using support::compute;
using support::kMs;
using support::kMsInNs;
using support::kWorld;
using support::recorded;

constexpr std::int64_t kCount = 1000; // doubles
constexpr std::uint64_t kAboveThem = 8192; // bytes, a power of two

// A blocking send that took so long.
void send(Caller& s, std::int64_t dest, std::int64_t count, std::uint64_t inside_ns,
          std::string_view name = "MPI_Send") {
  const trace::Function& function = *trace::find_function(name);
  std::vector<std::int64_t> event(fold::kEventHead + function.words(), trace::kNothing);
  event[0] = fold::header_word(function.id, 0);
  event[1] = 0;
  const std::initializer_list<std::pair<std::string_view, std::int64_t>> arguments = {
      {"count", count},
      {"datatype", support::kDouble},
      {"dest", dest},
      {"tag", 0},
      {"comm", kWorld}};
  for (const auto& [field, value] : arguments)
    event[fold::kEventHead + static_cast<std::size_t>(function.word_of(field))] = value;
  s.builder.record(event.data(), event.size(), 0, inside_ns);
}

trace::Trace with_inside(trace::Trace&& trace) {
  for (trace::RankFacts& facts : trace.ranks) facts.computation_ns = facts.inside_ns = kMsInNs;
  return std::move(trace);
}

// Rank 1 receives 30 ms after rank 0 sent, so many times.
trace::Trace late_receiver(std::uint64_t inside_ns, int times = 1,
                           std::string_view name = "MPI_Send") {
  return with_inside(recorded(2, [&](Caller& s) {
    for (int i = 0; i < times; ++i) {
      if (s.rank == 0) send(s, 1, kCount, inside_ns, name);
      if (s.rank == 1) compute(s, 30 * kMsInNs);
      if (s.rank == 1) support::receive(s, 0, kCount);
    }
  }));
}

WaitStates played(const trace::Trace& trace, const WaitOptions& options = {}) {
  auto waits = wait_states(trace, options);
  EXPECT_TRUE(waits.has_value()) << (waits ? "" : waits.error().text());
  EXPECT_TRUE(waits && waits->ideal);
  return waits ? *waits : WaitStates{};
}

double late_receivers(const WaitStates& waits) {
  return waits.by_kind[static_cast<std::size_t>(WaitKind::kLateReceiver)];
}

TEST(LateReceivers, KeepSendsWaitingThatTookSoLong) {
  const WaitStates waits = played(late_receiver(30 * kMsInNs));
  EXPECT_NEAR(late_receivers(waits), 30 * kMs, 1e-6);
  EXPECT_NEAR(waits.seconds, 30 * kMs, 1e-6);
  EXPECT_EQ(waits.ideal->eager_bytes, 4096u);
  ASSERT_FALSE(waits.causes.empty());
  EXPECT_EQ(waits.causes[0].rank, 1);
  EXPECT_NEAR(waits.causes[0].seconds, waits.seconds, 1e-9);
}

TEST(LateReceivers, DoNotKeepSendsWaitingThatTookNoTime) {
  const WaitStates waits = played(late_receiver(10'000));
  EXPECT_EQ(waits.seconds, 0);
  EXPECT_EQ(waits.ideal->eager_bytes, kAboveThem);
}

// Each waits for the passes of before, too, unless sends wait.
TEST(LateReceivers, OfManyPassesAreCountedAndPlayedAlike) {
  constexpr int kPasses = 500;
  for (const std::uint64_t inside_ns : {30 * kMsInNs, std::uint64_t{10'000}}) {
    const trace::Trace trace = late_receiver(inside_ns, kPasses);
    WaitOptions all;
    all.counts_repeats = false;
    const WaitStates counted = played(trace);
    const WaitStates whole = played(trace, all);
    EXPECT_EQ(counted.ideal->eager_bytes, whole.ideal->eager_bytes);
    EXPECT_NEAR(late_receivers(counted), late_receivers(whole), 1e-6);
    EXPECT_NEAR(late_receivers(counted), inside_ns > kMsInNs ? kPasses * 30 * kMs : 0.0, 1e-3);
  }
}

TEST(LateReceivers, AreAskedForByTheSizeThatIsGiven) {
  WaitOptions options;
  options.eager_bytes = kAboveThem;
  EXPECT_EQ(late_receivers(played(late_receiver(30 * kMsInNs), options)), 0);
  options.eager_bytes = 100;
  EXPECT_NEAR(late_receivers(played(late_receiver(10'000), options)), 30 * kMs, 1e-6);
}

TEST(LateReceivers, OfSynchronousSendsAreWaitedForWhateverTheyTook) {
  const WaitStates waits = played(late_receiver(10'000, 1, "MPI_Ssend"));
  EXPECT_NEAR(late_receivers(waits), 30 * kMs, 1e-6);
  EXPECT_EQ(waits.ideal->eager_bytes, 4096u);
}

// A run that went on though two ranks sent to each other before they received.
TEST(LateReceivers, AreNotWaitedForForEver) {
  trace::Trace trace = with_inside(recorded(2, [](Caller& s) {
    send(s, 1 - s.rank, kCount, 10'000);
    support::receive(s, 1 - s.rank, kCount);
  }));
  trace.run.complete = true;
  const WaitStates waits = played(trace);
  EXPECT_EQ(waits.seconds, 0);
  EXPECT_EQ(waits.ideal->eager_bytes, kAboveThem);
}

// What a run that was cut short does not say anybody received.
TEST(LateReceivers, MayBeMissingInARunThatWasCutShort) {
  trace::Trace trace = with_inside(recorded(2, [](Caller& s) {
    if (s.rank == 1) return;
    send(s, 1, kCount, 10'000);
    compute(s, 30 * kMsInNs);
  }));
  trace.run.complete = false;
  const WaitStates waits = played(trace);
  EXPECT_EQ(waits.seconds, 0);
  EXPECT_NEAR(waits.ideal->runtime_s, 30 * kMs, 1e-6);
}

TEST(LateReceivers, OfCollectiveOperationsAreNotWaitedFor) {
  const WaitStates waits = played(with_inside(recorded(4, [](Caller& s) {
    if (s.rank > 0) compute(s, 30 * kMsInNs);
    s.call("MPI_Bcast",
           {{"count", kCount}, {"datatype", support::kDouble}, {"root", 0}, {"comm", kWorld}});
  })));
  EXPECT_EQ(late_receivers(waits), 0);
  EXPECT_EQ(waits.seconds, 0);
}

} // namespace
} // namespace rondo::efficiency
