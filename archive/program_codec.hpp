// SPDX-License-Identifier: Apache-2.0
// Programs and their times as packed bytes; docs/formats/rondo.md gives the grammar.
#pragma once

#include "archive/packed.hpp"
#include "rondo/trace/program.hpp"
#include "rondo/trace/rank_set.hpp"

namespace rondo::archive {

void pack(Packer& out, const trace::Nest& nest);
void pack(Packer& out, const trace::Column& column);
void pack(Packer& out, const trace::Program& program); // without times
void pack_times(Packer& out, const trace::Program& program);
void pack(Packer& out, const std::vector<trace::RankRange>& ranges);

// What an unpacker gives is checked to be consistent (indices, lengths, nests) only by
// is_consistent().
trace::Nest unpack_nest(Unpacker& in, int depth = 0);
trace::Column unpack_column(Unpacker& in, int depth = 0);
trace::Program unpack_program(Unpacker& in);
void unpack_times(Unpacker& in, trace::Program& program);
std::vector<trace::RankRange> unpack_ranges(Unpacker& in);

/// True if the program can be expanded without running off any table.
/// @param sites   number of call sites in the trace
bool is_consistent(const trace::Program& program, std::size_t sites);

} // namespace rondo::archive
