// SPDX-License-Identifier: Apache-2.0
// Which calls wait, for what, and whose fault it is.
//
//   const auto waits = wait_states(trace);
//   if (!waits) return propagate(waits);
//   for (const WaitState& state : waits->states) use(state.kind, state.place, state.seconds);
//   for (const Cause& cause : waits->causes) use(cause.rank, cause.place, cause.seconds);
//
// A wait begins when a rank comes to a call and ends when the other side has come, or when the call
// is over, whichever is first. Where the trace has the times of every call they are what was
// measured; else the run is played on a network that takes no time, and they are what its
// computation alone makes ranks wait. docs/efficiency.md defines each kind.
#pragma once

#include "rondo/base/result.hpp"
#include "rondo/efficiency/factors.hpp"
#include "rondo/simulate/observer.hpp"
#include "rondo/trace/trace.hpp"

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::efficiency {

using simulate::CallPlace;

enum class WaitKind : std::uint8_t {
  kLateSender,
  kLateReceiver,
  kBarrier,
  kAllToAll, // everybody needs everybody: also allreduce, allgather and the like
  kLateBroadcast, // the root is late: broadcast, scatter
  kEarlyReduce, // the root, or who adds up for it, is early: reduce, gather
  kEarlyScan,
  kNeighbours, // a neighbourhood collective
  kCompletion, // an operation that went on behind the program
  kWindow, // a window is made or freed, until all are there
  kWrongOrder, // a late sender, of whom a message was there that is received only later
  kFence,
  kLatePost, // one-sided: a target has not opened its window
  kLateComplete, // one-sided: an origin has not finished
  kLock, // one-sided: another rank holds the window's lock
  kFile, // a file is opened, closed, read or written by all
  kPolling, // for messages or operations that the program asks about again and again
  kTarget, // one-sided, with a lock: the target is not inside MPI, and the library needs it there
};
constexpr std::size_t kWaitKinds = 18;

/// "late sender".
std::string_view text(WaitKind kind);

/// Waits of one kind at one call site.
struct WaitState {
  WaitKind kind = WaitKind::kLateSender;
  CallPlace place;
  double seconds = 0; // of all ranks
  std::uint64_t waits = 0; // longer than nothing
  std::int64_t worst_rank = 0; // waits most
  double worst_s = 0;
  std::vector<double> by_rank{}; // seconds; shorter if the last ranks do not wait
};

/// What one rank did at one place made others wait.
struct Cause {
  enum class What : std::uint8_t { kComputation, kMpi };
  What what = What::kComputation; // before the call at `place`, or in it
  CallPlace place;
  std::int64_t rank = 0;
  std::uint32_t thread = 0; // of it: 0 is the one that called MPI_Init
  double seconds = 0; // of waiting on other ranks
  double direct_s = 0; // of it: those who waited for this rank itself
};

/// How unevenly a computation is spread over ranks, or over their threads where several of a rank's
/// compute there: each rank counts as having as many as the one with most of them.
struct Imbalance {
  CallPlace place; // computation before this call
  double mean_s = 0; // of all
  double most_s = 0;
  std::int64_t most_rank = 0;
  std::uint32_t most_thread = 0; // of it
  bool is_of_threads = false;
  double blamed_s = 0; // waiting that it causes, on all ranks
  std::vector<double> by_actor{}; // seconds; as simulate::Observer numbers ranks and threads
};

/// Waiting in one part of the program.
struct PartWaits {
  double seconds = 0; // of all ranks
  std::array<double, kWaitKinds> by_kind{};
  double blamed_s = 0; // waiting, here or elsewhere, that what is done in this part causes
};

struct WaitStates {
  bool is_measured = false; // from the times of every call; else played
  double seconds = 0; // of waiting, of all ranks
  double run_s = 0; // of all ranks: what shares are of
  std::array<double, kWaitKinds> by_kind{};
  std::vector<double> by_rank; // seconds of waiting
  std::vector<std::array<double, kWaitKinds>> by_rank_and_kind;
  std::vector<WaitState> states; // the longest first
  std::vector<Cause> causes; // the largest first; they add up to `seconds`
  std::vector<Imbalance> imbalances; // the most blamed first
  std::vector<PartWaits> parts; // by number, where parts were asked for
  /// Unless the waits are measured: the run that they are of.
  std::optional<IdealRun> ideal;
  /// What waits for what on the network that takes no time, if it was asked for and is not too
  /// large.
  std::shared_ptr<const simulate::RunGraph> graph;
};

struct WaitOptions {
  /// As IdealOptions has it. Waits that are measured end with the call, so that 4 kB does unless it
  /// is set.
  std::optional<std::uint64_t> eager_bytes{};
  bool is_played = false; // though the trace has the times of every call
  PartNumbers* parts = nullptr; // causes are looked for part by part, too
  Progress progress{};
  bool keeps_graph = false; // for most_worthwhile()
  bool counts_repeats = true; // as simulate::SimulateOptions has it, but for a graph of a short run
  /// Of the trace; unset: they are found first.
  std::shared_ptr<const trace::ResolvedReceives> receives{};
};

/// Whether at least a twentieth of all waiting is for messages between ranks, so that their order
/// is worth a look.
bool waits_for_messages(const WaitStates& waits);

/// Whether waits are measured, unless they are asked for as played.
bool can_measure_waits(const trace::Trace& trace, const Factors& factors);

/// @error  as simulate::simulate()
/// @complexity  O(calls + messages of collectives) time; 16 bytes for each call with computation
///              before it, 68 for each wait, less beyond 256 MB, where history is packed; both of
///              calls that are played, of which those in passes of loops that come again are few
/// @source  [boehme2016] for wait states and for charging each wait to what delayed the other side
Result<WaitStates> wait_states(const trace::Trace& trace, const WaitOptions& options = {});

} // namespace rondo::efficiency
