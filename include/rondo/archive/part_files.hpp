// SPDX-License-Identifier: Apache-2.0
// What a recorder leaves on disk while the program runs, so that a run that never comes to
// MPI_Finalize is not lost: a folder OUTPUT.parts with files RUN.RANK.CHUNK.part. All chunks of a
// rank but the last are sealed; the last is written anew every second or so.
// docs/formats/parts.md has the layout.
#pragma once

#include "rondo/base/result.hpp"
#include "rondo/fold/merge.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::archive {

struct PartName {
  std::string run; // letters, digits, '-' and '_'
  std::int64_t rank = 0;
  std::uint32_t chunk = 0;
  std::string file() const;
};
std::optional<PartName> parse_part_name(std::string_view file);

std::string parts_folder(const std::string& output);
bool is_parts_folder(const std::string& path);

/// Writes the bytes of encode_part() under the name, by way of a temporary file; the folder is made
/// if need be. Survives the end of the process, not that of the machine.
Status write_part(const std::string& folder, const PartName& name, std::string_view encoded);
/// The same for the bytes of such a file.
Status write_part_file(const std::string& folder, const PartName& name, std::string_view bytes);
void remove_part(const std::string& folder, const PartName& name);

/// Everything that the ranks of one run left behind.
struct Collected {
  trace::Trace trace;
  std::vector<std::string> remarks; // what is missing or could not be read
  std::vector<std::string> files; // of this run in the folder; some may not exist
};

/// The runs in a folder of parts, the one written last first.
Result<std::vector<std::string>> runs_in(const std::string& folder);

/// Puts the parts of a run together. The trace is marked incomplete unless every rank finalized.
/// @error  kNotFound if there is no part of this run; kDamaged if none can be read
/// @complexity O(size of the parts); chunks of one rank are folded anew
Result<Collected> collect(const std::string& folder, const std::string& run,
                          const std::function<void(std::uint64_t, std::uint64_t)>& progress = {});

} // namespace rondo::archive
