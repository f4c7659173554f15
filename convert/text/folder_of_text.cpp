// SPDX-License-Identifier: Apache-2.0
#include "convert/text/folder_of_text.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>
#include <system_error>

namespace rondo::convert::internal {

Result<std::string> text_trace_in(const std::string& folder) {
  static constexpr std::array<std::string_view, 5> kEndings = {".prv", ".prv.gz", ".goal",
                                                               ".goal.gz", ".goal.zst"};
  std::string found;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(folder, error)) {
    const std::string path = entry.path().string();
    const auto is_ending = [&](std::string_view ending) { return path.ends_with(ending); };
    if (std::none_of(kEndings.begin(), kEndings.end(), is_ending)) continue;
    if (!entry.is_regular_file(error)) continue;
    if (!found.empty())
      return fail(ErrorCode::kFormat,
                  "has more than one trace, '" +
                      std::filesystem::path(std::min(found, path)).filename().string() + "' and '" +
                      std::filesystem::path(std::max(found, path)).filename().string() +
                      "'; name one of them",
                  {folder, {}, {}, {}});
    found = path;
  }
  return found;
}

Result<std::string> text_trace_at(const std::string& path) {
  std::error_code error;
  return std::filesystem::is_directory(path, error) ? text_trace_in(path) : path;
}

} // namespace rondo::convert::internal
