// SPDX-License-Identifier: Apache-2.0
// The programs of many ranks as one: a loop nest whose terms have guards (the ranks that execute
// them) and whose words, trip counts and columns may depend on the rank.
//
//   merged.calls[i]        what a symbol stands for, and for whom
//   project(merged, rank)  the program of one rank
//   classes_of(merged)     the same for all ranks, those with one program together
//
// A rank executes a term if it is in the term's set and in those of all loops around it.
#pragma once

#include "rondo/trace/program.hpp"
#include "rondo/trace/rank_function.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rondo::trace {

struct MergedCall {
  Call call; // words may have the forms ...ByRank
  std::uint32_t set = 0; // index into the table's sets
  friend bool operator==(const MergedCall&, const MergedCall&) = default;
};

struct MergedLoop {
  std::vector<Term> body;
  /// kConstant: the same count each time; kByRank: that, by rank; kColumn, kColumnByRank: a column.
  Word trip_count;
  std::uint32_t set = 0;
  friend bool operator==(const MergedLoop&, const MergedLoop&) = default;
};

struct MergedProgram {
  std::uint32_t thread = 0; // of each rank
  RankTable table; // sets[0]: all ranks
  std::vector<MergedCall> calls;
  std::vector<MergedLoop> loops; // a loop stands after those in its body
  std::vector<Term> top;
  std::vector<Column> columns;
  std::vector<std::vector<std::int64_t>> arrays;
  std::vector<std::string> texts;

  const RankSet& ranks() const { return table.sets.front(); }
  /// Terms in the top sequence and in every loop's body.
  std::size_t terms() const;
  friend bool operator==(const MergedProgram&, const MergedProgram&) = default;
};

/// What one rank does, and how its calls and loops are numbered in the merged program.
struct Projection {
  Program program; // words that differ between ranks still do (Word::Form::kByRank)
  std::vector<std::uint32_t> calls; // symbol of the program -> index into merged.calls
  std::vector<std::uint32_t> loops;
};

/// @param table   of the merged program, for the words that stay open
/// @complexity    O(size of the program)
Projection project(const MergedProgram& merged, std::shared_ptr<const RankTable> table,
                   std::int64_t rank);

struct ProjectedClass {
  RankSet ranks;
  Projection projection; // of any of them
};

/// Groups the ranks by what they execute; in the order of their first ranks.
/// @param most_terms   of all classes together; nothing is the answer to a program with more
/// @complexity    O(ranks * sets and column choices + classes * size of the program)
std::vector<ProjectedClass> classes_of(const MergedProgram& merged,
                                       std::size_t most_terms = ~std::size_t{0});

} // namespace rondo::trace
