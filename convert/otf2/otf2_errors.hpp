// SPDX-License-Identifier: Apache-2.0
// What libotf2 says of its errors, kept for ours; without this it prints to stderr.
#pragma once

#include "rondo/base/result.hpp"

#include <otf2/otf2.h>
#include <string>

namespace rondo::convert::internal {

/// While one is there, errors are kept for the thread in which they occur.
class Otf2Errors {
public:
  Otf2Errors();
  ~Otf2Errors();
  Otf2Errors(const Otf2Errors&) = delete;
  Otf2Errors& operator=(const Otf2Errors&) = delete;

  /// What was said first in this thread since forget(), with its description; else that of `code`.
  static Error error(OTF2_ErrorCode code, std::string what, const std::string& file);
  static void forget();
  /// Whether a file could not be written in this thread since forget().
  static bool are_of_files();

private:
  OTF2_ErrorCallback before_ = nullptr;
};

} // namespace rondo::convert::internal
