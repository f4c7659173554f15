// SPDX-License-Identifier: Apache-2.0
#include "logical/folding/short_stacks.hpp"

#include "logical/folding/shortest_text.hpp"
#include "logical/folding/site_facts.hpp"
#include "logical/places/run_facts.hpp"
#include "tests/support/recorded.hpp"

#include <gtest/gtest.h>

namespace rondo::logical::internal {
namespace {

// main calls a helper at two places, and the helper sends.
trace::Trace sent_by_a_helper() {
  trace::Trace trace;
  trace.sites = {{"app", 10, 0}, {"app", 20, 0}, {"app", 90, 1}, {"app", 90, 2}};
  auto program = std::make_shared<trace::Program>();
  auto merged = std::make_shared<trace::MergedProgram>();
  for (const std::uint32_t site : {2, 3}) {
    trace::Call call;
    call.site = site;
    program->calls.push_back(call);
    merged->calls.push_back({});
    merged->calls.back().call = call;
  }
  trace.programs = {merged};
  trace.classes.push_back({trace::RankSet::of({0}), 0, program, 0, {0, 1}});
  trace.classes.push_back({trace::RankSet::of({1}), 0, program, 0, {0, 1}});
  return trace;
}

TEST(ShortStacks, JoinSitesWithTheSameInnermostFrames) {
  const trace::Trace trace = sent_by_a_helper();
  const auto cut = with_short_stacks(trace, 1);
  ASSERT_TRUE(cut);
  for (const trace::RankClass& of : cut->trace.classes) {
    EXPECT_EQ(of.program->calls[0].site, 2);
    EXPECT_EQ(of.program->calls[1].site, 2);
  }
  EXPECT_EQ(cut->trace.classes[0].program, cut->trace.classes[1].program);
  EXPECT_EQ(cut->trace.programs[0]->calls[1].call.site, 2);
  EXPECT_EQ(trace.classes[0].program->calls[1].site, 3) << "the trace itself stays as it is";
}

// Of the trace itself it is known already; what its calls go through is the same.
TEST(ShortStacks, TrafficIsThatOfTheShortenedTrace) {
  trace::Trace trace = support::recorded(4, [](support::Caller& s) {
    for (int step = 0; step < 5; ++step) {
      s.site = 2 + step % 2;
      s.send((s.rank + 1) % s.ranks, 8);
      s.receive((s.rank + s.ranks - 1) % s.ranks, 8);
      s.call("MPI_Barrier", {{"comm", support::kWorld}});
    }
  });
  trace.sites = sent_by_a_helper().sites;
  const auto cut = with_short_stacks(trace, 1);
  ASSERT_TRUE(cut);
  const matrix::LayeredTraffic known = with_short_stacks(matrix::layers_of(trace), trace, *cut);
  const matrix::LayeredTraffic found = matrix::layers_of(cut->trace);
  ASSERT_EQ(known.layers.size(), found.layers.size());
  ASSERT_FALSE(known.layers.empty());
  for (std::size_t i = 0; i < known.layers.size(); ++i) {
    EXPECT_EQ(known.layers[i].site, found.layers[i].site);
    EXPECT_EQ(known.layers[i].comm, found.layers[i].comm);
    EXPECT_EQ(known.layers[i].entries, found.layers[i].entries);
  }
  ASSERT_EQ(known.collectives.size(), found.collectives.size());
  for (std::size_t i = 0; i < known.collectives.size(); ++i)
    EXPECT_EQ(known.collectives[i].site, found.collectives[i].site);
}

TEST(ShortStacks, AreNothingNewWhereFramesTellAllSitesApart) {
  EXPECT_FALSE(with_short_stacks(sent_by_a_helper(), 2));
  trace::Trace flat = sent_by_a_helper();
  for (trace::CallSite& site : flat.sites) site.caller = 0;
  flat.sites[3].offset = 91;
  EXPECT_FALSE(with_short_stacks(flat, 1));
}

// Half is wanted of what whole stacks say.
TEST(ShortStacks, NoOtherWayIsTriedWhereTheFirstTextIsNoShorterThanAnother) {
  for (const bool has_sites : {false, true}) {
    const trace::Trace trace = support::recorded(6, [&](support::Caller& s) {
      const auto at = [&](std::uint32_t site) -> support::Caller& {
        s.site = has_sites ? site : 0;
        return s;
      };
      for (int step = 0; step < 20; ++step) {
        if (s.rank > 0) at(1).receive(s.rank - 1, 10);
        if (s.rank < s.ranks - 1) at(2).send(s.rank + 1, 10);
        if (s.rank < s.ranks - 1) at(3).receive(s.rank + 1, 10);
        if (s.rank > 0) at(4).send(s.rank - 1, 10);
      }
    });
    LogicalizeOptions options;
    options.for_text = true;
    std::size_t made = 0;
    const auto text_with = [&](std::size_t most_at_first) {
      internal::RunFacts facts(trace, false);
      internal::Shortest text =
          internal::shortest(trace, options, facts, false, false, {}, most_at_first);
      made = facts.programs_made();
      return text;
    };
    const internal::Shortest any = text_with(internal::kAnyEffort);
    const std::size_t made_for_any = made;
    EXPECT_EQ(text_with(any.first + 1).effort, any.effort);
    EXPECT_EQ(made, made_for_any);
    const internal::Shortest none = text_with(any.first);
    EXPECT_EQ(none.effort == internal::kAnyEffort, !has_sites) << "it could be by the flow";
    EXPECT_EQ(made < made_for_any, !has_sites);
  }
}

TEST(LengthOfSource, LeavesOutWhatOnlyLeadsToCalls) {
  trace::Trace trace = sent_by_a_helper();
  EXPECT_EQ(length_of_source(trace), 2U) << "the helper's calls, each by its caller";
  trace.sites[1].caller = 1; // main's first call leads to its second, which nobody records
  EXPECT_EQ(length_of_source(trace), 2U);
  trace.sites.push_back({"app", 95, 0});
  EXPECT_EQ(length_of_source(trace), 3U) << "without a stack all are counted";
}

} // namespace
} // namespace rondo::logical::internal
