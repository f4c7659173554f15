// SPDX-License-Identifier: Apache-2.0
// Calls of procedures in a logical text, and their bodies in the place of them.
#pragma once

#include "rondo/logical/logical_text.hpp"

namespace rondo::logical::internal {

/// Without the procedures that are not worth it: with one call only, with nothing but a call in
/// them, or with more lines than they save. The others are numbered as they come.
LogicalText without_poor_procedures(LogicalText text);

} // namespace rondo::logical::internal
