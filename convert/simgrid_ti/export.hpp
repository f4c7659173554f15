// SPDX-License-Identifier: Apache-2.0
// What all ranks of a trace have in common while it is written as actions, and what became of calls
// that no action says.
#pragma once

#include "convert/calls/spread_tags.hpp"
#include "rondo/trace/communicators.hpp"
#include "rondo/trace/computation.hpp"
#include "rondo/trace/functions.hpp"
#include "rondo/trace/resolved_receives.hpp"

#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <string_view>

namespace rondo::convert::internal {

constexpr std::int64_t kMostInt = std::numeric_limits<std::int32_t>::max(); // what SimGrid reads

struct Refusal {
  std::uint64_t times = 0;
  std::string_view lowered_as{}; // if it may be approximated; empty if not
};

struct Export {
  Export(const trace::Trace& written, double speed, bool lowers)
      : trace(written), comms(written), receives(written), flops_per_second(speed),
        approximates(lowers) {}

  const trace::Trace& trace;
  trace::Communicators comms;
  trace::ClassTimes times{};
  trace::ResolvedReceives receives;
  double flops_per_second;
  bool approximates; // calls that no action says become others
  SpreadTags tags{};
  std::map<std::string, Refusal> refused{}; // by call and why
  std::map<std::string, std::uint64_t> lowered{}; // call and what it became -> times
  std::map<std::string, std::uint64_t> left_out{}; // calls that cost nothing in a replay

  void spread_tags();
  void refuse(const trace::Function& function, std::string_view why);
  /// Whether a call is to become another; else it is refused.
  bool lowers(const trace::Function& function, std::string_view why, std::string_view as);
};

} // namespace rondo::convert::internal
