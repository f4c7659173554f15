// SPDX-License-Identifier: Apache-2.0
// Random programs for many ranks: loops, calls and branches whose counts, words and conditions
// depend on the rank by simple rules (row, column, border, parity, neighbour on a torus), as in
// real programs.
#pragma once

#include "tests/support/spmd.hpp"
#include "tests/support/streams.hpp"

namespace rondo::support {

/// Every rank's recording of one program that `seed` stands for, on a grid of rows * columns ranks.
Ranks random_spmd(std::uint64_t seed, std::int64_t rows, std::int64_t columns);

} // namespace rondo::support
