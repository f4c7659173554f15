// SPDX-License-Identifier: Apache-2.0
// A recognized topology on one sheet: the matrix as the ranks are numbered, the matrix in the order
// of the cells, and the graph as it lies.
//
//   auto png = draw_topology(matrix, graph, recognition, layout, PictureFormat::kPng);
#pragma once

#include "present/matrix/matrix_picture.hpp"
#include "rondo/base/result.hpp"
#include "rondo/topology/layout.hpp"

#include <string>
#include <vector>

namespace rondo::present {

struct TopologyPictureOptions {
  topology::WeightMeasure measure = topology::WeightMeasure::kBytes;
  std::string title{}; // empty: the name
  std::string subtitle{};
  std::string about{}; // which run, and what was counted
  std::vector<topology::Edge>
      stray{}; // pairs that do not fit, drawn apart; lower rank first, ascending
  std::vector<topology::Vertex> hubs{}; // ranks whose edges are drawn thin, below all others
  double pixels_per_point = 2;
};

/// Edges of more than 30 000 are not drawn, and the picture says so.
/// @param matrix   what the graph was made from
/// @error          kUsage for a matrix without ranks; kIo with cairo's reason
/// @complexity     O(ranks + edges)
Result<std::string> draw_topology(const matrix::CommunicationMatrix& matrix,
                                  const topology::Graph& graph,
                                  const topology::Recognition& recognition,
                                  const topology::Layout& layout, PictureFormat format,
                                  const TopologyPictureOptions& options = {});

} // namespace rondo::present
