// SPDX-License-Identifier: Apache-2.0
#include "rondo/generate/comparison.hpp"

#include "generate/compare/loop_place.hpp"
#include "tests/support/recorded.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace rondo::generate {
namespace {

using support::Caller;
using support::define_comm;
using support::kDouble;
using support::kInt;
using support::kWorld;
using support::recorded;
using trace::kAnySource;
using trace::kAnyTag;
using trace::kNull;
using trace::request_by_age;
using trace::request_by_slot;

// The three words of a status cannot be named; this fills them.
trace::Trace one_receive(std::int64_t source, std::int64_t tag, std::vector<std::int64_t> status) {
  return recorded(1, [&](Caller& caller) {
    const trace::Function& function = *trace::find_function("MPI_Recv");
    std::vector<std::int64_t> event(fold::kEventHead + function.words(), trace::kNothing);
    event[0] = fold::header_word(function.id, 0);
    event[1] = 0;
    const auto put = [&](std::string_view field, std::int64_t value) {
      event[fold::kEventHead + static_cast<std::size_t>(function.word_of(field))] = value;
    };
    put("count", 4), put("datatype", kDouble), put("source", source), put("tag", tag);
    put("comm", kWorld);
    std::copy(status.begin(), status.end(),
              event.begin() + fold::kEventHead + function.word_of("status"));
    caller.builder.record(event.data(), event.size(), 0, 0);
  });
}

bool same(const trace::Trace& a, const trace::Trace& b, const ComparisonOptions& options = {}) {
  const bool forth = compare(a, b, options).same();
  EXPECT_EQ(compare(b, a, options).same(), forth) << "comparison must not depend on the order";
  return forth;
}

TEST(Comparison, TakesWhatCameForWhatWasAsked) {
  const auto asked = one_receive(kAnySource, kAnyTag, {3, 7, 32});
  const auto named = one_receive(3, 7, {});
  EXPECT_TRUE(same(asked, named));
  EXPECT_FALSE(same(asked, named, {.wildcards = true}));
  EXPECT_FALSE(same(asked, one_receive(2, 7, {})));
  EXPECT_FALSE(same(asked, one_receive(3, 6, {})));
  EXPECT_FALSE(same(asked, one_receive(kAnySource, kAnyTag, {2, 7, 32})));
  EXPECT_TRUE(same(asked, one_receive(kAnySource, kAnyTag, {3, 7, 8}))) << "lengths of what came";
}

// Each thread sends with another tag; which one has which number is a race.
trace::Trace threads_with_tags(std::vector<std::int64_t> tags) {
  return support::recorded_threads(2, static_cast<std::uint32_t>(tags.size()),
                                   [&](Caller& s, std::uint32_t thread) {
                                     s.call("MPI_Send", {{"count", 4},
                                                         {"datatype", kDouble},
                                                         {"dest", 1 - s.rank},
                                                         {"tag", tags[thread]},
                                                         {"comm", kWorld}});
                                   });
}

TEST(Comparison, TakesThreadsOfARankInAnyOrderButTheFirst) {
  const auto one = threads_with_tags({0, 1, 2, 3});
  EXPECT_TRUE(same(one, threads_with_tags({0, 2, 3, 1})));
  EXPECT_TRUE(same(one, threads_with_tags({0, 3, 2, 1})));
  EXPECT_FALSE(same(one, threads_with_tags({1, 0, 2, 3})));
  EXPECT_FALSE(same(one, threads_with_tags({0, 2, 2, 1})));
  EXPECT_FALSE(same(one, threads_with_tags({0, 3, 2})));
}

TEST(Comparison, TakesWhatWasAskedWhereATraceDoesNotSayWhatCame) {
  const auto unknown = one_receive(kAnySource, 7, {}); // as converted from other formats
  EXPECT_TRUE(same(unknown, one_receive(kAnySource, 7, {3, 7, 32})));
  EXPECT_FALSE(same(unknown, one_receive(kAnySource, 8, {3, 8, 32})));
  EXPECT_FALSE(same(unknown, one_receive(3, 7, {})));
}

TEST(Comparison, TakesAnyOperationWhereATraceDoesNotSayWhich) {
  const auto reduces = [](std::int64_t op, std::int64_t count) {
    return recorded(2, [&](Caller& caller) {
      caller.call("MPI_Allreduce", {{"sendbuf", 0},
                                    {"recvbuf", 0},
                                    {"count", count},
                                    {"datatype", kInt},
                                    {"op", op},
                                    {"comm", kWorld}});
    });
  };
  EXPECT_TRUE(same(reduces(trace::kNothing, 1), reduces(-3, 1)));
  EXPECT_FALSE(same(reduces(trace::kNothing, 1), reduces(-3, 2)));
  EXPECT_FALSE(same(reduces(-1, 1), reduces(-3, 1)));
}

// Irecv from anywhere, completed by Waitany among two; the status is in the second call.
trace::Trace two_receives(std::int64_t first, std::int64_t second, bool asks, std::int64_t index,
                          std::int64_t came) {
  return recorded(1, [&](Caller& caller) {
    for (const std::int64_t source : {first, second})
      caller.call("MPI_Irecv", {{"count", 1},
                                {"datatype", kInt},
                                {"source", asks ? kAnySource : source},
                                {"tag", 5},
                                {"comm", kWorld}});
    const std::int64_t both = caller.array({request_by_age(1), request_by_age(0)});
    const trace::Function& function = *trace::find_function("MPI_Waitany");
    std::vector<std::int64_t> event(fold::kEventHead + function.words(), trace::kNothing);
    event[0] = fold::header_word(function.id, 0);
    event[1] = 0;
    event[2] = both;
    event[3] = index;
    if (asks) std::copy_n(std::vector<std::int64_t>{came, 5, 4}.begin(), 3, event.begin() + 4);
    caller.builder.record(event.data(), event.size(), 0, 0);
  });
}

TEST(Comparison, LooksAheadToTheCallThatCompletedAReceive) {
  // The first receive stays open, so it keeps asking; the second got its message from 2.
  const auto asked = two_receives(0, 0, true, 1, 2);
  EXPECT_FALSE(same(asked, two_receives(0, 2, false, 1, 0)));
  EXPECT_FALSE(same(asked, two_receives(0, 0, true, 1, 3)));
  EXPECT_FALSE(same(asked, two_receives(0, 0, true, 0, 2))) << "the other request was completed";
  EXPECT_TRUE(same(asked, two_receives(0, 0, true, 1, 2)));
  const Comparison found = compare(asked, two_receives(0, 0, true, 1, 3));
  ASSERT_EQ(found.differences.size(), 1U);
  EXPECT_EQ(found.differences[0].field, "source");
  EXPECT_EQ(found.differences[0].a.call, 1U);
}

TEST(Comparison, OfWaitanyComparesWhatCompleted) {
  const auto waits = [](std::vector<std::int64_t> requests, std::int64_t index) {
    return recorded(1, [&](Caller& caller) {
      for (int i = 0; i < 3; ++i) caller.send(0, 1, kInt, kWorld, "MPI_Isend");
      caller.call("MPI_Waitany", {{"array_of_requests", caller.array(requests)}, {"index", index}});
    });
  };
  const auto all = waits({request_by_age(2), request_by_age(1), request_by_age(0)}, 1);
  EXPECT_TRUE(same(all, waits({kNull, request_by_age(1), kNull}, 1)));
  EXPECT_TRUE(same(all, waits({request_by_age(1)}, 0)));
  EXPECT_FALSE(same(all, waits({request_by_age(2), request_by_age(1), request_by_age(0)}, 2)));
}

TEST(Comparison, OfWaitsomeComparesTheSetThatCompleted) {
  const auto waits = [](std::vector<std::int64_t> requests, std::vector<std::int64_t> indices) {
    return recorded(1, [&](Caller& caller) {
      for (int i = 0; i < 3; ++i) caller.send(0, 1, kInt, kWorld, "MPI_Isend");
      caller.call("MPI_Waitsome", {{"array_of_requests", caller.array(requests)},
                                   {"outcount", static_cast<std::int64_t>(indices.size())},
                                   {"array_of_indices", caller.array(indices)}});
    });
  };
  const std::vector<std::int64_t> three{request_by_age(2), request_by_age(1), request_by_age(0)};
  EXPECT_TRUE(same(waits(three, {0, 2}), waits(three, {2, 0})));
  EXPECT_TRUE(same(waits(three, {0, 2}), waits({request_by_age(0), request_by_age(2)}, {0, 1})));
  EXPECT_FALSE(same(waits(three, {0, 2}), waits(three, {0, 1})));
  EXPECT_FALSE(same(waits(three, {0, 2}), waits(three, {0})));
}

TEST(Comparison, PassesOverPollsThatFoundNothing) {
  const auto polls = [](int before, int between) {
    return recorded(1, [&](Caller& caller) {
      const auto test = [&](std::int64_t flag) {
        caller.call("MPI_Test", {{"request", request_by_age(0)}, {"flag", flag}});
      };
      caller.send(0, 1, kInt, kWorld, "MPI_Isend");
      for (int i = 0; i < before; ++i) test(0);
      caller.call("MPI_Barrier", {{"comm", kWorld}});
      for (int i = 0; i < between; ++i) test(0);
      test(1);
    });
  };
  EXPECT_TRUE(same(polls(2, 5), polls(4, 0)));
  EXPECT_FALSE(same(polls(2, 5), polls(5, 2), {.polls = true}));
  EXPECT_TRUE(same(polls(2, 5), polls(2, 5), {.polls = true}));
  const Comparison found = compare(polls(2, 5), polls(4, 0));
  EXPECT_EQ(found.idle_polls_a, 7U);
  EXPECT_EQ(found.idle_polls_b, 4U);
}

TEST(Comparison, KnowsAPersistentRequestWhoseStartsGotDifferentMessages) {
  const auto starts = [](std::vector<std::int64_t> came) {
    return recorded(1, [&](Caller& caller) {
      caller.call(
          "MPI_Recv_init",
          {{"count", 1}, {"datatype", kInt}, {"source", kAnySource}, {"tag", 5}, {"comm", kWorld}});
      for (const std::int64_t source : came) {
        caller.start(0);
        const trace::Function& function = *trace::find_function("MPI_Wait");
        std::vector<std::int64_t> event{
            fold::header_word(function.id, 0), 0, request_by_slot(0), source, 5, 4};
        caller.builder.record(event.data(), event.size(), 0, 0);
      }
    });
  };
  EXPECT_TRUE(same(starts({1, 2, 1}), starts({1, 2, 1})));
  EXPECT_TRUE(same(starts({1, 2, 1}), starts({1, 1, 2}))) << "who comes first is chance";
  EXPECT_FALSE(same(starts({1, 2, 1}), starts({1, 2, 2})));
  EXPECT_FALSE(same(starts({1, 1}), starts({2, 2})));
}

TEST(Comparison, KnowsCommunicatorsByTheirMembers) {
  const auto split = [](std::vector<std::int64_t> members) {
    auto trace = recorded(4, [&](Caller& caller) {
      caller.builder.set_position(0, 0, 4);
      caller.call("MPI_Comm_split", {{"comm", kWorld}, {"color", 0}, {"key", 0}, {"newcomm", 0}});
      caller.call("MPI_Barrier", {{"comm", 0}});
    });
    define_comm(trace, 0, std::move(members));
    return trace;
  };
  EXPECT_TRUE(same(split({0, 1, 2, 3}), split({0, 1, 2, 3})));
  EXPECT_FALSE(same(split({0, 1, 2, 3}), split({0, 1, 3, 2})));
}

TEST(Comparison, DoesNotMindSlotsOfObjects) {
  const auto types = [](std::int64_t slot, std::int64_t extent) {
    auto trace = recorded(1, [&](Caller& caller) {
      caller.call("MPI_Type_contiguous", {{"count", 3}, {"oldtype", kInt}, {"newtype", slot}});
      caller.send(0, 1, slot);
    });
    trace.datatypes.push_back({slot, "", 12, extent, trace::RankSet::from_range({0, 1, 1})});
    return trace;
  };
  EXPECT_TRUE(same(types(0, 12), types(5, 12)));
  EXPECT_FALSE(same(types(0, 12), types(0, 16)));
}

TEST(Comparison, KnowsFilesByTheirFirstUses) {
  const auto opens = [](std::vector<std::string> names) {
    return recorded(1, [&](Caller& caller) {
      for (const std::string& name : names)
        caller.call("MPI_File_delete", {{"filename", caller.builder.text(name)}});
    });
  };
  EXPECT_TRUE(same(opens({"a", "b", "a"}), opens({"x", "y", "x"})));
  EXPECT_FALSE(same(opens({"a", "b", "a"}), opens({"x", "y", "y"})));
}

TEST(Comparison, DoesNotMindCallSites) {
  const auto at = [](std::uint32_t site) {
    return recorded(2, [&](Caller& caller) {
      caller.site = site;
      caller.send(1 - caller.rank, 5);
    });
  };
  EXPECT_TRUE(same(at(1), at(2)));
}

TEST(Comparison, NeedsAsManyRanks) {
  const auto ring = [](std::int64_t ranks) {
    return recorded(ranks, [&](Caller& c) { c.send((c.rank + 1) % ranks, 5); });
  };
  const Comparison found = compare(ring(4), ring(5));
  EXPECT_FALSE(found.same());
  EXPECT_GT(found.calls_a, 0U);
  EXPECT_GT(found.calls_b, 0U);
  EXPECT_EQ(found.ranks_a, 4);
  EXPECT_EQ(found.ranks_b, 5);
}

TEST(Comparison, PutsRanksWithOneDifferenceTogetherAndSaysWhere) {
  const auto loops = [](std::int64_t odd_count) {
    return recorded(6, [&](Caller& c) {
      c.call("MPI_Barrier", {{"comm", kWorld}});
      for (int i = 0; i < 10; ++i) {
        const bool is_odd = c.rank >= 4 && i == 7;
        c.send((c.rank + 1) % 6, is_odd ? odd_count : 5);
        c.call("MPI_Barrier", {{"comm", kWorld}});
      }
    });
  };
  const Comparison found = compare(loops(5), loops(6));
  EXPECT_EQ(found.ranks_that_differ, 2);
  ASSERT_EQ(found.differences.size(), 1U);
  const Difference& difference = found.differences[0];
  EXPECT_EQ(difference.ranks, (std::vector<std::int64_t>{4, 5}));
  EXPECT_EQ(difference.field, "count");
  EXPECT_EQ(difference.a.call, 15U);
  EXPECT_EQ(difference.a.loops, "loop 10, iteration 7");
  EXPECT_NE(difference.a.line.find("MPI_Send(count=5"), std::string::npos);
  EXPECT_NE(difference.b.line.find("MPI_Send(count=6"), std::string::npos);
  EXPECT_EQ(difference.a.before.size(), 3U);
}

TEST(LoopPlace, NamesTheLoopsAroundACall) {
  // 0, then 3 times (1, twice 2)
  const trace::Loop inner{{trace::Term::symbol(2)}, trace::Column::from_runs({{2, 3}})};
  const trace::Loop outer{{trace::Term::symbol(1), trace::Term::loop(0)},
                          trace::Column::from_runs({{3, 1}})};
  const trace::Nest nest({inner, outer}, {trace::Term::symbol(0), trace::Term::loop(1)});
  EXPECT_EQ(loops_around(nest, 0), "");
  EXPECT_EQ(loops_around(nest, 1), "loop 3, iteration 0");
  EXPECT_EQ(loops_around(nest, 3), "loop 3, iteration 0: loop 2, iteration 1");
  EXPECT_EQ(loops_around(nest, 9), "loop 3, iteration 2: loop 2, iteration 1");
  EXPECT_EQ(loops_around(nest, 10), "") << "there is no such call";
}

} // namespace
} // namespace rondo::generate
