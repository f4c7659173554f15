// SPDX-License-Identifier: Apache-2.0
// Calls that ask whether something happened yet. How often they found nothing is a matter of time,
// but a benchmark has to find the same at the same place of its program.
#pragma once

#include "rondo/generate/expression.hpp"
#include "rondo/trace/functions.hpp"
#include "rondo/trace/rank_formulas.hpp"

#include <cstdint>
#include <string>

namespace rondo::generate::internal {

/// The word that says whether a poll found something (a flag, or a count of completed requests); -1
/// for other functions.
int poll_outcome(const trace::Function& function);

/// Whether the call completes some of several requests, and which ones is its outcome.
bool completes_some(const trace::Function& function);

/// MPI's name of a value that is a constant of its; empty for others.
std::string constant_name(const trace::Field& field, std::int64_t value);
/// Writes values of the field.
Leaf leaf_of(const trace::Field& field);

} // namespace rondo::generate::internal
