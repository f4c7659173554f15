// SPDX-License-Identifier: Apache-2.0
#include "present/patterns/pattern_kinds.hpp"

#include "tests/support/recorded.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <numeric>

namespace rondo::present {
namespace {

using support::Caller;
using support::kInt;
using support::kWorld;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

// The ranks swap in pairs; each pair is a pattern of its own, since it swaps another number of
// times.
trace::Trace pairs(std::int64_t count, std::int64_t light_from) {
  return support::recorded(static_cast<int>(2 * count), [=](Caller& s) {
    const std::int64_t pair = s.rank / 2;
    const std::int64_t partner = s.rank ^ 1;
    const std::int64_t elements = pair < light_from ? 1000 * (count - pair) : 1;
    for (std::int64_t i = 0; i < 10 + pair; ++i) {
      s.send(partner, elements, kInt);
      s.call("MPI_Recv", {{"count", elements},
                          {"datatype", kInt},
                          {"source", partner},
                          {"tag", 0},
                          {"comm", kWorld}});
    }
  });
}

struct Found {
  explicit Found(const trace::Trace& trace)
      : patterns(patterns::communication_patterns(trace, {})), chosen(patterns.patterns.size()),
        resolver(trace) {
    std::iota(chosen.begin(), chosen.end(), std::size_t{0});
  }
  patterns::CommunicationPatterns patterns;
  std::vector<std::size_t> chosen;
  sites::Resolver resolver;
};

TEST(PatternKinds, WhatIsAlikeStandsTogether) {
  const trace::Trace trace = pairs(4, 4);
  Found found(trace);
  ASSERT_EQ(found.chosen.size(), 4u);
  const PatternKinds kinds = kinds_of(trace, found.patterns, found.chosen, found.resolver);
  ASSERT_EQ(kinds.shown.size(), 1u);
  EXPECT_EQ(kinds.shown[0].name, "pair exchange");
  EXPECT_THAT(kinds.shown[0].patterns, ElementsAre(0, 1, 2, 3));
  EXPECT_EQ(kinds.left_out, 0u);
  const std::string others = others_text(found.patterns, kinds, kinds.shown[0]);
  EXPECT_THAT(others,
              HasSubstr("3 more of this kind (pair exchange in program): number 2 (264 kB, 30 %"));
  EXPECT_EQ(left_out_text(kinds), "--all shows each pattern on its own, with its ranks\n");
}

// The lightest are left out only as long as they are a hundredth together.
TEST(PatternKinds, LightOnesAreCounted) {
  const trace::Trace trace = pairs(12, 8);
  Found found(trace);
  ASSERT_EQ(found.chosen.size(), 12u);
  const PatternKinds kinds = kinds_of(trace, found.patterns, found.chosen, found.resolver);
  ASSERT_EQ(kinds.shown.size(), 1u);
  EXPECT_EQ(kinds.shown[0].patterns.size(), 8u);
  EXPECT_EQ(kinds.left_out, 4u);
  EXPECT_EQ(kinds.left_out_bytes, 2u * 4 * (18 + 19 + 20 + 21));
  EXPECT_EQ(left_out_text(kinds),
            "4 lighter ones with <0.1 % of all bytes together; --all shows each on its own\n");
  EXPECT_THAT(others_text(found.patterns, kinds, kinds.shown[0]),
              HasSubstr("; 3 with 840 kB at most\n"));
  const PatternKinds all =
      kinds_of(trace, found.patterns, found.chosen, found.resolver, {.most_with_light = 0});
  EXPECT_EQ(all.shown[0].patterns.size(), 12u);
}

} // namespace
} // namespace rondo::present
