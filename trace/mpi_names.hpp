// SPDX-License-Identifier: Apache-2.0
// MPI's names of functions, predefined objects and constants, one constant each, generated from
// record/mpi_calls.toml: the compiler refuses a name that MPI has not. They keep MPI's spelling
// behind the prefix. A name written out as text is found by tools/check_layers.py.
//
//   if (function.name == mpi::Request_free) ...
#pragma once

#include <string_view>

namespace rondo::mpi {
#include "trace/mpi_names.inc"
} // namespace rondo::mpi
