// SPDX-License-Identifier: Apache-2.0
// What every reader of a foreign format gives back: a trace, and what the format does not say.
// Readers invent nothing: what the file is silent about stays open in the trace and is counted
// here.
#pragma once

#include "rondo/convert/processes.hpp"
#include "rondo/fold/program_builder.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

namespace rondo::convert {

/// Something that is open or was left out, and how often.
struct Remark {
  std::uint64_t count = 0;
  std::string what; // "receives from any source"
  std::string why; // "the trace does not say who sent"

  /// "receives from any source: 12; the trace does not say who sent"
  std::string text() const { return what + ": " + std::to_string(count) + "; " + why; }
};

/// Those that count something. "calls of NAME" are added for what was left out, by its name.
std::vector<Remark> counted_remarks(std::vector<Remark> remarks,
                                    const std::map<std::string, std::uint64_t>& left_out = {});

struct Imported {
  trace::Trace trace{};
  std::vector<Remark> remarks{}; // none with count 0
  bool is_elsewhere = false; // the first of several processes has all of it, this one nothing
};

/// Told of progress now and then, from any thread but never from two at a time. Bytes are those of
/// the input as it is read, that is, unpacked.
using Progress = std::function<void(std::uint64_t done_bytes, std::uint64_t total_bytes)>;

/// How a trace of another tool is taken in.
struct ImportOptions {
  /// Tuned to traces without call sites, where one shape of call stands for many places in the
  /// program: 8 to 13 gives the fewest terms on the NAS benchmarks.
  fold::ProgramOptions program{.times = true, .soften_after = 12, .keeps_frequent = true};
  bool all_times = false; // keeps those of every call as well
  bool merges = true; // false: each rank keeps a program of its own
  Progress progress{};
  Processes processes{}; // that read it together, where ranks have files of their own
};

} // namespace rondo::convert
