// SPDX-License-Identifier: Apache-2.0
#include "convert/otf2/otf2_errors.hpp"

#include "rondo/base/escape.hpp"

#include <cstdarg>
#include <utility>

namespace rondo::convert::internal {
namespace {

// The first one is the cause; what follows says that callers failed, too.
thread_local OTF2_ErrorCode first_code = OTF2_SUCCESS;

OTF2_ErrorCode take(void*, const char*, uint64_t, const char*, OTF2_ErrorCode code, const char*,
                    va_list) {
  if (first_code == OTF2_SUCCESS && code > OTF2_SUCCESS) first_code = code;
  return code;
}

} // namespace

Otf2Errors::Otf2Errors() : before_(OTF2_Error_RegisterCallback(&take, nullptr)) { forget(); }

Otf2Errors::~Otf2Errors() { OTF2_Error_RegisterCallback(before_, nullptr); }

void Otf2Errors::forget() { first_code = OTF2_SUCCESS; }

Error Otf2Errors::error(OTF2_ErrorCode code, std::string what, const std::string& file) {
  const OTF2_ErrorCode cause = first_code != OTF2_SUCCESS ? first_code : code;
  std::string message = std::move(what);
  if (cause != OTF2_SUCCESS) {
    const char* const description = OTF2_Error_GetDescription(cause);
    if (description != nullptr) message += std::string("; libotf2 says: ") + description;
  }
  return {ErrorCode::kDamaged, std::move(message), {file, {}, {}, {}}};
}

} // namespace rondo::convert::internal
