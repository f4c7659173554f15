// SPDX-License-Identifier: Apache-2.0
#include "rondo/topology/graph_files.hpp"
#include "topology/at.hpp"

#include "rondo/base/escape.hpp"

#include <fmt/core.h>
#include <iterator>

namespace rondo::topology {
namespace {

// "1,2"; empty without coordinates.
std::string coordinates_text(const Recognition& recognition, Vertex rank) {
  std::string text;
  if (!has_coordinates(recognition.topology) || at(rank) >= recognition.cells.size()) return text;
  const Vertex cell = recognition.cells[at(rank)];
  if (cell < 0) return text;
  for (const Vertex x : coordinates(recognition.topology.dimensions, cell))
    text += (text.empty() ? "" : ",") + std::to_string(x);
  return text;
}

template <typename Visit> void each_sent(const Graph& graph, Visit visit) {
  for (Vertex v = 0; v < graph.ranks(); ++v) {
    std::int64_t arc = graph.adjacency().row_begin(v);
    for (const Vertex w : graph.adjacency().neighbours(v)) {
      const Traffic& sent = graph.sent(arc++);
      if (sent.messages > 0) visit(v, w, sent);
    }
  }
}

constexpr const char* kGraphmlHead = R"(<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="topology" for="graph" attr.name="topology" attr.type="string"/>
  <key id="coordinates" for="node" attr.name="coordinates" attr.type="string"/>
  <key id="x" for="node" attr.name="x" attr.type="double"/>
  <key id="y" for="node" attr.name="y" attr.type="double"/>
  <key id="messages" for="edge" attr.name="messages" attr.type="long"/>
  <key id="bytes" for="edge" attr.name="bytes" attr.type="long"/>
)";

} // namespace

std::string to_graphml(const Graph& graph, const Recognition& recognition, const Layout& layout) {
  std::string text = kGraphmlHead;
  const auto out = std::back_inserter(text);
  fmt::format_to(out,
                 "  <graph id=\"ranks\" edgedefault=\"directed\">\n"
                 "    <data key=\"topology\">{}</data>\n",
                 escape::xml(title(recognition)));
  for (Vertex v = 0; v < graph.ranks(); ++v) {
    const std::string place = coordinates_text(recognition, v);
    fmt::format_to(out, "    <node id=\"{}\">", v);
    if (!place.empty()) fmt::format_to(out, "<data key=\"coordinates\">{}</data>", place);
    const Point& p = layout.points[at(v)];
    fmt::format_to(out, "<data key=\"x\">{:.4g}</data><data key=\"y\">{:.4g}</data></node>\n", p.x,
                   p.y);
  }
  each_sent(graph, [&](Vertex v, Vertex w, const Traffic& sent) {
    fmt::format_to(out,
                   "    <edge source=\"{}\" target=\"{}\"><data key=\"messages\">{}</data>"
                   "<data key=\"bytes\">{}</data></edge>\n",
                   v, w, sent.messages, sent.bytes);
  });
  return text + "  </graph>\n</graphml>\n";
}

std::string to_dot(const Graph& graph, const Recognition& recognition, const Layout& layout) {
  std::string text;
  const auto out = std::back_inserter(text);
  fmt::format_to(out, "digraph ranks {{\n  label={};\n  node [shape=circle];\n",
                 escape::dot(title(recognition)));
  for (Vertex v = 0; v < graph.ranks(); ++v) {
    const Point& p = layout.points[at(v)];
    const std::string place = coordinates_text(recognition, v);
    // in Graphviz y grows upwards
    fmt::format_to(out, "  {} [pos=\"{:.4g},{:.4g}!\"", v, p.x, 0 - p.y);
    if (!place.empty()) fmt::format_to(out, ", coordinates=\"{}\"", place);
    text += "];\n";
  }
  each_sent(graph, [&](Vertex v, Vertex w, const Traffic& sent) {
    fmt::format_to(out, "  {} -> {} [messages={}, bytes={}];\n", v, w, sent.messages, sent.bytes);
  });
  return text + "}\n";
}

} // namespace rondo::topology
