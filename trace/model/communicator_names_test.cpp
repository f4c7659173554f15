// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/communicator_names.hpp"

#include "rondo/trace/functions.hpp"

#include <gtest/gtest.h>

namespace rondo::trace {
namespace {

// A call whose named words have these values; all else is left empty.
MergedCall call_of(const char* name,
                   const std::vector<std::pair<const char*, std::int64_t>>& words) {
  const Function& function = *find_function(name);
  MergedCall merged;
  merged.call.function = function.id;
  merged.call.words.resize(function.words(), {Word::Form::kConstant, kNothing});
  for (const auto& [field, value] : words)
    merged.call.words[static_cast<std::size_t>(function.word_of(field))].value = value;
  return merged;
}

Trace trace_with(std::vector<MergedCall> calls) {
  MergedProgram program;
  program.table.sets = {RankSet::of({0, 1})};
  program.calls = std::move(calls);
  program.texts = {"", "left half", "grid"};
  Trace trace;
  trace.run.ranks = 2;
  trace.programs.push_back(std::make_shared<const MergedProgram>(std::move(program)));
  return trace;
}

TEST(CommunicatorNames, SayHowOneWasMadeUnlessTheProgramNamesIt) {
  const CommunicatorNames names(
      trace_with({call_of("MPI_Comm_dup", {{"comm", kWorldSlot}, {"newcomm", 0}}),
                  call_of("MPI_Comm_split", {{"comm", kWorldSlot}, {"newcomm", 1}}),
                  call_of("MPI_Comm_split", {{"comm", kWorldSlot}, {"newcomm", 2}}),
                  call_of("MPI_Cart_create", {{"comm_old", kWorldSlot}, {"comm_cart", 3}}),
                  call_of("MPI_Comm_get_parent", {{"parent", 4}}),
                  call_of("MPI_Comm_set_name", {{"comm", 2}, {"comm_name", 1}})}));
  EXPECT_EQ(names.of(kWorldSlot), "MPI_COMM_WORLD");
  EXPECT_EQ(names.of(0), "dup#1");
  EXPECT_EQ(names.of(1), "split#1");
  EXPECT_EQ(names.of(2), "left_half"); // one word, so that it can be typed
  EXPECT_EQ(names.of(3), "cart#1");
  EXPECT_EQ(names.of(4), "parent#1");
  EXPECT_EQ(names.of(7), "comm#8"); // nobody saw it made
}

TEST(CommunicatorNames, SayWhoseRanksAreThoseOfTheWorld) {
  Trace trace = trace_with({});
  const auto define = [&](std::int64_t slot, RankRange members, std::vector<RankRange> remote) {
    trace.comms.push_back({slot, {members}, std::move(remote), RankSet::of({0, 1})});
  };
  define(0, {0, 1, 2}, {});
  define(1, {1, -1, 2}, {}); // the other way round
  define(2, {0, 1, 1}, {});
  define(3, {0, 1, 2}, {{-1, 0, 2}}); // with processes of another world
  define(4, {0, 1, 2}, {});
  define(4, {1, -1, 2}, {}); // on some ranks it is another one
  const CommunicatorNames names(trace);
  EXPECT_TRUE(names.is_numbered_as_world(kWorldSlot));
  EXPECT_FALSE(names.is_numbered_as_world(kSelfSlot));
  EXPECT_TRUE(names.is_numbered_as_world(0));
  for (const std::int64_t slot : {1, 2, 3, 4, 5}) EXPECT_FALSE(names.is_numbered_as_world(slot));
}

TEST(CommunicatorNames, AreNotThoseThatOnlySomeRanksGave) {
  const CommunicatorNames names(
      trace_with({call_of("MPI_Comm_split", {{"comm", kWorldSlot}, {"newcomm", 0}}),
                  call_of("MPI_Comm_set_name", {{"comm", 0}, {"comm_name", 1}}),
                  call_of("MPI_Comm_set_name", {{"comm", 0}, {"comm_name", 2}})}));
  EXPECT_EQ(names.of(0), "split#1");
}

TEST(CommunicatorNames, AreFoundAgain) {
  const CommunicatorNames names(
      trace_with({call_of("MPI_Comm_dup", {{"comm", kWorldSlot}, {"newcomm", 4}}),
                  call_of("MPI_Comm_dup", {{"comm", kWorldSlot}, {"newcomm", 6}}),
                  call_of("MPI_Comm_set_name", {{"comm", 4}, {"comm_name", 2}}),
                  call_of("MPI_Comm_set_name", {{"comm", 6}, {"comm_name", 2}})}));
  EXPECT_EQ(names.of(6), "grid#2");
  EXPECT_EQ(names.slot_of("grid"), 4);
  EXPECT_EQ(names.slot_of("grid#2"), 6);
  EXPECT_EQ(names.slot_of("MPI_COMM_SELF"), kSelfSlot);
  EXPECT_FALSE(names.slot_of("dup#1").has_value());
}

} // namespace
} // namespace rondo::trace
