// SPDX-License-Identifier: Apache-2.0
// The time that a recorded run would take on another network: every rank's calls are played in
// virtual time against a model.
//
//   auto model = parse_network("latency=5us,bandwidth=1GB/s");
//   auto prediction = simulate(trace, *model);
//   if (!prediction) return propagate(prediction);
//   use(prediction->seconds);
//
// Computation before each call is what was recorded: exactly if the trace has the times of every
// call, else the mean of its place for that rank. What happens inside MPI is the model's.
// docs/simulate.md says what each call costs.
#pragma once

#include "rondo/simulate/formula.hpp"
#include "rondo/simulate/network_model.hpp"
#include "rondo/simulate/observer.hpp"
#include "rondo/simulate/run_graph.hpp"
#include "rondo/trace/resolved_receives.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rondo::simulate {

struct SimulateOptions {
  /// What a collective operation costs from its last rank's arrival on; unset: its messages, by
  /// the algorithms of MPI libraries.
  std::optional<Formula> collectives{};
  double compute_scale = 1; // of recorded computation; 0: none
  /// Receives with wildcards of a program that runs take what arrives first in virtual time.
  bool orders_receives = false;
  bool wants_critical_path = false; // plays the trace twice
  /// Each call begins and ends when it did: the trace must have the times of every call. Ranks wait
  /// as they would for messages that take no time, and no longer than until the call's end.
  bool at_recorded_times = false;
  /// Of a recording that was cut short: ranks may end waiting for what was not recorded.
  bool may_stop = false;
  /// Collective operations are no more than what depends on what: their messages do not wait for
  /// receivers, whatever their size, and scans wait for lower ranks alone.
  bool collectives_are_eager = false;
  /// Where the replay does not go on: gets the size of the smallest message whose sender waits for
  /// its receiver, though it is larger than the model's eager ones only.
  std::uint64_t* stuck_send_bytes = nullptr;
  /// Passes of a loop are played until they come again exactly, as they do where computation is a
  /// mean, and then counted. All are played where calls have times of their own, a critical path is
  /// asked for, ranks have ports, or a platform carries messages.
  bool counts_repeats = true;
  /// What computation before a call is scaled by besides; unset: nothing.
  std::function<double(const RunGraph::Spot& spot)> scale{};
  /// What each call takes besides, in seconds: before its message leaves, else behind what it waits
  /// for; unset: nothing.
  std::function<double(std::int64_t rank, CallPlace place)> inside_s{};
  /// Those of the trace, for one who plays it several times; unset: they are found first.
  std::shared_ptr<const trace::ResolvedReceives> receives{};
  /// Gets what waits for what, if the network takes no time; it must outlive the call.
  RunGraph* graph = nullptr;
  bool graph_has_calls = true; // and their own time
  Observer* observer = nullptr; // must outlive the call; not with a platform
  std::function<void(std::uint64_t done, std::uint64_t total)> progress{}; // in calls
};

/// Where one rank's time goes; the three add up to its end, less its start.
struct RankPrediction {
  double computing_s = 0;
  double communicating_s = 0; // overheads, and messages on their way
  double waiting_s = 0; // for others that have not come to their side of it yet
  double end_s = 0;
  std::uint64_t calls = 0;
  double start_s = 0; // not 0 where it was spawned
};

/// Processes that a live run started, which are ranks of their own behind the others.
struct SpawnedRanks {
  std::int64_t first = 0;
  std::int64_t ranks = 0;
  std::int64_t parent = 0; // the root of the call
  double start_s = 0;
};

struct WaitPair {
  std::int64_t rank = 0;
  std::int64_t waits_for = 0;
  double seconds = 0;
};

/// What a function at a call site has of the critical path.
struct PathShare {
  std::uint16_t function = 0; // id
  std::uint32_t site = 0; // index into the trace's call sites
  double computing_s = 0; // before the call
  double communicating_s = 0; // in the call, and the messages that end it
};

/// From the end of the last rank back to a start, along what each step had to wait for.
struct CriticalPath {
  std::int64_t last_rank = 0;
  std::uint64_t hops = 0; // from rank to rank
  double computing_s = 0;
  double communicating_s = 0;
  std::vector<PathShare> shares; // the largest first
};

struct Prediction {
  double seconds = 0; // the end of the last rank
  std::vector<RankPrediction> ranks; // by world rank; behind them those that were spawned
  std::vector<WaitPair> waits; // the longest first
  std::optional<CriticalPath> path;
  std::uint64_t calls = 0;
  std::uint64_t messages = 0; // those of collectives included
  std::uint64_t bytes = 0;
  std::vector<std::string> remarks; // what costs nothing or was guessed, one sentence each
  std::vector<SpawnedRanks> spawned; // by first rank
};

/// A platform is simulated by SimGrid, in a child process.
/// @error  as simgrid_carrier() of simulate/carrier.hpp; kUnsupported: calls that no model
/// simulates (with the list), or a replay in which all
///         ranks wait (with their calls), or at_recorded_times without times; kUsage for a negative
///         compute_scale, a time without end, or a formula with the latency of links of which a
///         platform's file has several; kIo: no process
/// @complexity  O(calls + messages of collectives) time, of the calls that are played; memory for
/// what is under way:
///              O(program * ranks + channels). With wants_critical_path also the waits.
/// @source  [alexandrov1997] for LogGP; [hoefler2010] for playing calls against it; [baccelli1992]
/// for
///          passes that come again
Result<Prediction> simulate(const trace::Trace& trace, const NetworkModel& model,
                            const SimulateOptions& options = {});

} // namespace rondo::simulate
