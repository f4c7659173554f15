// SPDX-License-Identifier: Apache-2.0
// Names of functions as people write them.
#pragma once

#include <string>

namespace rondo::sites {

/// The name of a linker symbol: demangled if it is C++'s, without parameters and return type;
/// without the module if it is a Fortran module's. What is neither stays as it is.
std::string function_name(const char* symbol);

/// A demangled name without parameters and return type: "int f<int>(int) const" is "f<int>".
std::string without_parameters(std::string name);

} // namespace rondo::sites
