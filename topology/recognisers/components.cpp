// SPDX-License-Identifier: Apache-2.0
#include "topology/recognisers/components.hpp"

#include "rondo/base/sort_stably.hpp"
#include "topology/families/family_matches.hpp"
#include "topology/names/aliases.hpp"
#include "topology/names/plain_names.hpp"
#include "topology/paired_refinement.hpp"
#include "topology/recognisers/candidates.hpp"
#include "topology/recognisers/connected.hpp"
#include "topology/recognisers/trees.hpp"

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
  return t.kind == TopologyKind::kMesh && t.ranks == 4 && t.dimensions.size() == 2;
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
  std::erase_if(named.aliases, [](const Topology& t) { return t.kind == TopologyKind::kRing; });
}

bool says_little(const Topology& t) {
  return t.kind == TopologyKind::kTree || t.kind == TopologyKind::kIrregular;
}

// The first name is one that somebody would give; without any a tree is a tree, and anything else
// has none.
void put_plain_first(const Adjacency& graph, std::vector<Match>& matches) {
  const auto first = std::find_if(matches.begin(), matches.end(), [&](const Match& match) {
    return graph.vertices() <= 2 || is_plain(graph, match.topology);
  });
  if (first != matches.end()) {
    std::rotate(matches.begin(), first, first + 1);
    return;
  }
  matches.clear();
  if (graph.edges() + 1 == graph.vertices())
    matches.push_back({{.kind = TopologyKind::kTree, .ranks = graph.vertices()}, {}});
}

Named named_part(const Adjacency& graph, const Layering& layers, bool all_names, bool plain,
                 FamilyMatches& families) {
  Named named{{.kind = TopologyKind::kIrregular, .ranks = graph.vertices()}, {}, {}};
  auto matches = match_connected(graph, layers, all_names);
  constexpr Vertex kSmall = 1024; // graphs of which another name is looked for
  if (plain && !all_names && graph.vertices() <= kSmall && matches.size() == 1 &&
      !is_plain(graph, matches.front().topology))
    matches = match_connected(graph, layers, true);
  if (plain) put_plain_first(graph, matches);
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

// Parts that are the same graph.
struct PartClass {
  Named named;
  Adjacency graph; // that the cells belong to; of a family only once it is needed
  Vertex copies = 0;
};

constexpr std::int64_t kMostPartVisits = 100'000'000; // of a search for an isomorphism of two parts

std::optional<std::vector<Vertex>> isomorphic_cells(const Adjacency& part, const Adjacency& graph) {
  if (signature_of(part) != signature_of(graph)) return std::nullopt;
  if (part.edges() == part.vertices() - 1) return find_tree_isomorphism(part, graph);
  return find_isomorphism(part, graph, Symmetry::kNone, kMostPartVisits);
}

class Components {
public:
  Components(const Adjacency& graph, Vertex all_names_up_to, std::span<const Family> families,
             bool plain_names)
      : graph_(graph), all_names_up_to_(all_names_up_to), is_plain_(plain_names),
        families_(families) {}

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
        Named named =
            named_part(graph_, layers, graph_.vertices() <= all_names_up_to_, is_plain_, families_);
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
    const auto label = parts_;
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

  void recognize_part(const std::vector<Vertex>& members) {
    const Adjacency part = part_of(graph_, members, index_of_);
    const Layering layers = layer(part, least_degree_vertex(part));
    Named named =
        named_part(part, layers, part.vertices() <= all_names_up_to_, is_plain_, families_);
    // the same name for all copies, whatever their numbering
    if (is_cycle_of_four(named.topology)) prefer_ring(named);
    const std::vector<Vertex> cells = join_class(part, std::move(named));
    for (std::size_t i = 0; i < cells.size(); ++i) result_.cells[at(members[i])] = cells[i];
    ++parts_;
  }

  // Names are invariants of most graphs, but not of trees and graphs without a family, and some
  // small twisted lattices have several. The cells, in the graph of the class.
  std::vector<Vertex> join_class(const Adjacency& part, Named named) {
    for (PartClass& c : classes_) {
      if (says_little(named.topology) || !(c.named.topology == named.topology)) continue;
      ++c.copies;
      return std::move(named.cells);
    }
    for (PartClass& c : classes_) {
      const Topology& other = c.named.topology;
      if (says_little(other) != says_little(named.topology)) continue;
      if (other.ranks != named.topology.ranks) continue;
      if (c.graph.vertices() == 0) c.graph = reference_graph(other);
      if (auto cells = isomorphic_cells(part, c.graph)) {
        ++c.copies;
        return std::move(*cells);
      }
    }
    std::vector<Vertex> cells = std::exchange(named.cells, {});
    if (says_little(named.topology)) {
      cells.resize(at(part.vertices()));
      std::iota(cells.begin(), cells.end(), 0);
    }
    const bool keep = says_little(named.topology);
    classes_.push_back({std::move(named), keep ? part : Adjacency(), 1});
    return cells;
  }

  // Parts that differ may be a user's topology together.
  void name_as_a_whole() {
    if (families_.empty() || parts_ < 2) return;
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

  // Beside stars a chain of three is one, its cell in the middle the centre. So it is where that
  // rank's number is not between those of the other two: who numbers a chain counts along it.
  void short_chains_to_stars() {
    const auto is_star = [](const PartClass& c) {
      return c.named.topology.kind == TopologyKind::kStar;
    };
    const auto is_short = [](const PartClass& c) {
      return c.named.topology.kind == TopologyKind::kChain && c.named.topology.ranks <= 3;
    };
    const bool has_star = std::ranges::any_of(classes_, is_star);
    if (!has_star && !(std::ranges::all_of(classes_, is_short) && are_centres_aside())) return;
    for (PartClass& c : classes_) {
      if (!is_short(c)) continue;
      c.named.topology = {.kind = TopologyKind::kStar, .ranks = c.named.topology.ranks};
      std::erase_if(c.named.aliases,
                    [](const Topology& t) { return t.kind == TopologyKind::kStar; });
    }
    const auto members = members_of_parts();
    const bool is_last = are_centres_last(members);
    for (const std::vector<Vertex>& part : members) {
      if (part.size() > 3) continue;
      const Vertex centre = part.size() == 3 ? middle_of(part) : is_last ? part[1] : part[0];
      Vertex next = 1;
      for (const Vertex v : part) result_.cells[at(v)] = v == centre ? 0 : next++;
    }
  }

  std::vector<std::vector<Vertex>> members_of_parts() const { // each ascending
    std::vector<std::vector<Vertex>> members(at(parts_));
    for (std::size_t v = 0; v < result_.copy_of.size(); ++v) {
      if (result_.copy_of[v] >= 0)
        members[at(result_.copy_of[v])].push_back(static_cast<Vertex>(v));
    }
    return members;
  }

  Vertex middle_of(const std::vector<Vertex>& three) const {
    return *std::ranges::find_if(three, [&](Vertex v) { return graph_.degree(v) == 2; });
  }

  // There are chains of three, and all of them have their middle at an end of the numbers.
  bool are_centres_aside() const {
    bool has_three = false;
    for (const std::vector<Vertex>& part : members_of_parts()) {
      if (part.size() != 3) continue;
      if (middle_of(part) == part[1]) return false;
      has_three = true;
    }
    return is_plain_ && has_three && parts_ > 1;
  }

  // Which of a pair is the centre is as in the stars beside it.
  bool are_centres_last(const std::vector<std::vector<Vertex>>& members) const {
    std::int64_t first = 0;
    std::int64_t last = 0;
    for (const std::vector<Vertex>& part : members) {
      if (part.size() < 3) continue;
      first += graph_.degree(part.front()) > 1 ? 1 : 0;
      last += graph_.degree(part.back()) > 1 ? 1 : 0;
    }
    return last > first;
  }

  void summarize() {
    short_chains_to_stars();
    if (classes_.size() == 1) {
      result_.topology = classes_[0].named.topology;
      result_.aliases = classes_[0].named.aliases;
      result_.copies = classes_[0].copies;
      if (parts_ > 1) return;
      result_.copy_of.clear();
      // one graph without a family has no cells
      if (says_little(result_.topology)) result_.cells.clear();
      return;
    }
    result_.topology = {.kind = TopologyKind::kSeveral, .ranks = graph_.vertices()};
    sort_stably(classes_.begin(), classes_.end(), [](const PartClass& a, const PartClass& b) {
      return a.named.topology.ranks > b.named.topology.ranks;
    });
    for (const PartClass& c : classes_) result_.parts.push_back({c.named.topology, c.copies});
  }

  const Adjacency& graph_;
  Vertex all_names_up_to_;
  bool is_plain_;
  FamilyMatches families_;
  Recognition result_;
  std::vector<PartClass> classes_;
  Vertex parts_ = 0;
  std::vector<Vertex> index_of_;
};

bool mesh_like(TopologyKind kind) {
  return kind == TopologyKind::kMesh || kind == TopologyKind::kHypercube;
}

} // namespace

Recognition recognize_components(const Adjacency& graph, Vertex all_names_up_to,
                                 std::span<const Family> families, bool plain_names) {
  return Components(graph, all_names_up_to, families, plain_names).run();
}

void adopt_numbering(Recognition& recognition) {
  const Numbering& numbering = recognition.numbering;
  if (numbering.layout.empty() || numbering.of == TopologyKind::kUser) return;
  const TopologyKind kind = recognition.topology.kind;
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
