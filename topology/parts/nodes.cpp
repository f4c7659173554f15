// SPDX-License-Identifier: Apache-2.0
#include "topology/parts/nodes.hpp"

#include <map>

namespace rondo::topology::internal {
namespace {

using matrix::LayeredTraffic;
using Layers = std::vector<std::size_t>;

// Layers come in the order of the program, so children do too.
class TreeOfPlaces {
public:
  explicit TreeOfPlaces(const LayeredTraffic& layered) : layered_(layered) {}

  Node run() {
    Node root;
    for (std::size_t i = 0; i < layered_.layers.size(); ++i) {
      const matrix::Layer& layer = layered_.layers[i];
      if (layered_.places.size() > 1) {
        call_site(root, layer.site).layers.push_back(i);
      } else {
        child(root, layer.program, layer.place).layers.push_back(i);
      }
    }
    return root;
  }

private:
  // Programs of different ranks have no common order; a call site stands for all of them.
  static Node& call_site(Node& root, std::uint32_t site) {
    for (Node& node : root.children) {
      if (node.place == site) return node;
    }
    root.children.push_back({{}, {}, site, false});
    return root.children.back();
  }

  // The node of a place under the root, made with all nodes on the way.
  Node& child(Node& root, std::size_t program, std::uint32_t place) {
    std::vector<std::uint32_t> way;
    for (; place != 0; place = layered_.places[program][place].parent) way.push_back(place);
    Node* node = &root;
    for (auto next = way.rbegin(); next != way.rend(); ++next) node = &step(*node, program, *next);
    return *node;
  }

  Node& step(Node& node, std::size_t program, std::uint32_t place) {
    if (!node.children.empty() && node.children.back().place == place) return node.children.back();
    const auto& what = layered_.places[program][place].what;
    node.children.push_back({{}, {}, place, what && what->is_loop()});
    return node.children.back();
  }

  const LayeredTraffic& layered_;
};

} // namespace

Layers layers_below(const Node& node) {
  Layers all = node.layers;
  for (const Node& child : node.children) {
    const Layers more = layers_below(child);
    all.insert(all.end(), more.begin(), more.end());
  }
  return all;
}

Node tree_of_places(const LayeredTraffic& layered) { return TreeOfPlaces(layered).run(); }

Node by_site(const LayeredTraffic& layered, const Layers& layers) {
  Node root;
  std::map<std::uint32_t, std::size_t> node_of;
  for (const std::size_t i : layers) {
    const std::uint32_t site = layered.layers[i].site;
    const auto [known, is_new] = node_of.emplace(site, root.children.size());
    if (is_new) root.children.push_back({{}, {}, site, false});
    root.children[known->second].layers.push_back(i);
  }
  return root;
}

} // namespace rondo::topology::internal
