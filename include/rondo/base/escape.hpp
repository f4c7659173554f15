// SPDX-License-Identifier: Apache-2.0
// Text from files of others (names of programs, hosts, files, phases, functions) on its way into a
// file or onto a terminal. Each function makes a text that its language reads as text and as
// nothing else, whatever the bytes are: not as code, not as the end of a string or comment, not as
// a command to a terminal. Whoever writes such text calls the function of his language here, and
// writes none of his own.
//
// All of them are total: bytes that are no UTF-8, control characters and characters that reorder
// the line (bidirectional controls) come out as visible escapes such as \x1b and \u202e.
#pragma once

#include <string>
#include <string_view>

namespace rondo::escape {

/// For terminals, and for comments and tables that people read: one line, in which nothing is
/// sent that a terminal or an editor would obey. Plain text comes back as it is, backslashes too.
/// @return      printable UTF-8 without line ends
/// @complexity  O(n)
std::string terminal(std::string_view text);

/// The same of a message to the user: line feeds stay, and overlong lines lose their middle:
/// arguments and texts of files may have any length.
std::string message(std::string_view text);

/// The same in double quotes, in which quotes and backslashes are escaped: "a\x22b".
std::string quoted(std::string_view text);

/// A string literal of C with its quotes. The bytes stay what they are.
std::string c_string(std::string_view text);

/// For the inside of a comment of C or C++: cannot end it, or begin another.
std::string c_comment(std::string_view text);

/// A string literal of Python with its quotes, in ASCII. Bytes that are no UTF-8 become characters
/// with their numbers.
std::string python_string(std::string_view text);

/// For comments behind # and docstrings in three double quotes.
std::string python_comment(std::string_view text);

/// The value of a Makefile's variable, behind "NAME = "; for a recipe's shell it needs shell()
/// first.
std::string makefile(std::string_view text);

/// One word of a POSIX shell, in single quotes; a line feed stays one. Bytes that are no UTF-8 stay
/// too: file names have them.
std::string shell(std::string_view text);

/// A JSON document made elsewhere: characters that a terminal or an editor would obey, and the
/// slash of "</", so that it may stand in a page's script, become escapes that mean the same.
/// See json_text().
std::string json_document(std::string_view document);

/// For the contents and attributes (in either quotes) of XML, SVG and HTML. What XML forbids is
/// shown as terminal() shows it.
std::string xml(std::string_view text);

/// A quoted identifier or label of Graphviz, with its quotes; no escape of Graphviz's own (\N, \G)
/// is left in it.
std::string dot(std::string_view text);

/// A field of CSV: in quotes where RFC 4180 wants them. What a spreadsheet would take for a formula
/// gets an apostrophe in front.
std::string csv(std::string_view text);

/// For running text of Markdown: no markup, link or HTML comes of it.
std::string markdown(std::string_view text);

/// A value of nlohmann::json as text, which never throws for what stands in its strings.
/// @param indent  blanks a level; -1 writes one line
template <class Json> std::string json_text(const Json& json, int indent = 2) {
  return json_document(json.dump(indent, ' ', false, Json::error_handler_t::replace));
}

} // namespace rondo::escape
