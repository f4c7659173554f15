// SPDX-License-Identifier: Apache-2.0
// Pieces of text: columns in which some letters take more than one byte, and numbers in full
// precision.
#pragma once

#include <algorithm>
#include <charconv>
#include <string>
#include <string_view>
#include <system_error>

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

/// The number with all its digits, whatever the locale.
template <class Number> void append_number(std::string& text, Number number) {
  char buffer[40];
  const auto [end, error] = std::to_chars(buffer, buffer + sizeof buffer, number);
  text.append(buffer, error == std::errc{} ? static_cast<std::size_t>(end - buffer) : 0);
}

} // namespace rondo::matrix::internal
