// SPDX-License-Identifier: Apache-2.0
// What libotf2 says of its errors, kept for ours; without this it prints to stderr.
#pragma once

#include "rondo/base/result.hpp"

#include <otf2/otf2.h>
#include <string>

namespace rondo::convert::internal {

class Otf2Errors {
public:
  Otf2Errors();
  ~Otf2Errors();
  Otf2Errors(const Otf2Errors&) = delete;
  Otf2Errors& operator=(const Otf2Errors&) = delete;

  /// What was said last, with the description of `code` if there is one.
  Error error(OTF2_ErrorCode code, std::string what, const std::string& file) const;

private:
  static OTF2_ErrorCode take(void* self, const char* file, uint64_t line, const char* function,
                             OTF2_ErrorCode code, const char* format, va_list arguments);
  OTF2_ErrorCallback before_ = nullptr;
  OTF2_ErrorCode last_code_ = OTF2_SUCCESS;
  std::string last_;
};

} // namespace rondo::convert::internal
