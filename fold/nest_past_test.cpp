// SPDX-License-Identifier: Apache-2.0
#include "rondo/fold/nest_past.hpp"

#include <gtest/gtest.h>
#include <numeric>
#include <random>

namespace rondo::fold {
namespace {

using Symbols = std::vector<std::uint32_t>;

Symbols unchanged(std::uint32_t symbols) {
  Symbols names(symbols);
  std::iota(names.begin(), names.end(), 0);
  return names;
}

trace::Nest nest_pushed_so(const Symbols& stream) {
  NestBuilder builder;
  for (const std::uint32_t symbol : stream) builder.push(symbol);
  return builder.finish();
}

// Loops of a few symbols with something else in between.
Symbols some_stream(std::mt19937& random, std::size_t least) {
  Symbols stream;
  while (stream.size() < least) {
    Symbols body(1 + random() % 5);
    for (std::uint32_t& symbol : body) symbol = random() % 12;
    for (std::size_t times = 1 + random() % 9; times > 0; --times) {
      stream.insert(stream.end(), body.begin(), body.end());
      if (random() % 8 == 0) stream.push_back(random() % 12);
    }
  }
  return stream;
}

TEST(NestPast, RenamedStreamsFoldAsIfTheyHadBeenPushedSo) {
  std::mt19937 random(3);
  for (int round = 0; round < 10; ++round) {
    Symbols stream = some_stream(random, 9000);
    NestBuilder builder;
    NestPast past;
    const std::size_t first_not_noted =
        random() % 2 == 0 ? random() % stream.size() : stream.size();
    for (std::size_t i = 0; i < stream.size(); ++i) {
      builder.push(stream[i]);
      if (i != first_not_noted) past.note(stream[i], builder);
      if (random() % 1000 != 0) continue;
      Symbols names = unchanged(40);
      const std::uint32_t from = random() % 12;
      names[from] = 12 + random() % 28;
      Symbols used;
      past.rename(builder, names, [&](std::uint32_t symbol) { used.push_back(symbol); });
      Symbols expected;
      for (std::size_t k = 0; k <= i; ++k) {
        if (stream[k] == from) expected.push_back(from);
        stream[k] = names[stream[k]];
      }
      EXPECT_EQ(used, expected);
    }
    EXPECT_EQ(builder.finish(), nest_pushed_so(stream));
  }
}

// Otherwise a long program with many different calls is folded as often as it has such calls.
TEST(NestPast, WhatCameBeforeTheFirstRenamedSymbolIsNotPushedAgain) {
  std::mt19937 random(5);
  NestBuilder builder;
  NestPast past;
  const auto push = [&](std::uint32_t symbol) {
    builder.push(symbol);
    past.note(symbol, builder);
  };
  for (const std::uint32_t symbol : some_stream(random, 50'000)) push(symbol);
  for (std::uint32_t kind = 12; kind < 112; ++kind) {
    for (const std::uint32_t symbol : some_stream(random, 100)) push(symbol);
    push(kind);
    Symbols names = unchanged(212);
    names[kind] = kind + 100;
    past.rename(builder, names, [](std::uint32_t) {});
  }
  EXPECT_LT(past.pushed_again(), 10 * builder.size());
}

} // namespace
} // namespace rondo::fold
