// SPDX-License-Identifier: Apache-2.0
// Finds OTF2 archives by their contents; needs no library.
#include "convert/text/byte_source.hpp"
#include "rondo/convert/otf2.hpp"

#include <cstdint>
#include <filesystem>

namespace rondo::convert {

// The byte order, then "OTF2" behind the letter of the kind of file: 'B' are anchors.
bool is_otf2(std::string_view start) {
  return start.substr(0, 1) == "\x03" && start.substr(1, 5) == "BOTF2";
}

// libotf2 takes memory for as many properties as the anchor claims, before it reads them.
bool is_sound_otf2_anchor(std::string_view anchor) {
  constexpr std::size_t kStrings = 46; // name of the machine, creator, description
  const bool is_little = anchor.substr(0, 1) == "\x03";
  std::size_t at = kStrings;
  for (int i = 0; i < 3; ++i) {
    const std::size_t end = at > anchor.size() ? anchor.npos : anchor.find('\0', at);
    if (end == anchor.npos) return false;
    at = end + 1;
  }
  if (anchor.size() < at + 4) return false;
  std::uint64_t properties = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    const auto byte = static_cast<unsigned char>(anchor[at + (is_little ? 3 - i : i)]);
    properties = properties << 8 | byte;
  }
  return properties <= (anchor.size() - at) / 2; // each has two strings
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
