// SPDX-License-Identifier: Apache-2.0
#include "logical/text/call_counts.hpp"

#include <algorithm>
#include <cmath>

namespace rondo::logical::internal {

const trace::RankSet& ranks_of(const trace::MergedProgram& program, trace::Term term) {
  const std::uint32_t set =
      term.is_loop() ? program.loops[term.index()].set : program.calls[term.index()].set;
  return program.table.sets[set];
}

CallCounts::CallCounts(const LogicalProgram& logical, std::size_t index,
                       const matrix::LayeredTraffic& layered)
    : places_(layered.places[index]), program_(*logical.cells.programs[index]) {
  sum_up(logical.cells, index);
  for (const matrix::Layer& layer : layered.layers) {
    if (layer.program == index) add_bytes(layer);
  }
  for (std::uint32_t place = 1; place < places_.size(); ++place)
    place_of_.emplace(std::pair{places_[place].parent, places_[place].term}, place);
  deal_out_executions();
}

void CallCounts::sum_up(const trace::Trace& trace, std::size_t index) {
  sums_.resize(program_.calls.size());
  for (const trace::RankClass& c : trace.classes) {
    if (c.merged != index) continue;
    const auto executions = c.program->nest.occurrences(c.program->calls.size());
    const auto ranks = static_cast<std::uint64_t>(c.ranks.size());
    std::map<std::uint32_t, std::uint64_t> of_rank; // several symbols may be one merged call
    for (std::size_t symbol = 0; symbol < executions.size(); ++symbol)
      of_rank[c.calls[symbol]] += executions[symbol];
    of_class_.emplace_back(&c, of_rank);
    for (const auto& [call, count] : of_rank) {
      Sums& sums = sums_[call];
      sums.least = sums.ranks == 0 ? count : std::min(sums.least, count);
      sums.ranks += ranks;
      sums.executions += count * ranks;
    }
    for (const trace::PlaceTimes& place : c.program->times) {
      sums_[c.calls[place.call]].before.add(place.computation);
      sums_[c.calls[place.call]].inside.add(place.inside);
    }
  }
}

// A call that stands at several places is known by its sum over all ranks, and a place by how
// often one rank comes to it: each gets its part of the sum, and the parts add up.
void CallCounts::deal_out_executions() {
  std::vector<double> whole(sums_.size());
  for (const matrix::ProgramPlace& place : places_) {
    if (place.what && !place.what->is_loop()) whole[place.what->index()] += weight_of(place);
  }
  std::vector<double> dealt(sums_.size());
  for (const matrix::ProgramPlace& place : places_) {
    executions_here_.push_back(0);
    if (!place.what || place.what->is_loop() || whole[place.what->index()] == 0) continue;
    const std::size_t call = place.what->index();
    const auto up_to = [&](double weight) {
      const double part = weight / whole[call] * static_cast<double>(sums_[call].executions);
      return static_cast<std::uint64_t>(std::llround(part));
    };
    const std::uint64_t before = up_to(dealt[call]);
    executions_here_.back() = up_to(dealt[call] += weight_of(place)) - before;
  }
}

double CallCounts::weight_of(const matrix::ProgramPlace& place) const {
  return static_cast<double>(place.executions) *
         static_cast<double>(ranks_of(program_, *place.what).size());
}

void CallCounts::add_bytes(const matrix::Layer& layer) {
  const auto& what = places_[layer.place].what;
  if (!what || what->is_loop()) return;
  for (const matrix::MatrixEntry& entry : layer.entries) sums_[what->index()].bytes += entry.bytes;
}

std::uint64_t CallCounts::entries_of(std::optional<std::uint32_t> at) const {
  return at && *at > 0 ? places_[*at].executions : 1;
}

std::optional<std::uint32_t> CallCounts::place_in(std::optional<std::uint32_t> at,
                                                  std::uint32_t term) const {
  if (!at) return std::nullopt;
  const auto found = place_of_.find({*at, term});
  return found == place_of_.end() ? std::nullopt : std::optional(found->second);
}

std::uint64_t CallCounts::executions_of(std::uint32_t call, std::int64_t rank) const {
  std::uint64_t executions = 0; // of all threads
  for (const auto& [ranks, of_call] : of_class_) {
    const auto found = of_call.find(call);
    if (found != of_call.end() && ranks->ranks.contains(rank)) executions += found->second;
  }
  return executions;
}

void CallCounts::say(CallStatement& call, std::uint32_t index,
                     std::optional<std::uint32_t> place) const {
  const Sums& sums = sums_[index];
  call.executions = place ? executions_here_[*place] : sums.executions;
  call.most_here = place ? executions_at(*place) : sums.least;
  call.shares = {{index, {sums.executions, sums.bytes}, sums.executions - sums.ranks * sums.least}};
  call.before_ns = sums.before.mean_ns();
  call.inside_ns = sums.inside.mean_ns();
}

} // namespace rondo::logical::internal
