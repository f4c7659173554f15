// SPDX-License-Identifier: Apache-2.0
// Calls that no other rank hears of, and polls that found nothing: which they are, how many, and
// the line that says so.
#pragma once

#include "rondo/logical/logical_text.hpp"
#include "rondo/trace/call_reader.hpp"
#include "rondo/trace/idle_polls.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::logical::internal {

/// How often a function was called, by function.
using CallsOf = std::map<const trace::Function*, std::uint64_t>;

/// Of a trace, the calls that a logical program is without. How often a poll found nothing before
/// it found something is a matter of timing: no two ranks, and no two rounds of a loop, are alike
/// in that, and what they say to each other would be lost among it.
class UnseenCalls {
public:
  /// @complexity O(calls of the classes + holders of small communicators)
  UnseenCalls(const trace::Trace& trace, Unseen unseen);

  /// @param of  one of the trace's
  /// Whether that is so each time the call is made.
  bool contains(const trace::RankClass& of, std::uint32_t symbol) const {
    return sight_of(of, symbol) == Sight::kUnseen;
  }
  /// Whether it may be so some of the time.
  bool may_contain(const trace::RankClass& of, std::uint32_t symbol) const {
    return sight_of(of, symbol) != Sight::kSeen;
  }
  bool contains(const trace::RankClass& of, const trace::CallInstance& call) const {
    const Sight sight = sight_of(of, call.symbol);
    return sight == Sight::kUnseen || (sight == Sight::kUnlessFound && trace::is_idle_poll(call));
  }
  /// Of all ranks, most calls first: "type_commit", "allgather on one rank".
  /// @param idle_polls  those that found nothing
  std::vector<LocalCalls> count(const CallsOf& idle_polls) const;

private:
  enum class Sight : std::uint8_t { kSeen, kUnlessFound, kUnseen };

  Sight sight_of(const trace::RankClass& of, std::uint32_t symbol) const {
    return sights_.at(&of)[symbol];
  }

  std::map<const trace::RankClass*, std::vector<Sight>> sights_; // by symbol
};

/// Says of a rank's calls, one after the other, which ones a logical program is without, where
/// nothing but their symbols is read.
class UnseenReader {
public:
  /// The calls and the class must outlive it.
  /// @param rank  of the class
  /// @complexity  O(terms of the class), and its words if it polls
  UnseenReader(const UnseenCalls& unseen, const trace::Trace& trace, const trace::RankClass& of,
               std::int64_t rank);
  UnseenReader(const UnseenReader&) = delete;
  UnseenReader& operator=(const UnseenReader&) = delete;

  bool next(std::uint32_t symbol);
  /// Whether it always says the same of a symbol.
  bool is_steady() const { return polls_.empty(); }

private:
  struct Poll {
    bool is_idle = false; // each time
    std::optional<trace::ColumnReader> outcomes;
  };

  const UnseenCalls& unseen_;
  const trace::RankClass& of_;
  trace::Program own_; // of the rank, if it polls
  std::vector<Poll> polls_; // by symbol; empty without polls
};

/// Whether Unseen::kTypes leaves out any call by which a datatype is made.
bool makes_types(const trace::Trace& trace);

/// Those of trace::is_local(), of all ranks, most calls first. @complexity O(terms of the classes)
std::vector<LocalCalls> local_calls_of(const trace::Trace& trace);

/// "# left out of sight: local calls, 120 type_get_contents, 60 group_incl"
std::string local_line(const std::vector<LocalCalls>& local);
bool is_local_line(std::string_view line);
/// Reads what local_line() wrote; false for what it does not write.
bool read_local_line(std::string_view line, std::vector<LocalCalls>& local);

} // namespace rondo::logical::internal
