// SPDX-License-Identifier: Apache-2.0
// Families of topologies that users add: a small text file says which ranks talk to each other, as
// a lattice with offsets, as masks, as expressions in the rank, or edge by edge
// (docs/formats/topology-family.md). Immutable; copies share the definition.
//
//   auto families = parse_families("family pairs\nxor 1\n", "pairs.family");
//   for (const Topology& t : families->front().topologies(2, {1, 1})) std::cout << name(t);
#pragma once

#include "rondo/base/result.hpp"
#include "rondo/topology/topology.hpp"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::topology {

namespace internal {
struct FamilyRule;
}

/// Both included.
struct EdgeCounts {
  std::int64_t least = 0;
  std::int64_t most = 0;
};

class Family {
public:
  /// Made by parse_families().
  Family(std::string name, std::shared_ptr<const internal::FamilyRule> rule)
      : name_(std::move(name)), rule_(std::move(rule)) {}

  const std::string& name() const { return name_; }

  /// All members with so many ranks and edges, of TopologyKind::kUser.
  /// @return       those found within a fixed effort, about a second
  /// @complexity   O(ranks * length of the rule) for each value of its parameters and each way to
  ///               write the ranks as a product
  /// @source       [logicalization, sec. 4.2]; the reference library, open to users
  std::vector<Topology> topologies(Vertex ranks, EdgeCounts edges) const;

private:
  std::string name_;
  std::shared_ptr<const internal::FamilyRule> rule_;
};

/// The families of a file, in its order.
/// @param file   named in errors
/// @error        kFormat with the line, and what would be right there
/// @complexity   O(text)
/// @source       [logicalization, sec. 4.2]; the format is Rondo's
Result<std::vector<Family>> parse_families(std::string_view text, const std::string& file);

/// Reads a file, or all files `*.family` of a folder in the order of their names.
/// @error        those of read_file() and parse_families()
Result<std::vector<Family>> read_families(const std::string& path);

/// kUsage with advice if `name` cannot be the name of a family.
Status check_family_name(const std::string& name);

/// A family file that holds one graph, edge by edge. Ranks without any edge are left out, the
/// others keep their order.
/// @error        that of check_family_name(); kUsage if the graph has no edges
/// @complexity   O(edges)
/// @source       [logicalization, sec. 4.2]; added: learning a topology by example
Result<std::string> family_file(const std::string& name, const Adjacency& graph);

} // namespace rondo::topology
