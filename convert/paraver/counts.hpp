// SPDX-License-Identifier: Apache-2.0
// What a Paraver trace leaves open and what its reader left out, counted over ranks.
#pragma once

#include "rondo/convert/imported.hpp"

#include <cstdint>
#include <vector>

namespace rondo::convert::internal {

struct ParaverCounts {
  std::uint64_t other_events = 0; // counters, user functions and so on
  std::uint64_t other_applications = 0; // records of
  std::uint64_t inter_communicators = 0; // lines of
  std::uint64_t unknown_communicators = 0; // lines of, without their tasks
  std::uint64_t unknown_receivers = 0; // sends without message
  std::uint64_t unknown_senders = 0; // receives without message
  std::uint64_t lost_halves = 0; // messages whose send or receive is no call that is there
  std::uint64_t guessed_requests = 0; // completed by a call that does not say so
  std::uint64_t open_tests = 0;
  std::uint64_t operations = 0; // reductions
  std::uint64_t lists = 0; // collective operations with lists of counts
  std::uint64_t roots = 0; // that nobody said
  std::uint64_t communicators = 0; // of collective operations, not said
  std::uint64_t guessed_communicators = 0; // taken for that of all tasks
  std::uint64_t gaps = 0; // between calls, taken for computation
  std::uint64_t endless_calls = 0;
  std::uint64_t running_inside_ns = 0; // in state Running, but in MPI
  std::uint64_t other_states_ns = 0; // neither Running nor in a call
  std::uint64_t unfinished_ranks = 0;

  std::vector<Remark> remarks() const; // none with count 0
};

} // namespace rondo::convert::internal
