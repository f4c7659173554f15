// SPDX-License-Identifier: Apache-2.0
// Texts that are begun on a second processor before it is known that they are wanted. What is
// written does not depend on it.
#pragma once

#include <tbb/global_control.h>

namespace rondo::logical::internal {

/// Whether there is another processor, and TBB may use it.
inline bool may_run_ahead() {
  return tbb::global_control::active_value(tbb::global_control::max_allowed_parallelism) > 1;
}

} // namespace rondo::logical::internal
