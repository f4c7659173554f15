// SPDX-License-Identifier: Apache-2.0
#include "rondo/fold/recast.hpp"

#include "fold/again/replay.hpp"
#include "fold/again/spread.hpp"
#include "fold/flow/flow.hpp"
#include "rondo/base/sort_stably.hpp"
#include "rondo/fold/merge.hpp"

#include <map>
#include <utility>

namespace rondo::fold {
namespace {

// Everything of a trace but its programs.
RecordingPart without_programs(const trace::Trace& trace) {
  RecordingPart part;
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

// As many as the calls have, of which nothing is known but that they differ.
std::vector<trace::CallSite> numbered_sites(const PartClass& of) {
  std::size_t most = 0;
  for (const trace::MergedCall& call : of.program.calls)
    most = std::max<std::size_t>(most, call.call.site);
  std::vector<trace::CallSite> sites(most + 1);
  for (std::size_t i = 0; i < sites.size(); ++i) sites[i].offset = i;
  return sites;
}

// Whether the class's histograms are those of its ranks, and no others'.
bool has_own_times(const trace::RankClass& c) {
  std::uint64_t calls = 0;
  for (const std::uint64_t n : c.program->nest.occurrences(c.program->calls.size())) calls += n;
  std::uint64_t timed = 0;
  for (const trace::PlaceTimes& place : c.program->times) timed += place.inside.count;
  return timed == calls * static_cast<std::uint64_t>(c.ranks.size());
}

// Whether a rank's share of its class's times makes sense.
bool has_shares(const trace::RankClass& c, Folding folding) {
  if (c.program->times.empty()) return false;
  // The shares of several ranks make sense together: they are not what each rank had.
  const bool stay_together = folding == Folding::kFull;
  return stay_together || (c.ranks.size() == 1 && has_own_times(c));
}

trace::RankSet renumbered(const trace::RankSet& set, const std::vector<std::int64_t>& new_rank) {
  std::vector<std::int64_t> ranks = set.ranks();
  for (std::int64_t& rank : ranks) rank = new_rank[static_cast<std::size_t>(rank)];
  return trace::RankSet::of(std::move(ranks));
}

std::vector<trace::RankRange> renumbered(const std::vector<trace::RankRange>& members,
                                         const std::vector<std::int64_t>& new_rank) {
  std::vector<std::int64_t> ranks = trace::sequence_of(members);
  for (std::int64_t& rank : ranks) {
    if (rank >= 0 && rank < static_cast<std::int64_t>(new_rank.size()))
      rank = new_rank[static_cast<std::size_t>(rank)];
  }
  return trace::ranges_of(ranks);
}

void renumber(RecordingPart& part, const std::vector<std::int64_t>& new_rank) {
  for (auto& [rank, facts] : part.ranks) rank = new_rank[static_cast<std::size_t>(rank)];
  for (trace::TimeStamps& stamps : part.stamps)
    stamps.rank = new_rank[static_cast<std::size_t>(stamps.rank)];
  for (trace::Host& host : part.tables.hosts) host.ranks = renumbered(host.ranks, new_rank);
  for (trace::CommDefinition& comm : part.tables.comms) {
    comm.members = renumbered(comm.members, new_rank);
    comm.remote = renumbered(comm.remote, new_rank);
    comm.holders = renumbered(comm.holders, new_rank);
  }
  for (trace::GroupDefinition& group : part.tables.groups) {
    group.members = renumbered(group.members, new_rank);
    group.holders = renumbered(group.holders, new_rank);
  }
  for (trace::DatatypeDefinition& type : part.tables.datatypes)
    type.holders = renumbered(type.holders, new_rank);
}

using Progress = std::function<void(std::uint64_t, std::uint64_t)>;

// One stream after the other, in the order of their new ranks.
class Refolding {
public:
  Refolding(const trace::Trace& trace, Folding folding, const ProgramOptions& options,
            const Recasting& recasting, const Progress& progress)
      : trace_(trace), folding_(folding), options_(options), recasting_(recasting),
        progress_(progress), whole_(without_programs(trace)) {
    // By the flow, calls are put in loops when all are there.
    options_.folds = folding != Folding::kNone && recasting.by_flow.empty();
    options_.one_call_a_shape = !recasting.by_flow.empty();
    for (const trace::RankClass& c : trace.classes) {
      has_times_ = has_times_ || !c.program->times.empty();
      for (const std::int64_t rank : c.ranks.ranks())
        streams_.push_back({new_rank(rank), rank, &c});
    }
    sort_stably(streams_.begin(), streams_.end(), [](const Stream& a, const Stream& b) {
      return std::pair{a.new_rank, a.of->thread} < std::pair{b.new_rank, b.of->thread};
    });
    if (!recasting.new_rank.empty()) renumber(whole_, recasting.new_rank);
    if (recasting.comms) whole_.tables.comms = *recasting.comms;
    places_.run = trace.run;
    places_.comms = whole_.tables.comms;
  }

  Refolded run() {
    Refolded result;
    std::uint64_t done = 0;
    for (const std::vector<std::size_t>& kind : kinds()) {
      const Stream& first = streams_[kind.front()];
      std::vector<trace::PlaceTimes> together;
      TimesFrom times = times_of(first);
      if (kind.size() > 1 && times.places != nullptr) {
        together = times_together(kind, *times.places);
        times.together = &together;
      }
      const bool loses_times = has_times_ && times.stamps == nullptr && times.places == nullptr;
      if (loses_times && folding_ != Folding::kFull) ++result.streams_without_times;
      StreamProgram program = played(kind, times);
      if (!recasting_.by_flow.empty()) {
        held_back_.push_back({kind, std::move(program)});
      } else if (kind.size() > 1 && recasting_.own_numbers && has_varying_own_numbers(program)) {
        add_one_by_one(kind);
      } else {
        add(kind, std::move(program), {});
      }
      done += kind.size();
      if (progress_) progress_(done, streams_.size());
    }
    add_by_flow();
    merge_added();
    result.trace = resolve(std::move(whole_), folding_ == Folding::kFull);
    if (result.trace.sites == trace_.sites) result.trace.names = trace_.names;
    return result;
  }

private:
  struct Stream {
    std::int64_t new_rank;
    std::int64_t rank;
    const trace::RankClass* of;
  };

  std::int64_t new_rank(std::int64_t rank) const {
    return recasting_.new_rank.empty() ? rank : recasting_.new_rank[static_cast<std::size_t>(rank)];
  }

  TimesFrom times_of(const Stream& stream) {
    if (!has_times_) return {};
    if (const auto* stamps = trace_.stamps_of(stream.rank, stream.of->thread))
      return {.stamps = stamps};
    if (!has_shares(*stream.of, folding_)) return {};
    return {.places = &shares_.try_emplace(stream.of, *stream.of).first->second};
  }

  // Streams that differ in nothing but where their ranks stand, by their first; ascending.
  std::vector<std::vector<std::size_t>> kinds() const {
    std::vector<std::vector<std::size_t>> result;
    std::map<std::pair<const trace::RankClass*, std::vector<std::int64_t>>, std::size_t> known;
    for (std::size_t i = 0; i < streams_.size(); ++i) {
      const Stream& stream = streams_[i];
      const bool has_stamps = trace_.stamps_of(stream.rank, stream.of->thread) != nullptr;
      auto key = recasting_.likeness && !has_stamps ? recasting_.likeness(*stream.of, stream.rank)
                                                    : std::nullopt;
      if (key) {
        const auto [found, is_new] = known.try_emplace({stream.of, std::move(*key)}, result.size());
        if (!is_new) {
          result[found->second].push_back(i);
          continue;
        }
      }
      result.push_back({i});
    }
    return result;
  }

  // Of all streams of a kind.
  std::vector<trace::PlaceTimes> times_together(const std::vector<std::size_t>& kind,
                                                const RankShares& shares) const {
    const trace::RankClass& of = *streams_[kind.front()].of;
    if (kind.size() == static_cast<std::size_t>(of.ranks.size())) return of.program->times;
    std::vector<trace::PlaceTimes> result;
    for (std::size_t place = 0; place < shares.places(); ++place) {
      for (const std::size_t stream : kind) {
        const std::size_t index = *of.ranks.index_of(streams_[stream].rank);
        trace::PlaceTimes own = shares.of(place, index);
        if (stream == kind.front()) {
          result.push_back(std::move(own));
        } else {
          result.back().computation.add(own.computation);
          result.back().inside.add(own.inside);
        }
      }
    }
    return result;
  }

  // All streams of a kind by the calls of the first.
  StreamProgram played(const std::vector<std::size_t>& kind, const TimesFrom& times) {
    const Stream& stream = streams_[kind.front()];
    ProgramBuilder builder(options_);
    builder.remember_calls();
    set_positions(builder, places_, stream.new_rank);
    Changes changes;
    changes.drops_sites = recasting_.drops_sites;
    if (!recasting_.by_flow.empty()) changes.by_flow = &recasting_.by_flow;
    if (recasting_.memory) changes.memory = &*recasting_.memory;
    if (recasting_.site) {
      changes.site = [&](const trace::CallInstance& call) {
        return recasting_.site(*stream.of, stream.rank, call);
      };
    }
    if (recasting_.leaves_out) {
      changes.leaves_out = [&](const trace::CallInstance& call) {
        return recasting_.leaves_out(*stream.of, stream.rank, call);
      };
    }
    if (recasting_.place_in_source) {
      changes.place_in_source = [&](const trace::CallInstance& call) {
        return recasting_.place_in_source(*stream.of, call);
      };
    }
    const bool is_alone = kind.size() == 1;
    if (recasting_.words) {
      changes.words = [&](const trace::CallInstance& call, std::span<std::int64_t> words) {
        recasting_.words(*stream.of, stream.rank, call, words);
        if (is_alone && recasting_.own_numbers) say_own_numbers(stream, words);
      };
    }
    if (recasting_.array) {
      changes.array = [&](const trace::CallInstance& call, const trace::Field& field,
                          std::span<std::int64_t> values) {
        recasting_.array(*stream.of, stream.rank, call, field, values);
      };
    }
    replay(trace_, *stream.of, stream.rank, times, changes, builder);
    return builder.finish();
  }

  void say_own_numbers(const Stream& stream, std::span<std::int64_t> words) const {
    for (std::int64_t& word : words) {
      if (is_own_number(word))
        word = recasting_.own_numbers(*stream.of, stream.rank, place_of_own_number(word));
    }
  }

  // Streams that do the same but for numbers of their own, which vary from call to call.
  void add_one_by_one(const std::vector<std::size_t>& kind) {
    if (recasting_.again) recasting_.again(streams_[kind.front()].rank);
    for (const std::size_t stream : kind)
      add({stream}, played({stream}, times_of(streams_[stream])), {});
  }

  void add_by_flow() {
    std::vector<StreamProgram*> programs;
    for (HeldBack& one : held_back_) programs.push_back(&one.program);
    std::vector<VaryingLoops> varying =
        fold_by_flow(programs, places_in_source(trace_), recasting_.by_flow);
    varying.resize(programs.size());
    for (std::size_t i = 0; i < programs.size(); ++i)
      add(held_back_[i].kind, std::move(held_back_[i].program), varying[i]);
    held_back_.clear();
  }

  void add(const std::vector<std::size_t>& kind, StreamProgram&& program,
           const VaryingLoops& varying) {
    const Stream& stream = streams_[kind.front()];
    RecordingPart one;
    one.tables.sites = trace_.sites;
    one.run.complete = true;
    std::vector<std::int64_t> ranks;
    for (const std::size_t i : kind) {
      ranks.push_back(streams_[i].new_rank);
      if (i != kind.front() && recasting_.not_played)
        recasting_.not_played(streams_[i].rank, stream.rank);
    }
    one.classes.push_back(
        spread(class_of_stream(stream.new_rank, stream.of->thread, std::move(program), varying),
               ranks, places_, [&](std::size_t i, std::int64_t n) {
                 const Stream& own = streams_[kind[i]];
                 return recasting_.own_numbers(*own.of, own.rank, n);
               }));
    if (recasting_.site) one.tables.sites = numbered_sites(one.classes.front());
    added_.emplace_back(std::move(one), 1);
    while (added_.size() > 1 && added_.back().second == added_[added_.size() - 2].second)
      merge_last_two();
  }

  // As ranks that record are merged: by a binary tree, of which there are never more parts than it
  // has levels. One after the other, each would cost as much as all before it.
  void merge_last_two() {
    auto [part, streams] = std::move(added_.back());
    added_.pop_back();
    merge(added_.back().first, std::move(part), folding_ == Folding::kFull);
    added_.back().second += streams;
  }

  void merge_added() {
    while (added_.size() > 1) merge_last_two();
    if (added_.empty()) return;
    merge(whole_, std::move(added_.front().first), folding_ == Folding::kFull);
    added_.clear();
  }

  const trace::Trace& trace_;
  Folding folding_;
  ProgramOptions options_;
  const Recasting& recasting_;
  const Progress& progress_;
  RecordingPart whole_;
  trace::Trace places_; // the result's communicators only
  std::vector<std::pair<RecordingPart, std::size_t>>
      added_; // with their streams: fewer from one to the next
  struct HeldBack { // until all are there
    std::vector<std::size_t> kind;
    StreamProgram program;
  };
  std::vector<HeldBack> held_back_;
  bool has_times_ = false;
  std::vector<Stream> streams_;
  std::map<const trace::RankClass*, RankShares> shares_; // of classes that were met
};

} // namespace

Refolded refold(const trace::Trace& trace, Folding folding, ProgramOptions options,
                const Progress& progress) {
  return Refolding(trace, folding, options, {}, progress).run();
}

Refolded recast(const trace::Trace& trace, const Recasting& recasting, ProgramOptions options,
                const Progress& progress) {
  Refolded result = Refolding(trace, Folding::kFull, options, recasting, progress).run();
  for (trace::RankFacts& rank : result.trace.ranks) rank.sums = {}; // they are of the old calls
  return result;
}

} // namespace rondo::fold
