// SPDX-License-Identifier: Apache-2.0
#include "generate/lower/times/predecessors.hpp"

#include <gtest/gtest.h>

namespace rondo::generate::internal {
namespace {

using trace::Term;
using Symbols = Predecessors::Symbols;

constexpr std::uint32_t kEveryone = 0;
constexpr std::uint32_t kFirst = 1; // rank 0 alone

// Loop 0 stands at the beginning of loop 1 and behind it.
trace::MergedProgram program() {
  trace::MergedProgram result;
  result.table.sets = {trace::RankSet::of({0, 1, 2}), trace::RankSet::of({0})};
  for (const std::uint32_t set : {kEveryone, kEveryone, kEveryone, kFirst, kEveryone})
    result.calls.push_back({{}, set});
  result.loops.push_back({{Term::symbol(1), Term::symbol(2)}, {}, kEveryone});
  result.loops.push_back({{Term::loop(0), Term::symbol(3)}, {}, kEveryone});
  result.top = {Term::symbol(0), Term::loop(1), Term::symbol(4), Term::loop(0)};
  return result;
}

TEST(Predecessors, EndAPassByRank) {
  const trace::MergedProgram merged = program();
  Predecessors predecessors(merged);
  EXPECT_EQ(predecessors.last_of(0), (Symbols{2}));
  EXPECT_EQ(predecessors.last_of(1), (Symbols{2, 3}));
}

TEST(Predecessors, AreThoseOfEveryPlaceWhereALoopStands) {
  const trace::MergedProgram merged = program();
  Predecessors predecessors(merged);
  EXPECT_EQ(predecessors.before(1), (Symbols{0}));
  EXPECT_EQ(predecessors.before(0), (Symbols{0, 2, 3, 4}));
}

TEST(Predecessors, AreNoneAtTheBeginning) {
  trace::MergedProgram merged = program();
  merged.top.erase(merged.top.begin());
  Predecessors predecessors(merged);
  EXPECT_EQ(predecessors.before(1), Symbols());
}

} // namespace
} // namespace rondo::generate::internal
