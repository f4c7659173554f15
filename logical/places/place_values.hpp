// SPDX-License-Identifier: Apache-2.0
// Which values of a column come at which place of a program: those of the trace.
#pragma once

#include "rondo/trace/place_values.hpp"

namespace rondo::logical::internal {

using trace::PlaceValues;

} // namespace rondo::logical::internal
