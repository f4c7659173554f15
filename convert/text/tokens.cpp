// SPDX-License-Identifier: Apache-2.0
#include "convert/text/tokens.hpp"

namespace rondo::convert::internal {

void split(std::string_view line, std::vector<std::string_view>& tokens) {
  tokens.clear();
  std::size_t at = 0;
  while (at < line.size()) {
    if (line[at] == ' ' || line[at] == '\t') {
      ++at;
      continue;
    }
    std::size_t end = at;
    while (end < line.size() && line[end] != ' ' && line[end] != '\t') ++end;
    tokens.push_back(line.substr(at, end - at));
    at = end;
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
