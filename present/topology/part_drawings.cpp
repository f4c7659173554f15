// SPDX-License-Identifier: Apache-2.0
#include "present/topology/part_drawings.hpp"

#include "rondo/topology/layout.hpp"

#include <algorithm>

namespace rondo::present {
namespace {

using nlohmann::json;

// As the columns of a report's matrix: sources less the one before, destinations less the source.
json pairs_json(const topology::Graph& graph) {
  json pairs = {{"ranks", graph.ranks()}};
  for (const char* key : {"source_differences", "destination_offsets", "messages", "bytes"})
    pairs[key] = json::array();
  topology::Vertex before = 0;
  for (topology::Vertex source = 0; source < graph.ranks(); ++source) {
    std::int64_t arc = graph.adjacency().row_begin(source);
    for (const topology::Vertex destination : graph.adjacency().neighbours(source)) {
      const topology::Traffic& sent = graph.sent(arc++);
      if (sent.messages == 0) continue; // it only receives
      pairs["source_differences"].push_back(source - before);
      pairs["destination_offsets"].push_back(destination - source);
      pairs["messages"].push_back(sent.messages);
      pairs["bytes"].push_back(sent.bytes);
      before = source;
    }
  }
  return pairs;
}

} // namespace

json layout_json(const topology::Graph& graph, const topology::Recognition& found) {
  const topology::Layout layout = topology::layout_of(graph.adjacency(), found);
  json x = json::array();
  json y = json::array();
  for (const topology::Point& point : layout.points) {
    x.push_back(point.x);
    y.push_back(point.y);
  }
  return {{"x", std::move(x)},
          {"y", std::move(y)},
          {"order", layout.order},
          {"drawn_as", layout.drawn_as}};
}

void draw_parts(json& rows, const std::vector<topology::TrafficPart>& parts) {
  for (std::size_t i = 0; i < std::min(rows.size(), parts.size()); ++i) {
    if (parts[i].graph.adjacency().edges() == 0) continue;
    rows[i]["pairs"] = pairs_json(parts[i].graph);
    rows[i]["layout"] = layout_json(parts[i].graph, parts[i].found);
  }
}

} // namespace rondo::present
