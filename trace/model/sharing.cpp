// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/sharing.hpp"

#include "rondo/base/units.hpp"
#include "rondo/trace/call_meaning.hpp"

#include <algorithm>

namespace rondo::trace {
namespace {

// How many of a host's ranks have this affinity.
struct Bound {
  const Affinity* affinity = nullptr;
  std::vector<std::int64_t> processors; // ascending
  std::int64_t ranks = 0;
};

std::vector<Bound> bound_on(const Host& host, const std::vector<Affinity>& affinities) {
  std::vector<Bound> result;
  const std::vector<std::int64_t> here = host.ranks.ranks();
  for (const Affinity& affinity : affinities) {
    std::vector<std::int64_t> both;
    const std::vector<std::int64_t> ranks = affinity.ranks.ranks();
    std::set_intersection(ranks.begin(), ranks.end(), here.begin(), here.end(),
                          std::back_inserter(both));
    if (!both.empty())
      result.push_back(
          {&affinity, affinity.processors.ranks(), static_cast<std::int64_t>(both.size())});
  }
  return result;
}

// Ranks that can run on these processors only.
std::int64_t ranks_within(const std::vector<Bound>& bound,
                          const std::vector<std::int64_t>& processors) {
  std::int64_t ranks = 0;
  for (const Bound& b : bound) {
    if (std::includes(processors.begin(), processors.end(), b.processors.begin(),
                      b.processors.end()))
      ranks += b.ranks;
  }
  return ranks;
}

void take_if_worse(ProcessorSharing& worst, const Host& host, std::int64_t ranks,
                   std::int64_t processors) {
  if (processors <= 0 || ranks <= processors) return;
  const bool is_worse =
      worst.processors == 0 || ranks * worst.processors > worst.ranks * processors;
  if (!is_worse) return;
  worst.host = host.name;
  worst.ranks = ranks;
  worst.processors = processors;
}

std::uint64_t startup_by_histograms(const Trace& trace) {
  std::uint64_t sum_ns = 0;
  for (const RankClass& c : trace.classes) {
    for (const PlaceTimes& place : c.program->times) {
      const Function* function = find_function(c.program->calls[place.call].function);
      if (meaning_of(*function).act == Act::kInit) sum_ns += place.inside.sum_ns;
    }
  }
  return sum_ns;
}

} // namespace

ProcessorSharing sharing_of(const Trace& trace) {
  ProcessorSharing worst;
  for (const Host& host : trace.hosts) {
    const std::vector<Bound> bound = bound_on(host, trace.affinities);
    std::vector<std::int64_t> all;
    for (const Bound& b : bound) {
      take_if_worse(worst, host, ranks_within(bound, b.processors),
                    static_cast<std::int64_t>(b.processors.size()));
      take_if_worse(worst, host, host.ranks.size(), b.affinity->usable);
    }
  }
  for (const RankFacts& rank : trace.ranks) {
    worst.waited_ns += rank.waited_ns;
    worst.run_ns += rank.span_ns;
  }
  worst.computation_is_cpu_time =
      worst.is_shared() &&
      std::all_of(trace.affinities.begin(), trace.affinities.end(),
                  [](const Affinity& affinity) { return affinity.computation_is_cpu_time; });
  return worst;
}

namespace {

std::string who_shared(const ProcessorSharing& sharing) {
  const std::string waited = human_duration(static_cast<double>(sharing.waited_ns)) + " in all";
  if (!sharing.is_shared())
    return "ranks waited for a processor " + waited + ", " +
           human_percent(static_cast<double>(sharing.waited_ns) /
                         static_cast<double>(sharing.run_ns)) +
           " of the run (sum over ranks): other programs had them, or further threads";
  std::string who = std::to_string(sharing.ranks) + " ranks shared " +
                    std::to_string(sharing.processors) +
                    (sharing.processors == 1 ? " processor" : " processors");
  if (!sharing.host.empty()) who += " of " + sharing.host;
  if (sharing.waited_ns > 0) who += " and waited for one " + waited + " (sum over ranks)";
  return who;
}

} // namespace

std::vector<std::string> sharing_text(const ProcessorSharing& sharing) {
  if (!sharing.is_crowded()) return {};
  return {who_shared(sharing),
          sharing.computation_is_cpu_time
              ? "computation is CPU time, as it would be on processors of their own"
              : "computation includes waits for a processor: on processors of their own it takes "
                "less",
          "time inside MPI includes waits for ranks that had no processor: it says little about "
          "the network"};
}

TimeShares time_shares(const Trace& trace) {
  TimeShares shares;
  for (const RankClass& c : trace.classes) {
    if (c.thread == 0) continue;
    for (const std::int64_t rank : c.ranks.ranks()) {
      const RankFacts& facts = trace.ranks[static_cast<std::size_t>(rank)];
      shares.run_ns += facts.span_ns - std::min(facts.span_ns, facts.startup_ns);
    }
  }
  for (const RankFacts& rank : trace.ranks) {
    shares.run_ns += rank.span_ns;
    shares.startup_ns += rank.startup_ns;
    shares.inside_ns += rank.inside_ns;
    shares.computation_ns += rank.computation_ns;
    shares.displaced_ns += rank.displaced_ns;
    if (rank.ending->function != 0) shares.inside_ns += rank.ending->in_call_ns;
  }
  if (shares.startup_ns == 0) shares.startup_ns = startup_by_histograms(trace);
  shares.startup_ns = std::min(shares.startup_ns, shares.inside_ns);
  shares.inside_ns -= shares.startup_ns;
  return shares;
}

} // namespace rondo::trace
