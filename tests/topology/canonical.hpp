// SPDX-License-Identifier: Apache-2.0
// An oracle for isomorphism: two graphs are isomorphic if and only if their canonical forms are
// equal. Uses nauty, which shares nothing with Rondo's recognizers. (Traces of the same library,
// version 2.8.6, damages the heap in the sweeps of the tests.)
#pragma once

#include "rondo/topology/adjacency.hpp"

namespace rondo::topology::testing {

/// @source         [mckay2014]
Adjacency canonical_form(const Adjacency& graph);

/// The same by Traces, which is faster; for benchmarks.
/// @source         [mckay2014]
Adjacency traces_form(const Adjacency& graph);

} // namespace rondo::topology::testing
