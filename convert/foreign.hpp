// SPDX-License-Identifier: Apache-2.0
// Files of other tools that are no input, so that an error can say what they are.
#pragma once

#include <string_view>

namespace rondo::convert::internal {

/// What a file is that begins so, and what to do about it; empty if that is not known.
std::string_view foreign_kind(std::string_view start);

} // namespace rondo::convert::internal
