// SPDX-License-Identifier: Apache-2.0
// Libraries of Rondo's own that are loaded when they are asked for: what few commands need.
#pragma once

#include "rondo/base/result.hpp"

#include <filesystem>

/// A function's name, which may be a macro, as a text.
#define RONDO_NAME_OF_DOOR(name) RONDO_WORD_AS_TEXT(name)
#define RONDO_WORD_AS_TEXT(word) #word

namespace rondo::internal {

struct OwnModule {
  const char* file; // "librondo_simgrid.so"
  const char* door; // the function that it exports; of each version another one
  const char* users; // who need it: "networks with contention"
  const char* linked_with; // the library whose version must fit: "SimGrid"; may be empty
};

/// Where the module is: in a build tree, in a wheel, or installed.
/// @error  kUnsupported with what makes it be there
Result<std::filesystem::path> find_module(const OwnModule& module);

/// Loads the module, which stays from then on.
/// @return  its door
/// @error  kUnsupported: it is not there, does not load, or is of another version
Result<void*> load_module(const OwnModule& module);

} // namespace rondo::internal
