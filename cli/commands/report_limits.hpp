// SPDX-License-Identifier: Apache-2.0
// Which analyses a page has without being asked for: those that take seconds. --limit raises all
// bounds.
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <string>

namespace rondo::cli {

class ReportLimits {
public:
  /// @complexity O(size of the programs and of the communicators' definitions)
  ReportLimits(const trace::Trace& trace, const std::string& file);

  bool plays() const; // on one network
  bool sweeps() const; // on thirty networks
  bool reads() const; // all calls, for the logical program and patterns

  // What a page says in their place: how much there is, which command has it, and which limit.
  std::string not_played(const std::string& what, const std::string& command) const;
  std::string not_swept(const std::string& what, const std::string& command) const;
  std::string not_read(const std::string& what, const std::string& command) const;

private:
  std::string not_within(std::uint64_t most, const std::string& what,
                         const std::string& command) const;
  std::int64_t ranks_;
  std::uint64_t calls_; // of all ranks
  std::uint64_t messages_; // of which collective operations are played, about
  std::uint64_t terms_; // that their programs fold to
  double memory_; // of a play, in shares of what the file is worth
  double reading_; // of the logical program and patterns, likewise
};

} // namespace rondo::cli
