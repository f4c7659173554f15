// SPDX-License-Identifier: Apache-2.0
// Marks that this thread is inside a Fortran binding of MPI, on its way to the C function that does the work:
// the wrapper of that function records the call, with the place in the Fortran program.
#pragma once

#include "record/call.hpp"

namespace rondo::record {

class FortranCall {
public:
  explicit FortranCall(const void* return_address) {
    if (depth == 0) fortran_site = return_address;
  }
  ~FortranCall() { fortran_site = nullptr; }
  FortranCall(const FortranCall&) = delete;
  FortranCall& operator=(const FortranCall&) = delete;
};

} // namespace rondo::record
