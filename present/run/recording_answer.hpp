// SPDX-License-Identifier: Apache-2.0
// What rondo info says of a recording, for people and for programs.
#pragma once

#include "present/run/archive_sizes.hpp"
#include "rondo/archive/archive.hpp"
#include "rondo/base/result.hpp"
#include "rondo/sites/resolver.hpp"
#include "rondo/trace/trace.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::present {

struct Recording {
  trace::Trace trace;
  std::vector<archive::SectionSize> sections;
  ArchiveSizes sizes;
  std::uint64_t bytes = 0; // of the archive
};

/// As archive::decode(), with sizes.
Result<Recording> decode_recording(std::string_view bytes, const std::string& file,
                                   const std::shared_ptr<const void>& owner);

struct RecordingOptions {
  bool messages = false; // match sends with receives, which reads every call
  std::size_t sites = SIZE_MAX; // how many call sites are listed
};

/// Lines with a word in front; for a terminal, control characters shown.
std::string recording_text(const Recording& recording, sites::Resolver& resolver,
                           const RecordingOptions& options);

/// docs/cli.md has the keys.
nlohmann::json recording_json(const Recording& recording, sites::Resolver& resolver,
                              const RecordingOptions& options);

} // namespace rondo::present
