// SPDX-License-Identifier: Apache-2.0
// Marks that this thread is inside a Fortran binding of MPI, on its way to the C function that does
// the work: the wrapper of that function records the call, with the place in the Fortran program.
// MPI may make several calls on the way: MPICH's mpi_f08 makes a datatype for a strided buffer and
// frees it afterwards. The trampolines use it like this:
//
//   const bool is_outermost = enter_fortran(site, frame); next(...); leave_fortran(is_outermost);
#pragma once

#include "record/call.hpp"

namespace rondo::record {

/// False if this is a callback inside a call of the program's.
inline bool enter_fortran(const void* site, const void* frame) {
  if (on_thread.call.frame != nullptr && recorder != nullptr) [[unlikely]] {
    if (is_inside_open_call(frame)) return false;
    close_left_call();
  }
  on_thread.fortran = {site, frame};
  return true;
}

inline void leave_fortran(bool is_outermost) {
  if (is_outermost) on_thread.fortran.site = nullptr;
}

} // namespace rondo::record
