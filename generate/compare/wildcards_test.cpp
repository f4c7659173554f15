// SPDX-License-Identifier: Apache-2.0
// Recorded programs are looked at in tests/generate/wildcards_test.py.
#include "rondo/generate/wildcards.hpp"

#include "rondo/generate/comparison.hpp"
#include "tests/support/recorded.hpp"

#include <gtest/gtest.h>

namespace rondo::generate {
namespace {

using support::Caller;
using support::kInt;
using support::kWorld;
using support::recorded;
using trace::kAnySource;
using trace::kAnyTag;
using trace::kNothing;

struct Status {
  std::int64_t source = kNothing;
  std::int64_t tag = kNothing;
};

void record(Caller& caller, std::string_view name, support::Arguments arguments, Status status) {
  const trace::Function& function = *trace::find_function(name);
  std::vector<std::int64_t> event(fold::kEventHead + function.words(), kNothing);
  event[0] = fold::header_word(function.id, 0);
  event[1] = 0;
  const auto at = [&](std::string_view field) {
    return fold::kEventHead + static_cast<std::size_t>(function.word_of(field));
  };
  for (const auto& [field, value] : arguments) event[at(field)] = value;
  if (status.source != kNothing) {
    event[at("status")] = status.source;
    event[at("status") + 1] = status.tag;
    event[at("status") + 2] = 4;
  }
  caller.builder.record(event.data(), event.size(), 0, 0);
}

void receive(Caller& caller, std::string_view name, std::int64_t source, std::int64_t tag,
             Status status = {}) {
  record(caller, name,
         {{"count", 1}, {"datatype", kInt}, {"source", source}, {"tag", tag}, {"comm", kWorld}},
         status);
}

void wait(Caller& caller, std::int64_t request, Status status = {}) {
  record(caller, "MPI_Wait", {{"request", request}}, status);
}

std::vector<trace::CallInstance> calls_of(const trace::Trace& trace, std::int64_t rank) {
  trace::CallReader reader(trace, *trace.class_of(rank), rank);
  std::vector<trace::CallInstance> calls;
  while (const trace::CallInstance* call = reader.next()) calls.push_back(*call);
  return calls;
}

std::int64_t argument(const trace::CallInstance& call, std::string_view field) {
  return call.words[static_cast<std::size_t>(call.function->word_of(field))];
}

TEST(ResolvedWildcards, AskForWhatCameToABlockingReceive) {
  const auto trace = recorded(3, [](Caller& c) {
    receive(c, "MPI_Recv", kAnySource, kAnyTag, {(c.rank + 1) % 3, 10 + c.rank});
  });
  const ResolvedWildcards result = resolve_wildcards(trace);
  EXPECT_EQ(result.resolved, 3U);
  for (std::int64_t rank = 0; rank < 3; ++rank) {
    const auto calls = calls_of(result.trace, rank);
    ASSERT_EQ(calls.size(), 1U);
    EXPECT_EQ(argument(calls[0], "source"), (rank + 1) % 3);
    EXPECT_EQ(argument(calls[0], "tag"), 10 + rank);
    EXPECT_EQ(argument(calls[0], "status"), kNothing);
    EXPECT_EQ(argument(calls[0], "count"), 1);
  }
  EXPECT_TRUE(compare(trace, result.trace).same());
}

TEST(ResolvedWildcards, OfNonblockingReceivesAreThoseOfTheirOwnCompletion) {
  const auto trace = recorded(1, [](Caller& c) {
    for (int i = 0; i < 2; ++i) receive(c, "MPI_Irecv", kAnySource, 5);
    wait(c, trace::request_by_age(0), {8, 5}); // the second first
    wait(c, trace::request_by_age(1), {9, 5});
  });
  const auto calls = calls_of(resolve_wildcards(trace).trace, 0);
  EXPECT_EQ(argument(calls[0], "source"), 9);
  EXPECT_EQ(argument(calls[1], "source"), 8);
  EXPECT_EQ(argument(calls[2], "status"), kNothing);
}

TEST(ResolvedWildcards, StayWhereNothingCame) {
  const auto trace = recorded(1, [](Caller& c) {
    receive(c, "MPI_Irecv", kAnySource, 5);
    wait(c, trace::request_by_age(0)); // cancelled
    receive(c, "MPI_Irecv", kAnySource, kAnyTag); // never completed
  });
  const ResolvedWildcards result = resolve_wildcards(trace);
  EXPECT_EQ(result.unanswered, 2U);
  EXPECT_EQ(result.resolved, 0U);
  const auto calls = calls_of(result.trace, 0);
  EXPECT_EQ(argument(calls[0], "source"), kAnySource);
  EXPECT_EQ(argument(calls[2], "tag"), kAnyTag);
}

trace::Trace persistent(std::vector<std::int64_t> sources) {
  return recorded(1, [&](Caller& c) {
    receive(c, "MPI_Recv_init", kAnySource, 5);
    for (const std::int64_t source : sources) {
      c.start(0);
      wait(c, trace::request_by_slot(0), {source, 5});
    }
    c.free(0);
  });
}

TEST(ResolvedWildcards, OfAPersistentReceiveNeedAllStartsToAgree) {
  const ResolvedWildcards alike = resolve_wildcards(persistent({3, 3, 3}));
  EXPECT_EQ(alike.resolved, 1U);
  EXPECT_EQ(argument(calls_of(alike.trace, 0)[0], "source"), 3);
  const auto mixed = persistent({3, 4, 3});
  const ResolvedWildcards differing = resolve_wildcards(mixed);
  EXPECT_EQ(differing.resolved, 0U);
  EXPECT_EQ(differing.differing, 1U);
  EXPECT_EQ(argument(calls_of(differing.trace, 0)[0], "source"), kAnySource);
  EXPECT_TRUE(compare(mixed, differing.trace).same()) << "statuses must still say what came";
}

// One that asked for its own source alone would wait forever where another took its message.
TEST(ResolvedWildcards, OfPersistentReceivesStayWhereOneDiffers) {
  const auto trace = recorded(1, [](Caller& c) {
    for (int i = 0; i < 2; ++i) receive(c, "MPI_Recv_init", kAnySource, 5);
    for (const std::int64_t source : {4, 6}) {
      for (int i = 0; i < 2; ++i) c.start(i);
      wait(c, trace::request_by_slot(0), {3, 5});
      wait(c, trace::request_by_slot(1), {source, 5});
    }
  });
  const ResolvedWildcards result = resolve_wildcards(trace);
  EXPECT_EQ(result.resolved, 0U);
  EXPECT_EQ(result.differing, 2U);
  EXPECT_EQ(argument(calls_of(result.trace, 0)[0], "source"), kAnySource);
}

TEST(ResolvedWildcards, KeepASourceThatWasNamed) {
  const auto trace = recorded(1, [](Caller& c) { receive(c, "MPI_Recv", 0, kAnyTag, {0, 77}); });
  const auto calls = calls_of(resolve_wildcards(trace).trace, 0);
  EXPECT_EQ(argument(calls[0], "source"), 0);
  EXPECT_EQ(argument(calls[0], "tag"), 77);
}

std::size_t terms_of(const trace::Trace& trace) { return trace.programs.at(0)->terms(); }

// A few roots in turn are recorded as calls of their own.
TEST(ResolvedToBeShort, MakesALoopOfAFewRoots) {
  const auto trace = recorded(9, [](Caller& c) {
    for (std::int64_t root = 0; root < c.ranks; ++root)
      c.call("MPI_Bcast", {{"count", 8}, {"datatype", kInt}, {"root", root}, {"comm", kWorld}});
  });
  EXPECT_EQ(terms_of(trace), 9U);
  const ResolvedWildcards result = resolved_to_be_short(trace, {});
  EXPECT_EQ(terms_of(result.trace), 2U);
  EXPECT_TRUE(compare(trace, result.trace).same());
}

// Tables would be longer than the calls are.
TEST(ResolvedToBeShort, KeepsCallsThatDifferInManyWords) {
  const auto trace = recorded(9, [](Caller& c) {
    for (std::int64_t i = 0; i < 9; ++i) {
      const std::int64_t other = (c.rank * 5 + i * i * 7 + c.rank * c.rank * i) % 9;
      c.call("MPI_Send", {{"count", (c.rank * 31 + i * i * 17) % 101},
                          {"datatype", kInt},
                          {"dest", other},
                          {"tag", (i * i * i + c.rank) % 11},
                          {"comm", kWorld}});
    }
  });
  EXPECT_EQ(terms_of(resolved_to_be_short(trace, {}).trace), 9U);
}

} // namespace
} // namespace rondo::generate
