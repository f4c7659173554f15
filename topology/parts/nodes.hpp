// SPDX-License-Identifier: Apache-2.0
// The layers of a program's traffic by where they stand in it: in loops within loops, or by call
// site.
#pragma once

#include "rondo/matrix/layers.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rondo::topology::internal {

/// A place with messages, or with places in it that have some.
struct Node {
  std::vector<Node> children; // in the order of the program
  std::vector<std::size_t> layers; // of the place itself: of a call
  std::uint32_t place = 0; // or call site, where ranks have different programs
  bool is_loop = false;
};

std::vector<std::size_t> layers_below(const Node& node);

/// The places of the program; of several programs, which have no common order, its call sites.
Node tree_of_places(const matrix::LayeredTraffic& layered);

/// Call sites in the order of the program, wherever they are called from.
Node by_site(const matrix::LayeredTraffic& layered, const std::vector<std::size_t>& layers);

} // namespace rondo::topology::internal
