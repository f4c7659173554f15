// SPDX-License-Identifier: Apache-2.0
// Collective operations of one rank that were started and whose messages are yet to be played:
// those of a communicator in the order in which they were started, which is the same on all its
// ranks.
#pragma once

#include "rondo/trace/collective_part.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace rondo::convert::internal {

class StartedOperations {
public:
  struct Operation {
    std::uint32_t comm = 0;
    std::vector<trace::CollectiveStep> steps;
  };
  /// @return its number, above 0
  std::uint64_t add(Operation operation);
  /// Takes out this operation, and those of its communicator before it. None if it was taken out
  /// with a later one.
  std::vector<Operation> take_until(std::uint64_t number);
  /// All of a communicator.
  std::vector<Operation> take_all(std::uint32_t comm);

private:
  std::map<std::uint64_t, Operation> operations_; // by number
  std::uint64_t started_ = 0;
};

} // namespace rondo::convert::internal
