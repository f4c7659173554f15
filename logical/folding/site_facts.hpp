// SPDX-License-Identifier: Apache-2.0
// What call sites say of a program, and where they say nothing.
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstddef>

namespace rondo::logical::internal {

/// Whether a call site is one statement of the program. In traces of other tools it may be a
/// function that makes many calls, or nothing at all.
bool sites_tell(const trace::Trace& trace);

/// A library without lines in which each function is called at one place passes on the calls of
/// another language, as mpi4py does: that place is no statement of the program. It passes on most
/// of what the program calls, else it is a library that is called for some of it.
bool is_binding(const trace::Trace& trace);

/// Call sites at which MPI is called: with call stacks, not those that only lead there.
std::size_t length_of_source(const trace::Trace& trace);

} // namespace rondo::logical::internal
