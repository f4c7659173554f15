// SPDX-License-Identifier: Apache-2.0
// Names of functions as people write them.
#pragma once

#include <string>

namespace rondo::sites {

/// The name of a linker symbol: demangled and shortened if it is C++'s, without parameters and
/// return type; without module and underscore if it is Fortran's; without what compilers add to
/// clones of a function.
std::string function_name(const char* symbol);

/// A name that is too long for a line, without the arguments of templates: "map<...>::insert".
std::string shortened(std::string name);

/// A demangled name without parameters and return type: "int f<int>(int) const" is "f<int>".
std::string without_parameters(std::string name);

} // namespace rondo::sites
