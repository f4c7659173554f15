// SPDX-License-Identifier: Apache-2.0
// Which kind a wait is of, by the call that waits.
#pragma once

#include "rondo/efficiency/wait_states.hpp"
#include "rondo/simulate/observer.hpp"
#include "rondo/trace/functions.hpp"

namespace rondo::efficiency::internal {

WaitKind kind_of(const trace::Function& function, simulate::Met::For what);

} // namespace rondo::efficiency::internal
