// SPDX-License-Identifier: Apache-2.0
// The .rondo file: one recorded run. docs/formats/rondo.md has the layout.
//
//   auto trace = archive::read("app.rondo");
//   if (!trace) complain(trace.error().text());
#pragma once

#include "rondo/base/files.hpp"
#include "rondo/base/result.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::archive {

/// Grows when a reader of the old version would misread a file.
constexpr std::uint32_t kVersion = 6;
constexpr std::uint32_t kVersionOfPlacesThemselves = 5; // that do not expect those of the program
constexpr std::uint32_t kVersionOfFewPlaces = 4; // of files in which each time is exact
constexpr std::uint32_t kVersionOfFewThreads = 3; // and in which no threads do the same
constexpr std::uint32_t kFirstVersion = 2; // the first that is read: 1 was never released

struct SectionSize {
  std::string name; // "program", "times", "names" or "full_times"
  std::uint64_t stored_bytes = 0;
  std::uint64_t raw_bytes = 0;
};

/// The bytes of an archive. Free of exceptions of its own, for the recorder's sake.
std::string encode(const trace::Trace& trace);

/// @error  kFormat: no .rondo file; kNewerVersion; kDamaged with the offset: cut, bytes changed, or
///         contents that contradict each other
/// @param owner  keeps the bytes: times of single calls then stay in them and are not copied
Result<trace::Trace> decode(std::string_view bytes, const std::string& file = "",
                            const std::shared_ptr<const void>& owner = nullptr);

Result<trace::Trace> read(const std::string& path);
Status write(const trace::Trace& trace, const std::string& path, Overwrite overwrite);

/// `path` if there is no such file, else a name beside it that is free: app.1.rondo for app.rondo.
/// For recordings whose run is over, which must not be lost nor replace another.
std::string free_name(const std::string& path);

/// Sizes of the sections, from the file's head only.
Result<std::vector<SectionSize>> section_sizes(std::string_view bytes,
                                               const std::string& file = "");

/// What the archive consists of: "programs", "tables" and, if it has them, "times", "names" and
/// "full_times".
/// Programs and tables share a section, whose bytes are divided as if each was compressed by
/// itself.
/// @error  as decode
Result<std::vector<SectionSize>> content_sizes(std::string_view bytes,
                                               const std::string& file = "");

} // namespace rondo::archive
