// SPDX-License-Identifier: Apache-2.0
// Which ranks a direction, or a place in a topology, stands for, and the words that say so of some
// ranks: "north and not west", "at the centre", "even".
#pragma once

#include "logical/places/names.hpp"
#include "rondo/logical/logical_program.hpp"
#include "rondo/logical/logical_text.hpp"
#include "rondo/trace/rank_set.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rondo::logical::internal {

/// A direction, and the ranks for which it leads somewhere.
struct Presence {
  std::string direction;
  trace::RankSet ranks;
  std::string condition{}; // in a guard, where the direction itself says too little
  bool has_opposite = true; // a guard may say that it leads nowhere
  std::size_t peer_topology = 0; // where both are
};

/// "in ocean", "not in ocean": of several programs the one that a rank runs.
bool names_program(std::string_view literal);

/// The other way round than LogicalProgram::cell_of_rank.
std::vector<std::size_t> rank_of_cell(const LogicalProgram& logical);

/// Of all directions of all peer topologies, with the cells as ranks.
/// @complexity  O(ranks * directions)
std::vector<Presence> presence_of(const LogicalProgram& logical, const Names& names);

/// What the text calls some cells where no direction tells them apart: "ranks 0-3", as ranks unless
/// the program says cells.
std::string ranks_text(const LogicalProgram& logical, const trace::RankSet& cells);

/// "west", "not west", "north and not west", "north or west": the shortest of these that holds for
/// `ranks` among `around`; else what `otherwise` says.
/// @complexity  O(directions squared * ranks)
std::string condition_of(const trace::RankSet& ranks, const trace::RankSet& around,
                         const std::vector<Presence>& directions,
                         const std::function<std::string(const trace::RankSet&)>& otherwise);

/// The same where it is asked for the same ranks again and again.
class KnownConditions {
public:
  /// @param directions  must outlive this
  KnownConditions(const std::vector<Presence>& directions,
                  std::function<std::string(const trace::RankSet&)> otherwise)
      : directions_(directions), otherwise_(std::move(otherwise)) {}

  /// @complexity  that of condition_of() the first time, then O(items of the sets)
  const std::string& of(const trace::RankSet& ranks, const trace::RankSet& around);

private:
  struct Known {
    trace::RankSet ranks;
    trace::RankSet around;
    std::string text;
  };
  const std::vector<Presence>& directions_;
  std::function<std::string(const trace::RankSet&)> otherwise_;
  std::unordered_multimap<std::uint64_t, Known> known_; // by a hash of both sets
};

/// Those of some ranks for whom a statement is, if it is in one direction or under a guard that
/// says one thing; else all of them.
trace::RankSet ranks_of(const Statement& statement, const trace::RankSet& ranks,
                        const std::vector<Presence>& directions);

/// The direction that a condition speaks of: "leaf" of "at the centre".
std::string direction_for(const std::string& condition);

} // namespace rondo::logical::internal
