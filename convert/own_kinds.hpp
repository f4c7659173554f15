// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "rondo/base/result.hpp"
#include "rondo/convert/detect.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace rondo::convert::internal {

struct InputName {
  std::string_view ending;
  std::string_view what;
  bool is_output_only = false;
};

/// What a file is by its name; nothing is said of names that are nobody's.
InputName name_of_input(std::string_view path);

/// Whether it is Rondo's own: an archive, which a pipe is taken for, or a folder of parts. Nothing
/// if it is something else.
/// @error  that it cannot be read
Result<std::optional<InputKind>> own_kind(const std::string& path);

} // namespace rondo::convert::internal
