// SPDX-License-Identifier: Apache-2.0
// A trace, whole or in the making, as FlatBuffers. Archives and parts share it.
#pragma once

#include "rondo/fold/program_builder.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::archive {

struct Image {
  trace::Trace trace;
  std::vector<std::int64_t> rank_ids; // of trace.ranks
  std::vector<std::vector<fold::PeerHypotheses>> peers; // by class; empty once resolved
};

std::string encode_program_section(const Image& image);
std::string encode_times_section(const trace::Trace& trace);

/// Nothing if the bytes are not what encode_* makes. Indices are not checked: see is_consistent.
std::optional<Image> decode_program_section(std::string_view bytes);
bool decode_times_section(std::string_view bytes, trace::Trace& trace);

/// Whether the tables of objects and hosts name ranks of a run of this size only.
bool are_tables_consistent(const trace::Trace& trace, std::int64_t ranks);

} // namespace rondo::archive
