// SPDX-License-Identifier: Apache-2.0
// Formulas in the rank: for sets of ranks ("rank % 4 == 0") and for values that differ between
// ranks
// ("rank % 4 == 3 ? rank - 3 : rank + 1"). Candidates are tried in the order of how easily people
// read them, and each is evaluated for every rank, so what is returned holds.
#pragma once

#include "rondo/trace/expression.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace rondo::trace::expressions {

/// The ranks that a value is for.
struct Domain {
  std::vector<std::int64_t> world; // ascending
  std::vector<std::int64_t> own; // the same in the communicator that the value is about
  Expression own_rank = rank();
  std::int64_t size = 0; // of that communicator
  Expression own_size = name("RANKS");
};

/// How a value is written down.
using Leaf = std::function<Expression(std::int64_t)>;

/// What holds for the ranks in `inside` and for no other of `universe`; both ascend. Nothing if no
/// short formula does.
/// @complexity O(ranks * (divisors of the number of ranks + powers of two)^2)
std::optional<Expression> condition_for(const std::vector<std::int64_t>& inside,
                                        const std::vector<std::int64_t>& universe);

/// @param values      for each rank of the domain
/// @param is_number   values may be computed from the rank; else they are only told apart. Special
///                    values are never computed
std::optional<Expression> formula_for(const Domain& domain, const std::vector<std::int64_t>& values,
                                      bool is_number, const Leaf& leaf);

} // namespace rondo::trace::expressions
