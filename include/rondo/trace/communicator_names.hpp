// SPDX-License-Identifier: Apache-2.0
// One name for each communicator of a run, for every command: the one that the program gave it
// (MPI_Comm_set_name), or else how it was made and the how-manieth of its kind it is: "split#1",
// "dup#2", "cart#1". It has no blanks, so that it can be typed.
//
//   const CommunicatorNames names(trace);
//   use(names.of(slot), names.slot_of("split#1"));
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace rondo::trace {

class CommunicatorNames {
public:
  /// @param made_besides  slots that the trace does not have, and the functions that make them
  /// @complexity  O(calls of the programs + communicators log communicators)
  explicit CommunicatorNames(const Trace& trace,
                             const std::map<std::int64_t, std::string>& made_besides = {});

  /// "MPI_COMM_WORLD", "rows", "split#1"; "comm#3" for the third slot if no call that was recorded
  /// made it. Communicators that the ranks made by one call have one slot, and one name.
  std::string of(std::int64_t slot) const;
  /// The other way round; nothing for a name that no communicator has.
  std::optional<std::int64_t> slot_of(std::string_view name) const;
  /// For a name that slot_of() does not know: "has no communicator 'x'; it has MPI_COMM_WORLD,
  /// ...".
  std::string unknown(const std::string& name) const;
  /// "split", "cart", "spawn"; empty if no call that was recorded made it.
  std::string how_made(std::int64_t slot) const;
  /// Whether its ranks are those of MPI_COMM_WORLD, each with the same number.
  bool is_numbered_as_world(std::int64_t slot) const { return as_world_.contains(slot); }
  /// All that the program made, by slot.
  const std::map<std::int64_t, std::string>& made() const { return names_; }

private:
  void add_calls(const MergedProgram& program);

  std::map<std::int64_t, std::string> given_; // by slot, as the program says
  std::map<std::int64_t, std::string> kinds_; // how it was made: "split"
  std::map<std::int64_t, std::string> names_;
  std::set<std::int64_t> as_world_; // slots
};

} // namespace rondo::trace
