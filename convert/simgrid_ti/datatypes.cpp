// SPDX-License-Identifier: Apache-2.0
#include "convert/simgrid_ti/datatypes.hpp"

#include "rondo/trace/functions.hpp"
#include "trace/mpi_names.hpp"

#include <algorithm>
#include <array>

namespace rondo::convert::internal {
namespace {

// By number. MPI_UB and MPI_LB (51, 52) carry no data and MPI_PTR (54) is SimGrid's own: none
// stands in a call.
constexpr std::array<SimgridDatatype, kDatatypes> kTypes = {{
    {mpi::DOUBLE, 8, 8, 0},
    {mpi::INT, 4, 4, 0},
    {mpi::CHAR, 1, 1, 0},
    {mpi::SHORT, 2, 2, 0},
    {mpi::LONG, 8, 8, 0},
    {mpi::FLOAT, 4, 4, 0},
    {mpi::BYTE, 1, 1, 0},
    {mpi::LONG_LONG_INT, 8, 8, 0},
    {mpi::SIGNED_CHAR, 1, 1, 0},
    {mpi::UNSIGNED_CHAR, 1, 1, 0},
    {mpi::UNSIGNED_SHORT, 2, 2, 0},
    {mpi::UNSIGNED, 4, 4, 0},
    {mpi::UNSIGNED_LONG, 8, 8, 0},
    {mpi::UNSIGNED_LONG_LONG, 8, 8, 0},
    {mpi::LONG_DOUBLE, 16, 16, 0},
    {mpi::WCHAR, 4, 4, 0},
    {mpi::C_BOOL, 1, 1, 0},
    {mpi::INT8_T, 1, 1, 0},
    {mpi::INT16_T, 2, 2, 0},
    {mpi::INT32_T, 4, 4, 0},
    {mpi::INT64_T, 8, 8, 0},
    {mpi::UINT8_T, 1, 1, 0},
    {mpi::UINT16_T, 2, 2, 0},
    {mpi::UINT32_T, 4, 4, 0},
    {mpi::UINT64_T, 8, 8, 0},
    {mpi::C_FLOAT_COMPLEX, 8, 8, 0},
    {mpi::C_DOUBLE_COMPLEX, 16, 16, 0},
    {mpi::C_LONG_DOUBLE_COMPLEX, 32, 32, 0},
    {mpi::AINT, 8, 8, 0},
    {mpi::OFFSET, 8, 8, 0},
    {mpi::FLOAT_INT, 8, 8, 0},
    {mpi::LONG_INT, 12, 16, 0},
    {mpi::DOUBLE_INT, 12, 16, 0},
    {mpi::SHORT_INT, 6, 8, 0},
    {mpi::_2INT, 8, 8, 0},
    {mpi::_2REAL, 8, 8, 0},
    {mpi::_2DOUBLE_PRECISION, 16, 16, 0},
    {mpi::_2LONG, 16, 16, 0},
    {mpi::REAL, 4, 4, 0},
    {mpi::REAL4, 4, 4, 0},
    {mpi::REAL8, 8, 8, 0},
    {mpi::REAL16, 16, 16, 0},
    {mpi::COMPLEX8, 8, 8, 0},
    {mpi::COMPLEX16, 16, 16, 0},
    {mpi::COMPLEX32, 32, 32, 0},
    {mpi::INTEGER1, 1, 1, 0},
    {mpi::INTEGER2, 2, 2, 0},
    {mpi::INTEGER4, 4, 4, 0},
    {mpi::INTEGER8, 8, 8, 0},
    {mpi::INTEGER16, 16, 16, 0},
    {mpi::LONG_DOUBLE_INT, 20, 32, 0},
    {},
    {},
    {mpi::PACKED, 1, 1, 0},
    {},
    {mpi::COUNT, 8, 8, 0},
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
