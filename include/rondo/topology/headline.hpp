// SPDX-License-Identifier: Apache-2.0
// After what a program's topology is named: the whole of its traffic, or the parts that carry it,
// where these have names of their own.
//
//   const Headline headline = headline_of(graph, recognize(graph, {}), parts, {});
//   std::cout << title(headline.found) << '\n'; // if headline.mixture is empty
#pragma once

#include "rondo/topology/graph.hpp"
#include "rondo/topology/parts.hpp"
#include "rondo/topology/recognize.hpp"

#include <cstddef>
#include <vector>

namespace rondo::topology {

struct Headline {
  Recognition found; // of `kept`
  Graph kept; // what the name speaks of
  std::vector<std::size_t> mixture; // heavy parts whose names stand for one, as indices
  std::vector<std::size_t> light; // all others, which are named apart, as indices
};

/// Of the whole, or, if parts with names say more, of the heaviest ones.
/// @param whole  the recognition of `all`
/// @param parts  of the same traffic; empty if there is no program to divide
Headline headline_of(const Graph& all, Recognition whole, const std::vector<TrafficPart>& parts,
                     const TopologyOptions& options);

} // namespace rondo::topology
