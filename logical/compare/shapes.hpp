// SPDX-License-Identifier: Apache-2.0
// What lines of logical programs have in common when their numbers differ.
#pragma once

#include "rondo/logical/logical_text.hpp"

#include <string>

namespace rondo::logical::internal {

/// The line without indentation and times.
std::string line_of(const Statement& statement);

/// A choice "child 0|child 1|child 2" has as many members as there are ranks for: equal shapes
/// count once. The last member goes on into the rest of the call: "child 1|child 2 8 double".
std::string shape_of(const std::string& text);

/// The same, and "across x" is like "across d4": steps of which a larger run has more.
std::string step_shape_of(const std::string& text);
/// True if a direction in it has a number: one more for twice the ranks.
bool has_step(const std::string& step_shape);
/// Of a statement with all that it holds; empty for phases.
std::string step_gist_of(const Statement& statement);

} // namespace rondo::logical::internal
