// SPDX-License-Identifier: Apache-2.0
// Words that several texts have: how many of something there are, and which run a picture is of.
//
//   count_of(12, "rank");                // "12 ranks"
//   counted(3400, "pair", "pairs");      // "3.4 k pairs"
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <string>

namespace rondo::present {

/// "1 rank", "12 ranks".
std::string count_of(std::uint64_t count, const std::string& noun);

/// "1 pair", "2 pairs", "3.4 k pairs".
std::string counted(std::uint64_t count, const char* one, const char* many);

/// For pictures: "lmp -in melt.in · 8 ranks"; a long command is cut.
std::string about_run(const trace::Trace& trace);

} // namespace rondo::present
