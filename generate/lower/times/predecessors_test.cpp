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
  constexpr trace::Word kTwice{trace::Word::Form::kConstant, 2};
  result.loops.push_back({{Term::symbol(1), Term::symbol(2)}, kTwice, kEveryone});
  result.loops.push_back({{Term::loop(0), Term::symbol(3)}, kTwice, kEveryone});
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

// A pass of loop 1 is call 3, then loop 0 or not.
TEST(Predecessors, OfALoopThatMayHaveNoPassAreThoseBeforeItToo) {
  using Form = trace::Word::Form;
  trace::MergedProgram merged = program();
  merged.calls[3].set = kEveryone;
  merged.loops[1].body = {Term::symbol(3), Term::loop(0)};
  merged.loops[1].trip_count = {Form::kConstant, 5};
  merged.columns = {trace::Column::from_values({1, 2, 1}), trace::Column::from_values({1, 0, 1})};
  merged.loops[0].trip_count = {Form::kColumn, 0};
  EXPECT_EQ(Predecessors(merged).last_of(1), (Symbols{2}));
  merged.loops[0].trip_count = {Form::kColumn, 1};
  EXPECT_EQ(Predecessors(merged).last_of(1), (Symbols{2, 3}));
  merged.loops[0].trip_count = {Form::kConstant, 0};
  EXPECT_EQ(Predecessors(merged).last_of(1), (Symbols{2, 3}));
}

TEST(Predecessors, OfACallAreThoseOfItsPlace) {
  trace::MergedProgram merged = program();
  merged.top.push_back(Term::symbol(1));
  Predecessors predecessors(merged);
  EXPECT_EQ(predecessors.before(0, 2),
            (Symbols{2, 3})); // behind loop 1, of which ranks leave 3 out
  EXPECT_EQ(predecessors.before(0, 4), (Symbols{2}));
  EXPECT_EQ(predecessors.before(1, 1), (Symbols{1}));
  EXPECT_EQ(predecessors.before(1, 0), (Symbols{0, 2, 3, 4})); // of loop 0, wherever that stands
}

TEST(Predecessors, AreNoneAtTheBeginning) {
  trace::MergedProgram merged = program();
  merged.top.erase(merged.top.begin());
  Predecessors predecessors(merged);
  EXPECT_EQ(predecessors.before(1), Symbols());
}

} // namespace
} // namespace rondo::generate::internal
