// SPDX-License-Identifier: Apache-2.0
#include "rondo/base/result.hpp"

namespace rondo {

std::string Error::text() const {
  std::string text;
  if (!place.file.empty()) {
    text += place.file;
    if (place.line) text += ":" + std::to_string(*place.line);
    text += ": ";
  }
  text += message;
  std::string where;
  if (place.rank) where += "rank " + std::to_string(*place.rank);
  if (place.offset)
    where += (where.empty() ? "" : ", ") + ("byte " + std::to_string(*place.offset));
  if (!where.empty()) text += " (" + where + ")";
  return text;
}

} // namespace rondo
