// SPDX-License-Identifier: Apache-2.0
#include "tests/support/nest_text.hpp"

namespace rondo::support {
namespace {

using trace::Column;
using trace::Nest;
using trace::Term;

std::string text_of(const Column& counts) {
  if (const auto constant = counts.constant()) return std::to_string(*constant);
  std::string text = "{";
  const std::vector<std::int64_t> values = expand(counts);
  for (std::size_t i = 0; i < values.size();) {
    std::size_t next = i;
    while (next < values.size() && values[next] == values[i]) ++next;
    if (text.size() > 1) text += ',';
    text += std::to_string(values[i]);
    if (next - i > 1) text += 'x' + std::to_string(next - i);
    i = next;
  }
  return text + "}";
}

std::string text_of(const Nest& nest, const std::vector<Term>& terms) {
  std::string text;
  for (const Term term : terms) {
    if (!text.empty()) text += ' ';
    if (term.is_loop()) {
      const trace::Loop& loop = nest.loops()[term.index()];
      text += "(" + text_of(nest, loop.body) + ")*" + text_of(loop.trip_counts);
    } else if (term.index() < 26) {
      text += static_cast<char>('a' + term.index());
    } else {
      text += std::to_string(term.index());
    }
  }
  return text;
}

} // namespace

std::string text_of(const Nest& nest) { return text_of(nest, nest.top()); }

Stream expand(const Nest& nest) {
  Stream stream;
  trace::NestReader reader(nest);
  while (const auto symbol = reader.next()) stream.push_back(*symbol);
  return stream;
}

std::vector<std::int64_t> expand(const Column& column) {
  std::vector<std::int64_t> values;
  trace::ColumnReader reader(column);
  while (const auto value = reader.next()) values.push_back(*value);
  return values;
}

Stream letters(const std::string& word) {
  Stream stream;
  for (const char c : word) {
    if (c != ' ') stream.push_back(static_cast<std::uint32_t>(c - 'a'));
  }
  return stream;
}

Stream repeat(const Stream& word, std::size_t times) {
  Stream stream;
  for (; times > 0; --times) stream.insert(stream.end(), word.begin(), word.end());
  return stream;
}

} // namespace rondo::support
