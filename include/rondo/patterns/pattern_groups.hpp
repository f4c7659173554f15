// SPDX-License-Identifier: Apache-2.0
// Process patterns of all ranks, those that are alike together: the same functions in the same
// order, with peers that are the same wherever they are the same on the other rank; those that are
// one rank for all, as the root of a gather by hand, are set apart from the others.
//
//   for (const PatternGroup& group : ranked(groups_of(found), RankBy::kTraffic)) use(group);
#pragma once

#include "rondo/patterns/process_patterns.hpp"
#include "rondo/patterns/rank_by.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace rondo::patterns {

struct PatternGroup {
  struct Member {
    std::size_t stream = 0; // index into ProcessPatterns::streams
    std::size_t pattern = 0;
  };
  std::vector<Member> members; // by rank
  trace::RankSet ranks;
  std::size_t length = 0; // events
  std::uint64_t executions = 0; // on the rank with most
  std::size_t places = 0; // likewise
  std::uint64_t bytes = 0; // of all ranks
  std::uint64_t inside_ns = 0;
  std::uint64_t calls = 0;
  bool is_tandem = false;
  bool is_maximal = false;
  bool is_supermaximal = false; // on each rank
  std::vector<bool> is_fixed; // for each event: its peers are the same ranks for all
  bool same_offsets = false; // the other peers are the same steps away on all ranks
};

/// @complexity  O(events of all patterns, log of their number)
std::vector<PatternGroup> groups_of(const ProcessPatterns& found);

/// The most important first; equal ones by traffic, length and order in the program.
std::vector<PatternGroup> ranked(std::vector<PatternGroup> groups, RankBy by);

/// What a group says beside those that come before it in a list: calls stand in several patterns.
struct Standing {
  enum class Kind : std::uint8_t {
    kOwn, // a quarter of its calls or bytes, and more, are in none before it
    kInner, // it follows itself within one of these, and is not like another inner one before it
    kOverlaps // another window of what these and their inner ones do
  };
  Kind kind = Kind::kOwn;
  std::size_t within = 0; // of an inner one: the group with most of its calls; an index
};
/// By group.
/// @complexity  O(events at all places of all groups)
std::vector<Standing> standings(const ProcessPatterns& found,
                                const std::vector<PatternGroup>& groups);

/// The events of a group as its first rank has them, in one line: "recv 3, 100 x {send 1, recv 2}".
/// Events that stand in inner loops have the number of their executions for one of the pattern, or
/// "varying".
/// @param most   events that are written out; behind them, how many more there are
std::string word_text(const ProcessPatterns& found, const PatternGroup& group, std::size_t most);

} // namespace rondo::patterns
