// SPDX-License-Identifier: Apache-2.0
#include "convert/otf2/otf2_errors.hpp"

#include "rondo/base/escape.hpp"

#include <array>
#include <cstdarg>
#include <cstdio>
#include <utility>

namespace rondo::convert::internal {

Otf2Errors::Otf2Errors() : before_(OTF2_Error_RegisterCallback(&Otf2Errors::take, this)) {}

Otf2Errors::~Otf2Errors() { OTF2_Error_RegisterCallback(before_, nullptr); }

OTF2_ErrorCode Otf2Errors::take(void* self, const char*, uint64_t, const char*, OTF2_ErrorCode code,
                                const char* format, va_list arguments) {
  auto& errors = *static_cast<Otf2Errors*>(self);
  std::array<char, 512> text{};
  if (format != nullptr) std::vsnprintf(text.data(), text.size(), format, arguments);
  // The first one is the cause; what follows says that callers failed, too.
  if (errors.last_code_ == OTF2_SUCCESS && code > OTF2_SUCCESS) {
    errors.last_code_ = code;
    errors.last_ = text.data();
  }
  return code;
}

Error Otf2Errors::error(OTF2_ErrorCode code, std::string what, const std::string& file) const {
  const OTF2_ErrorCode cause = last_code_ != OTF2_SUCCESS ? last_code_ : code;
  std::string message = std::move(what);
  if (cause != OTF2_SUCCESS) {
    const char* const description = OTF2_Error_GetDescription(cause);
    if (description != nullptr) message += std::string("; libotf2 says: ") + description;
  }
  return {ErrorCode::kDamaged, std::move(message), {file, {}, {}, {}}};
}

} // namespace rondo::convert::internal
