// SPDX-License-Identifier: Apache-2.0
// Merges recordings of ranks into one: ranks whose programs have the same terms become one class,
// with words as functions of the rank; definitions and tables are shared; times add up. Merging is
// done pairwise, in any order, so that it runs along a tree over MPI or over a list of files alike.
// Once all ranks are there, the classes' programs are aligned and become one with guards
// (docs/decisions/0009).
//
//   part.classes.push_back(class_of_stream(rank, 0, builder.finish()));
//   merge(part, std::move(other));
//   trace::Trace trace = resolve(std::move(part));
#pragma once

#include "rondo/fold/program_builder.hpp"
#include "rondo/trace/merged_program.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <utility>
#include <vector>

namespace rondo::fold {

/// Ranks that execute the same terms: the program has no guards, but its words may depend on the
/// rank in any of the ways that still hold.
struct PartClass {
  trace::MergedProgram program;
  std::vector<trace::PlaceTimes> times; // sorted by (call, before)
};

/// @param has_column  by loop of the stream's nest: its trip counts are a column, also if they are
///                    all equal, as other streams have a column there; may be shorter
PartClass class_of_stream(std::int64_t rank, std::uint32_t thread, StreamProgram&& stream,
                          const std::vector<bool>& has_column = {});

/// A recording of some of the ranks.
struct RecordingPart {
  trace::RunFacts run; // of the lowest rank
  std::vector<PartClass> classes;
  std::vector<std::pair<std::int64_t, trace::RankFacts>> ranks;
  std::vector<trace::TimeStamps> stamps; // in any order
  trace::Trace tables; // hosts, comms, groups, datatypes, sites and modules only
};

/// Adds the ranks of `from`, which `into` must not have yet.
/// @complexity   O(classes of one * size of the other), with words in O(items) where the ranks of
///               one stand behind those of the other, else O(ranks)
/// @source       [noeth2009, sec. 3.2] for merging along a tree; pairing programs of one shape and
///               joining their words as folded functions of the rank is ours
/// @param shares   false: each rank keeps a program of its own, to compare with
void merge(RecordingPart& into, RecordingPart&& from, bool shares = true);

/// Aligns the classes, decides how each word depends on the rank, and makes the trace. Ranks that
/// no part has told of are there as trace::Ending::kUnheard.
/// @complexity   O(classes * terms of the merged program * terms of a class) at worst
/// @source       [needleman1970] for the alignment; nests instead of sequences, and guards, are
/// ours
/// @param shares   as merge
trace::Trace resolve(RecordingPart&& part, bool shares = true);

} // namespace rondo::fold
