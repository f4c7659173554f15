// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/place_values.hpp"

#include "rondo/trace/program_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rondo::trace {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// A call in a loop that is entered `counts` times, with a tag for each time round:
//   loop: send; barrier; loop: send; ...
Program repeated(std::vector<std::int64_t> counts, std::vector<std::int64_t> tags) {
  Program program;
  const Function& send = *find_function("MPI_Send");
  Call call;
  call.function = send.id;
  call.words.assign(send.fields.size(), {Word::Form::kConstant, 0});
  for (std::size_t i = 0; i < send.fields.size(); ++i) {
    if (send.fields[i].kind == FieldKind::kTag) call.words[i] = {Word::Form::kColumn, 0};
  }
  Call barrier;
  barrier.function = find_function("MPI_Barrier")->id;
  barrier.words = {{Word::Form::kConstant, 0}};
  program.calls = {call, barrier};
  program.columns = {Column::from_values(std::move(tags))};
  std::vector<Term> top;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (i > 0) top.push_back(Term::symbol(1));
    top.push_back(Term::loop(0));
  }
  program.nest =
      Nest({{{Term::symbol(0)}, Column::from_values(std::move(counts))}}, std::move(top));
  return program;
}

// Terms of the whole are places 1, 2, ..., what is in the loop there 11, 12, ...
std::optional<std::uint32_t> place_in(std::optional<std::uint32_t> at, std::uint32_t term) {
  return at.value_or(0) == 0 ? 1 + term : 10 + *at;
}

TEST(PlaceValues, KnowTripCountsAndWordsOfEachPlace) {
  const Program program = repeated({3, 1, 2}, {5, 6, 7, 8, 9, 9});
  const PlaceValues values(program, 0, place_in);
  EXPECT_EQ(values.trip_counts(1), "3");
  EXPECT_EQ(values.trip_counts(3), "1");
  EXPECT_EQ(values.trip_counts(5), "2");
  EXPECT_EQ(values.trip_counts(2), std::nullopt); // the barrier
  std::size_t tag = 0;
  while (values.at(11, tag) == nullptr) ASSERT_LT(++tag, 8U);
  EXPECT_THAT(*values.at(11, tag), ElementsAre(5, 6, 7));
  EXPECT_THAT(*values.at(13, tag), ElementsAre(8));
  EXPECT_THAT(*values.at(15, tag), ElementsAre(9));
  EXPECT_TRUE(values.knows(15));
  EXPECT_FALSE(values.knows(2));
}

// What stands once has all that its column has.
TEST(PlaceValues, AreNotAskedOfWhatStandsOnce) {
  const PlaceValues values(repeated({3}, {5, 6, 7}), 0, place_in);
  EXPECT_EQ(values.trip_counts(1), std::nullopt);
  EXPECT_FALSE(values.knows(11));
}

TEST(PlaceValues, StandInTheTextOfAProgram) {
  Trace trace;
  trace.run.ranks = 1;
  RankClass c;
  c.ranks = RankSet::of({0});
  c.program = std::make_shared<const Program>(repeated({3, 1, 2}, {5, 6, 7, 8, 9, 9}));
  ProgramTextOptions options;
  options.times = false;
  const std::string text = program_text(trace, c, 0, options);
  EXPECT_THAT(text, HasSubstr("loop 3:\n"));
  EXPECT_THAT(text, HasSubstr("tag=<5..7>"));
  EXPECT_THAT(text, HasSubstr("loop 2:\n"));
  EXPECT_THAT(text, HasSubstr("tag=8,"));
  EXPECT_THAT(text, HasSubstr("tag=9,"));
  EXPECT_THAT(text, ::testing::Not(HasSubstr("loop 1")));
}

} // namespace
} // namespace rondo::trace
