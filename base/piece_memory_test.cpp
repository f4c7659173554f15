// SPDX-License-Identifier: Apache-2.0
#include "rondo/base/piece_memory.hpp"

#include <cstdint>
#include <cstring>
#include <gtest/gtest.h>
#include <set>
#include <utility>

namespace rondo {
namespace {

TEST(PieceMemory, GivesPiecesThatAreApart) {
  PieceMemory memory;
  std::vector<unsigned char*> pieces;
  constexpr std::size_t kBytes = 100'000; // 2 MB is no multiple of it
  for (unsigned char i = 0; i < 60; ++i) {
    pieces.push_back(static_cast<unsigned char*>(memory.take(kBytes)));
    std::memset(pieces.back(), i, kBytes);
  }
  for (unsigned char i = 0; i < 60; ++i) {
    EXPECT_EQ(pieces[i][0], i);
    EXPECT_EQ(pieces[i][kBytes - 1], i);
  }
}

TEST(PieceMemory, TakesPiecesAgainThatCameBack) {
  PieceMemory memory;
  std::set<void*> taken;
  for (int i = 0; i < 5; ++i) taken.insert(memory.take(4096));
  for (void* const piece : taken) memory.give_back(piece, 4096);
  EXPECT_FALSE(taken.contains(memory.take(64))); // of another size
  std::set<void*> again;
  for (int i = 0; i < 5; ++i) again.insert(memory.take(4096));
  EXPECT_EQ(again, taken);
}

TEST(PieceMemory, HasPiecesLargerThanAPageAndOnesThatAreAligned) {
  PieceMemory memory;
  for (const std::size_t bytes : {std::size_t{1}, std::size_t{5} << 20, std::size_t{24}}) {
    auto* const piece = static_cast<unsigned char*>(memory.take(bytes));
    std::memset(piece, 1, bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(piece) % alignof(std::max_align_t), 0u);
  }
}

TEST(PieceMemory, BeginsAnewWhenItWasMoved) {
  PieceMemory memory;
  auto* const piece = static_cast<int*>(memory.take(sizeof(int)));
  *piece = 7;
  const PieceMemory other = std::move(memory);
  memory = {};
  auto* const next = static_cast<int*>(memory.take(sizeof(int)));
  *next = 8;
  EXPECT_EQ(*piece, 7);
}

} // namespace
} // namespace rondo
