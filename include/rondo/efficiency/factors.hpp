// SPDX-License-Identifier: Apache-2.0
// Where a run's time goes, as factors that multiply up to its parallel efficiency.
//
//   const Factors factors = factors_of(trace);
//   use(factors.parallel, factors.load_balance, factors.communication);
//
// Definitions are those of the POP project, multiplicative variant. Useful time is computation
// between MPI calls; the run is from the end of MPI_Init to the start of MPI_Finalize, without what
// recording took. docs/efficiency.md has the formulas.
#pragma once

#include "rondo/base/result.hpp"
#include "rondo/simulate/simulate.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace rondo::efficiency {

class PartNumbers; // parts.hpp

/// One rank's part of the run, in seconds.
struct RankTime {
  double useful_s = 0; // computing
  double in_mpi_s = 0;
  double startup_s = 0; // in MPI_Init, not part of the run
  std::uint64_t threads = 1; // that call MPI: computing and inside MPI are the mean of theirs
};

struct Factors {
  std::int64_t ranks = 0;
  double runtime_s = 0; // of the longest rank
  double useful_mean_s = 0;
  double useful_max_s = 0;
  double useful_sum_s = 0;
  std::int64_t slowest_rank = 0; // has useful_max_s
  double parallel = 1; // load_balance * communication
  double load_balance = 1; // useful mean / max
  double communication = 1; // useful max / runtime
  /// The trace has computation, but no time inside MPI: the run took as long as it takes on the
  /// ideal network, so that nothing is said of transfer.
  bool has_no_inside = false;
  /// Ranks waited for processors: what comes of the runtime says little.
  bool is_crowded = false;
  /// So much of useful_sum_s may be waiting for a processor: where computation is by the clock, as
  /// long as ranks waited for one anywhere. Of what is CPU time, nothing.
  double doubtful_s = 0;

  /// On a network that takes no time; unset if the run could not be played on it.
  std::optional<double> ideal_runtime_s{};
  double serialisation = 1; // useful max / runtime, both on that network
  double transfer = 1; // communication / serialisation
  /// Sends of more bytes waited for their receivers there.
  std::uint64_t ideal_eager_bytes = simulate::NetworkModel::kNever;
  std::string why_not{}; // no ideal runtime: one sentence
  std::vector<RankTime> by_rank{};
};

/// Against a reference run of the same program.
struct Scaling {
  /// Useful time: the reference's / this one's. Unset where one of the two is doubtful: a time by
  /// the clock in which ranks waited for processors is no measure for CPU time, nor for another
  /// such time.
  std::optional<double> computation = 1;
  std::optional<double> global = 1; // computation * parallel efficiency
  double speedup = 1; // runtime: the reference's / this one's; weak: per work done
};

enum class ScalingKind : std::uint8_t { kStrong, kWeak };

/// Without the ideal network. Exact: sums are kept in ns for each rank.
/// @complexity O(ranks)
/// @source [rosas2014] for the factors
Factors factors_of(const trace::Trace& trace);

/// A run on a network without latency, of infinite bandwidth. Collectives cost nothing but still
/// wait for what their results depend on, by the algorithms of MPI libraries; large sends wait for
/// their receivers.
struct IdealRun {
  double runtime_s = 0;
  double useful_max_s = 0;
  std::uint64_t eager_bytes = 0; // larger sends wait
  std::vector<std::vector<double>>
      part_s{}; // by rank and part's number, where parts were asked for
};
using Progress = std::function<void(std::uint64_t done, std::uint64_t total)>; // in calls

struct IdealOptions {
  PartNumbers* parts = nullptr; // how long each takes is asked for
  /// Larger sends wait for their receivers. Unset: as far as the time inside their calls tells,
  /// from 4 kB on.
  std::optional<std::uint64_t> eager_bytes{};
  Progress progress{};
  /// Of the trace; unset: they are found first.
  std::shared_ptr<const trace::ResolvedReceives> receives{};
};

/// @complexity as simulate::simulate(), four times at most
/// @error as simulate::simulate()
Result<IdealRun> play_ideal(const trace::Trace& trace, const IdealOptions& options = {});

/// Fills in serialisation and transfer, or why they are not known.
void add_ideal(Factors& factors, const Result<IdealRun>& ideal);

/// Whether more of its computation may be waiting than factors can be off by.
bool is_doubtful(const Factors& run);

/// Strong: the same work on more ranks. Weak: as much work for each rank.
Scaling scaling_of(const Factors& run, const Factors& reference, ScalingKind kind);

/// The network that takes no time.
/// @param eager_bytes  larger sends wait for their receivers
simulate::NetworkModel ideal_network(std::uint64_t eager_bytes = simulate::NetworkModel::kNever);

} // namespace rondo::efficiency
