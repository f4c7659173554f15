// SPDX-License-Identifier: Apache-2.0
// Handles that this MPI library predefines, with their index in trace::predefined_objects.
// Generated.
#pragma once

#include <mpi.h>
#include <utility>
#include <vector>

namespace rondo::record {

std::vector<std::pair<int, MPI_Datatype>> predefined_datatypes();
std::vector<std::pair<int, MPI_Op>> predefined_ops();

} // namespace rondo::record
