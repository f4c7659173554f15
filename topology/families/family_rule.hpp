// SPDX-License-Identifier: Apache-2.0
// What a family file says about one family, as its parser found it.
#pragma once

#include "rondo/topology/adjacency.hpp"
#include "topology/families/rank_expression.hpp"

#include <optional>
#include <vector>

namespace rondo::topology::internal {

struct Range {
  std::size_t slot = 0;
  Expression first = {};
  Expression last = {}; // included
};

/// A line that holds for a number of ranks as a whole, or for every rank.
struct Definition {
  enum class Kind { kParameter, kLet, kCondition } kind = Kind::kLet;
  Range range = {}; // kParameter: all values; kLet: its slot, and its value as `first`
  std::optional<Expression> condition = {};
  bool of_each_rank = false; // kLet: depends on r
};

struct NeighbourRule {
  Expression rank;
  std::vector<Range> loops;
  std::optional<Expression> condition;
};

struct MeshDimension {
  enum class Border { kOpen, kPeriodic, kEither } border = Border::kOpen;
  Vertex size = 0; // 0: any
};

struct FamilyRule {
  enum class Shape { kUnknown, kMesh, kMasks, kNeighbours, kEdges } shape = Shape::kUnknown;
  static constexpr std::size_t kRanksSlot = 0; // n
  static constexpr std::size_t kRankSlot = 1; // r

  Names names; // of all slots; those of loops are empty
  std::vector<Definition> definitions; // in the order of lines
  std::vector<NeighbourRule> neighbours; // kNeighbours
  std::vector<MeshDimension> dimensions; // kMesh, with the offsets
  std::vector<std::vector<Vertex>> offsets;
  std::vector<Vertex> masks; // kMasks
  Vertex ranks = 0; // kEdges
  std::vector<Edge> edges;
};

/// Letters, digits, spaces and -_.+ after a letter, at most 60.
bool is_family_name(std::string_view name);

} // namespace rondo::topology::internal
