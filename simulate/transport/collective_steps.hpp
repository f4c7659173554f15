// SPDX-License-Identifier: Apache-2.0
// Collective operations as messages (rondo/trace/collective_steps.hpp), by the simulator's names.
#pragma once

#include "rondo/trace/collective_steps.hpp"

namespace rondo::simulate::internal {

using Step = trace::CollectiveStep;
using Operation = trace::CollectiveKind;
using trace::CollectivePart;
using trace::Members;
using trace::steps_of;

} // namespace rondo::simulate::internal
