// SPDX-License-Identifier: Apache-2.0
// What an archive's bytes are spent on, for `rondo info`.
#pragma once

#include "rondo/archive/archive.hpp"
#include "rondo/trace/trace.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::present {

struct ArchiveSizes {
  std::vector<archive::SectionSize> contents;
  std::uint64_t calls = 0; // in the whole trace
  std::uint64_t timed_calls = 0; // that have times of their own
  std::uint64_t full_times_bytes = 0;

  std::uint64_t raw_bytes() const;
  double bytes_per_call() const; // of full times
};

/// @error  as archive::content_sizes
Result<ArchiveSizes> archive_sizes(std::string_view bytes, const std::string& file,
                                   const trace::Trace& trace);

/// One line for each kind of contents, and one for the times of every call.
std::vector<std::string> size_lines(const ArchiveSizes& sizes);

/// Adds the keys `contents` and, if there are any, `full_times`.
void add_sizes(nlohmann::json& json, const ArchiveSizes& sizes);

} // namespace rondo::present
