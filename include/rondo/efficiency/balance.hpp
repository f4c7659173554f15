// SPDX-License-Identifier: Apache-2.0
// What evening out would win: the run's time if all ranks computed alike at one place; or if they
// waited later.
//
//   for (const Balanced& each : most_worthwhile(trace, factors, *waits))
//     use(each.imbalance.place, each.runtime_s, each.instead_of_s);
//
// The run is played anew, as a graph of what has to wait for what, with the computation changed. So
// only what is on its critical path counts, and what comes to be on it.
#pragma once

#include "rondo/efficiency/factors.hpp"
#include "rondo/efficiency/wait_states.hpp"
#include "rondo/trace/trace.hpp"

#include <memory>
#include <optional>
#include <vector>

namespace rondo::efficiency {

/// If a computation took all ranks its mean.
struct Balanced {
  Imbalance imbalance;
  double runtime_s = 0; // then
  /// What that stands against: the run as it was. Where ranks waited for processors, the run on
  /// the network that takes no time, as what it took says little.
  double instead_of_s = 0;
  /// Pass by pass: who is the slowest one mostly, -1 if that changes.
  std::int64_t mostly_slowest = -1;
  double won() const { return instead_of_s > 0 ? 1 - runtime_s / instead_of_s : 0; }
};

/// What is worth evening out: three places at most, each by itself, that which wins most first.
/// None if the ideal run is not known, or if less than half a percent would be won.
/// @param factors   with the ideal run
/// @param waits     of the same trace
/// @param receives  of the trace; null: they are found first
/// @complexity      O(points) of the waits' graph, seven times at most; without one as
///                  simulate::simulate(), four times. O(places * ranks) memory, and 8 bytes a point
/// @source          [boehme2016] for which computation is to blame
std::vector<Balanced> most_worthwhile(const trace::Trace& trace, const Factors& factors,
                                      const WaitStates& waits,
                                      std::shared_ptr<const trace::ResolvedReceives> receives = {});

/// The place at which ranks are slow in turns: where it wins most if the n-th computation took all
/// ranks their mean, for each n, and at least a tenth of the run more than evening out their sums
/// there. Nothing if there is none, or the waits have no graph.
/// @complexity      O(points) of the waits' graph, four times at most
std::optional<Balanced> slow_in_turns(const trace::Trace& trace, const Factors& factors,
                                      const WaitStates& waits);

/// The place before which ranks compute one after the other, as those that hand on a token: the run
/// if none had to wait until others are done there, and each still computed as long. Nothing if
/// that does not win a tenth of the run more than evening out the place does, in sum or pass by
/// pass, or the waits have no graph.
/// @complexity      O(points) of the waits' graph, ten times at most, most often once or twice
std::optional<Balanced> one_after_the_other(const trace::Trace& trace, const Factors& factors,
                                            const WaitStates& waits);

/// If ranks waited for their requests only behind what they compute next.
struct WaitedLater {
  CallPlace place; // of the call that waits
  double runtime_s = 0; // then
  double instead_of_s = 0; // as of Balanced
  double won() const { return instead_of_s > 0 ? 1 - runtime_s / instead_of_s : 0; }
};

/// The place with calls that wait for requests (MPI_Waitall and the like) where waiting later wins
/// most: behind the computation that comes next, which what arrives may or may not be needed for.
/// Only what each side has sent before its own wait there is waited for later, as in a halo
/// exchange; a pipeline is none. Nothing if that wins less than a tenth of the run, or the waits
/// have no graph with calls.
/// @complexity      O(points) of the waits' graph, four times at most
std::optional<WaitedLater> waited_later(const trace::Trace& trace, const Factors& factors,
                                        const WaitStates& waits);

/// If every rank computed as long in all, at no matter which place.
struct EvenInAll {
  double runtime_s = 0; // then
  double instead_of_s = 0; // as of Balanced
  double won() const { return instead_of_s > 0 ? 1 - runtime_s / instead_of_s : 0; }
};

/// What load balance is as time: the run if each rank's computations were stretched or shortened to
/// the mean of all ranks. Nothing if less than a tenth would be won.
/// @param receives  as of most_worthwhile()
/// @complexity      as of most_worthwhile(), twice
std::optional<EvenInAll> even_in_all(const trace::Trace& trace, const Factors& factors,
                                     const WaitStates& waits,
                                     std::shared_ptr<const trace::ResolvedReceives> receives = {});

} // namespace rondo::efficiency
