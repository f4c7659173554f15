// SPDX-License-Identifier: Apache-2.0
#include "rondo/patterns/pattern_search.hpp"

#include "tests/support/recorded.hpp"

#include <gtest/gtest.h>

namespace rondo::patterns {
namespace {

using support::Caller;
using support::kInt;
using support::kWorld;
using support::recorded;

// A chain of ranks: each passes something on to the right, and all reduce. In the second step the
// size is another one, in the third the reduction is missing.
trace::Trace chain(bool also_at_the_end = true) {
  return recorded(4, [&](Caller& s) {
    for (std::int64_t step = 0; step < 3; ++step) {
      s.call("MPI_Barrier", {{"comm", kWorld}});
      if (s.rank > 0)
        s.call("MPI_Recv", {{"count", also_at_the_end && s.rank == 3 && step == 1 ? 5 : 3},
                            {"datatype", kInt},
                            {"source", s.rank - 1},
                            {"tag", 0},
                            {"comm", kWorld}});
      if (s.rank < 3) s.send(s.rank + 1, step == 1 ? 5 : 3, kInt);
      if (step < 2) s.call("MPI_Allreduce", {{"count", 3}, {"datatype", kInt}, {"comm", kWorld}});
    }
  });
}

constexpr const char* kChain = "pattern chain\n"
                               "every rank:\n"
                               "  recv -1 (12 B)\n"
                               "  send +1 (12 B)   # to the right\n"
                               "  allreduce (12 B)\n";

GivenPattern given(const std::string& text) {
  auto pattern = parse_pattern(text, "p.pattern");
  EXPECT_TRUE(pattern.has_value()) << (pattern ? "" : pattern.error().text());
  return pattern ? *pattern : GivenPattern{};
}

TEST(PatternFile, SaysWhatEachRankDoes) {
  const GivenPattern pattern = given(kChain);
  EXPECT_EQ(pattern.name, "chain");
  EXPECT_TRUE(pattern.envelope.peer);
  EXPECT_TRUE(pattern.envelope.size);
  EXPECT_FALSE(pattern.envelope.tag);
  const auto events = pattern.events_of(0, 4);
  ASSERT_TRUE(events.has_value());
  ASSERT_EQ(events->size(), 2u); // nobody to the left
  EXPECT_EQ(text_of((*events)[0]), "send 1 (12 B)");
  EXPECT_EQ(text_of((*events)[1]), "allreduce (12 B)");
}

TEST(PatternFile, SectionsAreForSomeRanks) {
  const GivenPattern pattern =
      given("rank 1:\n sendrecv +1% from -1%\nranks 2-3,5:\n bcast root 0\n recv any\n");
  EXPECT_FALSE(pattern.events_of(0, 6).has_value());
  EXPECT_EQ(text_of(pattern.events_of(1, 2)->front()), "sendrecv 0 from 0");
  EXPECT_EQ(pattern.events_of(5, 6)->size(), 2u);
  EXPECT_EQ(text_of(pattern.events_of(5, 6)->back()), "recv any");
}

TEST(PatternFile, CommunicatorsHaveTheNamesOfAllCommands) {
  trace::Trace trace = recorded(4, [](Caller& s) {
    s.call("MPI_Comm_split",
           {{"comm", kWorld}, {"color", s.rank % 2}, {"key", s.rank}, {"newcomm", 0}});
    s.builder.set_position(0, s.rank / 2, 2);
    for (int i = 0; i < 3; ++i) {
      s.call("MPI_Barrier", {{"comm", 0}});
      s.call("MPI_Barrier", {{"comm", kWorld}});
    }
  });
  support::define_comm(trace, 0, {0, 2});
  trace.comms.back().holders = trace::RankSet::of({0, 2});
  support::define_comm(trace, 0, {1, 3});
  trace.comms.back().holders = trace::RankSet::of({1, 3});
  auto found = wanted(given("barrier (on split#1) # of the row\nbarrier\n"), trace);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(found->events.text_of(found->words.at(3)[0]), "barrier (on split#1)");
  EXPECT_EQ(search(trace, std::move(*found), {}).ranks.at(1).hits.size(), 1u);
  const auto unknown = wanted(given("barrier (on 1)\n"), trace);
  ASSERT_FALSE(unknown.has_value());
  EXPECT_EQ(unknown.error().message, "has no communicator '1'; it has MPI_COMM_WORLD, "
                                     "MPI_COMM_SELF, split#1");
}

TEST(PatternFile, ErrorsNameTheLine) {
  const auto error = [](const std::string& text) {
    const auto pattern = parse_pattern(text, "p.pattern");
    return pattern ? std::string("no error") : pattern.error().text();
  };
  EXPECT_EQ(error("isend +1\nfoo 3\n").substr(0, 25), "p.pattern:2: 'foo' is no ");
  EXPECT_EQ(error("isend here\n").substr(0, 21), "p.pattern:1: 'here' i");
  EXPECT_EQ(error("ranks x:\n").substr(0, 17), "p.pattern:1: 'x' ");
  EXPECT_EQ(error("isend +1\nirecv\n").substr(0, 37), "p.pattern:2: this event has no peer o");
  EXPECT_EQ(error("isend +1 (5 kB)\n").substr(0, 18), "p.pattern:1: '5 kB");
  EXPECT_NE(error("# nothing\n").find("has no events"), std::string::npos);
}

TEST(PatternFile, ListsOfRanksCostWhatTheFileIsWorth) {
  const std::string section = "ranks 0-999999:\n  send +1\n";
  EXPECT_TRUE(parse_pattern(section, "p.pattern").has_value());
  std::string text;
  for (int i = 0; i < 300; ++i) text += section; // 8 kB that claim 2.4 GB
  const auto pattern = parse_pattern(text, "p.pattern");
  ASSERT_FALSE(pattern.has_value());
  EXPECT_NE(pattern.error().text().find("p.pattern"), std::string::npos);
  EXPECT_NE(pattern.error().text().find("--limit"), std::string::npos);
}

TEST(PatternSearch, FindsOccurrencesAndWhatDiffers) {
  const SearchResult exact = search(chain(), wanted(given(kChain), chain()).value(), {});
  ASSERT_EQ(exact.ranks.size(), 4u);
  EXPECT_EQ(exact.total_distances, (std::vector<std::size_t>{0}));
  const SearchResult near = search(chain(), wanted(given(kChain), chain()).value(), {1, {}, false});
  EXPECT_TRUE(near.is_joined);
  EXPECT_EQ(near.total_distances, (std::vector<std::size_t>{0, 4, 4}));
  const auto& hits = near.ranks[1].hits;
  ASSERT_EQ(hits.size(), 3u);
  EXPECT_EQ(hits[0].occurrence, (Occurrence{1, 3, 0}));
  EXPECT_EQ(hits[1].edits[1].kind, Edit::Kind::kChanged);
  EXPECT_EQ(hits[2].edits[2].kind, Edit::Kind::kMissing);
  EXPECT_EQ(hits[2].occurrence.length, 2u);
}

TEST(PatternSearch, TotalDistanceBoundsAllRanksTogether) {
  const SearchResult result =
      search(chain(), wanted(given(kChain), chain()).value(), {1, 3, false});
  EXPECT_EQ(result.total_distances, (std::vector<std::size_t>{0}));
  for (const RankHits& rank : result.ranks) EXPECT_EQ(rank.hits.size(), 1u);
}

TEST(PatternSearch, SaysWhenRanksHaveDifferentNumbers) {
  // for the last rank two steps are one and the same, twice in a row
  const SearchResult result =
      search(chain(false), wanted(given(kChain), chain()).value(), {1, 3, false});
  EXPECT_FALSE(result.is_joined);
  EXPECT_TRUE(result.total_distances.empty());
  EXPECT_EQ(result.ranks[3].hits.size(), 2u);
  EXPECT_EQ(result.ranks[3].hits[0].place.executions, 2u);
}

// Who sent is known from the match, in the search too.
TEST(PatternSearch, FindsWhatWasFoundWithWildcards) {
  const trace::Trace trace = support::recorded(3, [](Caller& s) {
    for (int i = 0; i < 4; ++i) {
      s.call("MPI_Irecv", {{"count", 3},
                           {"datatype", kInt},
                           {"source", trace::kAnySource},
                           {"tag", 0},
                           {"comm", kWorld}});
      s.send((s.rank + 1) % 3, 3, kInt);
      s.call("MPI_Waitall", {});
    }
  });
  CommunicationPatterns found = communication_patterns(trace, {});
  ASSERT_EQ(found.patterns.size(), 1u);
  const CommunicationPattern pattern = found.patterns.front();
  const auto& stream = found.processes.streams[2];
  EXPECT_EQ(found.processes.events.text_of(stream.items[0].symbol), "irecv 1");
  const SearchResult result = search(trace, wanted(std::move(found), pattern), {});
  ASSERT_EQ(result.ranks.size(), 3u);
  for (const RankHits& rank : result.ranks) EXPECT_EQ(rank.hits.size(), 1u);
}

} // namespace
} // namespace rondo::patterns
