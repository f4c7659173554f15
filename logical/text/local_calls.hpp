// SPDX-License-Identifier: Apache-2.0
// Calls that no other rank hears of: which they are, how many, and the line that says so.
#pragma once

#include "rondo/logical/logical_text.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::logical::internal {

/// Of a trace, the calls that a logical program is without.
class UnseenCalls {
public:
  /// @complexity O(calls of the classes + holders of small communicators)
  UnseenCalls(const trace::Trace& trace, Unseen unseen);

  /// @param of  one of the trace's
  bool contains(const trace::RankClass& of, std::uint32_t symbol) const {
    return unseen_.at(&of)[symbol];
  }
  /// Of all ranks, most calls first: "type_commit", "allgather on one rank".
  std::vector<LocalCalls> count() const;

private:
  std::map<const trace::RankClass*, std::vector<bool>> unseen_; // by symbol
};

/// Those of trace::is_local(), of all ranks, most calls first. @complexity O(terms of the classes)
std::vector<LocalCalls> local_calls_of(const trace::Trace& trace);

/// "# left out of sight: local calls, 120 type_get_contents, 60 group_incl"
std::string local_line(const std::vector<LocalCalls>& local);
bool is_local_line(std::string_view line);
/// Reads what local_line() wrote; false for what it does not write.
bool read_local_line(std::string_view line, std::vector<LocalCalls>& local);

} // namespace rondo::logical::internal
