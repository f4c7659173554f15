// SPDX-License-Identifier: Apache-2.0
// Errors inside MPI, seen before error handlers are: the recorder stands in front of the functions
// through which the MPI libraries raise them, notes what it was, and passes it on. An error that
// ends the process is known for it before MPI tells the launcher, which kills the other ranks.
#pragma once

#include <cstdint>

namespace rondo::record {

/// The class of an error code. Of one that MPI does not know, as a callback may return,
/// MPI_ERR_UNKNOWN: asked about that, MPI would call an error handler.
int error_class_of(int code);

/// The process is about to end by MPI_Abort.
void note_abort(int code);

/// The process is about to end by exit(status), called from `caller`. MPICH does so with the error
/// code where an error is fatal.
void note_exit(int status, const void* caller);

} // namespace rondo::record
