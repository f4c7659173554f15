// SPDX-License-Identifier: Apache-2.0
// What each rank does in a loop: which calls of the source it makes, in which order, and whom each
// of them turns to.
#pragma once

#include "rondo/logical/logical_program.hpp"
#include "rondo/trace/call_reader.hpp"
#include "rondo/trace/merged_program.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

namespace rondo::logical::internal {

/// The calls of a loop as those of the source.
struct LoopCalls {
  /// A call of the source, which may be several merged ones that differ in their peers and tags.
  struct Call {
    std::set<std::uint32_t> merged;
    std::vector<std::size_t> peer_words;
    std::size_t first_turn = 0; // of LoopCallsOfRank::turns: that of its first peer word
  };
  std::vector<Call> calls;
  std::size_t turns = 0; // peer words of all
};

/// Nothing if the loop has too many calls, or each of them has one peer on each rank, or none.
std::optional<LoopCalls> calls_of_loop(const trace::MergedProgram& program, trace::Term loop);

/// The same of calls that stand one after the other, which may differ in tags, too.
std::optional<LoopCalls> calls_of_stretch(const trace::MergedProgram& program,
                                          std::span<const trace::Term> terms);

/// Words of a call that say which tags it has.
std::vector<std::size_t> tag_words_of(const trace::Function& function);

/// What one rank does in the loop the first time that it comes to it.
struct LoopCallsOfRank {
  std::int64_t cell = 0;
  std::vector<std::uint8_t> order; // of LoopCalls::calls
  /// Whom it turns to, by peer word and in the order of the calls: codes of peers, or kProcNull.
  std::vector<std::vector<std::int64_t>> turns;
  std::map<std::pair<std::ptrdiff_t, std::size_t>, std::vector<std::int64_t>>
      tags; // by LoopCalls::calls and word
};

/// What comes again so often, each time the same, once; false if it does not.
bool keep_once(LoopCallsOfRank& of, std::uint64_t times);

/// Nothing if it is another one each time that the rank comes to it, or if it makes these calls
/// elsewhere, too.
/// @param of       the rank's program
/// @param loop     as the merged program has it
/// @param entries  how often the rank comes to it
/// @complexity     O(calls of the rank in the loop), for at most 4096 of these
std::optional<LoopCallsOfRank> calls_of_rank(const LogicalProgram& logical,
                                             const trace::Projection& of, std::int64_t cell,
                                             std::uint32_t loop, std::uint64_t entries,
                                             const LoopCalls& calls);

/// The same of calls that stand one after the other, and in no loop of their own: whatever of them
/// the rank makes.
std::optional<LoopCallsOfRank> calls_of_rank(const LogicalProgram& logical,
                                             const trace::Projection& of, std::int64_t cell,
                                             std::uint64_t entries, const LoopCalls& calls);

} // namespace rondo::logical::internal
