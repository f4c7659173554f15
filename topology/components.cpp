// SPDX-License-Identifier: Apache-2.0
#include "topology/components.hpp"

#include "topology/aliases.hpp"
#include "topology/connected.hpp"
#include "topology/family_matches.hpp"

#include <algorithm>
#include <iterator>
#include <numeric>

namespace rondo::topology::internal {
namespace {

// The names of one connected part; cells of the first.
struct Named {
  Topology topology;
  std::vector<Topology> aliases;
  std::vector<Vertex> cells;
};

bool is_cycle_of_four(const Topology& t) {
  return t.kind == Kind::kMesh && t.ranks == 4 && t.dimensions.size() == 2;
}

// Rank order 0, 1, 2, 3 around a square is a ring to its programmer; other orders are a 2x2 grid.
bool numbered_around(const Adjacency& graph) {
  return graph.adjacent(0, 3) && graph.adjacent(0, 1) && graph.adjacent(2, 3);
}

bool known(const Named& named, const Topology& topology) {
  const std::string text = name(topology);
  return name(named.topology) == text ||
         std::any_of(named.aliases.begin(), named.aliases.end(),
                     [&](const Topology& t) { return name(t) == text; });
}

void add_alias(Named& named, const Topology& topology) {
  if (!known(named, topology)) named.aliases.push_back(topology);
}

void prefer_ring(Named& named) {
  const Topology grid = named.topology;
  const Topology ring = mesh_aliases(grid).back();
  const MeshTranslation translate(grid, ring);
  for (Vertex& cell : named.cells) cell = translate(cell);
  named.topology = ring;
  named.aliases.insert(named.aliases.begin(), grid);
  std::erase_if(named.aliases, [](const Topology& t) { return t.kind == Kind::kRing; });
}

bool says_little(const Topology& t) { return t.kind == Kind::kTree || t.kind == Kind::kIrregular; }

Named named_part(const Adjacency& graph, const Layering& layers, bool all_names,
                 FamilyMatches& families) {
  Named named{{.kind = Kind::kIrregular, .ranks = graph.vertices()}, {}, {}};
  auto matches = match_connected(graph, layers, all_names);
  if (all_names || matches.empty() || says_little(matches.front().topology)) {
    auto more = families.of(graph);
    if (!more.empty() && matches.size() == 1 && says_little(matches.front().topology))
      matches.clear();
    std::move(more.begin(), more.end(), std::back_inserter(matches));
  }
  if (matches.empty()) return named;
  named.topology = matches.front().topology;
  named.cells = std::move(matches.front().cells);
  for (const Match& match : matches) {
    add_alias(named, match.topology);
    for (const Topology& alias : mesh_aliases(match.topology)) add_alias(named, alias);
  }
  return named;
}

class Components {
public:
  Components(const Adjacency& graph, Vertex all_names_up_to, std::span<const Family> families)
      : graph_(graph), all_names_up_to_(all_names_up_to), families_(families) {}

  Recognition run() {
    result_.topology.ranks = graph_.vertices();
    if (graph_.edges() == 0) {
      result_.silent_ranks = graph_.vertices();
      return std::move(result_);
    }
    const Vertex root = least_degree_vertex(graph_);
    if (graph_.degree(root) > 0) {
      const Layering layers = layer(graph_, root);
      if (layers.reached() == graph_.vertices()) {
        Named named = named_part(graph_, layers, graph_.vertices() <= all_names_up_to_, families_);
        if (is_cycle_of_four(named.topology) && numbered_around(graph_)) prefer_ring(named);
        single(std::move(named));
        return std::move(result_);
      }
    }
    split();
    summarize();
    if (!result_.recognized()) name_as_a_whole();
    return std::move(result_);
  }

private:
  void single(Named named) {
    result_.topology = std::move(named.topology);
    result_.aliases = std::move(named.aliases);
    result_.cells = std::move(named.cells);
  }

  void split() {
    const auto n = at(graph_.vertices());
    result_.cells.assign(n, -1);
    result_.copy_of.assign(n, -1);
    index_of_.assign(n, -1);
    std::vector<Vertex> members;
    for (Vertex v = 0; v < graph_.vertices(); ++v) {
      if (result_.copy_of[at(v)] >= 0) continue;
      if (graph_.degree(v) == 0) {
        ++result_.silent_ranks;
        continue;
      }
      reach(v, members);
      recognize_part(members);
    }
  }

  void reach(Vertex start, std::vector<Vertex>& members) {
    members = {start};
    const auto label = static_cast<Vertex>(named_.size());
    result_.copy_of[at(start)] = label;
    for (std::size_t i = 0; i < members.size(); ++i) {
      for (const Vertex w : graph_.neighbours(members[i])) {
        if (result_.copy_of[at(w)] >= 0) continue;
        result_.copy_of[at(w)] = label;
        members.push_back(w);
      }
    }
    std::sort(members.begin(), members.end());
  }

  // Aliases are needed of one part only, those of the others are the same if they are copies.
  void recognize_part(const std::vector<Vertex>& members) {
    const Adjacency part = part_of(graph_, members, index_of_);
    const Layering layers = layer(part, least_degree_vertex(part));
    Named named = named_part(part, layers, part.vertices() <= all_names_up_to_, families_);
    // the same name for all copies, whatever their numbering
    if (is_cycle_of_four(named.topology)) prefer_ring(named);
    for (std::size_t i = 0; i < named.cells.size(); ++i) {
      result_.cells[at(members[i])] = named.cells[i];
    }
    named.cells.clear();
    if (!named_.empty()) named.aliases.clear();
    named_.push_back(std::move(named));
  }

  // Parts that differ may be a user's topology together.
  void name_as_a_whole() {
    if (families_.empty() || named_.size() < 2) return;
    std::vector<Vertex> members;
    for (Vertex v = 0; v < graph_.vertices(); ++v) {
      if (graph_.degree(v) > 0) members.push_back(v);
    }
    auto matches = families_.of(part_of(graph_, members, index_of_));
    if (matches.empty()) return;
    result_.topology = matches.front().topology;
    result_.aliases.clear();
    for (std::size_t i = 1; i < matches.size(); ++i) result_.aliases.push_back(matches[i].topology);
    result_.copies = 1;
    result_.parts.clear();
    result_.copy_of.clear();
    for (std::size_t i = 0; i < members.size(); ++i)
      result_.cells[at(members[i])] = matches.front().cells[i];
  }

  // A tree without a family, or an irregular part, may differ from another one of the same name.
  static bool exact(const Topology& t) {
    return t.kind != Kind::kTree && t.kind != Kind::kIrregular;
  }

  void summarize() {
    const Named& first = named_.front();
    const bool same = std::all_of(named_.begin(), named_.end(),
                                  [&](const Named& n) { return n.topology == first.topology; });
    if (same && (named_.size() == 1 || exact(first.topology))) {
      result_.topology = first.topology;
      result_.aliases = first.aliases;
      result_.copies = static_cast<Vertex>(named_.size());
      if (named_.size() == 1) result_.copy_of.clear();
      return;
    }
    result_.topology = {.kind = Kind::kSeveral, .ranks = graph_.vertices()};
    std::vector<const Named*> order;
    for (const Named& n : named_) order.push_back(&n);
    std::stable_sort(order.begin(), order.end(), [](const Named* a, const Named* b) {
      return a->topology.ranks > b->topology.ranks;
    });
    for (const Named* n : order) {
      const auto part = std::find_if(result_.parts.begin(), result_.parts.end(),
                                     [&](const Part& p) { return p.topology == n->topology; });
      if (part != result_.parts.end()) {
        ++part->copies;
      } else {
        result_.parts.push_back({n->topology, 1});
      }
    }
  }

  const Adjacency& graph_;
  Vertex all_names_up_to_;
  FamilyMatches families_;
  Recognition result_;
  std::vector<Named> named_;
  std::vector<Vertex> index_of_;
};

bool same_up_to_order(std::vector<Dimension> a, std::vector<Dimension> b) {
  const auto before = [](const Dimension& x, const Dimension& y) {
    return x.size != y.size ? x.size < y.size : x.periodic < y.periodic;
  };
  std::sort(a.begin(), a.end(), before);
  std::sort(b.begin(), b.end(), before);
  return a == b;
}

bool mesh_like(Kind kind) { return kind == Kind::kMesh || kind == Kind::kHypercube; }

} // namespace

Recognition recognize_components(const Adjacency& graph, Vertex all_names_up_to,
                                 std::span<const Family> families) {
  return Components(graph, all_names_up_to, families).run();
}

void adopt_numbering(Recognition& recognition) {
  const Numbering& numbering = recognition.numbering;
  if (numbering.layout.empty() || numbering.of == Kind::kUser) return;
  const Kind kind = recognition.topology.kind;
  if (numbering.of != kind && !(mesh_like(numbering.of) && mesh_like(kind))) return;
  if (!same_up_to_order(numbering.layout, recognition.topology.dimensions)) return;
  Topology laid_out = recognition.topology;
  laid_out.dimensions = numbering.layout;
  const MeshTranslation translate(laid_out, recognition.topology);
  for (std::size_t rank = 0; rank < recognition.cells.size(); ++rank) {
    recognition.cells[rank] = translate(cell_by_rule(numbering, static_cast<Vertex>(rank)));
  }
}

} // namespace rondo::topology::internal
