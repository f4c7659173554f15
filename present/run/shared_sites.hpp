// SPDX-License-Identifier: Apache-2.0
// A layer that calls MPI for its callers, all of them through a few call sites: a library, or
// functions of the program's own. What comes from where is not to be told apart without call
// stacks.
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace rondo::present {

/// The sites of a layer that make more than half of the calls, each of them in many places of the
/// folded program. None where call stacks were recorded. Sites of the program are taken for a layer
/// if there are two at least, each the only one in its function, as that of a `comm_send` is.
/// Python's extensions are none: who calls them is not on the stack.
struct SharedSites {
  std::string library; // "libmpiwrap.so"; empty if there is none
  std::vector<std::string> functions{}; // of the program, if there is none; most calls first
  std::size_t sites = 0;
  std::uint64_t calls = 0; // that come through them, of all ranks
  std::uint64_t all_calls = 0;

  bool are_there() const { return sites > 0; }
};

/// @complexity O(terms of the classes)
SharedSites shared_sites(const trace::Trace& trace);

/// "61 % of the calls come through 3 call sites in liblayer.so: ...", "... come through comm_send,
/// comm_recv: ..." and what to do; empty if there are none.
std::string shared_sites_text(const SharedSites& shared);

} // namespace rondo::present
