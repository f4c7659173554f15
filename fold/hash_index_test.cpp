// SPDX-License-Identifier: Apache-2.0
#include "rondo/fold/hash_index.hpp"

#include <gtest/gtest.h>
#include <vector>

namespace rondo::fold {
namespace {

TEST(HashIndex, FindsWhatWasAddedAndNothingElse) {
  HashIndex index;
  std::vector<std::uint64_t> keys;
  const auto find = [&](std::uint64_t key) {
    return index.find(key, [&](std::uint32_t number) { return keys[number] == key; });
  };
  EXPECT_EQ(find(0), HashIndex::kNone);
  for (std::uint32_t i = 0; i < 20'000; ++i) {
    const std::uint64_t key = std::uint64_t{i} << (i % 3 * 16); // side by side, and far apart
    if (find(key) != HashIndex::kNone) continue;
    keys.push_back(key);
    index.add(key, static_cast<std::uint32_t>(keys.size() - 1));
  }
  for (std::uint32_t i = 0; i < keys.size(); ++i) ASSERT_EQ(find(keys[i]), i);
  EXPECT_EQ(find(1ull << 60), HashIndex::kNone);
}

TEST(HashIndex, KeepsThingsOfOneHashApart) {
  HashIndex index;
  for (std::uint32_t i = 0; i < 100; ++i) index.add(7, i);
  for (std::uint32_t wanted = 0; wanted < 100; ++wanted)
    ASSERT_EQ(index.find(7, [&](std::uint32_t number) { return number == wanted; }), wanted);
  EXPECT_EQ(index.find(7, [](std::uint32_t) { return false; }), HashIndex::kNone);
}

TEST(HashIndex, ACopyIsItsOwn) {
  HashIndex index;
  for (std::uint32_t i = 0; i < 1000; ++i) index.add(i, i);
  HashIndex copy = index;
  for (std::uint32_t i = 1000; i < 3000; ++i) copy.add(i, i);
  const auto any = [](std::uint32_t) { return true; };
  EXPECT_EQ(index.find(2000, any), HashIndex::kNone);
  EXPECT_EQ(copy.find(2000, any), 2000u);
  EXPECT_EQ(copy.find(500, any), 500u);
}

// What a program that does not repeat adds with each call.
TEST(HashIndex, ForgetsAllAndKeepsItsMemory) {
  HashIndex index;
  for (std::uint32_t i = 0; i < 1000; ++i) index.add(i, i);
  const std::size_t memory = index.memory();
  index.clear();
  const auto any = [](std::uint32_t) { return true; };
  for (std::uint32_t i = 0; i < 1000; ++i) EXPECT_EQ(index.find(i, any), HashIndex::kNone);
  for (std::uint32_t i = 0; i < 1000; ++i) index.add(i, 2 * i);
  EXPECT_EQ(index.find(999, [](std::uint32_t number) { return number == 1998; }), 1998u);
  EXPECT_EQ(index.memory(), memory);
}

TEST(HashIndex, AnEntryTakesAtMostFourWords) {
  HashIndex index;
  for (std::uint32_t i = 0; i < 100'000; ++i) index.add(i, i);
  EXPECT_LE(index.memory(), 100'000u * 4 * sizeof(std::uint64_t));
}

} // namespace
} // namespace rondo::fold
