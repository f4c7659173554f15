// SPDX-License-Identifier: Apache-2.0
// Tells by its contents what kind of trace a file or folder is. Names are looked at last, for
// contents that do not say what they are.
#pragma once

#include "rondo/base/result.hpp"

#include <string>
#include <string_view>

namespace rondo::convert {

enum class InputKind {
  kRondo,
  kParts,
  kSimgridTi,
  kParaver,
  kOtf2,
  kAllprof,
  kGoal,
  kDumpi,
  kChakra
};

/// @error  kNotFound: no such file or folder; kIo; kFormat: nothing that Rondo reads, with a list
/// of what it does
Result<InputKind> detect_input(const std::string& path);

enum class OutputKind {
  kRondo,
  kJson,
  kCsv,
  kSimgridTi,
  kOtf2,
  kGoal,
  kPerfetto,
  kChrome,
  kParaver,
  kDimemas,
};

/// By the extension of `path`.
/// @error  kUsage, listing the extensions
Result<OutputKind> output_kind(std::string_view path);

} // namespace rondo::convert
