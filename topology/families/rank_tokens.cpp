// SPDX-License-Identifier: Apache-2.0
// Lines of family files as numbers, words and symbols.
#include "topology/families/rank_expression.hpp"

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

// The whole line is looked at once: taking tokens cannot fail then.
Result<Tokens> Tokens::of(std::string_view line) {
  Tokens tokens;
  tokens.rest_ = line;
  if (auto first = tokens.advance(); !first) return propagate(first);
  Tokens ahead = tokens;
  while (!ahead.at_end()) {
    if (auto read = ahead.advance(); !read) return propagate(read);
  }
  return tokens;
}

Status Tokens::advance() {
  rest_.remove_prefix(std::min(rest_.find_first_not_of(" \t\r"), rest_.size()));
  next_ = {};
  if (rest_.empty() || rest_.front() == '#') return {};
  std::size_t length = 1;
  if (is_digit(rest_.front())) {
    next_.kind = Token::Kind::kNumber;
    while (length < rest_.size() && is_digit(rest_[length])) ++length;
    const auto read = std::from_chars(rest_.data(), rest_.data() + length, next_.number);
    if (read.ec != std::errc())
      return fail(ErrorCode::kFormat, "the number " + std::string(rest_.substr(0, length)) +
                                          " is too large; numbers have up to 18 digits");
  } else if (is_letter(rest_.front())) {
    next_.kind = Token::Kind::kWord;
    while (length < rest_.size() && (is_letter(rest_[length]) || is_digit(rest_[length]))) ++length;
  } else {
    next_.kind = Token::Kind::kSymbol;
    const auto* symbol = std::find_if(kSymbols.begin(), kSymbols.end(), [&](std::string_view s) {
      return rest_.substr(0, s.size()) == s;
    });
    if (symbol == kSymbols.end())
      return fail(ErrorCode::kFormat, shown(rest_.front()) + " means nothing here; remove it");
    length = symbol->size();
  }
  next_.text = rest_.substr(0, length);
  rest_.remove_prefix(length);
  return {};
}

Token Tokens::take() {
  Token token = std::move(next_);
  next_ = {};
  if (token.kind != Token::Kind::kEnd) static_cast<void>(advance()); // of() has looked at it
  return token;
}

bool Tokens::take(std::string_view text) {
  if (at_end() || next().text != text) return false;
  take();
  return true;
}

std::string Tokens::next_text() const {
  return at_end() ? "the end of the line" : "'" + next().text + "'";
}

} // namespace rondo::topology::internal
