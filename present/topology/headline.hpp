// SPDX-License-Identifier: Apache-2.0
// What stands first in the answer of rondo topology: the name of what carries the traffic, in
// words.
#pragma once

#include "present/topology/part_table.hpp"
#include "rondo/topology/graph.hpp"
#include "rondo/topology/recognize.hpp"

#include <string>
#include <vector>

namespace rondo::present {

struct Headline {
  topology::Recognition found; // of `kept`
  topology::Graph kept; // what the name speaks of
  std::vector<std::string> mixture; // names of several heavy parts, which then stand for one name
  std::vector<std::string> light; // the other parts, with their share
};

/// topology::headline_of() in words.
/// @param whole  the recognition of `all`
Headline headline_of(const topology::Graph& all, topology::Recognition whole,
                     const PartTable& table, const topology::TopologyOptions& options);

/// "4x4 grid, dissemination of 16 ranks and star of 16 ranks".
std::string title(const Headline& headline);

} // namespace rondo::present
