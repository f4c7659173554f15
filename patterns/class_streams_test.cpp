// SPDX-License-Identifier: Apache-2.0
#include "patterns/call_runs.hpp"
#include "rondo/patterns/communication_patterns.hpp"
#include "tests/support/recorded.hpp"
#include "tests/support/streams.hpp"

#include <algorithm>
#include <fmt/ranges.h>
#include <gtest/gtest.h>
#include <map>
#include <memory>
#include <optional>

namespace rondo::patterns {
namespace {

using internal::CallRun;
using internal::CallSequence;
using support::Caller;
using support::kInt;
using support::kWorld;
using support::pick;
using support::Random;

// A program of all ranks: what is done, or a loop.
struct Step {
  int kind = 0; // kLoop or an action
  std::int64_t by = 1;
  std::int64_t times = 1;
  std::vector<Step> body;
};
constexpr int kAllreduce = 3;
constexpr int kLoop = 7;

Step random_step(Random& random, int depth) {
  Step step;
  step.kind = static_cast<int>(pick(random, depth == 0 ? 7 : 10));
  step.by = 1 + static_cast<std::int64_t>(pick(random, 3));
  if (step.kind < kLoop) return step;
  step.kind = kLoop;
  step.times = 1 + static_cast<std::int64_t>(pick(random, 9));
  for (auto count = 1 + pick(random, 3); count > 0; --count)
    step.body.push_back(random_step(random, depth - 1));
  return step;
}

void receive_three(Caller& s, std::int64_t source, std::string_view name = "MPI_Recv") {
  s.call(name,
         {{"count", 3}, {"datatype", kInt}, {"source", source}, {"tag", 0}, {"comm", kWorld}});
}

void wait_all(Caller& s) { s.call("MPI_Waitall", {{"array_of_requests", s.array({0})}}); }

void do_step(const Step& step, Caller& s) {
  const std::int64_t right = (s.rank + step.by) % s.ranks;
  const std::int64_t left = (s.rank + s.ranks - step.by) % s.ranks;
  switch (step.kind) {
  case 0: // around a ring
    s.send(right, 3, kInt);
    return receive_three(s, left);
  case 1: // likewise, without waiting
    receive_three(s, left, "MPI_Irecv");
    s.send(right, 3, kInt, kWorld, "MPI_Isend");
    return wait_all(s);
  case 2: // on a chain, whose ends have one neighbour
    if (s.rank + 1 < s.ranks) s.send(s.rank + 1, step.by, kInt);
    if (s.rank > 0) receive_three(s, s.rank - 1);
    return;
  case kAllreduce:
    s.call("MPI_Allreduce", {{"count", step.by}, {"datatype", kInt}, {"comm", kWorld}});
    return;
  case 4: // all to the first
    if (s.rank > 0) return s.send(0, 3, kInt);
    for (std::int64_t rank = 1; rank < s.ranks; ++rank) receive_three(s, rank);
    return;
  case 5: // sizes that differ, and messages to oneself
    s.send(s.rank % 2 == 0 ? s.rank : right, 2 + s.rank % 3, kInt);
    return receive_three(s, s.rank % 2 == 0 ? s.rank : left);
  case 6:
    return wait_all(s);
  default:
    for (std::int64_t i = 0; i < step.times; ++i) {
      for (const Step& inner : step.body) do_step(inner, s);
    }
  }
}

std::string all_of(const CommunicationPatterns& found) {
  std::string text;
  for (const StreamPatterns& s : found.processes.streams) {
    text += fmt::format("rank {} calls {}\n", s.rank, s.calls);
    for (std::size_t i = 0; i < s.items.size(); ++i) {
      const CollapsedItem& item = s.items[i];
      text += fmt::format("  {} {} {} B {} times at {}..{} {} {}\n", item.symbol, item.source,
                          item.bytes, item.executions, item.first, item.last,
                          s.completes_behind[i] ? "completes" : "", s.place_of[i]);
    }
    for (const ProcessPattern& p : s.patterns)
      text += fmt::format("  {} {} {} {}\n", p.word, p.executions, p.bytes, p.tandem);
  }
  for (const CommunicationPattern& p : found.patterns) {
    text += fmt::format("{} {} {} {} {}\n", p.executions, p.messages, p.bytes, p.collective_bytes,
                        p.places.size());
    for (const PatternPart& part : p.parts)
      text += fmt::format(" {} {} {} {}\n", part.stream, part.first, part.length, part.executions);
    for (const PatternLink& l : p.links)
      text += fmt::format(" {}.{} {}.{} {} {} {} {}\n", l.from, l.from_event, l.to, l.to_event,
                          l.messages, l.bytes, l.least_bytes, l.most_bytes);
  }
  return text;
}

bool was_read_by_classes(const CommunicationPatterns& found) {
  return found.processes.streams.front().item_of_call.empty();
}

// How often it is done, those of one kind alone if that is given.
std::int64_t actions_of(const Step& step, std::optional<int> kind = std::nullopt) {
  std::int64_t sum = step.kind != kLoop && step.kind == kind.value_or(step.kind) ? 1 : 0;
  for (const Step& inner : step.body) sum += actions_of(inner, kind);
  return sum * step.times;
}

// But for collectives of ranks that get far ahead of each other when all calls are read: which of
// them stands for the others then depends on the order of reading.
TEST(ClassStreams, SayTheSameAsAllCalls) {
  constexpr std::int64_t kFar = 60;
  int compared = 0;
  Random random(11);
  PatternOptions call_by_call;
  call_by_call.call_by_call = true;
  for (int i = 0; i < 600; ++i) {
    Step all{kLoop, 1, 1, {}};
    for (auto count = 1 + pick(random, 4); count > 0; --count)
      all.body.push_back(random_step(random, 2));
    if (actions_of(all) > kFar && actions_of(all, kAllreduce) > 0) continue;
    const trace::Trace trace = support::recorded(2 + static_cast<std::int64_t>(pick(random, 5)),
                                                 [&](Caller& s) { do_step(all, s); });
    const auto found = communication_patterns(trace, {});
    ASSERT_TRUE(was_read_by_classes(found)) << i;
    const auto slow = communication_patterns(trace, call_by_call);
    ASSERT_FALSE(was_read_by_classes(slow)) << i;
    ASSERT_EQ(all_of(found), all_of(slow)) << i;
    ++compared;
  }
  EXPECT_GT(compared, 150);
}

TEST(ClassStreams, LoopsAreNotGoneThrough) {
  trace::Trace trace = support::recorded(6, [](Caller& s) {
    for (int i = 0; i < 10; ++i) do_step({0, 1, 1, {}}, s);
  });
  for (trace::RankClass& c : trace.classes) {
    auto program = std::make_shared<trace::Program>(*c.program);
    auto loops = program->nest.loops();
    ASSERT_EQ(loops.size(), 1u);
    loops[0].trip_counts = trace::Column::from_runs({{1'000'000'000, 1}});
    program->nest = trace::Nest(std::move(loops), program->nest.top());
    c.program = std::move(program);
  }
  const auto found = communication_patterns(trace, {});
  ASSERT_EQ(found.patterns.size(), 1u);
  EXPECT_EQ(found.patterns[0].messages, 6'000'000'000u);
  EXPECT_EQ(found.patterns[0].executions, 1'000'000'000u);
}

// What varies is read call by call.
TEST(ClassStreams, AreNotForSizesThatVary) {
  const trace::Trace trace = support::recorded(4, [](Caller& s) {
    for (int i = 0; i < 200; ++i) {
      s.send((s.rank + 1) % s.ranks, 1 + i * i % 97, kInt);
      receive_three(s, (s.rank + s.ranks - 1) % s.ranks);
    }
  });
  EXPECT_FALSE(was_read_by_classes(communication_patterns(trace, {})));
}

std::vector<std::uint32_t> written_out(const CallSequence& sequence) {
  std::vector<std::uint32_t> items;
  for (const auto& block : sequence) {
    for (std::uint64_t i = 0; i < block.times; ++i) {
      for (const CallRun& run : block.runs) items.insert(items.end(), run.times, run.item);
    }
  }
  return items;
}

CallSequence random_sequence(Random& random) {
  CallSequence sequence(1 + pick(random, 4));
  for (auto& block : sequence) {
    block.times = 1 + pick(random, 40);
    block.runs.resize(1 + pick(random, 3));
    for (CallRun& run : block.runs)
      run = {0, static_cast<std::uint32_t>(pick(random, 3)),
             block.runs.size() == 1 ? 1 : 1 + pick(random, 4)};
  }
  return sequence;
}

TEST(CallRuns, ArePairedAsIfTheyWereWrittenOut) {
  Random random(3);
  for (int i = 0; i < 2000; ++i) {
    const CallSequence one = random_sequence(random);
    const CallSequence other = random_sequence(random);
    const auto a = written_out(one);
    const auto b = written_out(other);
    ASSERT_EQ(internal::length_of(one), a.size());
    const std::uint64_t most = pick(random, 2) == 0 ? ~std::uint64_t{0} : pick(random, 100);
    using Pairs = std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>;
    Pairs expected;
    for (std::size_t k = 0; k < std::min<std::uint64_t>({a.size(), b.size(), most}); ++k)
      ++expected[{a[k], b[k]}];
    Pairs pairs;
    internal::pair_up(one, other, most, [&](const CallRun& x, const CallRun& y, std::uint64_t n) {
      pairs[{x.item, y.item}] += n;
    });
    ASSERT_EQ(pairs, expected) << i;
  }
}

TEST(CallRuns, OfLongLoopsArePairedAtOnce) {
  const CallSequence one{{{{0, 1, 1}, {0, 2, 2}}, 1'000'000'000}};
  const CallSequence other{{{{0, 7, 1}}, 5}, {{{0, 8, 1}, {0, 9, 1}}, 1'500'000'000}};
  int uses = 0;
  std::uint64_t pairs = 0;
  internal::pair_up(one, other, ~std::uint64_t{0}, [&](const auto&, const auto&, std::uint64_t n) {
    ++uses;
    pairs += n;
  });
  EXPECT_EQ(pairs, 3'000'000'000u);
  EXPECT_LT(uses, 100);
}

} // namespace
} // namespace rondo::patterns
