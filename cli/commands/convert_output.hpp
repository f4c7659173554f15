// SPDX-License-Identifier: Apache-2.0
// What rondo convert writes, once the input is read.
#pragma once

#include "rondo/base/files.hpp"
#include "rondo/base/result.hpp"
#include "rondo/convert/detect.hpp"
#include "rondo/convert/processes.hpp"
#include "rondo/convert/timeline.hpp"
#include "rondo/trace/trace.hpp"

#include <string>

namespace rondo::cli {

struct ConvertOptions {
  std::string input;
  std::string output;
  std::string times; // empty: all that the input has
  std::string fold; // empty: as the input is
  std::string run;
  std::string to; // empty: by the output's extension
  double flops_per_second = 1e9;
  bool approximates = false;
  bool stamps = false; // the output has one for each call
  bool lists = false;
  std::string ranks; // "0-3,8"; empty: all
  std::string from, until; // times of calls; empty: all
  std::size_t jobs = 0; // cores to read with; 0: all
  std::string part; // "1/4"; empty: as a launcher says
  std::size_t wait_s = 120; // for other processes
  convert::Processes processes;
  bool force = false;
  bool resolve = false; // fill names in
  bool names = true; // keep those that there are
};

/// Says on stderr what was lost on the way.
/// @error  those of the writers
Status write_converted(const trace::Trace& trace, convert::OutputKind kind,
                       const ConvertOptions& options, Overwrite overwrite);

/// The part of a timeline that the options ask for.
/// @error  kUsage for ranks and times that are none
Result<convert::TimelineOptions> timeline_options(const ConvertOptions& options);

} // namespace rondo::cli
