// SPDX-License-Identifier: Apache-2.0
// The recorder stands in front of abort(), as Fortran's runtime undoes handlers of SIGABRT before
// it calls that, of _exit(), behind which no destructor runs, and, for MPICH, of exit(), by which
// that library ends a process for an error.
#pragma once

namespace rondo::record {

/// The exit() of the C library.
void* library_exit();

} // namespace rondo::record
