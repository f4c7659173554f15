// SPDX-License-Identifier: Apache-2.0
// SimGrid's numbers for datatypes.
#pragma once

#include <cstdint>
#include <string_view>

namespace rondo::convert::internal {

struct SimgridDatatype {
  std::string_view name; // MPI's; empty for a number that is none
  std::int64_t size_bytes = 0;
  std::int64_t extent_bytes = 0;
  std::int64_t word = 0; // how calls refer to it
};

constexpr int kDatatypes = 56; // numbers are below
constexpr int kByteType = 6; // what an action means that names none
constexpr int kDoubleType = 0; // the same in traces of the older kind

/// The datatype of a number in [0, kDatatypes).
const SimgridDatatype& simgrid_datatype(int number);

} // namespace rondo::convert::internal
