// SPDX-License-Identifier: Apache-2.0
// Programs and their times as packed bytes; docs/formats/rondo.md gives the grammar.
#pragma once

#include "archive/packed.hpp"
#include "rondo/trace/merged_program.hpp"
#include "rondo/trace/rank_set.hpp"

namespace rondo::archive {

void pack(Packer& out, const trace::Nest& nest);
void pack(Packer& out, const trace::Column& column);
void pack(Packer& out, const trace::RankSequence& sequence);
void pack(Packer& out, const trace::RankSet& set);
void pack(Packer& out, const trace::MergedProgram& program);
/// Which places share their times; nothing if none does.
void pack_shared(Packer& out, const std::vector<trace::PlaceTimes>& places);
void pack(Packer& out, const std::vector<trace::RankRange>& ranges);
void pack_words(Packer& out, const std::vector<std::int64_t>& words);

// What an unpacker gives is checked to be consistent (indices, lengths, nests) only by
// is_consistent().
trace::Nest unpack_nest(Unpacker& in, int depth = 0);
trace::Column unpack_column(Unpacker& in, int depth = 0);
trace::RankSequence unpack_sequence(Unpacker& in);
trace::RankSet unpack_set(Unpacker& in);
std::vector<std::int64_t> unpack_words(Unpacker& in);
trace::MergedProgram unpack_program(Unpacker& in);
/// As version 2 of the file has them.
std::vector<trace::PlaceTimes> unpack_times(Unpacker& in);
void unpack_shared(Unpacker& in, std::vector<trace::PlaceTimes>& places);
std::vector<trace::RankRange> unpack_ranges(Unpacker& in);

/// Whether all ranks of the set are from 0 to ranks - 1. Nothing is unfolded.
bool is_set_within(const trace::RankSet& set, std::int64_t ranks);

/// True if all indices are in range, so that the program can be cut into those of its ranks.
/// @param sites   number of call sites in the trace
/// @param ranks   of the run
bool is_consistent(const trace::MergedProgram& program, std::size_t sites, std::int64_t ranks);

/// True if the program of a consistent merged one can be expanded without running off any column.
bool is_expandable(const trace::Program& program);

/// Whether the times are of calls that there are, each place once and in order, with means of as
/// many ranks as there are.
bool are_times_consistent(const std::vector<trace::PlaceTimes>& times, std::size_t calls,
                          std::int64_t ranks);

} // namespace rondo::archive
