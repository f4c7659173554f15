// SPDX-License-Identifier: Apache-2.0
// Lines of family files as numbers, words and symbols.
#include "topology/rank_expression.hpp"

#include <algorithm>
#include <array>
#include <charconv>

namespace rondo::topology::internal {
namespace {

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

// Longer ones first.
constexpr std::array<std::string_view, 20> kSymbols = {
    "..", "<<", ">>", "!=", "<=", ">=", "==", "+", "-", "*",
    "/",  "^",  "(",  ")",  ",",  "=",  "<",  ">", "%", ":"};

std::string shown(char c) {
  if (c >= ' ' && c <= '~') return std::string("'") + c + "'";
  return "byte " + std::to_string(static_cast<unsigned char>(c));
}

} // namespace

Result<Tokens> Tokens::of(std::string_view line) {
  Tokens tokens;
  while (!line.empty() && line.front() != '#') {
    std::size_t length = 1;
    Token token;
    if (line.front() == ' ' || line.front() == '\t' || line.front() == '\r') {
      line.remove_prefix(1);
      continue;
    }
    if (is_digit(line.front())) {
      token.kind = Token::Kind::kNumber;
      while (length < line.size() && is_digit(line[length])) ++length;
      const auto read = std::from_chars(line.data(), line.data() + length, token.number);
      if (read.ec != std::errc())
        return fail(ErrorCode::kFormat, "the number " + std::string(line.substr(0, length)) +
                                            " is too large; numbers have up to 18 digits");
    } else if (is_letter(line.front())) {
      token.kind = Token::Kind::kWord;
      while (length < line.size() && (is_letter(line[length]) || is_digit(line[length]))) ++length;
    } else {
      token.kind = Token::Kind::kSymbol;
      const auto* symbol = std::find_if(kSymbols.begin(), kSymbols.end(), [&](std::string_view s) {
        return line.substr(0, s.size()) == s;
      });
      if (symbol == kSymbols.end())
        return fail(ErrorCode::kFormat, shown(line.front()) + " means nothing here; remove it");
      length = symbol->size();
    }
    token.text = line.substr(0, length);
    tokens.list_.push_back(std::move(token));
    line.remove_prefix(length);
  }
  tokens.list_.emplace_back();
  return tokens;
}

bool Tokens::take(std::string_view text) {
  if (at_end() || next().text != text) return false;
  ++position_;
  return true;
}

std::string Tokens::next_text() const {
  return at_end() ? "the end of the line" : "'" + next().text + "'";
}

} // namespace rondo::topology::internal
