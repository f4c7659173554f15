// SPDX-License-Identifier: Apache-2.0
// How often a program executes each of its calls with which words: one pass over the folded program
// for all ranks that share it.
#pragma once

#include "rondo/trace/program.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

namespace rondo::matrix::internal {

class PlaceWalk;
struct TopologyMaker;

/// A call with one choice of the words that matter for its traffic. Words are constants or relative
/// to the rank, never columns; all others are kNothing.
struct TalliedCall {
  const trace::Function* function = nullptr;
  std::vector<trace::Word> words;
  std::uint64_t executions = 0; // of a persistent request: starts
  /// Where it executes, of a persistent request: where it is started. From tally_of() the symbol of
  /// the call.
  std::uint32_t place = 0;
  /// Of a neighbourhood collective: who gave its communicator the process topology; nullptr where
  /// the communicator's slot says so.
  std::shared_ptr<const TopologyMaker> maker{};
};

struct Tally {
  std::vector<TalliedCall> calls;
  std::uint64_t unknown_starts = 0;
};

using IsWanted = std::function<bool(const trace::Function&)>;

/// Counts the sends, collectives and one-sided calls that are wanted. Calls that failed are left
/// out.
/// @param wanted     asked only for functions that move data
/// @param with_tags  calls with other tags are other calls
Tally tally_of(const trace::Program& program, const IsWanted& wanted, bool with_tags = false);

/// The same for each place of the program.
/// @param walk  through this program
Tally placed_tally_of(const trace::Program& program, const IsWanted& wanted, PlaceWalk& walk);

} // namespace rondo::matrix::internal
