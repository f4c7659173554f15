// SPDX-License-Identifier: Apache-2.0
#include "archive/modelled_program.hpp"

#include "archive/program_codec.hpp"
#include "tests/support/random_spmd.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace rondo::archive {
namespace {

std::string packed(const trace::MergedProgram& program) {
  Packer out;
  pack(out, program);
  return std::move(out).bytes();
}

// A program of six ranks, with guards, functions, columns and loops in loops.
trace::MergedProgram random_program(std::uint64_t seed) {
  std::vector<fold::RecordingPart> parts;
  std::vector<std::size_t> order;
  for (const auto& rank : support::random_spmd(seed, 2, 3)) {
    order.push_back(parts.size());
    parts.push_back(rank->part());
  }
  return *fold::resolve(support::merged(std::move(parts), order)).programs.front();
}

std::string modelled(const std::string& bytes) { return pack_modelled_programs({bytes}); }

TEST(ModelledPrograms, ComeBackToTheByte) {
  std::size_t first = 0;
  std::size_t again = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const std::string bytes = packed(random_program(seed));
    const std::string other = packed(random_program(seed + 1));
    const std::string coded = pack_modelled_programs({bytes, other, bytes});
    const auto read = unpack_modelled_programs(coded, nullptr);
    EXPECT_EQ(read, (std::vector{bytes, other, bytes})) << "seed " << seed;
    EXPECT_EQ(packed_size_of(coded), 2 * bytes.size() + other.size());
    first += modelled(bytes).size();
    again += coded.size() - pack_modelled_programs({bytes, other}).size();
  }
  EXPECT_LT(again, first / 2) << "of programs that came before";
}

// What random programs have not.
TEST(ModelledPrograms, HaveLargeNumbersTextsAndColumnsOfAllKinds) {
  using trace::Column;
  trace::MergedProgram program = random_program(1);
  program.texts = {"", "mpi.info", "\xc3\xa9\xff"};
  program.arrays.push_back({std::numeric_limits<std::int64_t>::min() / 2,
                            std::numeric_limits<std::int64_t>::max(), -1, 0, trace::kNothing});
  const trace::Nest nest({{{trace::Term::symbol(0)}, Column::from_values({3, 9, 2})}},
                         {trace::Term::loop(0), trace::Term::symbol(1)});
  program.columns = {Column::from_runs({{7, 3}, {-8, std::uint64_t{1} << 60}}),
                     Column::from_values({1, 5, 2, 8}),
                     Column::from_differences(4, {1, -3}, nest, 17)};
  program.table.functions.emplace_back().modulo = -5;
  const std::string bytes = packed(program);
  EXPECT_EQ(unpack_modelled_programs(modelled(bytes), nullptr), std::vector{bytes});
}

// A long sequence that comes again takes next to nothing.
TEST(ModelledPrograms, FindPiecesThatComeAgain) {
  trace::MergedProgram program = random_program(2);
  program.calls.resize(200, program.calls.front());
  const std::size_t once = modelled(packed(program)).size();
  std::mt19937_64 random(5);
  std::vector<trace::Term> piece;
  for (int i = 0; i < 300; ++i)
    piece.push_back(
        trace::Term::symbol(static_cast<std::uint32_t>(random() % program.calls.size())));
  program.top.insert(program.top.end(), piece.begin(), piece.end());
  const std::size_t twice = modelled(packed(program)).size();
  for (int i = 0; i < 20; ++i) program.top.insert(program.top.end(), piece.begin(), piece.end());
  const std::size_t often = modelled(packed(program)).size();
  EXPECT_LT(often - twice, (twice - once) / 2);
}

TEST(ModelledPrograms, AreRefusedOrReadWithinTheirBudgetIfBytesAreLost) {
  const std::string bytes = modelled(packed(random_program(4)));
  const Budget small(std::uint64_t{1} << 24, std::uint64_t{1} << 22);
  for (std::size_t size = 1; size + 8 < bytes.size(); size += 13) {
    Budget budget = small;
    EXPECT_FALSE(unpack_modelled_programs(bytes.substr(0, size), &budget)) << size;
  }
  std::mt19937_64 random(3);
  for (int i = 0; i < 300; ++i) {
    std::string damaged = bytes;
    for (int n = 0; n < 3; ++n) damaged[random() % damaged.size()] = static_cast<char>(random());
    Budget budget = small;
    const auto read = unpack_modelled_programs(damaged, &budget);
    if (read) {
      EXPECT_EQ(packed_size_of(damaged), read->empty() ? 0 : read->front().size());
    }
  }
}

} // namespace
} // namespace rondo::archive
