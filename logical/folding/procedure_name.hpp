// SPDX-License-Identifier: Apache-2.0
// Names of functions as the text can have them, for procedures that are called after the functions
// of the program.
#pragma once

#include <string>

namespace rondo::logical::internal {

/// No arguments of templates, no blanks, no colon at the end. Empty if nothing is left, or if it is
/// where every program begins.
std::string procedure_name(const std::string& function);

} // namespace rondo::logical::internal
