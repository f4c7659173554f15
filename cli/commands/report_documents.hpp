// SPDX-License-Identifier: Apache-2.0
// What the commands say with `--json` and without other options, for the report: its numbers are
// theirs since they come from the same functions. Each stands in the file of its command.
#pragma once

#include "rondo/base/result.hpp"
#include "rondo/sites/resolver.hpp"
#include "rondo/trace/trace.hpp"

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace rondo::cli {

struct InfoDocument {
  nlohmann::json json; // rondo info F
  trace::Trace trace; // for those below
};

/// @error  those of reading the file
Result<InfoDocument> info_document(const std::string& file);

/// rondo efficiency F, with `doubts`: sentences to read before the numbers; `by_rank` as columns.
/// @param plays  false: factors that need the run to be played, and waits, are left out
nlohmann::json efficiency_document(const std::string& file, const trace::Trace& trace,
                                   sites::Resolver& resolver, bool plays);

/// rondo efficiency A B ..., without what needs the runs to be played.
nlohmann::json scaling_document(const std::vector<std::string>& names,
                                const std::vector<const trace::Trace*>& traces);

/// rondo logical F --sites, with `sites` of each call: all its call sites, as the folded program
/// has them.
nlohmann::json logical_document(const trace::Trace& trace, sites::Resolver& resolver);

/// rondo patterns F --communication
nlohmann::json patterns_document(const trace::Trace& trace, sites::Resolver& resolver);

/// rondo simulate F --latency ... --bandwidth ..., for networks between a slow Ethernet and the
/// fastest that is sold; `why_not` if the run cannot be played.
nlohmann::json sweep_document(const trace::Trace& trace);

/// Gives back to the system what nothing uses any more: analyses that come one after another leave
/// holes in which the next finds no place. Here, as the Python module has this and not the
/// program's limit.
void release_memory();

} // namespace rondo::cli
