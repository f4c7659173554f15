// SPDX-License-Identifier: Apache-2.0
// Who sends what to whom, read off a recorded run. Works on the folded program: a call in a loop is
// looked at once with the number of its executions, and ranks with one program share that look.
//
//   auto trace = archive::read("app.rondo");
//   auto sent = matrix_of(*trace);
//   if (!sent) return propagate(sent);
//   use(sent->matrix, sent->loss);
//
// A message is what a point-to-point call sends: MPI_Send and its like, MPI_Sendrecv, and each
// start of a persistent or partitioned send (it counts as the call that made the request, e.g.
// MPI_Send_init; a partitioned one as a single message). MPI_PROC_NULL gets none, and a call that
// failed sends none.
//
// A one-sided call is a message in the direction in which its data goes: MPI_Put and MPI_Accumulate
// from the caller to the target, MPI_Get from the target to the caller, the fetching ones
// (MPI_Get_accumulate, MPI_Fetch_and_op, MPI_Compare_and_swap) one each way; MPI_Compare_and_swap
// takes two elements there, and with MPI_NO_OP nothing goes there. Synchronisation is none.
//
// The messages inside collectives are counted if a way to do so is chosen. Files are in
// file_traffic.hpp.
#pragma once

#include "rondo/base/result.hpp"
#include "rondo/matrix/communication_matrix.hpp"
#include "rondo/matrix/statistics.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::matrix {

/// How collective operations are counted as messages. What a rank keeps for itself is none.
/// @source  [riesen2006, sec. 3.1] for kThroughRoot
enum class CollectiveCounting : std::uint8_t {
  kNone,
  /// Those of neighbourhood collectives alone, which name whom they speak to.
  kNeighbors,
  /// To the root and back, as far as data goes that way; operations without a root go through rank
  /// 0 of the communicator. A bcast is a message from the root to each other rank, a reduce one
  /// from each to the root, an allreduce or a barrier both, an alltoall one with all blocks each
  /// way.
  kThroughRoot,
  /// The same, but each block of an alltoall goes straight to its rank.
  kPairs,
  /// The messages of MPI libraries' algorithms, as steps_of() has them (trace/collective_steps.hpp)
  /// and as the simulator sends them.
  kAlgorithm,
};
// Neighbourhood collectives send to the neighbours in all but kNone, and on inter-communicators
// ranks of one group to the other in the last three.

/// @return  the way called "none", "neighbors", "paper", "pairs" or "algorithm"
/// @error   kUsage, naming the five
Result<CollectiveCounting> parse_collective_counting(std::string_view name);
std::string_view name_of(CollectiveCounting counting);

struct TrafficOptions {
  std::vector<std::string> calls{}; // functions to count, by name; empty: all
  std::optional<std::int64_t> comm{}; // slot of the communicator to count (trace.hpp); unset: all
  std::optional<trace::RankSet> senders{}; // unset: all
  CollectiveCounting collectives = CollectiveCounting::kNone;
  bool point_to_point = true; // whether the messages of such calls are counted
  bool one_sided = true;
};

/// What a matrix and the topology of a run show unless somebody asks for something else.
inline TrafficOptions shown_by_default() {
  TrafficOptions options;
  options.collectives = CollectiveCounting::kNeighbors;
  return options;
}

/// What a damaged, partial or unusual trace did not let us count, as numbers of executions.
struct TrafficLoss {
  std::uint64_t unknown_sizes = 0; // datatype without definition: counted with 0 bytes
  std::uint64_t unknown_peers = 0; // on communicators and windows that the trace does not define,
                                   // or to processes outside MPI_COMM_WORLD: left out
  std::uint64_t outside_messages = 0; // to processes outside MPI_COMM_WORLD, which were spawned or
                                      // connected: in no pair
  std::uint64_t outside_bytes = 0; // of these
  std::uint64_t unknown_requests = 0; // starts of requests that this thread did not make: left out
  std::uint64_t unknown_neighbors = 0; // neighbourhood collectives on a topology whose making was
                                       // not recorded: counted with 0 bytes and no messages

  /// One sentence for each kind of loss; empty if nothing was lost.
  std::vector<std::string> sentences() const;
  TrafficLoss& operator+=(const TrafficLoss& more);
  friend bool operator==(const TrafficLoss&, const TrafficLoss&) = default;
};

/// Equal messages of one call from one rank to one rank.
struct MessagesSent {
  const trace::Function* function = nullptr; // a collective's are there if they are counted
  std::int64_t source = 0; // world ranks
  std::int64_t destination = 0;
  std::uint64_t messages = 0;
  std::uint64_t bytes_each = 0;
};

/// Equal executions of one collective call by one rank.
///
/// bytes_each is the data that this rank hands to the operation: what its send buffer holds. All
/// commands that speak of the bytes of a collective mean this (call_bytes.hpp for single calls).
///   barrier                             0
///   bcast                               count on the root, 0 elsewhere
///   gather, allgather, reduce,          its own block, count; also on the root, and also where
///   allreduce, scan, exscan             MPI_IN_PLACE takes it from the receive buffer
///   gatherv, allgatherv                 likewise
///   scatter, scatterv                   all blocks on the root, 0 elsewhere
///   alltoall, alltoallv, alltoallw      the blocks for all ranks, its own among them
///   reduce_scatter(_block)              the blocks for all ranks
///   neighbor_allgather(v)               its own block, once
///   neighbor_alltoall(v, w)             the blocks for all neighbours that it can send to; on a
///                                       Cartesian grid two for each dimension, with those beyond
///                                       the border
/// all times the size of the datatype. Nonblocking forms count when called, persistent ones at each
/// start. On an inter-communicator the ranks of the other group count, and the root's own group
/// gives nothing to gather and reduce.
struct CollectiveCalls {
  const trace::Function* function = nullptr;
  std::int64_t rank = 0;
  std::uint64_t calls = 0;
  std::uint64_t bytes_each = 0;
};

/// Gets what visit_traffic() finds; an empty function is not interested.
struct TrafficVisitor {
  std::function<void(const MessagesSent&)> messages{};
  std::function<void(const CollectiveCalls&)> collectives{};
};

/// Calls the visitor for every rank, call and choice of peer and size, in no promised order; the
/// same choice may come more than once.
/// @param options  must have passed check_options()
/// @complexity     O(terms + trip counts + columns) for each program, then O(choices) for each
///                 rank; programs with persistent requests are gone through call by call, once for
///                 all their ranks
TrafficLoss visit_traffic(const trace::Trace& trace, const TrafficOptions& options,
                          const TrafficVisitor& visitor);

/// @error  kUsage for a call that sends no messages that are counted, a communicator that the trace
/// does not
///         have, or a sender that it does not have; each says what there is instead
Status check_options(const trace::Trace& trace, const TrafficOptions& options);

struct TraceMatrix {
  CommunicationMatrix matrix;
  TrafficLoss loss;
};

/// The communication matrix of the messages that the options choose.
/// @error       those of check_options()
/// @complexity  that of visit_traffic()
Result<TraceMatrix> matrix_of(const trace::Trace& trace, const TrafficOptions& options = {});

struct TraceStatistics {
  Statistics statistics;
  TrafficLoss loss;
};

/// The five measurements.
/// @param collectives  whether densities and sizes have the messages of collectives, too
/// @complexity         that of visit_traffic()
TraceStatistics statistics_of(const trace::Trace& trace,
                              CollectiveCounting collectives = CollectiveCounting::kNone);

/// Length of the run for bytes per second: the longest time from MPI_Init to MPI_Finalize of any
/// rank, in seconds; 0 if the trace has no times.
double seconds_of(const trace::Trace& trace);

} // namespace rondo::matrix
