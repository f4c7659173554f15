// SPDX-License-Identifier: Apache-2.0
// matrix.c in C++: functions that MPI calls may throw through it, and what goes on at the end of
// the program is a global object's destructor.
#include <stdexcept>

#define THROW throw std::runtime_error("from within a call")
#define TRY try
#define CATCH                                                                                      \
  catch (const std::runtime_error& error) {                                                        \
    say(error.what());                                                                             \
  }
#define DESTRUCTOR
#include "matrix.c"

namespace {

struct Guard {
  ~Guard() { at_the_end(); }
} guard;

} // namespace
