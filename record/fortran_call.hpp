// SPDX-License-Identifier: Apache-2.0
// Marks that this thread is inside a Fortran binding of MPI, on its way to the C function that does
// the work: the wrapper of that function records the call, with the place in the Fortran program.
// MPI may make several calls on the way: MPICH's mpi_f08 makes a datatype for a strided buffer and
// frees it afterwards.
#pragma once

#include "record/call.hpp"

namespace rondo::record {

class FortranCall {
public:
  explicit FortranCall(const void* return_address) : outer_(fortran_site) {
    if (depth == 0) fortran_site = return_address;
  }
  ~FortranCall() { fortran_site = outer_; }
  FortranCall(const FortranCall&) = delete;
  FortranCall& operator=(const FortranCall&) = delete;

private:
  const void* outer_; // set if this is a callback of MPI's
};

} // namespace rondo::record
