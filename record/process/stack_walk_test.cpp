// SPDX-License-Identifier: Apache-2.0
#include "record/process/stack_walk.hpp"

#include <alloca.h>
#include <array>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <gtest/gtest.h>
#include <stdexcept>
#include <thread>
#include <ucontext.h>
#include <unwind.h>
#include <vector>

namespace rondo::record {
namespace {

using Addresses = std::vector<std::uintptr_t>;

constexpr std::size_t kMost = 200;

struct Found {
  Addresses ours;
  Addresses theirs; // of libgcc's unwinder
  bool is_simple = false;
};

Found found;
StackWalk walk; // rules are kept from one test to the next, as in a program
std::uintptr_t end_of_program = 0; // what called the test is not looked at

_Unwind_Reason_Code visit(_Unwind_Context* context, void* data) {
  auto& addresses = *static_cast<Addresses*>(data);
  addresses.push_back(_Unwind_GetIP(context));
  return addresses.size() < kMost ? _URC_NO_REASON : _URC_END_OF_STACK;
}

// The frames of its caller and outwards.
[[gnu::noinline]] void look() {
  found = {};
  _Unwind_Backtrace(visit, &found.theirs);
  found.is_simple = walk.walk([&](std::uintptr_t address) {
    found.ours.push_back(address);
    return address != end_of_program && found.ours.size() < kMost;
  });
  // Theirs begins with a frame of this function.
  found.theirs.erase(found.theirs.begin());
  if (found.is_simple && found.theirs.size() > found.ours.size())
    found.theirs.resize(found.ours.size());
}

void expect_the_same(std::size_t least) {
  EXPECT_TRUE(found.is_simple);
  EXPECT_GE(found.ours.size(), least);
  EXPECT_EQ(found.ours, found.theirs);
}

// Compilers shall leave what is called here, and behind it something to do.
template <class Function> [[gnu::noinline]] int call(Function function) {
  function();
  asm volatile("" ::: "memory");
  return 1;
}

class Stacks : public testing::Test {
protected:
  // Runs it below a frame whose return address ends the walks.
  template <class Function> [[gnu::noinline]] void below(Function function) {
    end_of_program = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
    call(function);
    asm volatile("" ::: "memory");
  }
};

[[gnu::noinline]] int recursive(int depth) {
  if (depth == 0) return call(look);
  std::array<char, 40> place{};
  asm volatile("" : : "r"(place.data()) : "memory");
  return recursive(depth - 1) + place[3];
}

[[gnu::noinline]] int with_room(std::size_t bytes) { // its frame has no fixed size
  auto* const room = static_cast<char*>(alloca(bytes));
  room[bytes - 1] = 1;
  asm volatile("" : : "r"(room) : "memory");
  call(look);
  return room[bytes - 1];
}

[[gnu::noinline]] int with_rooms(int depth) {
  auto* const room = static_cast<char*>(alloca(static_cast<std::size_t>(depth) * 100 + 1));
  room[depth] = 1;
  asm volatile("" : : "r"(room) : "memory");
  return (depth == 0 ? with_room(33) : with_rooms(depth - 1)) + room[depth];
}

TEST_F(Stacks, AreThoseOfTheUnwinder) {
  for (int round = 0; round < 2; ++round) { // worked out, and kept
    below([] { recursive(12); });
    expect_the_same(14);
  }
}

TEST_F(Stacks, FramesThatGrowAreFollowedWhateverTheirSize) {
  for (const std::size_t bytes : {10UL, 5000UL, 100UL, 12345UL}) {
    below([&] { with_room(bytes); });
    expect_the_same(3);
    below([&] { with_rooms(3); }); // of which compilers may make fewer frames
    expect_the_same(5);
  }
}

TEST_F(Stacks, LibrariesInBetweenAreFollowed) {
  below([] {
    std::array<int, 2> values{2, 1};
    std::qsort(values.data(), values.size(), sizeof(int),
               [](const void*, const void*) { return call(look); });
  });
  expect_the_same(4);
  const std::function<void()> inner = [] { recursive(2); };
  below([&] { call(inner); });
  expect_the_same(6);
}

TEST_F(Stacks, FunctionsWithCleanUpAreFollowed) {
  below([] {
    const std::vector<int> room(7, 1); // freed if something is thrown
    try {
      recursive(room[3]);
    } catch (const std::runtime_error&) {
      FAIL();
    }
  });
  expect_the_same(4);
}

TEST_F(Stacks, ThreadsHaveStacksOfTheirOwn) {
  std::thread thread([&] { below([] { recursive(5); }); });
  thread.join();
  expect_the_same(7);
}

TEST_F(Stacks, SignalsAreLeftToTheUnwinder) {
  below([] {
    std::signal(SIGUSR1, [](int) { call(look); });
    std::raise(SIGUSR1);
    std::signal(SIGUSR1, SIG_DFL);
  });
  EXPECT_FALSE(found.is_simple);
}

TEST_F(Stacks, StacksOfTheProgramsOwnAreLeftToTheUnwinder) {
  static ucontext_t before;
  static ucontext_t own;
  std::vector<char> stack(std::size_t{1} << 16);
  ASSERT_EQ(getcontext(&own), 0);
  own.uc_stack.ss_sp = stack.data();
  own.uc_stack.ss_size = stack.size();
  own.uc_link = &before;
  makecontext(
      &own, [] { look(); }, 0);
  ASSERT_EQ(swapcontext(&before, &own), 0);
  EXPECT_FALSE(found.is_simple);
  EXPECT_TRUE(found.ours.empty());
}

TEST(FrameRules, ThereAreNoneWithoutTables) {
  EXPECT_FALSE(frame_rule_at(16).is_simple);
  static const std::array<char, 64> kData{};
  EXPECT_FALSE(frame_rule_at(reinterpret_cast<std::uintptr_t>(kData.data()) + 8).is_simple);
}

} // namespace
} // namespace rondo::record
