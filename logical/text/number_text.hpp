// SPDX-License-Identifier: Apache-2.0
// The numbers of a call or loop as the text has them: of ranks, as formulas in the rank where a
// short one holds, else from the least to the greatest.
#pragma once

#include "logical/text/word_values.hpp"
#include "rondo/logical/logical_program.hpp"
#include "rondo/logical/logical_text.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace rondo::logical::internal {

/// "1100|1300" of a few numbers, "3..5" of all from the least to the greatest; of others no more
/// than the least and the greatest, "120..130".
/// @param values  ascending; not empty
std::string numbers_text(const std::vector<std::int64_t>& values);

/// "rank-8..+9" of "rank+9", "rank-8" and what is between; empty if one of them is no distance.
std::string distances_text(const std::vector<std::string>& peers);

/// "rank < 4 ? 0 : undefined" of numbers or colours by cell; nothing if no short formula holds.
std::optional<std::string> formula_in_rank(const LogicalProgram& logical,
                                           const std::vector<std::size_t>& rank_of_cell,
                                           const std::map<std::int64_t, std::int64_t>& of_cell);

/// More than these are not few.
inline constexpr std::size_t kFewNumbers = 3;

class NumberText {
public:
  /// @param values        of `program`
  /// @param rank_of_cell  all references must outlive this
  NumberText(const LogicalProgram& logical, const trace::MergedProgram& program, Values& values,
             const std::vector<std::size_t>& rank_of_cell)
      : logical_(logical), program_(program), values_(values), rank_of_cell_(rank_of_cell) {}

  /// "120..130", "rank % 4", "any"; empty for what is not said.
  /// @param only           of a column, the values that are meant; nullptr: all
  /// @param keeps_by_cell  SaidWord::number_of_cell is wanted
  void say(SaidWord& said, const trace::MergedCall& merged, const trace::Field& field,
           std::size_t word, std::int64_t comm, const std::set<std::int64_t>* only,
           bool keeps_by_cell);

  /// "(rank % 3)" of a peer for each rank; nothing if no short formula holds.
  std::optional<std::string> peers(const std::map<std::int64_t, std::int64_t>& of_rank) const;

  /// As formula_in_rank() has it.
  std::optional<std::string> formula(const std::map<std::int64_t, std::int64_t>& of_cell) const;

  /// By cell, of a loop whose trip count depends on the rank.
  std::map<std::int64_t, std::int64_t> counts_of(const trace::MergedLoop& loop) const;

  /// Of trip counts by cell: "rank+1", or "[40 x3, 39]" in the order of the ranks; "neighbours" if
  /// the loop goes round as often as a rank has neighbours in the topology of the loop's messages.
  std::string by_rank(const std::map<std::int64_t, std::int64_t>& counts,
                      std::span<const Statement> body) const;

  /// "0..1 (all but the last)" of a loop in another one, if that holds each time for all ranks.
  /// @complexity  O(ranks * rounds); nothing of more than 2^22 rounds of all ranks together
  std::optional<std::string> at_ends(const trace::MergedLoop& loop,
                                     const trace::MergedLoop& around) const;

  /// Of trip counts in a column: "4 x125, 0", if that is short.
  std::string in_runs(const trace::MergedLoop& loop, const std::string& otherwise) const;

private:
  // "MPI_MODE_CREATE|MPI_MODE_WRONLY": values that MPI has names for.
  void say_by_name(SaidWord& said, const trace::MergedCall& merged, const trace::Field& field,
                   std::size_t word, std::int64_t comm, const std::set<std::int64_t>* only);
  // "rank == 0 ? MPI_ROOT : 0": the root in another group, as the ranks of one side say it.
  void say_root(SaidWord& said, const std::set<std::int64_t>& values,
                const std::set<std::int64_t>& between,
                const std::map<std::int64_t, std::int64_t>* of_rank) const;
  bool are_neighbours(const std::map<std::int64_t, std::int64_t>& counts,
                      std::span<const Statement> body) const;
  std::int64_t rank_of(std::int64_t cell) const {
    return static_cast<std::int64_t>(rank_of_cell_[static_cast<std::size_t>(cell)]);
  }

  const LogicalProgram& logical_;
  const trace::MergedProgram& program_;
  Values& values_;
  const std::vector<std::size_t>& rank_of_cell_;
};

} // namespace rondo::logical::internal
