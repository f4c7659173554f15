// SPDX-License-Identifier: Apache-2.0
// How values of a call's arguments are written where they stand for themselves: by MPI's names, or
// as something that nobody looks at.
#pragma once

#include "generate/lower/arguments/c_arguments.hpp"
#include "rondo/generate/expression.hpp"
#include "rondo/trace/functions.hpp"
#include "rondo/trace/rank_formulas.hpp"

#include <cstdint>
#include <string>

namespace rondo::generate::internal {

/// MPI's name of a value that is a constant of its; empty for others.
std::string constant_name(const trace::Field& field, std::int64_t value);
/// Writes values of the field.
Leaf leaf_of(const trace::Field& field);
/// What the call gives back, and nothing of the benchmark looks at.
Expression ignored_argument(const CArgument& argument);

} // namespace rondo::generate::internal
