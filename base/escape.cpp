// SPDX-License-Identifier: Apache-2.0
#include "rondo/base/escape.hpp"

#include <algorithm>
#include <array>
#include <cstddef>

namespace rondo::escape {
namespace {

constexpr std::string_view kDigits = "0123456789abcdef";

// One character of UTF-8, or one byte that is none.
struct Character {
  std::string_view bytes;
  char32_t code = 0;
  bool is_valid = false;
};

// The length that a first byte announces, 0 for one that cannot begin a character.
std::size_t announced(unsigned char first) {
  if (first < 0x80) return 1;
  if (first < 0xc2) return 0; // continuations, and ASCII written in two bytes
  if (first < 0xe0) return 2;
  if (first < 0xf0) return 3;
  return first < 0xf5 ? 4 : 0;
}

Character character_at(std::string_view text, std::size_t at) {
  const auto first = static_cast<unsigned char>(text[at]);
  const Character bad{text.substr(at, 1), first, false};
  const std::size_t length = announced(first);
  if (length == 0 || at + length > text.size()) return bad;
  if (length == 1) return {text.substr(at, 1), first, true};
  char32_t code = first & (0x7fU >> length);
  for (std::size_t i = 1; i < length; ++i) {
    const auto byte = static_cast<unsigned char>(text[at + i]);
    if ((byte & 0xc0U) != 0x80) return bad;
    code = code << 6U | (byte & 0x3fU);
  }
  constexpr std::array<char32_t, 5> kLeast{0, 0, 0x80, 0x800, 0x10000};
  const bool is_surrogate = code >= 0xd800 && code <= 0xdfff;
  if (code < kLeast[length] || is_surrogate || code > 0x10ffff) return bad;
  return {text.substr(at, length), code, true};
}

template <typename Visit> void each_character(std::string_view text, Visit visit) {
  for (std::size_t at = 0; at < text.size();) {
    const Character c = character_at(text, at);
    visit(c);
    at += c.bytes.size();
  }
}

// What a terminal or an editor obeys, hides or reorders lines by, instead of showing it.
bool is_obeyed(char32_t code) {
  struct Range {
    char32_t first, last;
  };
  static constexpr std::array<Range, 12> kRanges{{
      {0x00, 0x1f},
      {0x7f, 0x9f},
      {0xad, 0xad}, // soft hyphen
      {0x61c, 0x61c},
      {0x180e, 0x180e},
      {0x200b, 0x200f}, // without width; left-to-right marks
      {0x2028, 0x202e}, // ends of lines; bidirectional embeddings and overrides
      {0x2060, 0x206f}, // bidirectional isolates among them
      {0xfeff, 0xfeff},
      {0xfff9, 0xfffb},
      {0xfdd0, 0xfdef}, // no characters
      {0xe0000, 0xe0fff}, // tags
  }};
  for (const Range& range : kRanges) {
    if (code >= range.first && code <= range.last) return true;
  }
  return (code & 0xfffeU) == 0xfffe;
}

bool is_plain(const Character& c) { return c.is_valid && !is_obeyed(c.code); }

std::string hexadecimal(char32_t value, std::size_t digits) {
  std::string text(digits, '0');
  for (std::size_t i = digits; i-- > 0; value >>= 4U) text[i] = kDigits[value & 15U];
  return text;
}

// \x1b for a byte, \u202e for a character, \U000e0041 for one beyond 16 bits.
void append_visible(std::string& out, const Character& c) {
  if (c.bytes.size() == 1) {
    out += "\\x" + hexadecimal(c.code, 2);
  } else {
    out += c.code > 0xffff ? "\\U" + hexadecimal(c.code, 8) : "\\u" + hexadecimal(c.code, 4);
  }
}

std::string visible(std::string_view text, std::string_view kept, std::string_view also_escaped) {
  std::string out;
  out.reserve(text.size());
  each_character(text, [&](const Character& c) {
    const bool is_wanted = kept.find(c.bytes) != std::string_view::npos;
    const bool is_unwanted = also_escaped.find(c.bytes) != std::string_view::npos;
    if (is_wanted || (is_plain(c) && !is_unwanted))
      out += c.bytes;
    else
      append_visible(out, c);
  });
  return out;
}

// Puts a blank between two characters that mean something beside each other.
void part(std::string& text, std::string_view pair) {
  for (auto at = text.find(pair); at != std::string::npos; at = text.find(pair, at))
    text.insert(at + 1, " ");
}

// \uXXXX, as two halves beyond 16 bits.
void append_json_escape(std::string& out, char32_t code) {
  if (code > 0xffff) {
    code -= 0x10000;
    out += "\\u" + hexadecimal(0xd800 + (code >> 10U), 4);
    code = 0xdc00 + (code & 0x3ffU);
  }
  out += "\\u" + hexadecimal(code, 4);
}

} // namespace

std::string terminal(std::string_view text) { return visible(text, "", ""); }

std::string message(std::string_view text) {
  constexpr std::size_t kMost = 2000; // bytes of a line: names of files may have hundreds
  constexpr std::size_t kHead = 1400;
  constexpr std::size_t kTail = 400; // what to do stands at the end
  std::string result;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string_view line = text.substr(at, end - at);
    if (at > 0) result += '\n';
    if (line.size() <= kMost) {
      result += terminal(line);
    } else {
      result += terminal(line.substr(0, kHead)) + " [" +
                std::to_string(line.size() - kHead - kTail) + " bytes left out] " +
                terminal(line.substr(line.size() - kTail));
    }
    at = end + 1;
  }
  return result;
}

std::string quoted(std::string_view text) { return '"' + visible(text, "", "\"\\") + '"'; }

// Octal escapes have three digits at most: a digit behind them is not theirs. A question mark is
// escaped as two of them begin a trigraph.
std::string c_string(std::string_view text) {
  std::string out = "\"";
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\' || c == '?') {
      out += '\\';
      out += c;
    } else if (byte < 0x20 || byte >= 0x7f) {
      out += '\\';
      for (const unsigned shift : {6U, 3U, 0U}) out += kDigits[byte >> shift & 7U];
    } else {
      out += c;
    }
  }
  return out + '"';
}

// A backslash at its end would join the next line, with blanks behind it too.
std::string c_comment(std::string_view text) {
  std::string out = terminal(text);
  if (out.ends_with('\\')) out += "x5c";
  for (const std::string_view pair : {"*/", "/*", "??"}) part(out, pair);
  return out.ends_with('*') ? out + ' ' : out;
}

std::string python_string(std::string_view text) {
  std::string out = "\"";
  each_character(text, [&](const Character& c) {
    if (c.code == '"' || c.code == '\\') {
      out += '\\';
      out += c.bytes;
    } else if (c.code >= 0x20 && c.code < 0x7f) {
      out += c.bytes;
    } else {
      append_visible(out, c);
    }
  });
  return out + '"';
}

// In a docstring backslashes would be escapes, at worst bad ones.
std::string python_comment(std::string_view text) {
  std::string out;
  for (const char c : terminal(text)) out += c == '\\' ? '/' : c == '"' ? '\'' : c;
  return out;
}

// A backslash at the end would join the next line; those before # would escape each other.
std::string makefile(std::string_view text) {
  std::string out;
  std::size_t backslashes = 0;
  for (const char c : terminal(text)) {
    if (c == '#') out.append(backslashes + 1, '\\');
    if (c == '$') out += '$';
    out += c;
    backslashes = c == '\\' ? backslashes + 1 : 0;
  }
  return backslashes > 0 ? out + ' ' : out;
}

std::string shell(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\0') continue; // no word has one
    if (c == '\'')
      out += "'\\''";
    else
      out += c;
  }
  return out + '\'';
}

// Outside strings there are neither slashes nor such characters; inside, those of ASCII are escaped
// already.
std::string json_document(std::string_view document) {
  std::string out;
  out.reserve(document.size());
  each_character(document, [&](const Character& c) {
    if (c.code >= 0x7f && c.is_valid && is_obeyed(c.code)) {
      append_json_escape(out, c.code);
      return;
    }
    if (c.code == '/' && out.ends_with('<')) out += '\\';
    out += c.bytes;
  });
  return out;
}

std::string xml(std::string_view text) {
  std::string out;
  for (const char c : terminal(text)) {
    switch (c) {
    case '&':
      out += "&amp;";
      break;
    case '<':
      out += "&lt;";
      break;
    case '>':
      out += "&gt;";
      break;
    case '"':
      out += "&quot;";
      break;
    case '\'':
      out += "&#39;";
      break;
    default:
      out += c;
    }
  }
  return out;
}

std::string dot(std::string_view text) {
  std::string out = "\"";
  for (const char c : terminal(text)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string csv(std::string_view text) {
  std::string shown = terminal(text);
  const bool is_formula =
      !shown.empty() && std::string_view("=+-@").find(shown.front()) != std::string_view::npos;
  if (is_formula) shown.insert(0, "'");
  const bool is_blank_at_end = !shown.empty() && (shown.front() == ' ' || shown.back() == ' ');
  if (shown.find_first_of("\",;") == std::string::npos && !is_blank_at_end) return shown;
  std::string out = "\"";
  for (const char c : shown) {
    if (c == '"') out += '"';
    out += c;
  }
  return out + '"';
}

std::string markdown(std::string_view text) {
  std::string out;
  for (const char c : terminal(text)) {
    if (c == '<' || c == '&') {
      out += c == '<' ? "&lt;" : "&amp;";
      continue;
    }
    if (std::string_view("\\`*_[]!{}()#+|~>").find(c) != std::string_view::npos) out += '\\';
    out += c;
  }
  return out;
}

} // namespace rondo::escape
