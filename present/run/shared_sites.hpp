// SPDX-License-Identifier: Apache-2.0
// A library that calls MPI for its callers, all of them through a few call sites: what comes from
// where is not to be told apart without call stacks.
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstddef>
#include <cstdint>
#include <string>

namespace rondo::present {

/// The sites of one library that make more than half of the calls, each of them in many places of
/// the folded program. None where call stacks were recorded, or where such sites are the program's
/// own.
struct SharedSites {
  std::string library; // "libmpiwrap.so"; empty if there are none
  std::size_t sites = 0;
  std::uint64_t calls = 0; // that come through them, of all ranks
  std::uint64_t all_calls = 0;

  bool are_there() const { return sites > 0; }
};

/// @complexity O(terms of the classes)
SharedSites shared_sites(const trace::Trace& trace);

/// "61 % of the calls come through 3 call sites in liblayer.so: ..." and what to do; empty if there
/// are none.
std::string shared_sites_text(const SharedSites& shared);

} // namespace rondo::present
