// SPDX-License-Identifier: Apache-2.0
// The members of user families as graphs, and family files: read from disk, written of a graph.
#include "rondo/topology/family.hpp"

#include "rondo/base/files.hpp"
#include "topology/families/family_rule.hpp"
#include "topology/match.hpp"

#include <algorithm>
#include <filesystem>
#include <functional>

namespace rondo::topology {
namespace {

using internal::Definition;
using internal::FamilyRule;
using internal::MeshDimension;
using internal::NeighbourRule;
using internal::Values;

constexpr std::size_t kLeastRoom = std::size_t{1} << 16; // of edges before repeated ones go
constexpr std::int64_t kMostSteps = 50'000'000; // evaluations of an operation, or offsets applied

// Members with the wanted numbers of ranks and edges.
class Members {
public:
  Members(const std::string& family, const FamilyRule& rule, Vertex ranks, EdgeCounts edges)
      : family_(family), rule_(rule), n_(ranks), edges_(edges) {
    values_.of.resize(rule.names.size());
    values_.of[FamilyRule::kRanksSlot] = ranks;
    values_.steps = kMostSteps;
  }

  std::vector<Topology> run() {
    switch (rule_.shape) {
    case FamilyRule::Shape::kMesh:
      sizes(n_);
      break;
    case FamilyRule::Shape::kMasks:
      masks();
      break;
    case FamilyRule::Shape::kNeighbours:
      definitions(0);
      break;
    case FamilyRule::Shape::kEdges:
      if (rule_.ranks == n_) add(rule_.edges, of_ranks(), {});
      break;
    case FamilyRule::Shape::kUnknown:
      break;
    }
    return std::move(members_);
  }

private:
  std::string of_ranks() const { return family_ + " of " + std::to_string(n_) + " ranks"; }

  void add(const std::vector<Edge>& edges, const std::string& name,
           std::vector<Dimension> dimensions) {
    Adjacency graph = Adjacency::from_edges(n_, edges);
    if (graph.edges() < edges_.least || graph.edges() > edges_.most) return;
    members_.push_back({.kind = TopologyKind::kUser,
                        .ranks = n_,
                        .dimensions = std::move(dimensions),
                        .user = Shared<UserTopology>({name, std::move(graph)})});
  }

  void masks() {
    values_.steps -= std::int64_t{n_} * static_cast<std::int64_t>(rule_.masks.size());
    if (values_.steps < 0) return;
    std::vector<Edge> edges;
    begin_edges();
    for (Vertex rank = 0; rank < n_ && !is_over_; ++rank) {
      for (const Vertex mask : rule_.masks) {
        if (rank < (rank ^ mask) && (rank ^ mask) < n_) connect(rank, rank ^ mask, edges);
      }
    }
    if (is_over_) return;
    add(edges, of_ranks(), {});
  }

  // Lets, conditions and parameters in the order of their lines; a parameter takes all its values.
  void definitions(std::size_t next) {
    if (values_.steps < 0) return;
    if (next == rule_.definitions.size()) return neighbours();
    const Definition& d = rule_.definitions[next];
    if (d.kind == Definition::Kind::kCondition) {
      if (d.condition->value(values_).value_or(0) != 0) definitions(next + 1);
      return;
    }
    if (d.kind == Definition::Kind::kLet) {
      if (!d.of_each_rank) values_.of[d.range.slot] = d.range.first.value(values_);
      return definitions(next + 1);
    }
    parameters_.push_back(d.range.slot);
    each_value(d.range, [&] { definitions(next + 1); });
    parameters_.pop_back();
  }

  void each_value(const internal::Range& range, const std::function<void()>& visit) {
    const auto first = range.first.value(values_);
    const auto last = range.last.value(values_);
    if (!first || !last) return;
    for (std::int64_t x = *first; x <= *last && --values_.steps >= 0; ++x) {
      values_.of[range.slot] = x;
      visit();
      if (x == INT64_MAX) return;
    }
  }

  void neighbours() {
    std::vector<Edge> edges;
    begin_edges();
    for (Vertex rank = 0; rank < n_ && values_.steps >= 0 && !is_over_; ++rank) {
      values_.of[FamilyRule::kRankSlot] = rank;
      for (const Definition& d : rule_.definitions) {
        if (d.of_each_rank) values_.of[d.range.slot] = d.range.first.value(values_);
      }
      for (const NeighbourRule& rule : rule_.neighbours) partners(rank, rule, 0, edges);
    }
    if (values_.steps < 0 || is_over_) return; // cut short, so not what the file says
    std::string name = of_ranks();
    for (const std::size_t slot : parameters_)
      name += ", " + rule_.names[slot] + " = " + std::to_string(*values_.of[slot]);
    add(edges, name, {});
  }

  void partners(Vertex rank, const NeighbourRule& rule, std::size_t loop,
                std::vector<Edge>& edges) {
    if (is_over_) return;
    if (loop < rule.loops.size())
      return each_value(rule.loops[loop], [&] { partners(rank, rule, loop + 1, edges); });
    if (rule.condition && rule.condition->value(values_).value_or(0) == 0) return;
    const auto partner = rule.rank.value(values_);
    if (partner && *partner >= 0 && *partner < n_ && *partner != rank)
      connect(rank, static_cast<Vertex>(*partner), edges);
  }

  void begin_edges() {
    room_ = kLeastRoom;
    is_over_ = false;
  }

  // Rules may say the same edge millions of times: memory is in proportion to the graph.
  void connect(Vertex a, Vertex b, std::vector<Edge>& edges) {
    if (is_over_ || a == b) return;
    edges.emplace_back(std::minmax(a, b));
    if (edges.size() < room_) return;
    std::sort(edges.begin(), edges.end());
    edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
    is_over_ = static_cast<std::int64_t>(edges.size()) > edges_.most;
    room_ = 2 * edges.size() + kLeastRoom;
  }

  // Sizes from the first dimension on, so that their product is the number of ranks.
  void sizes(Vertex rest) {
    const std::size_t i = dimensions_.size();
    if (i == rule_.dimensions.size()) {
      if (rest == 1) mesh();
      return;
    }
    const MeshDimension& d = rule_.dimensions[i];
    const bool last = i + 1 == rule_.dimensions.size();
    for (Vertex size = d.size > 0 ? d.size : last ? rest : 1; size <= rest; ++size) {
      if (d.size > 0 && size != d.size) return;
      if (--values_.steps < 0) return;
      if (rest % size != 0) continue;
      for (const bool periodic : {true, false}) {
        if (periodic ? d.border == MeshDimension::Border::kOpen
                     : d.border == MeshDimension::Border::kPeriodic)
          continue;
        dimensions_.push_back({size, periodic});
        sizes(rest / size);
        dimensions_.pop_back();
      }
    }
  }

  // Never fewer than there are; some may be the same.
  std::int64_t most_edges() const {
    std::int64_t sum = 0;
    for (const auto& offset : rule_.offsets) {
      std::int64_t cells = 1;
      for (std::size_t i = 0; i < offset.size(); ++i) {
        const Dimension& d = dimensions_[i];
        cells *= d.periodic ? d.size : std::max(0, d.size - std::abs(offset[i]));
      }
      sum += cells;
    }
    return sum;
  }

  void mesh() {
    if (most_edges() < edges_.least) return;
    values_.steps -= std::int64_t{n_} * static_cast<std::int64_t>(rule_.offsets.size());
    if (values_.steps < 0) return;
    std::vector<Edge> edges;
    begin_edges();
    for (Vertex cell = 0; cell < n_ && !is_over_; ++cell) {
      const auto point = coordinates(dimensions_, cell);
      for (const auto& offset : rule_.offsets) {
        auto target = point;
        if (step(target, offset)) connect(cell, cell_at(dimensions_, target), edges);
      }
    }
    if (is_over_) return;
    add(edges, size_text(dimensions_) + " " + family_ + borders_text(), dimensions_);
  }

  // False if it leaves an open dimension.
  bool step(std::vector<Vertex>& point, const std::vector<Vertex>& offset) const {
    for (std::size_t i = 0; i < point.size(); ++i) {
      const Dimension& d = dimensions_[i];
      point[i] += offset[i];
      if (d.periodic) {
        point[i] = (point[i] % d.size + d.size) % d.size;
      } else if (point[i] < 0 || point[i] >= d.size) {
        return false;
      }
    }
    return true;
  }

  // Where the file leaves it open.
  std::string borders_text() const {
    std::string text;
    for (std::size_t i = 0; i < dimensions_.size(); ++i) {
      if (rule_.dimensions[i].border != MeshDimension::Border::kEither) continue;
      text += (text.empty() ? ", " : " and ") +
              std::string(dimensions_[i].periodic ? "periodic" : "open") + " in dimension " +
              std::to_string(i + 1);
    }
    return text;
  }

  const std::string& family_;
  const FamilyRule& rule_;
  Vertex n_;
  EdgeCounts edges_;
  Values values_;
  std::size_t room_ = kLeastRoom;
  bool is_over_ = false; // more edges than are wanted
  std::vector<std::size_t> parameters_; // that have a value
  std::vector<Dimension> dimensions_; // as far as chosen
  std::vector<Topology> members_;
};

} // namespace

std::vector<Topology> Family::topologies(Vertex ranks, EdgeCounts edges) const {
  return Members(name_, *rule_, ranks, edges).run();
}

Result<std::vector<Family>> read_families(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_directory(path, error)) {
    const auto text = read_file(path);
    if (!text) return propagate(text);
    return parse_families(*text, path);
  }
  std::vector<std::string> files;
  for (std::filesystem::directory_iterator entry(path, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == ".family") files.push_back(entry->path().string());
  }
  if (error) return fail(ErrorCode::kIo, error.message(), {path, {}, {}, {}});
  std::sort(files.begin(), files.end());
  std::vector<Family> all;
  for (const std::string& file : files) {
    auto families = read_families(file);
    if (!families) return families;
    all.insert(all.end(), families->begin(), families->end());
  }
  return all;
}

Status check_family_name(const std::string& name) {
  if (internal::is_family_name(name)) return {};
  return fail(ErrorCode::kUsage, "'" + name +
                                     "' is no name of a family; use letters, digits, spaces and "
                                     "-_.+ after a letter, at most 60 of them");
}

Result<std::string> family_file(const std::string& name, const Adjacency& graph) {
  if (auto valid = check_family_name(name); !valid) return propagate(valid);
  if (graph.edges() == 0)
    return fail(ErrorCode::kUsage, "no two ranks talk to each other, so there is nothing to learn");
  std::vector<Vertex> number(at(graph.vertices()), -1);
  Vertex ranks = 0;
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    if (graph.degree(v) > 0) number[at(v)] = ranks++;
  }
  std::string text = "family " + name + "\nranks " + std::to_string(ranks) + "\n";
  for (Vertex v = 0; v < graph.vertices(); ++v) {
    for (const Vertex w : graph.neighbours(v)) {
      if (v < w) text += std::to_string(number[at(v)]) + " " + std::to_string(number[at(w)]) + "\n";
    }
  }
  return text;
}

} // namespace rondo::topology
