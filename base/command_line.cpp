// SPDX-License-Identifier: Apache-2.0
#include "rondo/base/command_line.hpp"

#include "rondo/base/escape.hpp"

namespace rondo {

std::string command_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    const bool is_plain =
        !word.empty() && word.find_first_of(" \t\n'\"\\$&|;<>()*?`!#~{}[]") == std::string::npos;
    line += line.empty() ? "" : " ";
    line += is_plain ? word : escape::shell(word);
  }
  return line;
}

std::vector<std::string> words_of_command(std::string_view line) {
  std::vector<std::string> words;
  bool is_in_word = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    const bool is_blank = c == ' ' || c == '\t' || c == '\n';
    if (!is_blank && !is_in_word) words.emplace_back();
    is_in_word = !is_blank;
    if (is_blank) continue;
    const std::size_t closed = c == '\'' || c == '"' ? line.find(c, i + 1) : std::string_view::npos;
    if (closed != std::string_view::npos) {
      words.back() += line.substr(i + 1, closed - i - 1);
      i = closed;
    } else {
      const bool is_escaped = c == '\\' && i + 1 < line.size();
      words.back() += is_escaped ? line[++i] : c;
    }
  }
  return words;
}

} // namespace rondo
