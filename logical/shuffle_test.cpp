// SPDX-License-Identifier: Apache-2.0
// A run whose ranks had other numbers has the same logical program, byte by byte.
#include "rondo/convert/simgrid_ti.hpp"
#include "rondo/logical/logical_text.hpp"
#include "tests/support/chosen_cases.hpp"
#include "tests/support/recorded.hpp"
#include "tests/support/shuffled.hpp"
#include "tests/support/spmd.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <numeric>
#include <random>

namespace rondo::logical {
namespace {

std::vector<std::int64_t> permutation(std::int64_t ranks, unsigned seed) {
  std::vector<std::int64_t> result(static_cast<std::size_t>(ranks));
  std::iota(result.begin(), result.end(), std::int64_t{0});
  std::mt19937 random(seed);
  for (std::size_t i = result.size(); i > 1; --i) std::swap(result[i - 1], result[random() % i]);
  return result;
}

std::string program_of(const trace::Trace& trace) {
  return logical_text(logical::text_of(logicalize(trace, {.says_cells = true}), nullptr),
                      {.times = false});
}

// Under eight permutations, of which a test run looks at one of `every` (chosen_cases.hpp).
void expect_the_same_text(const trace::Trace& trace, std::uint64_t every = 1) {
  const std::string text = program_of(trace);
  for (unsigned seed = 1; seed <= 8; ++seed) {
    if (!support::is_chosen(seed, false, every)) continue;
    EXPECT_EQ(program_of(support::shuffled(trace, permutation(trace.run.ranks, seed))), text)
        << seed;
  }
}

class ShuffledRun : public testing::TestWithParam<const char*> {};

TEST_P(ShuffledRun, HasTheSameLogicalProgram) {
  const char* folder = std::getenv("RONDO_TEST_DATA");
  if (folder == nullptr) GTEST_SKIP() << "RONDO_TEST_DATA is not set";
  const auto imported =
      convert::read_simgrid_ti(std::string(folder) + "/ti/" + GetParam() + ".tar.zst", {});
  ASSERT_TRUE(imported) << imported.error().text();
  expect_the_same_text(imported->trace, 4);
}

INSTANTIATE_TEST_SUITE_P(Nas, ShuffledRun,
                         testing::Values("lu.A.8", "bt.A.16", "sp.A.16", "cg.A.16", "cg.B.16",
                                         "mg.A.16"),
                         [](const auto& run) {
                           std::string name = run.param;
                           for (char& c : name) c = c == '.' ? '_' : c;
                           return name;
                         });

// Sweeps from one corner to the other and back, as LU has them.
TEST(ShuffledRun, OfAWavefrontHasTheSameLogicalProgram) {
  expect_the_same_text(support::recorded(12, [](support::Caller& s) {
    const std::int64_t row = s.rank / 4, column = s.rank % 4;
    const auto receive = [&](std::int64_t from, std::uint32_t site) {
      s.site = site;
      s.call("MPI_Recv", {{"count", 3},
                          {"datatype", support::kDouble},
                          {"source", from},
                          {"tag", 0},
                          {"comm", support::kWorld}});
    };
    const auto send = [&](std::int64_t to, std::uint32_t site) {
      s.site = site;
      s.send(to, 3);
    };
    for (int i = 0; i < 30; ++i) {
      if (row > 0) receive(s.rank - 4, 1);
      if (column > 0) receive(s.rank - 1, 2);
      if (row < 2) send(s.rank + 4, 3);
      if (column < 3) send(s.rank + 1, 4);
    }
    for (int i = 0; i < 30; ++i) {
      if (row < 2) receive(s.rank + 4, 5);
      if (column < 3) receive(s.rank + 1, 6);
      if (row > 0) send(s.rank - 4, 7);
      if (column > 0) send(s.rank - 1, 8);
    }
  }));
}

// Exchanges with the partner in each bit, with messages of half the size each time, and back.
TEST(ShuffledRun, OfAVCycleHasTheSameLogicalProgram) {
  const trace::Trace trace = support::recorded(16, [](support::Caller& s) {
    const auto exchange = [&](std::int64_t bit, std::uint32_t site) {
      s.site = site;
      s.send(s.rank ^ bit, 16 / bit);
      s.site = site + 1;
      s.call("MPI_Recv", {{"count", 16 / bit},
                          {"datatype", support::kDouble},
                          {"source", s.rank ^ bit},
                          {"tag", 0},
                          {"comm", support::kWorld}});
    };
    for (int i = 0; i < 10; ++i) {
      for (std::int64_t bit = 1; bit < 16; bit *= 2) exchange(bit, 1);
      for (std::int64_t bit = 8; bit > 0; bit /= 2) exchange(bit, 3);
    }
  });
  expect_the_same_text(trace);
}

// A torus, then a tree whose directions are partly those of the torus: each call keeps to one.
TEST(ShuffledRun, OfSeveralTopologiesHasTheSameLogicalProgram) {
  const trace::Trace trace = support::recorded(16, [](support::Caller& s) {
    const auto receive = [&](std::int64_t from, std::uint32_t site) {
      s.site = site;
      s.call("MPI_Recv", {{"count", 1},
                          {"datatype", support::kDouble},
                          {"source", from},
                          {"tag", 0},
                          {"comm", support::kWorld}});
    };
    const auto send = [&](std::int64_t to, std::uint32_t site) {
      s.site = site;
      s.send(to, 1);
    };
    const std::int64_t row = s.rank / 4 * 4, column = s.rank % 4;
    for (int i = 0; i < 20; ++i) {
      send(row + (column + 1) % 4, 1);
      receive(row + (column + 3) % 4, 2);
      send((s.rank + 4) % 16, 3);
      receive((s.rank + 12) % 16, 4);
      std::int64_t bit = 1;
      for (; bit < 16 && (s.rank & bit) == 0; bit *= 2) receive(s.rank + bit, 5);
      if (bit < 16) send(s.rank - bit, 6);
    }
  });
  const std::string text = program_of(trace);
  EXPECT_NE(text.find("binomial tree"), std::string::npos) << text;
  EXPECT_NE(text.find("recv child 0, child 1, child 2, child 3 1 double"), std::string::npos)
      << text;
  EXPECT_NE(text.find("  phase 1: on 4x4 torus\n"), std::string::npos) << text;
  EXPECT_NE(text.find("  phase 2: on binomial tree of 16 ranks\n"), std::string::npos) << text;
  expect_the_same_text(trace);
}

class ShuffledPattern : public testing::TestWithParam<support::Pattern> {};

TEST_P(ShuffledPattern, HasTheSameLogicalProgram) {
  std::vector<fold::RecordingPart> parts;
  for (const auto& rank : support::run(GetParam(), 16)) parts.push_back(rank->part());
  std::vector<std::size_t> order(parts.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  expect_the_same_text(fold::resolve(support::merged(std::move(parts), order)));
}

INSTANTIATE_TEST_SUITE_P(Hand, ShuffledPattern, testing::ValuesIn(support::kPatterns),
                         [](const auto& pattern) { return support::name_of(pattern.param); });

} // namespace
} // namespace rondo::logical
