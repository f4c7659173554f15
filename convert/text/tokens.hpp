// SPDX-License-Identifier: Apache-2.0
// Lines as tokens, numbers in them, and sentences about those that are wrong.
#pragma once

#include "rondo/base/result.hpp"

#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::convert::internal {

constexpr double kMaxNanoseconds = 9e18; // 285 years

/// The tokens of a line, which must outlive them.
void split(std::string_view line, std::vector<std::string_view>& tokens);

/// A token for a message: cut where it is long, and without bytes that would disturb a terminal.
std::string shown(std::string_view token);

/// "1 argument", "2 arguments".
std::string counted(std::size_t count, const char* noun);

/// Whether the whole token is such a number.
template <class Number> bool parse(std::string_view token, Number& number) {
  const char* const end = token.data() + token.size();
  const auto [stop, error] = std::from_chars(token.data(), end, number);
  return error == std::errc() && stop == end;
}

template <class... Parts> std::string sentence(const Parts&... parts) {
  std::string text;
  (text.append(parts), ...);
  return text;
}

inline tl::unexpected<Error> bad(std::string message) {
  return fail(ErrorCode::kFormat, std::move(message));
}

} // namespace rondo::convert::internal
