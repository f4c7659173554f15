// SPDX-License-Identifier: Apache-2.0
#include "rondo/topology/offsets.hpp"
#include "topology/at.hpp"

#include <algorithm>
#include <map>

namespace rondo::topology {
namespace {

// Differences of coordinates under the topology's periods.
class Differences {
public:
  explicit Differences(const Topology& topology) : topology_(topology) {}

  std::vector<Vertex> operator()(Vertex from, Vertex to) const {
    const auto a = coordinates(topology_.dimensions, from);
    auto difference = coordinates(topology_.dimensions, to);
    for (std::size_t i = 0; i < a.size(); ++i) difference[i] -= a[i];
    const auto& dims = topology_.dimensions;
    if (topology_.shift != 0) unwrap_rows(difference);
    for (std::size_t i = 0; i < a.size(); ++i) {
      // half a period is the same both ways; the positive one is taken
      if (dims[i].periodic) difference[i] = nearest(difference[i], dims[i].size);
    }
    return difference;
  }

private:
  static Vertex nearest(Vertex x, Vertex period) {
    x %= period;
    if (2 * x > period) x -= period;
    if (2 * x <= -period) x += period;
    return x;
  }

  // A step across the last row goes `shift` columns further.
  void unwrap_rows(std::vector<Vertex>& difference) const {
    const Vertex rows = topology_.dimensions[0].size;
    if (difference[0] < -1 || (rows == 2 && difference[0] < 0)) difference[1] -= topology_.shift;
    if (difference[0] > 1) difference[1] += topology_.shift;
  }

  const Topology& topology_;
};

bool is_opposite(const std::vector<Vertex>& offset) {
  const auto first = std::find_if(offset.begin(), offset.end(), [](Vertex x) { return x != 0; });
  return first != offset.end() && *first < 0;
}

void count(OffsetUse& use, const Traffic& forward, const Traffic& backward) {
  ++use.edges;
  if (backward.messages == 0) ++use.forward_only;
  if (forward.messages == 0) ++use.backward_only;
  use.forward += forward;
  use.backward += backward;
}

} // namespace

std::vector<OffsetUse> offset_usage(const Graph& graph, const Recognition& recognition) {
  std::map<std::vector<Vertex>, OffsetUse> uses;
  if (!has_coordinates(recognition.topology) || recognition.cells.empty()) return {};
  const Differences difference(recognition.topology);
  const Adjacency& rows = graph.adjacency();
  for (Vertex v = 0; v < graph.ranks(); ++v) {
    std::int64_t arc = rows.row_begin(v);
    for (const Vertex w : rows.neighbours(v)) {
      const std::int64_t here = arc++;
      if (w < v) continue;
      auto offset = difference(recognition.cells[at(v)], recognition.cells[at(w)]);
      const Traffic& out = graph.sent(here);
      const Traffic& back = graph.sent(graph.reverse(v, here));
      const bool opposite = is_opposite(offset);
      if (opposite) std::transform(offset.begin(), offset.end(), offset.begin(), std::negate<>());
      OffsetUse& use = uses[offset];
      count(use, opposite ? back : out, opposite ? out : back);
    }
  }
  std::vector<OffsetUse> result;
  for (auto& [offset, use] : uses) {
    result.push_back(std::move(use));
    result.back().offset = offset;
  }
  return result;
}

std::string offset_text(const std::vector<Vertex>& offset) {
  std::string text;
  for (const Vertex x : offset) text += (text.empty() ? "(" : ", ") + std::to_string(x);
  return text + ")";
}

} // namespace rondo::topology
