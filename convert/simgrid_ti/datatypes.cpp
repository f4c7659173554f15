// SPDX-License-Identifier: Apache-2.0
#include "convert/simgrid_ti/datatypes.hpp"

#include "rondo/trace/functions.hpp"

#include <algorithm>
#include <array>

namespace rondo::convert::internal {
namespace {

// By number. MPI_UB and MPI_LB (51, 52) carry no data and MPI_PTR (54) is SimGrid's own: none
// stands in a call.
constexpr std::array<SimgridDatatype, kDatatypes> kTypes = {{
    {"MPI_DOUBLE", 8, 8, 0},
    {"MPI_INT", 4, 4, 0},
    {"MPI_CHAR", 1, 1, 0},
    {"MPI_SHORT", 2, 2, 0},
    {"MPI_LONG", 8, 8, 0},
    {"MPI_FLOAT", 4, 4, 0},
    {"MPI_BYTE", 1, 1, 0},
    {"MPI_LONG_LONG_INT", 8, 8, 0},
    {"MPI_SIGNED_CHAR", 1, 1, 0},
    {"MPI_UNSIGNED_CHAR", 1, 1, 0},
    {"MPI_UNSIGNED_SHORT", 2, 2, 0},
    {"MPI_UNSIGNED", 4, 4, 0},
    {"MPI_UNSIGNED_LONG", 8, 8, 0},
    {"MPI_UNSIGNED_LONG_LONG", 8, 8, 0},
    {"MPI_LONG_DOUBLE", 16, 16, 0},
    {"MPI_WCHAR", 4, 4, 0},
    {"MPI_C_BOOL", 1, 1, 0},
    {"MPI_INT8_T", 1, 1, 0},
    {"MPI_INT16_T", 2, 2, 0},
    {"MPI_INT32_T", 4, 4, 0},
    {"MPI_INT64_T", 8, 8, 0},
    {"MPI_UINT8_T", 1, 1, 0},
    {"MPI_UINT16_T", 2, 2, 0},
    {"MPI_UINT32_T", 4, 4, 0},
    {"MPI_UINT64_T", 8, 8, 0},
    {"MPI_C_FLOAT_COMPLEX", 8, 8, 0},
    {"MPI_C_DOUBLE_COMPLEX", 16, 16, 0},
    {"MPI_C_LONG_DOUBLE_COMPLEX", 32, 32, 0},
    {"MPI_AINT", 8, 8, 0},
    {"MPI_OFFSET", 8, 8, 0},
    {"MPI_FLOAT_INT", 8, 8, 0},
    {"MPI_LONG_INT", 12, 16, 0},
    {"MPI_DOUBLE_INT", 12, 16, 0},
    {"MPI_SHORT_INT", 6, 8, 0},
    {"MPI_2INT", 8, 8, 0},
    {"MPI_2REAL", 8, 8, 0},
    {"MPI_2DOUBLE_PRECISION", 16, 16, 0},
    {"MPI_2LONG", 16, 16, 0},
    {"MPI_REAL", 4, 4, 0},
    {"MPI_REAL4", 4, 4, 0},
    {"MPI_REAL8", 8, 8, 0},
    {"MPI_REAL16", 16, 16, 0},
    {"MPI_COMPLEX8", 8, 8, 0},
    {"MPI_COMPLEX16", 16, 16, 0},
    {"MPI_COMPLEX32", 32, 32, 0},
    {"MPI_INTEGER1", 1, 1, 0},
    {"MPI_INTEGER2", 2, 2, 0},
    {"MPI_INTEGER4", 4, 4, 0},
    {"MPI_INTEGER8", 8, 8, 0},
    {"MPI_INTEGER16", 16, 16, 0},
    {"MPI_LONG_DOUBLE_INT", 20, 32, 0},
    {},
    {},
    {"MPI_PACKED", 1, 1, 0},
    {},
    {"MPI_COUNT", 8, 8, 0},
}};

// A type that Rondo's table lacks gets a slot, as one that the program made.
std::array<SimgridDatatype, kDatatypes> with_words() {
  std::array<SimgridDatatype, kDatatypes> types = kTypes;
  const auto names = trace::predefined_objects(trace::FieldKind::kDatatype);
  std::int64_t slot = 0;
  for (SimgridDatatype& type : types) {
    const auto found = std::find(names.begin(), names.end(), type.name);
    type.word = found == names.end() ? slot++ : -1 - (found - names.begin());
  }
  return types;
}

} // namespace

const SimgridDatatype& simgrid_datatype(int number) {
  static const auto types = with_words();
  return types[static_cast<std::size_t>(number)];
}

} // namespace rondo::convert::internal
