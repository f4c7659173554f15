// SPDX-License-Identifier: Apache-2.0
// Statements and expressions as C.
#pragma once

#include "rondo/generate/benchmark.hpp"

#include <string>

namespace rondo::generate::internal {

std::string c_expression(const Expression& expression);
/// Each statement on lines of its own.
std::string c_statements(const std::vector<Statement>& statements, int indent);
/// "48.2e-6"
std::string c_seconds(double seconds);
/// "{1, 2, 3}" with MPI's constants by name; long ones go over several lines.
/// @param column   where the opening brace stands
std::string c_values(const std::vector<std::string>& values, std::size_t column = 60);

} // namespace rondo::generate::internal
