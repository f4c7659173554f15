// SPDX-License-Identifier: Apache-2.0
// Which calls of a run lie off the topology: what a logical program in the paper's sense loses.
//
//   const OffTopology off = off_topology(trace, logical);
//   LogicalText text = text_of(logical, &off);
#pragma once

#include "rondo/logical/logical_program.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <vector>

namespace rondo::logical {

/// Point-to-point calls of one function at one place of the source.
struct SiteAccuracy {
  std::uint32_t site = 0; // index into Trace::sites; bytes of a persistent request: of its start
  const trace::Function* function = nullptr;
  CallsAndBytes all;
  CallsAndBytes outside;
};

struct OffTopology {
  /// By merged program of LogicalProgram::cells and call: true if all of its peers are off the
  /// topology, or if it only completes such calls.
  std::vector<std::vector<bool>> left_out;
  std::vector<SiteAccuracy> sites; // most outside calls first, then most outside bytes
};

/// Whether so little is off the topology that the text is better without it: at most one call of a
/// hundred. More is a part of the program.
bool is_little_off(const Accuracy& accuracy);

/// Whether a text leaves out what is off the topology. One by the flow of control keeps it: a
/// statement is of many calls there, of which few are off.
bool leaves_out(const LogicalProgram& logical);

/// @param trace     that `logical` was made of
/// @complexity      O(calls of all ranks)
/// @source          [logicalization, sec. 5.2]
OffTopology off_topology(const trace::Trace& trace, const LogicalProgram& logical);

} // namespace rondo::logical
