// SPDX-License-Identifier: Apache-2.0
#include "convert/paraver/counts.hpp"

#include "rondo/base/units.hpp"

namespace rondo::convert::internal {

std::vector<Remark> ParaverCounts::remarks() const {
  const std::string inside = human_duration(static_cast<double>(running_inside_ns));
  const std::string others = human_duration(static_cast<double>(other_states_ns));
  return counted_remarks({
      {other_events, "events that are neither MPI calls nor their sizes",
       "left out: counters, functions and the like"},
      {other_applications, "records of other applications than the first", "left out"},
      {inter_communicators, "inter-communicators", "calls on them are on an unknown one"},
      {unknown_communicators, "communicators whose tasks are not said",
       "calls on them are on an unknown one"},
      {unknown_receivers, "sends without a message", "taken as sends to MPI_PROC_NULL"},
      {unknown_senders, "receives without a message", "taken as receives from MPI_PROC_NULL"},
      {lost_halves, "ends of messages outside of the calls that are there", "left out"},
      {guessed_requests, "requests of sends and the like that calls waited for",
       "the trace does not say which; MPI_Waitall is taken to wait for all open ones, others for "
       "the oldest"},
      {open_tests, "calls that tested requests", "the trace does not say what they found"},
      {operations, "reductions", "the trace does not say with which operation"},
      {lists, "collective operations with counts for each rank", "the trace has only their sums"},
      {roots, "collective operations with a root", "the trace does not say which rank"},
      {communicators, "collective operations", "the trace does not say on which communicator"},
      {guessed_communicators, "collective operations that name no communicator",
       "the trace names none at all: they are taken to be of all tasks"},
      {gaps, "stretches between calls, of which no state says what they are",
       "the trace has no state Running at all: they are taken for computation"},
      {endless_calls, "calls without an end",
       "they end where the next one begins, or are left out"},
      {running_inside_ns, "ns in state Running inside of MPI calls",
       inside + " that count as computation of the rank, but of no call"},
      {other_states_ns, "ns between calls in other states than Running",
       others + " of all ranks together that are neither computation nor MPI"},
      {unfinished_ranks, "ranks without MPI_Finalize at the end", "the trace is incomplete"},
  });
}

} // namespace rondo::convert::internal
