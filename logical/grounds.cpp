// SPDX-License-Identifier: Apache-2.0
#include "logical/grounds.hpp"

#include "logical/orientation.hpp"
#include "logical/pairing.hpp"
#include "logical/peer_words.hpp"
#include "rondo/matrix/layers.hpp"
#include "rondo/topology/groups.hpp"
#include "rondo/topology/parts.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace rondo::logical::internal {
namespace {

using trace::Word;

Ground ground_of(const topology::Recognition& found, DirectionOptions options) {
  return {topology::title(found), found.topology, found.cells, found.copy_of,
          Directions(found.topology, options)};
}

bool is_ground(const topology::Recognition& found) {
  return found.recognized() && !found.cells.empty() && Directions::has(found.topology);
}

std::vector<topology::Vertex> by_number(const std::vector<topology::Vertex>& of_rank,
                                        const std::vector<std::int64_t>& numbers) {
  std::vector<topology::Vertex> result(of_rank.size());
  for (std::size_t rank = 0; rank < of_rank.size(); ++rank)
    result[static_cast<std::size_t>(numbers[rank])] = of_rank[rank];
  return result;
}

std::vector<topology::Vertex> by_rank(const std::vector<topology::Vertex>& of_number,
                                      const std::vector<std::int64_t>& numbers) {
  std::vector<topology::Vertex> result(of_number.size());
  for (std::size_t rank = 0; rank < of_number.size(); ++rank)
    result[rank] = of_number[static_cast<std::size_t>(numbers[rank])];
  return result;
}

// Recognition then sees the ranks as if they had these numbers.
void renumber(matrix::LayeredTraffic& layered, const std::vector<std::int64_t>& numbers) {
  for (matrix::Layer& layer : layered.layers) {
    for (matrix::MatrixEntry& entry : layer.entries) {
      entry.source = numbers[static_cast<std::size_t>(entry.source)];
      entry.destination = numbers[static_cast<std::size_t>(entry.destination)];
    }
    std::sort(layer.entries.begin(), layer.entries.end(), [](const auto& a, const auto& b) {
      return std::pair{a.source, a.destination} < std::pair{b.source, b.destination};
    });
  }
}

// The values that a word of a call has, each as a word without a column.
std::vector<Word> values_of(const trace::Program& program, const Word& word) {
  if (!trace::is_column(word)) return {word};
  std::set<std::int64_t> values;
  trace::ColumnReader reader(program.columns[static_cast<std::size_t>(word.value)]);
  while (const auto value = reader.next()) values.insert(*value);
  std::vector<Word> result;
  for (const std::int64_t value : values) result.push_back(trace::word_at(word, value));
  return result;
}

// How many peers of each call each ground has a direction for.
class Coverage {
public:
  Coverage(const trace::Trace& trace, const std::vector<Ground>& grounds)
      : trace_(trace), grounds_(grounds) {}

  std::vector<std::vector<std::size_t>> run() {
    for (const trace::RankClass& c : trace_.classes) {
      const std::vector<Peers> peers = peers_of(*c.program);
      for (const std::int64_t rank : c.ranks.ranks()) add_rank(c, peers, rank);
    }
    std::vector<std::vector<std::size_t>> best;
    for (const trace::RankClass& c : trace_.classes) {
      best.emplace_back(c.program->calls.size(), 0);
      for (const Peers& peers : peers_of(*c.program)) {
        const std::vector<std::uint64_t>& counts = covered_[peers.kind];
        const auto most = std::max_element(counts.begin(), counts.end());
        best.back()[peers.symbol] = static_cast<std::size_t>(most - counts.begin());
      }
    }
    return best;
  }

private:
  // Calls that should follow one ground: which of them are one call of the merged program depends
  // on the numbers of the ranks, this does not.
  using KindOfCall = std::array<std::int64_t, 4>; // function, site, communicator, constant tag

  struct Peers { // of one word of a call
    std::size_t symbol;
    KindOfCall kind;
    std::int64_t comm;
    std::vector<Word> values;
  };

  static std::vector<Peers> peers_of(const trace::Program& program) {
    std::vector<Peers> result;
    for (std::size_t symbol = 0; symbol < program.calls.size(); ++symbol) {
      const trace::Call& call = program.calls[symbol];
      const trace::Function& function = *trace::find_function(call.function);
      for_each_rank_word(function, [&](std::size_t word, const trace::Field& field) {
        if (field.kind != trace::FieldKind::kRank) return;
        result.push_back({symbol, kind_of(function, call), comm_of(function, call),
                          values_of(program, call.words[word])});
      });
    }
    return result;
  }

  static KindOfCall kind_of(const trace::Function& function, const trace::Call& call) {
    const int word = function.word_of("tag");
    const bool has_tag =
        word >= 0 && call.words[static_cast<std::size_t>(word)].form == Word::Form::kConstant;
    return {function.id, call.site, comm_of(function, call),
            has_tag ? call.words[static_cast<std::size_t>(word)].value : trace::kNothing};
  }

  static std::int64_t comm_of(const trace::Function& function, const trace::Call& call) {
    const int word = function.comm_word();
    return word < 0 ? trace::kWorldSlot : call.words[static_cast<std::size_t>(word)].value;
  }

  void add_rank(const trace::RankClass& c, const std::vector<Peers>& all, std::int64_t rank) {
    const trace::Positions positions(trace_, rank);
    std::set<std::pair<KindOfCall, std::int64_t>> seen;
    for (const Peers& peers : all) {
      std::vector<std::uint64_t>& covered = covered_[peers.kind];
      covered.resize(grounds_.size());
      for (const Word& word : peers.values) {
        const auto peer =
            world_rank(positions, rank, peers.comm,
                       trace::value_of_word(*c.program, word, rank, positions.of(peers.comm)));
        if (!peer || !seen.emplace(peers.kind, *peer).second) continue;
        for (std::size_t g = 0; g < grounds_.size(); ++g) {
          if (direction_between(grounds_[g], rank, *peer)) ++covered[g];
        }
      }
    }
  }

  std::map<KindOfCall, std::vector<std::uint64_t>> covered_; // by ground
  const trace::Trace& trace_;
  const std::vector<Ground>& grounds_;
};

} // namespace

std::vector<Ground> grounds_of(const trace::Trace& trace, const std::vector<RankUse>& uses,
                               const std::vector<std::int64_t>& numbers, DirectionOptions options) {
  std::vector<Ground> grounds;
  matrix::LayeredTraffic layered = matrix::layers_of(trace);
  if (layered.layers.empty()) return grounds;
  renumber(layered, numbers);
  topology::TopologyOptions settings;
  const std::vector<topology::SuggestedGrid> made = topology::cartesian_grids(trace);
  for (const topology::SuggestedGrid& grid : made)
    settings.suggested.push_back({grid.dimensions, by_number(grid.cells, numbers)});
  std::vector<topology::TrafficPart> parts = topology::parts_of(layered, trace.run.ranks, settings);
  std::stable_sort(parts.begin(), parts.end(), [](const auto& a, const auto& b) {
    return a.traffic.messages > b.traffic.messages;
  });
  for (topology::TrafficPart& part : parts) {
    topology::Recognition& found = part.found;
    if (!is_ground(found)) continue;
    found.cells = by_rank(found.cells, numbers);
    found.copy_of = by_rank(found.copy_of, numbers);
    const bool is_made = std::any_of(made.begin(), made.end(), [&](const auto& grid) {
      return grid.dimensions == found.topology.dimensions && grid.cells == found.cells;
    });
    if (!is_made) {
      pair_dimensions(found, uses, options.square_is_grid);
      orient(found, uses, numbers);
    }
    grounds.push_back(ground_of(found, options));
  }
  return grounds;
}

std::optional<std::size_t> direction_between(const Ground& ground, std::int64_t from,
                                             std::int64_t to) {
  const auto a = static_cast<std::size_t>(from);
  const auto b = static_cast<std::size_t>(to);
  if (!ground.copy_of.empty() && ground.copy_of[a] != ground.copy_of[b]) return std::nullopt;
  return ground.directions.between(ground.cells[a], ground.cells[b]);
}

std::vector<std::vector<std::size_t>> grounds_of_calls(const trace::Trace& trace,
                                                       const std::vector<Ground>& grounds) {
  if (grounds.empty()) return {};
  return Coverage(trace, grounds).run();
}

std::optional<std::int64_t> world_rank(const trace::Positions& positions, std::int64_t own_rank,
                                       std::int64_t comm, std::int64_t peer) {
  if (trace::is_special(peer) || peer < 0) return std::nullopt;
  if (comm == trace::kSelfSlot) return peer == 0 ? std::optional(own_rank) : std::nullopt;
  const auto& position = positions.of(comm);
  if (position.comm == nullptr)
    return comm == trace::kWorldSlot && peer < position.size ? std::optional(peer) : std::nullopt;
  const auto& members =
      position.comm->remote.empty() ? position.comm->members : position.comm->remote;
  for (const trace::RankRange& range : members) {
    if (peer < range.count) {
      const std::int64_t rank = range.start + peer * range.stride;
      return rank < 0 ? std::nullopt : std::optional(rank);
    }
    peer -= range.count;
  }
  return std::nullopt;
}

std::int64_t local_rank(const trace::Positions& positions, std::int64_t comm, std::int64_t rank) {
  const auto& position = positions.of(comm);
  if (position.comm == nullptr) return rank;
  const auto& members =
      position.comm->remote.empty() ? position.comm->members : position.comm->remote;
  std::int64_t before = 0;
  for (const trace::RankRange& range : members) {
    const std::int64_t steps = range.stride == 0 ? 0 : (rank - range.start) / range.stride;
    if (range.start + steps * range.stride == rank && steps >= 0 && steps < range.count)
      return before + steps;
    before += range.count;
  }
  return -1;
}

} // namespace rondo::logical::internal
