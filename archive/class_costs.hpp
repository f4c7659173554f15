// SPDX-License-Identifier: Apache-2.0
// Cutting a program into those of its ranks, within a budget: a few bytes can claim that millions
// of ranks all do something else.
#pragma once

#include "rondo/base/budget.hpp"
#include "rondo/trace/merged_program.hpp"

#include <vector>

namespace rondo::archive {

/// As trace::classes_of(); nothing, and a budget that is spent, if they cost too much.
std::vector<trace::ProjectedClass> classes_within(Budget& budget,
                                                  const trace::MergedProgram& program);

} // namespace rondo::archive
