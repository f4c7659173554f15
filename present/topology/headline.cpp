// SPDX-License-Identifier: Apache-2.0
#include "present/topology/headline.hpp"

#include "rondo/base/units.hpp"

#include <algorithm>
#include <fmt/core.h>

namespace rondo::present {
namespace {

using topology::Graph;
using topology::Recognition;
using topology::TrafficPart;

std::string part_name(const TrafficPart& part) {
  const std::string direction = topology::describe(part.direction);
  return topology::title(part.found) + (direction.empty() ? "" : ", " + direction);
}

std::string light_text(const TrafficPart& part, const Graph& all) {
  const auto share = [](std::uint64_t some, std::uint64_t whole) {
    return whole == 0 ? 0 : static_cast<double>(some) / static_cast<double>(whole);
  };
  topology::Traffic total = all.total();
  total += all.to_self();
  return fmt::format("{} ({} of the messages, {} of the bytes)", part_name(part),
                     human_percent(share(part.traffic.messages, total.messages)),
                     human_percent(share(part.traffic.bytes, total.bytes)));
}

// The part's name, with all other traffic counted as left out.
Recognition beside_others(const TrafficPart& part, const Graph& all) {
  Recognition found = part.found;
  found.filtered.edges = all.adjacency().edges() - part.graph.adjacency().edges();
  found.filtered.traffic = {all.total().messages - found.kept.messages,
                            all.total().bytes - found.kept.bytes};
  found.to_self = all.to_self();
  return found;
}

bool has_name(const TrafficPart& part) {
  return part.found.recognized() && part.found.topology.kind != topology::Kind::kTree;
}

// The parts are what the whole is made of: rows and columns of its grid.
bool covers(const Graph& whole, const TrafficPart& part) {
  for (topology::Vertex v = 0; v < part.graph.ranks(); ++v) {
    for (const topology::Vertex w : part.graph.adjacency().neighbours(v)) {
      if (!whole.adjacency().adjacent(v, w)) return false;
    }
  }
  return true;
}

// A lattice of all ranks in which the heavy parts lie is more than they are one by one.
bool is_made_of(const Recognition& whole, const Graph& kept, const PartTable& table,
                const topology::PartWeights& weights) {
  using topology::Kind;
  const Kind kind = whole.topology.kind;
  const bool is_lattice = kind == Kind::kMesh || kind == Kind::kHypercube ||
                          kind == Kind::kSixPoint || kind == Kind::kCg;
  if (!is_lattice || whole.copies > 1 || whole.silent_ranks > 0 || weights.heavy.size() < 2)
    return false;
  return std::all_of(weights.heavy.begin(), weights.heavy.end(),
                     [&](std::size_t i) { return covers(kept, table.parts[i]); });
}

} // namespace

Headline headline_of(const Graph& all, Recognition whole, const PartTable& table,
                     const topology::TopologyOptions& options) {
  Headline headline;
  const auto weights = topology::weigh(table.parts, options.measure);
  const bool says_more = table.parts.size() > 1 &&
                         options.filter == topology::FilterKind::kAutomatic &&
                         std::all_of(weights.heavy.begin(), weights.heavy.end(),
                                     [&](std::size_t i) { return has_name(table.parts[i]); });
  headline.kept = whole.filtered.edges == 0
                      ? all
                      : all.without_light_edges(options.measure, whole.filtered.least_weight);
  if (!says_more || is_made_of(whole, headline.kept, table, weights)) {
    headline.found = std::move(whole);
    return headline;
  }
  for (const std::size_t i : weights.light)
    headline.light.push_back(light_text(table.parts[i], all));
  if (weights.heavy.size() == 1) {
    const TrafficPart& part = table.parts[weights.heavy[0]];
    headline.found = beside_others(part, all);
    headline.kept = part.graph;
    return headline;
  }
  for (const std::size_t i : weights.heavy)
    headline.mixture.push_back(topology::title(table.parts[i].found));
  whole.topology = {.kind = topology::Kind::kIrregular, .ranks = all.ranks()};
  whole.aliases.clear();
  whole.cells.clear();
  whole.copies = 1;
  whole.numbering = {};
  whole.filtered = {};
  whole.kept = all.total();
  headline.found = std::move(whole);
  headline.kept = all;
  return headline;
}

std::string title(const Headline& headline) {
  if (headline.mixture.empty()) return topology::title(headline.found);
  std::string text;
  const std::size_t count = headline.mixture.size();
  for (std::size_t i = 0; i < count; ++i)
    text += (i == 0 ? "" : i + 1 == count ? " and " : ", ") + headline.mixture[i];
  return text;
}

} // namespace rondo::present
