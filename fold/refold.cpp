// SPDX-License-Identifier: Apache-2.0
#include "rondo/fold/refold.hpp"

#include "fold/replay.hpp"
#include "rondo/fold/merge.hpp"

#include <algorithm>
#include <utility>

namespace rondo::fold {
namespace {

// Everything of a trace but its programs.
Part without_programs(const trace::Trace& trace) {
  Part part;
  part.run = trace.run;
  part.stamps = trace.stamps;
  part.tables.hosts = trace.hosts;
  part.tables.comms = trace.comms;
  part.tables.groups = trace.groups;
  part.tables.datatypes = trace.datatypes;
  part.tables.sites = trace.sites;
  part.tables.modules = trace.modules;
  for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank)
    part.ranks.emplace_back(static_cast<std::int64_t>(rank), trace.ranks[rank]);
  return part;
}

// Whether the class's histograms are those of its ranks, and no others'.
bool has_own_times(const trace::RankClass& c) {
  std::uint64_t calls = 0;
  for (const std::uint64_t n : c.program->nest.occurrences(c.program->calls.size())) calls += n;
  std::uint64_t timed = 0;
  for (const trace::PlaceTimes& place : c.program->times) timed += place.inside.count;
  return timed == calls * static_cast<std::uint64_t>(c.ranks.size());
}

TimesFrom times_of(const trace::Trace& trace, const trace::RankClass& c, std::int64_t rank,
                   Folding folding) {
  if (trace.stamps_of(rank, c.thread) != nullptr) return TimesFrom::kStamps;
  if (c.program->times.empty()) return TimesFrom::kNowhere;
  // Those of several ranks meet again in one class: the first brings them all.
  const bool stay_together = folding == Folding::kFull && rank == c.ranks.ranks().front();
  const bool is_alone = c.ranks.size() == 1 && has_own_times(c);
  return is_alone || stay_together ? TimesFrom::kPlaces : TimesFrom::kNowhere;
}

} // namespace

Refolded refold(const trace::Trace& trace, Folding folding, ProgramOptions options,
                const std::function<void(std::uint64_t, std::uint64_t)>& progress) {
  options.folds = folding != Folding::kNone;
  std::uint64_t streams = 0;
  for (const trace::RankClass& c : trace.classes)
    streams += static_cast<std::uint64_t>(c.ranks.size());
  Refolded result;
  Part whole = without_programs(trace);
  const bool has_times =
      std::any_of(trace.classes.begin(), trace.classes.end(),
                  [](const trace::RankClass& c) { return !c.program->times.empty(); });
  std::uint64_t done = 0;
  for (const trace::RankClass& c : trace.classes) {
    for (const std::int64_t rank : c.ranks.ranks()) {
      const TimesFrom times = has_times ? times_of(trace, c, rank, folding) : TimesFrom::kNowhere;
      const bool loses_times = has_times && times == TimesFrom::kNowhere;
      if (loses_times && folding != Folding::kFull) ++result.streams_without_times;
      ProgramBuilder builder(options);
      set_positions(builder, trace, rank);
      replay(trace, c, rank, times, builder);
      Part one;
      one.tables.sites = trace.sites;
      one.run.complete = true;
      one.classes.push_back(class_of_stream(rank, c.thread, builder.finish()));
      merge(whole, std::move(one), folding == Folding::kFull);
      if (progress) progress(++done, streams);
    }
  }
  result.trace = resolve(std::move(whole), folding == Folding::kFull);
  return result;
}

} // namespace rondo::fold
