// SPDX-License-Identifier: Apache-2.0
// Spectra of communication graphs: the paper's last test before isomorphism. Rondo decides without
// them; they serve to show the paper's three stages, and as a check.
#pragma once

#include "rondo/topology/topology.hpp"

#include <optional>
#include <vector>

namespace rondo::topology {

/// Eigenvalues of the adjacency matrix, ascending.
/// @complexity     O(vertices^3) time, O(vertices^2) memory; 1024 vertices take about 0.1 s
/// @source         [logicalization, sec. 4.2]
std::vector<double> spectrum(const Adjacency& graph);

/// Eigenvalues of the reference graph in closed form, ascending; nothing for families without one
/// (CG, recursive doubling, most trees).
/// @complexity     O(ranks * dimensions^2)
/// @source         [logicalization, sec. 4.2]; closed forms instead of an eigensolver: products add
/// or
///                 multiply the spectra of their dimensions
std::optional<std::vector<double>> closed_form_spectrum(const Topology& topology);

/// True if both have the same length and differ by at most `tolerance` anywhere.
bool same_spectrum(const std::vector<double>& a, const std::vector<double>& b,
                   double tolerance = 1e-8);

} // namespace rondo::topology
