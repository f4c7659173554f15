// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/function_groups.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace rondo::trace {
namespace {

using testing::HasSubstr;

bool wants(const FunctionChoice& choice, std::string_view name) {
  return choice.wanted[find_function(name)->id];
}

TEST(FunctionGroups, OnlyAndSkipNarrowDown) {
  const auto choice = choose_functions("point-to-point,MPI_Barrier", "probe,MPI_Ssend");
  ASSERT_TRUE(choice);
  for (const char* name : {"MPI_Send", "MPI_Irecv", "MPI_Waitall", "MPI_Start", "MPI_Barrier"})
    EXPECT_TRUE(wants(*choice, name)) << name;
  for (const char* name : {"MPI_Probe", "MPI_Ssend", "MPI_Bcast", "MPI_Put", "MPI_Comm_dup"})
    EXPECT_FALSE(wants(*choice, name)) << name;
  EXPECT_EQ(choice->text, "only point-to-point,MPI_Barrier, without probe,MPI_Ssend");
}

TEST(FunctionGroups, AllIsWantedByDefaultAndTheFrameAlways) {
  const auto all = choose_functions("", "");
  ASSERT_TRUE(all);
  for (const Function& function : all_functions()) EXPECT_TRUE(all->wanted[function.id]);
  EXPECT_EQ(all->text, "");
  const auto io = choose_functions("io", "");
  EXPECT_TRUE(wants(*io, "MPI_Init") && wants(*io, "MPI_Finalize") && wants(*io, "MPI_Pcontrol") &&
              wants(*io, "rondo_phase_begin"));
  EXPECT_FALSE(wants(*io, "MPI_Send"));
}

TEST(FunctionGroups, EveryOtherFunctionIsInAGroup) {
  std::string names = function_group_names();
  std::erase(names, ' ');
  const auto none = choose_functions("", names);
  ASSERT_TRUE(none);
  for (const Function& function : all_functions()) {
    const bool is_frame = function.role == Role::kEnv || function.role == Role::kMarker;
    EXPECT_EQ(none->wanted[function.id], is_frame) << function.name;
  }
}

TEST(FunctionGroups, UnknownNamesAreRefusedWithTheKnownOnes) {
  for (const char* name : {"p2p", "MPI_Sand", "MPI_Init", "", "send,,recv"}) {
    const auto choice = choose_functions("io", name);
    if (std::string_view(name).empty()) {
      EXPECT_TRUE(choice);
      continue;
    }
    ASSERT_FALSE(choice) << name;
    EXPECT_THAT(choice.error().message, HasSubstr("point-to-point, send, recv"));
  }
}

} // namespace
} // namespace rondo::trace
