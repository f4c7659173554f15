// SPDX-License-Identifier: Apache-2.0
// Columns of text in which some letters take more than one byte.
#pragma once

#include <algorithm>
#include <string>
#include <string_view>

namespace rondo::matrix::internal {

/// Characters on the screen: bytes that do not continue a UTF-8 sequence.
inline int width_of(std::string_view text) {
  return static_cast<int>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

inline std::string blanks(int count) {
  return std::string(static_cast<std::size_t>(std::max(count, 0)), ' ');
}

inline std::string left(std::string_view text, int width) {
  return std::string(text) + blanks(width - width_of(text));
}

inline std::string right(std::string_view text, int width) {
  return blanks(width - width_of(text)) + std::string(text);
}

inline std::string repeated(std::string_view text, int count) {
  std::string result;
  for (int i = 0; i < count; ++i) result += text;
  return result;
}

/// The line without blanks at its end, and with a line feed.
inline std::string finished_line(std::string line) {
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

} // namespace rondo::matrix::internal
