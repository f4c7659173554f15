// SPDX-License-Identifier: Apache-2.0
// The communicators that a Paraver trace defines: lines "c:APPLICATION:ID:SIZE:TASK:...".
#pragma once

#include "convert/paraver/roots.hpp"
#include "rondo/base/result.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rondo::convert::internal {

struct ParaverComm {
  std::int64_t slot = 0; // by which calls refer to it
  std::uint64_t size = 0;
  Roots roots;
};

/// A rank's place in a communicator.
struct CommPlace {
  std::uint64_t comm = 0; // ID
  std::int64_t slot = 0;
  std::int64_t rank = 0; // in it
  std::int64_t size = 0;
};

class ParaverComms {
public:
  explicit ParaverComms(std::uint64_t ranks) : ranks_(ranks) {}

  struct Added {
    std::vector<std::int64_t> members; // ranks, in order; none if the line is of no use
    CommPlace place; // of each, but for its rank
    bool is_unknown = false; // the line does not say the members
  };
  /// @param line   without "c:"
  /// @error  kFormat without a place
  Result<Added> add(std::string_view line);

  /// ID of the first one of all tasks in order; 0 if there is none.
  std::uint64_t world() const { return world_; }
  bool are_defined() const { return !comms_.empty(); }
  /// nullptr if it is not defined.
  ParaverComm* find(std::uint64_t comm);

  /// Those that calls refer to by slots of their own.
  std::vector<trace::CommDefinition> take_definitions() { return std::move(definitions_); }

private:
  std::int64_t slot_of(const std::vector<std::int64_t>& members);

  std::uint64_t ranks_;
  std::unordered_map<std::uint64_t, ParaverComm> comms_;
  std::vector<trace::CommDefinition> definitions_;
  bool has_world_ = false;
  std::uint64_t world_ = 0;
};

} // namespace rondo::convert::internal
