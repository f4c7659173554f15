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

/// @error  kNotFound: no such file or folder; kIo; kUnsupported: of a tool that is known, but not
/// read, with what it is; kFormat: nothing that Rondo reads, with what its
/// name promises (named_as()) or a list of what Rondo does
Result<InputKind> detect_input(const std::string& path);

/// What a file of this name would be if it were sound: "an OTF2 archive"; empty if names do not
/// say. .rondo is for the archive's own reader.
std::string_view named_as(std::string_view path);

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
