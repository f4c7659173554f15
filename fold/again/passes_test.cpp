// SPDX-License-Identifier: Apache-2.0
// Passes that come again, counted and played: random programs of long loops.
#include "rondo/fold/recast.hpp"
#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/passes.hpp"
#include "tests/support/chosen_cases.hpp"
#include "tests/support/events.hpp"
#include "tests/support/random_spmd.hpp"
#include "tests/support/spmd.hpp"
#include "tests/support/streams.hpp"

#include <gtest/gtest.h>
#include <memory>
#include <numeric>

namespace rondo::fold {
namespace {

using support::event_of;
using support::pick;
using support::Random;
using trace::Trace;

// A program of loops in loops, whose counts and words take turns or change all the time.
struct Part {
  enum class Kind { kSend, kSum, kRequest, kLoop };
  Kind kind = Kind::kSend;
  std::uint32_t site = 0;
  std::vector<std::int64_t> turns; // counts of a loop, or tags
  bool goes_on = false; // instead, the tag changes from call to call
  std::vector<Part> body;
  mutable std::uint64_t times = 0; // it was come to
};

Part random_part(Random& random, std::uint32_t& site, int depth, bool is_long) {
  Part part;
  const std::uint64_t turns = pick(random, 4) == 0 ? 2 + pick(random, 4) : 1;
  if (depth > 0 && (is_long || pick(random, 2) == 0)) {
    part.kind = Part::Kind::kLoop;
    for (std::uint64_t i = 0; i < turns; ++i)
      part.turns.push_back(
          static_cast<std::int64_t>(is_long ? 100 + pick(random, 300) : 1 + pick(random, 6)));
    const std::uint64_t parts = 1 + pick(random, 3);
    for (std::uint64_t i = 0; i < parts; ++i)
      part.body.push_back(random_part(random, site, depth - 1, false));
    return part;
  }
  part.kind = static_cast<Part::Kind>(pick(random, 3));
  part.site = site = (site + 1) % 16;
  for (std::uint64_t i = 0; i < turns; ++i)
    part.turns.push_back(static_cast<std::int64_t>(pick(random, 9)));
  part.goes_on = pick(random, 24) == 0;
  return part;
}

// Some computations have courses.
void play(const Part& part, support::RankRecorder& to, std::uint64_t& calls) {
  const std::uint64_t time = part.times++;
  const std::int64_t turn = part.turns[time % part.turns.size()];
  if (part.kind == Part::Kind::kLoop) {
    for (std::int64_t i = 0; i < turn; ++i) {
      for (const Part& inner : part.body) play(inner, to, calls);
    }
    return;
  }
  const auto record = [&](const support::Event& event) {
    const std::uint64_t n = calls++;
    to.builder().record(event.data(), event.size(),
                        part.site % 3 == 0 ? 2000 + n % 7 * 900 : n % 40, 10 + n % 90);
  };
  const std::int64_t tag = part.goes_on ? static_cast<std::int64_t>(time) : turn;
  switch (part.kind) {
  case Part::Kind::kSend:
    return record(
        event_of("MPI_Send", {{"count", 5}, {"dest", 1 + tag % 3}, {"tag", tag}}, part.site));
  case Part::Kind::kSum:
    return record(event_of("MPI_Allreduce", {{"count", tag}}, part.site));
  default:
    record(event_of("MPI_Irecv", {{"count", tag}, {"source", 1}}, part.site));
    record(event_of("MPI_Wait", {{"request", trace::request_by_age(0)}}, part.site));
  }
}

Trace random_run(std::uint64_t seed) {
  Random random(seed);
  support::RankRecorder recorder(0, 4);
  std::uint32_t site = 0;
  std::uint64_t calls = 0;
  const std::uint64_t loops = 1 + pick(random, 3);
  for (std::uint64_t i = 0; i < loops; ++i) {
    play(random_part(random, site, 0, false), recorder, calls);
    play(random_part(random, site, 2 + static_cast<int>(seed % 2), true), recorder, calls);
  }
  return support::trace_of(recorder);
}

struct Recast {
  Trace trace;
  std::uint64_t played = 0;
  std::uint64_t counted = 0; // by a memory
};

// Sends lose their tags, and sums their sites where the seed says so.
Recast recast_of(const Trace& trace, std::uint64_t seed, bool with_memory, ProgramOptions options) {
  Recast result;
  Recasting recasting;
  recasting.new_rank.resize(static_cast<std::size_t>(trace.run.ranks));
  std::iota(recasting.new_rank.begin(), recasting.new_rank.end(), 0);
  recasting.drops_sites = seed % 2 == 0;
  const bool drops_tags = seed % 3 == 0;
  recasting.words = [&result, drops_tags](const trace::RankClass&, std::int64_t,
                                          const trace::CallInstance& call,
                                          std::span<std::int64_t> words) {
    ++result.played;
    ++result.counted;
    const int tag = trace::meaning_of(*call.function).send_tag;
    if (drops_tags && tag >= 0) words[static_cast<std::size_t>(tag)] = 0;
  };
  if (seed % 5 == 0) {
    recasting.leaves_out = [](const trace::RankClass&, std::int64_t,
                              const trace::CallInstance& call) { return call.site % 4 == 1; };
  }
  std::uint64_t kept = 0;
  if (with_memory) {
    recasting.memory = {
        .keep = [&](std::int64_t) { kept = result.counted; },
        .repeat = [&](std::int64_t,
                      std::uint64_t times) { result.counted += times * (result.counted - kept); }};
  }
  result.trace = recast(trace, recasting, options).trace;
  return result;
}

void expect_same(const Trace& a, const Trace& b) {
  ASSERT_EQ(a.classes.size(), b.classes.size());
  for (std::size_t i = 0; i < a.classes.size(); ++i) {
    EXPECT_EQ(a.classes[i].ranks, b.classes[i].ranks);
    EXPECT_EQ(a.classes[i].program->calls, b.classes[i].program->calls);
    EXPECT_EQ(a.classes[i].program->nest, b.classes[i].program->nest);
    EXPECT_EQ(a.classes[i].program->columns, b.classes[i].program->columns);
    EXPECT_EQ(a.classes[i].program->times, b.classes[i].program->times);
    EXPECT_EQ(*a.classes[i].program, *b.classes[i].program);
  }
}

TEST(PassesThatComeAgain, AreFoldedAsIfTheyWerePlayed) {
  std::uint64_t played = 0;
  std::uint64_t all = 0;
  for (std::uint64_t seed = 0; seed < support::number_of_seeds(50, 150); ++seed) {
    const Trace trace = random_run(seed);
    const ProgramOptions options{.soften_after = seed % 7 == 0 ? 4U : 16U,
                                 .keeps_frequent = seed % 11 == 0};
    const Recast whole = recast_of(trace, seed, false, options);
    const Recast counted = recast_of(trace, seed, true, options);
    SCOPED_TRACE(seed);
    expect_same(counted.trace, whole.trace);
    EXPECT_EQ(counted.counted, whole.played);
    if (testing::Test::HasFailure()) return;
    played += counted.played;
    all += whole.played;
  }
  EXPECT_LT(played, all / 2);
}

TEST(PassesThatComeAgain, AreFoldedAsIfTheyWerePlayedOnManyRanks) {
  for (std::uint64_t seed = 0; seed < support::number_of_seeds(20, 60); ++seed) {
    std::vector<RecordingPart> parts;
    for (const auto& rank : support::random_spmd(seed, 2, 3)) parts.push_back(rank->part());
    std::vector<std::size_t> order(parts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    const Trace trace = resolve(support::merged(std::move(parts), order));
    SCOPED_TRACE(seed);
    expect_same(recast_of(trace, seed, true, {}).trace, recast_of(trace, seed, false, {}).trace);
    if (testing::Test::HasFailure()) return;
  }
}

// What is played does not depend on how often loops go round.
TEST(PassesThatComeAgain, CostNoMoreInLongerLoops) {
  const auto played = [](int rounds) {
    support::RankRecorder recorder(1, 4);
    for (int i = 0; i < rounds; ++i) {
      recorder.call("MPI_Send", {{"count", 5}, {"dest", 2}, {"tag", i % 21}}, 1);
      for (int k = 0; k < 3; ++k) recorder.call("MPI_Recv", {{"count", 5}, {"source", 0}}, 2);
      if (i % 10 == 9) recorder.call("MPI_Barrier", {}, 3);
    }
    const Recast result = recast_of(support::trace_of(recorder), 1, true, {});
    EXPECT_EQ(result.counted, static_cast<std::uint64_t>(rounds) * 4 + rounds / 10);
    return result.played;
  };
  const std::uint64_t few = played(10'000);
  EXPECT_LT(few, 10'000U);
  EXPECT_LT(played(40'000), 2 * few);
}

// A state that does not come back is not taken for one that does.
TEST(PassesThatComeAgain, ArePlayedWhereWhatChangesThemDoesNotComeBack) {
  support::RankRecorder recorder(1, 4);
  for (int i = 0; i < 1000; ++i) recorder.call("MPI_Send", {{"count", 5}, {"dest", 2}}, 1);
  const Trace trace = support::trace_of(recorder);
  Recasting recasting;
  recasting.new_rank = {0, 1, 2, 3};
  std::int64_t calls = 0;
  recasting.words = [&](const trace::RankClass&, std::int64_t, const trace::CallInstance& call,
                        std::span<std::int64_t> words) {
    words[static_cast<std::size_t>(trace::meaning_of(*call.function).send_tag)] = ++calls;
  };
  recasting.memory = {.is_as_kept = [](std::int64_t) { return false; }};
  recast(trace, recasting);
  EXPECT_EQ(calls, 1000);
}

} // namespace
} // namespace rondo::fold
