// SPDX-License-Identifier: Apache-2.0
// The executable and libraries in this process: which of them an address is in, and which build of
// it. All is read from memory, so that it holds for what runs, whatever is on disk by now.
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <utility>

namespace rondo::record {

struct ModulePlace {
  trace::Module module; // empty for code that is in no file
  std::uint64_t offset = 0; // from where the module's first page is loaded
};

/// @complexity   O(modules); takes no lock that a running constructor could hold
ModulePlace find_module(const void* address);

/// First address and end of the module that an address is in; nothing twice if it is in none.
std::pair<std::uintptr_t, std::uintptr_t> range_of_module(const void* address);

} // namespace rondo::record
