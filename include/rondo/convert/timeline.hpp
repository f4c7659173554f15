// SPDX-License-Identifier: Apache-2.0
// Writer of timelines for viewers: Perfetto's TrackEvents (.pftrace, .perfetto) and Chrome's JSON,
// which is for small traces. docs/formats/perfetto.md says what is in them.
//
//   TimelineOptions options;
//   options.format = TimelineFormat::kPerfetto;
//   auto remarks = convert::write_timeline(trace, "app.pftrace", options, Overwrite::kRefuse);
//
// Calls are written while they are read, so memory follows the requests and channels of one rank.
#pragma once

#include "rondo/base/files.hpp"
#include "rondo/base/result.hpp"
#include "rondo/trace/rank_set.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace rondo::convert {

/// Whether this build has the library that writes Perfetto's format. Chrome's needs none.
bool has_perfetto();

enum class TimelineFormat { kPerfetto, kChromeJson };

struct TimelineOptions {
  TimelineFormat format = TimelineFormat::kPerfetto;
  std::optional<trace::RankSet> ranks{}; // only these
  /// Only calls that are at least in part between these times, ns since the first rank's MPI_Init.
  std::uint64_t from_ns = 0;
  std::uint64_t until_ns = ~std::uint64_t{0};
};

/// A track for each rank and thread, a slice for each call, a flow from the call that sends a
/// message to the one that ends with its receipt. Without stamps times are reconstructed from the
/// means of each place, which the file and a remark say.
/// @return  what was reconstructed or left out, one sentence each
/// @error   kExists, kIo; kUnsupported: a build without the library
/// @complexity  O(calls)
Result<std::vector<std::string>> write_timeline(const trace::Trace& trace, const std::string& path,
                                                const TimelineOptions& options,
                                                Overwrite overwrite);

} // namespace rondo::convert
