// SPDX-License-Identifier: Apache-2.0
// ways.c in C++: error handlers may throw through MPI, and with WHEN "destroyed" it is a global
// object's destructor that finalizes.
#include <stdexcept>

#define THROW throw std::runtime_error("from an error handler")
#define TRY try
#define CATCH                                                                                      \
  catch (const std::runtime_error& error) {                                                        \
    say(error.what());                                                                             \
  }
#include "ways.c"

namespace {

struct Guard {
  ~Guard() {
    if (strcmp(when, "destroyed") != 0) return;
    work();
    MPI_Finalize();
    say("finalized by a destructor");
  }
} guard;

} // namespace
