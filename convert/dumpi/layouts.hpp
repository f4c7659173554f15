// SPDX-License-Identifier: Apache-2.0
// What the record of each function has in a DUMPI trace.
#pragma once

#include <cstdint>
#include <string_view>

namespace rondo::convert::internal {

/// Fields as "KIND:NAME" behind each other, separated by blanks, with names of MPI's C binding
/// where it has the argument. Kinds: i number, d rank that something goes to, e rank
/// that it comes from, m tag that is received, a root, u number that may be undefined (each has
/// negative numbers of libdumpi's own), b h l numbers of 1, 2, 8 bytes, n a constant that
/// has a name, t datatype, c communicator, o operation, g group, w window, f file, q request, r
/// request of an access to a file (other numbers), S statuses, s text; arrays: I of numbers, B H of
/// numbers of 1, 2 bytes, T of datatypes, Q and R of requests, A of arrays, X of texts, Y of arrays
/// of texts. "?" before one: only where `commrank` is `root`.
struct DumpiLayout {
  std::string_view function; // of MPI; empty: not known here
  std::string_view fields;
};

/// @param function   its number in the trace
DumpiLayout dumpi_layout(std::uint16_t function);

} // namespace rondo::convert::internal
