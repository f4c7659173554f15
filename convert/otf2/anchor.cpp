// SPDX-License-Identifier: Apache-2.0
// Finds OTF2 archives by their contents; needs no library.
#include "convert/text/byte_source.hpp"
#include "rondo/convert/otf2.hpp"

#include <filesystem>

namespace rondo::convert {

// The byte order, then "OTF2" behind the letter of the kind of file: 'B' are anchors.
bool is_otf2(std::string_view start) {
  return start.substr(0, 1) == "\x03" && start.substr(1, 5) == "BOTF2";
}

Result<std::string> otf2_anchor_in(const std::string& folder) {
  std::string found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    if (entry.path().extension() != ".otf2" || !entry.is_regular_file(error)) continue;
    const auto start = internal::first_bytes(entry.path().string());
    if (!start || !is_otf2(*start)) continue;
    if (!found.empty()) {
      return fail(ErrorCode::kFormat,
                  "has more than one OTF2 archive; name the .otf2 file of one of them",
                  {folder, {}, {}, {}});
    }
    found = entry.path().string();
  }
  return found;
}

} // namespace rondo::convert
