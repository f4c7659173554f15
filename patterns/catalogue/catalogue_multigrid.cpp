// SPDX-License-Identifier: Apache-2.0
// Multigrid cycles whose neighbours are 1, 2, 4, ... apart on a grid, on each level those ranks
// only that the level has.
#include "patterns/message_group.hpp"
#include "rondo/base/units.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>
#include <fmt/core.h>
#include <limits>
#include <map>
#include <set>

namespace rondo::patterns::internal {
namespace {

// What is between neighbours of one level.
struct Level {
  std::set<Vertex> ranks;
  std::map<std::pair<Vertex, Vertex>, double> times; // of sender and receiver
  double least_bytes = std::numeric_limits<double>::infinity();
  double most_bytes = 0;

  void add(const GroupMessage& m) {
    ranks.insert({m.from, m.to});
    times[{m.from, m.to}] += m.times;
    least_bytes = std::min(least_bytes, m.least_bytes < 0 ? m.bytes : m.least_bytes);
    most_bytes = std::max(most_bytes, m.most_bytes < 0 ? m.bytes : m.most_bytes);
  }

  double most_times() const {
    double most = 0;
    for (const auto& [pair, count] : times) most = std::max(most, count);
    return most;
  }
};

// How far apart neighbours are says on which level they are.
std::size_t level_of(const topology::Recognition& found, const GroupMessage& m) {
  const auto step = step_of(found.topology, found.cells[index(m.from)], found.cells[index(m.to)]);
  Vertex distance = 1;
  for (const Vertex along : step) distance = std::max(distance, std::abs(along));
  return static_cast<std::size_t>(std::countr_zero(static_cast<unsigned>(distance)));
}

std::vector<Level> levels_of(const MessageGroup& group, const topology::Recognition& found) {
  std::vector<Level> levels(static_cast<std::size_t>(found.topology.levels));
  for (const GroupMessage& m : group.messages) levels[level_of(found, m)].add(m);
  return levels;
}

// As much comes back to each rank as it has sent.
bool is_both_ways(const Level& level) {
  return std::all_of(level.times.begin(), level.times.end(), [&](const auto& one) {
    const auto back = level.times.find({one.first.second, one.first.first});
    return back != level.times.end() && back->second == one.second;
  });
}

// Whether each level is gone to by as much more often than the one before. Of three levels this is
// what a W-cycle does.
bool is_f_cycle(const std::vector<Level>& levels) {
  constexpr double kLeastMore = 0.5; // of what the finest level is gone to
  constexpr double kNear = 0.2;
  if (levels.size() < 4) return false;
  const double finest = levels[0].most_times();
  const double more = levels[1].most_times() - finest;
  for (std::size_t i = 2; i + 1 < levels.size(); ++i) {
    const double times = levels[i].most_times();
    if (std::abs(times - finest - static_cast<double>(i) * more) > kNear * times) return false;
  }
  return more >= kLeastMore * finest;
}

// How many times as often as the level before a level is gone to. The coarsest one may be solved
// without smoothing before and behind, so it says less.
std::optional<PatternName> cycle_of(const std::vector<Level>& levels) {
  constexpr double kAsOften = 1.34;
  constexpr double kTwice = 1.65;
  bool is_v = true;
  bool is_w = levels.size() > 2;
  for (std::size_t i = 1; i < levels.size(); ++i) {
    const double ratio = levels[i].most_times() / levels[i - 1].most_times();
    const bool is_coarsest = i + 1 == levels.size();
    is_v = is_v && ratio <= kAsOften;
    is_w = is_w && (is_coarsest || ratio >= kTwice);
  }
  if (is_v) return PatternName::kVCycle;
  if (is_w) return PatternName::kWCycle;
  return is_f_cycle(levels) ? std::optional(PatternName::kFCycle) : std::nullopt;
}

const char* levels_in_words(PatternName name) {
  switch (name) {
  case PatternName::kWCycle:
    return "each level is gone to twice as often as the one before";
  case PatternName::kFCycle:
    return "each level is gone to once more than the one before";
  default:
    return "and back: each level is gone to as often as the one before";
  }
}

// When a rank has to do with a level.
struct Stay {
  std::uint64_t last = 0;
  double times = 0;
};

// Each rank that goes to the next level comes back from it. If it does the same before and behind,
// that is one event, which is executed for both.
bool comes_back(const MessageGroup& group, const topology::Recognition& found, std::size_t levels) {
  std::vector<std::map<Vertex, Stay>> stays(levels);
  const auto add = [](Stay& stay, std::uint64_t time, double times) {
    stay.last = std::max(stay.last, time);
    stay.times = std::max(stay.times, times);
  };
  for (const GroupMessage& m : group.messages) {
    auto& level = stays[level_of(found, m)];
    add(level[m.from], m.sent, m.times);
    add(level[m.to], m.received, m.times);
  }
  for (std::size_t i = 0; i + 1 < levels; ++i) {
    for (const auto& [rank, coarse] : stays[i + 1]) {
      const auto fine = stays[i].find(rank);
      if (fine == stays[i].end()) return false;
      if (fine->second.last <= coarse.last && fine->second.times < 2) return false;
    }
  }
  return true;
}

void say_levels(const MessageGroup& group, const std::vector<Level>& levels, Shape& shape) {
  for (std::size_t i = 0; i < levels.size(); ++i) {
    const Level& level = levels[i];
    const std::string least = human_bytes(level.least_bytes);
    const std::string most = human_bytes(level.most_bytes);
    std::vector<std::int64_t> ranks;
    for (const Vertex v : level.ranks) ranks.push_back(group.ranks[index(v)]);
    const std::string who =
        i == 0 ? fmt::format("among all {} ranks, neighbours next to each other", ranks.size())
               : fmt::format("then among {} ranks ({}), neighbours {} apart", ranks.size(),
                             ranks_text(ranks), std::size_t{1} << i);
    shape.evidence.push_back(who + ": " + (least == most ? least : least + " to " + most));
  }
  shape.evidence.emplace_back(levels_in_words(shape.name));
}

} // namespace

std::optional<Shape> multigrid(const MessageGroup& group) {
  constexpr Vertex kLeast = 5; // less is a grid
  if (group.size() < kLeast) return {};
  topology::Graph graph;
  const topology::Recognition found = recognized(group, graph);
  if (found.topology.kind != topology::TopologyKind::kMultigrid || found.copies != 1 ||
      found.cells.empty())
    return {};
  const auto levels = levels_of(group, found);
  if (!std::all_of(levels.begin(), levels.end(), is_both_ways) ||
      !comes_back(group, found, levels.size()))
    return {};
  const auto name = cycle_of(levels);
  if (!name) return {};
  topology::Topology grid = found.topology;
  grid.kind = grid.dimensions.size() > 1    ? topology::TopologyKind::kMesh
              : grid.dimensions[0].periodic ? topology::TopologyKind::kRing
                                            : topology::TopologyKind::kChain;
  Shape shape{*name, std::string(to_text(*name)), "on a " + topology::name(grid), {}, "", -1};
  say_levels(group, levels, shape);
  return shape;
}

} // namespace rondo::patterns::internal
