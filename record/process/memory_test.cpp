// SPDX-License-Identifier: Apache-2.0
// This program's own new and delete are those of record/process/memory.cpp.
#include "record/process/memory.hpp"

#include <atomic>
#include <gtest/gtest.h>
#include <random>
#include <thread>
#include <vector>

namespace rondo::record {
namespace {

struct Block {
  unsigned char* bytes;
  std::size_t size;
  unsigned char mark;
};

bool is_whole(const Block& block) {
  for (std::size_t i = 0; i < block.size; ++i) {
    if (block.bytes[i] != block.mark) return false;
  }
  return true;
}

// Takes and gives back blocks of all sizes in random order, each full of its mark.
bool churn(unsigned seed, int steps) {
  std::mt19937 random(seed);
  const std::size_t limits[] = {64, 300, 2000, 70000};
  std::vector<Block> blocks;
  bool sound = true;
  for (int i = 0; i < steps; ++i) {
    if (blocks.size() < 100 || (random() % 2 == 0 && blocks.size() < 4000)) {
      const std::size_t size = random() % limits[random() % 4] + 1;
      const auto mark = static_cast<unsigned char>(random());
      blocks.push_back({new unsigned char[size], size, mark});
      sound = sound && reinterpret_cast<std::uintptr_t>(blocks.back().bytes) % 16 == 0;
      std::fill_n(blocks.back().bytes, size, mark);
    } else {
      std::swap(blocks[random() % blocks.size()], blocks.back());
      sound = sound && is_whole(blocks.back());
      delete[] blocks.back().bytes;
      blocks.pop_back();
    }
  }
  for (const Block& block : blocks) {
    sound = sound && is_whole(block);
    delete[] block.bytes;
  }
  return sound;
}

struct alignas(128) Aligned {
  unsigned char bytes[128];
};

TEST(Memory, AlignedBlocksStandWhereTheyHaveToAndAreGivenBack) {
  std::vector<Aligned*> blocks;
  blocks.reserve(27);
  const std::size_t before = memory_in_use();
  for (std::size_t size = 1; size < 1000; size += 37) {
    blocks.push_back(new Aligned[size]());
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(blocks.back()) % 128, 0U) << size;
    EXPECT_GE(memory_in_use(), before + size * sizeof(Aligned));
  }
  for (const Aligned* block : blocks) delete[] block;
  EXPECT_EQ(memory_in_use() - before, 0U);
}

TEST(Memory, BlocksNeitherOverlapNorLeak) {
  const std::size_t before = memory_in_use();
  EXPECT_TRUE(churn(1, 200'000));
  EXPECT_EQ(memory_in_use(), before);
  EXPECT_GT(memory_peak(), before);
}

TEST(Memory, ThreadsShareIt) {
  std::atomic<int> sound = 0;
  {
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 4; ++i)
      threads.emplace_back([&sound, i] { sound += churn(i, 20'000) ? 1 : 0; });
    for (std::thread& thread : threads) thread.join();
  }
  EXPECT_EQ(sound, 4);
}

TEST(Memory, SizesAroundEveryClassFit) {
  for (std::size_t size = 0; size < 140'000; size += size < 2100 ? 1 : 509) {
    Block block{new unsigned char[size], size, 0x5a};
    Block next{new unsigned char[size], size, 0xa5};
    std::fill_n(block.bytes, size, block.mark);
    std::fill_n(next.bytes, size, next.mark);
    ASSERT_TRUE(is_whole(block)) << size;
    delete[] block.bytes;
    delete[] next.bytes;
  }
}

// The tables of a recording that does not fold grow and go chunk by chunk.
TEST(Memory, LargeBlocksAreKeptForTheNext) {
  constexpr std::size_t kSize = 3 << 20;
  auto* const first = new unsigned char[kSize];
  delete[] first;
  Block again{new unsigned char[kSize - 9000], kSize - 9000, 0x3c};
  EXPECT_EQ(again.bytes, first);
  std::fill_n(again.bytes, again.size, again.mark);
  const Block small{new unsigned char[100'000], 100'000, 0xc3}; // none of those that are too large
  std::fill_n(small.bytes, small.size, small.mark);
  EXPECT_TRUE(is_whole(again));
  delete[] small.bytes;
  delete[] again.bytes;
}

TEST(Memory, KeptBlocksAreBounded) {
  std::vector<unsigned char*> blocks;
  for (std::size_t i = 0; i < 200; ++i) blocks.push_back(new unsigned char[(i % 7 + 1) << 18]);
  const std::size_t held = memory_mapped();
  for (const unsigned char* block : blocks) delete[] block;
  EXPECT_LT(memory_mapped(), held - (std::size_t{150} << 20));
}

TEST(Memory, KeptBlocksGoFirstWhereMuchIsMapped) {
  constexpr std::size_t kMiB = std::size_t{1} << 20;
  watch_memory(memory_mapped() / 2 + 8 * kMiB, nullptr);
  const std::size_t most = memory_mapped() + 16 * kMiB;
  std::vector<std::vector<char>> blocks;
  for (int i = 0; i < 8; ++i) blocks.emplace_back(kMiB);
  blocks.clear(); // and are kept, where others were not before
  for (int i = 0; i < 5; ++i) blocks.emplace_back(3 * kMiB); // none of those fits
  EXPECT_LE(memory_mapped(), most);
  watch_memory(~std::size_t{0}, nullptr);
}

int alarms = 0;

TEST(Memory, AlarmIsRaisedAboveTheWatchedAmount) {
  watch_memory(memory_in_use() + (std::size_t{4} << 20), [] { ++alarms; });
  std::vector<std::vector<char>> blocks;
  for (int i = 0; i < 3; ++i) blocks.emplace_back(std::size_t{1} << 20);
  EXPECT_EQ(alarms, 0);
  for (int i = 0; i < 3; ++i) blocks.emplace_back(std::size_t{1} << 20);
  EXPECT_GT(alarms, 0);
  watch_memory(~std::size_t{0}, nullptr);
}

} // namespace
} // namespace rondo::record
