// SPDX-License-Identifier: Apache-2.0
// A trace, whole or in the making, as FlatBuffers. Archives and parts share it.
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::archive {

struct Image {
  trace::Trace trace; // tables and programs; classes are the reader's business
  std::vector<std::int64_t> rank_ids; // of trace.ranks
};

using TimesOfClasses = std::vector<std::vector<trace::PlaceTimes>>;

std::string encode_program_section(const Image& image);
std::string encode_times_section(const TimesOfClasses& times);

/// Nothing if the bytes are not what encode_* makes. Indices are not checked: see is_consistent.
std::optional<Image> decode_program_section(std::string_view bytes);
std::optional<TimesOfClasses> decode_times_section(std::string_view bytes);

/// Whether the tables of objects and hosts name ranks of a run of this size only.
bool are_tables_consistent(const trace::Trace& trace, std::int64_t ranks);

} // namespace rondo::archive
