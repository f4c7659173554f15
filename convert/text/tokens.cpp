// SPDX-License-Identifier: Apache-2.0
#include "convert/text/tokens.hpp"

namespace rondo::convert::internal {

void split(std::string_view line, std::vector<std::string_view>& tokens) {
  tokens.clear();
  const auto is_blank = [](char c) { return c == ' ' || c == '\t'; };
  const char* at = line.data();
  const char* const end = at + line.size();
  for (;;) {
    while (at != end && is_blank(*at)) ++at;
    if (at == end) return;
    const char* const first = at;
    while (at != end && !is_blank(*at)) ++at;
    tokens.emplace_back(first, static_cast<std::size_t>(at - first));
  }
}

std::string shown(std::string_view token) {
  std::string text = "'";
  for (const char c : token.substr(0, 32)) text += c >= ' ' && c <= '~' ? c : '?';
  return text + (token.size() > 32 ? "...'" : "'");
}

std::string counted(std::size_t count, const char* noun) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s");
}

} // namespace rondo::convert::internal
