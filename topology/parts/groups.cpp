// SPDX-License-Identifier: Apache-2.0
#include "rondo/topology/groups.hpp"

#include "rondo/base/sort_stably.hpp"
#include "rondo/trace/call_meaning.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

namespace rondo::topology {
namespace {

using matrix::LayeredTraffic;
using matrix::ProgramPlace;
using trace::Trace;

// The innermost phase that every place of a program is in; places are in the order of the program.
std::vector<std::string> phases_of(const trace::MergedProgram& program,
                                   const std::vector<ProgramPlace>& places) {
  std::vector<std::string> phase;
  std::vector<std::string> open;
  for (const ProgramPlace& place : places) {
    phase.push_back(open.empty() ? "" : open.back());
    if (!place.what || place.what->is_loop()) continue;
    const trace::Call& call = program.calls[place.what->index()].call;
    const trace::CallMeaning& means = trace::meaning_of(*trace::find_function(call.function));
    if (means.act == trace::Act::kPhaseEnd && !open.empty()) open.pop_back();
    if (means.act != trace::Act::kPhaseBegin) continue;
    const auto word = static_cast<std::size_t>(means.name);
    const auto text = static_cast<std::size_t>(call.words[word].value);
    const bool is_known =
        call.words[word].form == trace::Word::Form::kConstant && text < program.texts.size();
    open.push_back(is_known ? program.texts[text] : "?");
  }
  return phase;
}

// Groups by a key, in the order in which keys first come.
class Grouper {
public:
  Grouper(const Trace& trace, const LayeredTraffic& layered, Grouping grouping)
      : layered_(layered), grouping_(grouping) {
    if (grouping != Grouping::kPhase) return;
    for (std::size_t i = 0; i < trace.programs.size(); ++i)
      phases_.push_back(phases_of(*trace.programs[i], layered.places[i]));
  }

  std::vector<LayerGroup> run() {
    for (std::size_t i = 0; i < layered_.layers.size(); ++i)
      group_of(layered_.layers[i]).layers.push_back(i);
    for (std::size_t i = 0; i < layered_.collectives.size(); ++i)
      group_of(layered_.collectives[i]).collectives.push_back(i);
    sort_stably(groups_.begin(), groups_.end(), [&](const LayerGroup& a, const LayerGroup& b) {
      return first_place(a) < first_place(b);
    });
    return std::move(groups_);
  }

private:
  using Key = std::tuple<std::int64_t, std::uint64_t, std::string>;
  using Position = std::pair<std::size_t, std::uint32_t>;

  Position first_place(const LayerGroup& group) const {
    Position first{~std::size_t{0}, 0};
    if (!group.layers.empty()) {
      const auto& layer = layered_.layers[group.layers.front()];
      first = {layer.program, layer.place};
    }
    if (group.collectives.empty()) return first;
    const auto& layer = layered_.collectives[group.collectives.front()];
    return std::min(first, Position{layer.program, layer.place});
  }

  template <class AnyLayer> LayerGroup& group_of(const AnyLayer& layer) {
    LayerGroup group;
    switch (grouping_) {
    case Grouping::kCommunicator:
      group.comm = layer.comm == nullptr ? trace::kWorldSlot : layer.comm->slot;
      break;
    case Grouping::kCallSite:
      group.site = layer.site;
      break;
    case Grouping::kLoop:
      group.program = layer.program;
      group.place = layered_.places[layer.program][layer.place].parent;
      break;
    case Grouping::kPhase:
      group.name = phases_[layer.program][layer.place];
      break;
    case Grouping::kFunction:
      group.name = layer.function->name;
      break;
    }
    const std::uint64_t number =
        group.site + (static_cast<std::uint64_t>(group.program) << 32U) + group.place;
    const auto [known, is_new] =
        index_.emplace(Key{group.comm, number, group.name}, groups_.size());
    if (is_new) groups_.push_back(std::move(group));
    return groups_[known->second];
  }

  const LayeredTraffic& layered_;
  Grouping grouping_;
  std::vector<std::vector<std::string>> phases_; // by program and place
  std::map<Key, std::size_t> index_;
  std::vector<LayerGroup> groups_;
};

// For every rank the communicator of a family that it is in, -1 if none.
std::vector<std::int64_t> comm_of_ranks(const CommFamily& family, std::int64_t ranks) {
  std::vector<std::int64_t> result(static_cast<std::size_t>(ranks), -1);
  for (std::size_t i = 0; i < family.comms.size(); ++i) {
    for (const std::int64_t rank : trace::sequence_of(family.comms[i]->members)) {
      if (rank >= 0 && rank < ranks)
        result[static_cast<std::size_t>(rank)] = static_cast<std::int64_t>(i);
    }
  }
  return result;
}

// The same communicators numbered by their lowest ranks.
std::vector<std::int64_t> in_order_of_ranks(const std::vector<std::int64_t>& comm_of) {
  std::map<std::int64_t, std::int64_t> numbers;
  std::vector<std::int64_t> result;
  for (const std::int64_t comm : comm_of) {
    const auto next = static_cast<std::int64_t>(numbers.size());
    result.push_back(comm < 0 ? comm : numbers.try_emplace(comm, next).first->second);
  }
  return result;
}

// Every pair of communicators has one rank in common if no pair has two and there are as many ranks
// as pairs.
bool are_crossed(const std::vector<std::int64_t>& a, std::int64_t count_a,
                 const std::vector<std::int64_t>& b, std::int64_t count_b) {
  std::vector<bool> met(static_cast<std::size_t>(count_a * count_b), false);
  std::int64_t pairs = 0;
  for (std::size_t rank = 0; rank < a.size(); ++rank) {
    if (a[rank] < 0 && b[rank] < 0) continue;
    if (a[rank] < 0 || b[rank] < 0) return false;
    const auto pair = static_cast<std::size_t>(a[rank] * count_b + b[rank]);
    if (met[pair]) return false;
    met[pair] = true;
    ++pairs;
  }
  return pairs == count_a * count_b;
}

// Of the first communicator, whatever the order of its members. Of rows, it is next to the lowest.
std::int64_t second_lowest(const CommFamily& family) {
  auto members = trace::sequence_of(family.comms.front()->members);
  if (members.size() < 2) return std::numeric_limits<std::int64_t>::max();
  std::nth_element(members.begin(), members.begin() + 1, members.end());
  return members[1];
}

// The constant array that a word of MPI_Cart_create names; empty if it varies.
const std::vector<std::int64_t>& array_of(const trace::MergedProgram& program,
                                          const trace::Call& call, std::string_view name) {
  static const std::vector<std::int64_t> kNone;
  const trace::Function& function = *trace::find_function(call.function);
  const trace::Word& word = call.words[static_cast<std::size_t>(function.word_of(name))];
  const auto index = static_cast<std::size_t>(word.value);
  const bool is_known = word.form == trace::Word::Form::kConstant && index < program.arrays.size();
  return is_known ? program.arrays[index] : kNone;
}

// World ranks in the order of the new communicator, if it has all of them.
std::vector<std::int64_t> members_of_all(const Trace& trace, const trace::Call& call) {
  const int made_word = trace::meaning_of(*trace::find_function(call.function)).new_comm;
  const trace::Word& made = call.words[static_cast<std::size_t>(made_word)];
  for (const trace::CommDefinition& comm : trace.comms) {
    if (made != trace::Word{trace::Word::Form::kConstant, comm.slot}) continue;
    auto members = trace::sequence_of(comm.members);
    if (static_cast<std::int64_t>(members.size()) == trace.run.ranks) return members;
  }
  return {};
}

std::optional<SuggestedGrid> cartesian_grid(const Trace& trace, const trace::MergedProgram& program,
                                            const trace::Call& call) {
  const auto& sizes = array_of(program, call, "dims");
  const auto& periods = array_of(program, call, "periods");
  const auto members = members_of_all(trace, call);
  SuggestedGrid grid;
  std::int64_t cells = 1;
  for (std::size_t i = 0; i < sizes.size() && i < periods.size(); ++i) {
    if (sizes[i] < 1 || sizes[i] > trace.run.ranks) return std::nullopt;
    cells *= sizes[i];
    if (cells > trace.run.ranks) return std::nullopt;
    if (sizes[i] > 1)
      grid.dimensions.push_back({static_cast<Vertex>(sizes[i]), sizes[i] > 2 && periods[i] != 0});
  }
  if (members.empty() || cells != trace.run.ranks) return std::nullopt;
  grid.cells.assign(members.size(), 0);
  for (std::size_t cell = 0; cell < members.size(); ++cell) {
    if (members[cell] < 0 || members[cell] >= trace.run.ranks) return std::nullopt;
    grid.cells[static_cast<std::size_t>(members[cell])] = static_cast<Vertex>(cell);
  }
  return grid;
}

} // namespace

std::vector<LayerGroup> groups_of(const Trace& trace, const LayeredTraffic& layered,
                                  Grouping grouping) {
  return Grouper(trace, layered, grouping).run();
}

bool has_phases(const Trace& trace) {
  return std::any_of(trace.programs.begin(), trace.programs.end(), [](const auto& program) {
    return std::any_of(program->calls.begin(), program->calls.end(), [](const auto& call) {
      const trace::Function& function = *trace::find_function(call.call.function);
      return trace::meaning_of(function).act == trace::Act::kPhaseBegin;
    });
  });
}

std::vector<CommFamily> comm_families(const Trace& trace) {
  std::map<std::int64_t, CommFamily> families;
  for (const trace::CommDefinition& comm : trace.comms) {
    if (comm.slot < 0 || comm.members.empty()) continue;
    families[comm.slot].slot = comm.slot;
    families[comm.slot].comms.push_back(&comm);
  }
  std::vector<CommFamily> result;
  for (auto& [slot, family] : families) {
    const auto lowest = [](const trace::CommDefinition* comm) {
      const auto members = trace::sequence_of(comm->members);
      return *std::min_element(members.begin(), members.end());
    };
    sort_stably(family.comms.begin(), family.comms.end(),
                [&](const auto* a, const auto* b) { return lowest(a) < lowest(b); });
    for (const auto* comm : family.comms)
      family.sizes.push_back(static_cast<std::int64_t>(trace::sequence_of(comm->members).size()));
    result.push_back(std::move(family));
  }
  return result;
}

std::vector<SuggestedGrid> cartesian_grids(const Trace& trace) {
  std::vector<SuggestedGrid> grids;
  for (const auto& program : trace.programs) {
    for (const trace::MergedCall& merged : program->calls) {
      const trace::Call& call = merged.call;
      const trace::CallMeaning& means = trace::meaning_of(*trace::find_function(call.function));
      if (means.topology != trace::MadeTopology::kCart || call.error != 0) continue;
      const auto grid = cartesian_grid(trace, *program, call);
      if (grid) grids.push_back(*grid);
    }
  }
  return grids;
}

std::vector<CrossedFamilies> crossed_families(const Trace& trace) {
  std::vector<CrossedFamilies> result;
  std::map<std::pair<std::vector<std::int64_t>, std::vector<std::int64_t>>, std::size_t> grids;
  const auto families = comm_families(trace);
  std::vector<std::vector<std::int64_t>> comm_of;
  for (const CommFamily& family : families)
    comm_of.push_back(comm_of_ranks(family, trace.run.ranks));
  for (std::size_t a = 0; a < families.size(); ++a) {
    for (std::size_t b = a + 1; b < families.size(); ++b) {
      const auto count_a = static_cast<std::int64_t>(families[a].comms.size());
      const auto count_b = static_cast<std::int64_t>(families[b].comms.size());
      if (count_a < 2 || count_b < 2 || count_a * count_b > trace.run.ranks ||
          !are_crossed(comm_of[a], count_a, comm_of[b], count_b))
        continue;
      const bool in_order = second_lowest(families[a]) < second_lowest(families[b]);
      const std::size_t rows = in_order ? a : b;
      const std::size_t columns = in_order ? b : a;
      const auto grid = grids.try_emplace(
          {in_order_of_ranks(comm_of[rows]), in_order_of_ranks(comm_of[columns])}, grids.size());
      result.push_back({families[rows].slot, families[columns].slot, in_order ? count_a : count_b,
                        in_order ? count_b : count_a, grid.first->second});
    }
  }
  return result;
}

} // namespace rondo::topology
