// SPDX-License-Identifier: Apache-2.0
#include "rondo/efficiency/factors.hpp"

#include "efficiency/ideal_play.hpp"
#include "efficiency/part_clock.hpp"
#include "rondo/trace/sharing.hpp"

#include <algorithm>
#include <utility>

namespace rondo::efficiency {
namespace {

constexpr double kSecondsPerNs = 1e-9;

double ratio(double part, double whole) { return whole > 0 ? part / whole : 1; }

double seconds(std::uint64_t ns) { return static_cast<double>(ns) * kSecondsPerNs; }

std::uint64_t less(std::uint64_t whole, std::uint64_t part) {
  return whole - std::min(whole, part);
}

} // namespace

simulate::NetworkModel ideal_network(std::uint64_t eager_bytes) {
  simulate::NetworkModel network;
  network.eager_bytes = eager_bytes;
  return network;
}

std::vector<std::uint64_t> internal::threads_of_ranks(const trace::Trace& trace) {
  std::vector<std::uint64_t> threads(trace.ranks.size(), 1);
  for (const simulate::FurtherThread& each : simulate::further_threads(trace))
    ++threads[static_cast<std::size_t>(each.rank)];
  return threads;
}

namespace {

std::vector<bool> have_cpu_time(const trace::Trace& trace) { // as computation, by rank
  std::vector<bool> result(trace.ranks.size(), false);
  for (const trace::Affinity& affinity : trace.affinities) {
    if (!affinity.computation_is_cpu_time) continue;
    for (const std::int64_t rank : affinity.ranks.ranks()) {
      if (rank < static_cast<std::int64_t>(result.size()))
        result[static_cast<std::size_t>(rank)] = true; // archives may say anything
    }
  }
  return result;
}

} // namespace

Factors factors_of(const trace::Trace& trace) {
  const std::vector<std::uint64_t> threads = internal::threads_of_ranks(trace);
  Factors result;
  result.ranks = trace.run.ranks;
  result.is_crowded = trace::sharing_of(trace).is_crowded();
  const std::vector<bool> has_cpu_time = have_cpu_time(trace);
  std::uint64_t longest_ns = 0;
  std::uint64_t useful_ns = 0;
  std::uint64_t inside_ns = 0;
  std::uint64_t doubtful_ns = 0;
  std::uint64_t most_ns = 0;
  for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank) {
    const trace::RankFacts& facts = trace.ranks[rank];
    // What recording costs is an estimate: it takes nothing away from what was measured.
    const std::uint64_t whole_ns = less(facts.span_ns, facts.startup_ns);
    const std::uint64_t computing_ns = facts.computation_ns / threads[rank];
    const std::uint64_t in_mpi_ns = less(facts.inside_ns, facts.startup_ns) / threads[rank];
    const std::uint64_t own_ns = computing_ns + in_mpi_ns;
    const std::uint64_t run_ns =
        std::max(less(whole_ns, facts.recorder_ns), std::min(whole_ns, own_ns));
    longest_ns = std::max(longest_ns, run_ns);
    useful_ns += computing_ns;
    inside_ns += facts.inside_ns;
    if (!has_cpu_time[rank]) doubtful_ns += std::min(facts.waited_ns, computing_ns);
    if (computing_ns > most_ns) {
      most_ns = computing_ns;
      result.slowest_rank = static_cast<std::int64_t>(rank);
    }
    result.by_rank.push_back(
        {seconds(computing_ns), seconds(in_mpi_ns), seconds(facts.startup_ns), threads[rank]});
  }
  result.runtime_s = seconds(longest_ns);
  result.useful_sum_s = seconds(useful_ns);
  result.useful_max_s = seconds(most_ns);
  result.doubtful_s = seconds(doubtful_ns);
  result.has_no_inside =
      result.ranks > 1 && useful_ns > 0 && inside_ns == 0 && internal::has_calls(trace);
  if (result.ranks > 0)
    result.useful_mean_s = result.useful_sum_s / static_cast<double>(result.ranks);
  result.parallel = ratio(result.useful_mean_s, result.runtime_s);
  result.load_balance = ratio(result.useful_mean_s, result.useful_max_s);
  result.communication = ratio(result.useful_max_s, result.runtime_s);
  return result;
}

Result<IdealRun> play_ideal(const trace::Trace& trace, const IdealOptions& options) {
  std::optional<internal::PartClock> clock;
  const auto begin = [&](simulate::SimulateOptions& playing) -> internal::PartClock& {
    playing.observer = &clock.emplace(trace, options.parts);
    return *clock;
  };
  simulate::SimulateOptions playing;
  playing.progress = options.progress;
  playing.receives = options.receives;
  playing.may_stop = !trace.run.complete;
  const auto played = internal::play_ideally(trace, std::move(playing), options.eager_bytes, begin);
  if (!played) return propagate(played);
  return internal::ideal_run(played->prediction, played->eager_bytes, *clock);
}

IdealRun internal::ideal_run(const simulate::Prediction& played, std::uint64_t eager_bytes,
                             PartClock& clock) {
  IdealRun ideal;
  ideal.eager_bytes = eager_bytes;
  ideal.runtime_s = played.seconds;
  for (const simulate::RankPrediction& rank : played.ranks)
    ideal.useful_max_s = std::max(ideal.useful_max_s, rank.computing_s);
  if (const std::vector<double> of_threads = clock.computing_s(); !of_threads.empty())
    ideal.useful_max_s = *std::max_element(of_threads.begin(), of_threads.end());
  ideal.part_s = clock.take_seconds();
  return ideal;
}

void add_ideal(Factors& factors, const Result<IdealRun>& ideal) {
  if (!ideal) {
    factors.why_not = "serialisation and transfer are not known: " + ideal.error().message;
    return;
  }
  factors.ideal_runtime_s = ideal->runtime_s;
  factors.ideal_eager_bytes = ideal->eager_bytes;
  if (factors.has_no_inside) {
    factors.runtime_s = ideal->runtime_s;
    factors.parallel = ratio(factors.useful_mean_s, factors.runtime_s);
    factors.communication = ratio(factors.useful_max_s, factors.runtime_s);
  }
  factors.serialisation = ratio(ideal->useful_max_s, ideal->runtime_s);
  factors.transfer = ratio(factors.communication, factors.serialisation);
}

bool is_doubtful(const Factors& run) {
  constexpr double kMost = 0.05; // of all computation
  return run.doubtful_s > kMost * run.useful_sum_s;
}

Scaling scaling_of(const Factors& run, const Factors& reference, ScalingKind kind) {
  Scaling result;
  const bool is_strong = kind == ScalingKind::kStrong;
  if (&run != &reference && (is_doubtful(run) || is_doubtful(reference))) {
    result.computation = result.global = std::nullopt;
  } else {
    result.computation = is_strong ? ratio(reference.useful_sum_s, run.useful_sum_s)
                                   : ratio(reference.useful_mean_s, run.useful_mean_s);
    result.global = *result.computation * run.parallel;
  }
  const double work =
      is_strong ? 1 : ratio(static_cast<double>(run.ranks), static_cast<double>(reference.ranks));
  result.speedup = ratio(reference.runtime_s, run.runtime_s) * work;
  return result;
}

} // namespace rondo::efficiency
