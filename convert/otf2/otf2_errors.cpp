// SPDX-License-Identifier: Apache-2.0
#include "convert/otf2/otf2_errors.hpp"

#include "rondo/base/escape.hpp"

#include <cstdarg>
#include <utility>

namespace rondo::convert::internal {
namespace {

// The first one is the cause; what follows says that callers failed, too.
thread_local OTF2_ErrorCode first_code = OTF2_SUCCESS;
thread_local bool has_file_error = false;

bool is_of_file(OTF2_ErrorCode code) {
  return code == OTF2_ERROR_EDQUOT || code == OTF2_ERROR_EFBIG || code == OTF2_ERROR_EIO ||
         code == OTF2_ERROR_ENOSPC || code == OTF2_ERROR_FILE_INTERACTION ||
         code == OTF2_ERROR_FILE_CAN_NOT_OPEN;
}

OTF2_ErrorCode take(void*, const char*, uint64_t, const char*, OTF2_ErrorCode code, const char*,
                    va_list) {
  if (first_code == OTF2_SUCCESS && code > OTF2_SUCCESS) first_code = code;
  has_file_error = has_file_error || is_of_file(code);
  return code;
}

} // namespace

Otf2Errors::Otf2Errors() : before_(OTF2_Error_RegisterCallback(&take, nullptr)) { forget(); }

Otf2Errors::~Otf2Errors() { OTF2_Error_RegisterCallback(before_, nullptr); }

void Otf2Errors::forget() {
  first_code = OTF2_SUCCESS;
  has_file_error = false;
}

bool Otf2Errors::are_of_files() { return has_file_error; }

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
