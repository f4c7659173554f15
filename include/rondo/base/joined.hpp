// SPDX-License-Identifier: Apache-2.0
// Names or numbers in a row, as texts for people have them.
//
//   joined(sizes, "x"); // "8x8x4"
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

namespace rondo {

/// Strings or whole numbers as one text. In place of fmt::join, for which fmt/format.h is needed: a
/// source that formats with that header compiles all of the formatting anew, one with fmt/core.h
/// takes it from the library.
/// @param between   what stands between two of them
template <typename Items> std::string joined(const Items& items, std::string_view between) {
  std::string text;
  std::string_view before;
  for (const auto& item : items) {
    text += before;
    if constexpr (std::is_integral_v<std::remove_cvref_t<decltype(item)>>)
      text += std::to_string(item);
    else
      text += item;
    before = between;
  }
  return text;
}

} // namespace rondo
