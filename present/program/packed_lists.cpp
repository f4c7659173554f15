// SPDX-License-Identifier: Apache-2.0
#include "present/program/packed_lists.hpp"

#include "rondo/base/escape.hpp"
#include "rondo/fold/column_builder.hpp"
#include "rondo/trace/nest.hpp"

#include <bit>
#include <limits>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rondo::present {
namespace {

using nlohmann::json;

constexpr std::size_t kLeast = 16; // numbers that are worth a column
constexpr const char* kPackedRows = "packed rows"; // a key that no document has
constexpr std::size_t kShorter = 4; // times, that what numbers fold to is, or they are written out

enum class Packing : char { kWhole, kDifferences, kDoubles, kFolded, kChosen };

bool is_number(const json& value) { return value.is_number() || value.is_null(); }

// Pages count in doubles: a whole number that one of them holds.
std::optional<std::int64_t> whole_of(const json& value) {
  constexpr std::int64_t kMost = std::int64_t{1} << 53;
  if (!value.is_number_integer()) return std::nullopt;
  if (value.is_number_unsigned() && value.get<std::uint64_t>() > std::uint64_t{kMost})
    return std::nullopt;
  const auto number = value.get<std::int64_t>();
  if (number > kMost || number < -kMost) return std::nullopt;
  return number;
}

// Seven bits a byte, the lowest first; the eighth says that more follow.
class Bytes {
public:
  void put(Packing packing) { text += static_cast<char>(packing); }
  void put(std::uint64_t value) {
    for (; value >= 128; value >>= 7) text += static_cast<char>(value | 128);
    text += static_cast<char>(value);
  }
  // Small ones of either sign are short.
  void put_signed(std::int64_t value) {
    put(static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63));
  }

  std::string text;
};

void put_terms(Bytes& bytes, const std::vector<trace::Term>& terms) {
  bytes.put(terms.size());
  for (const trace::Term term : terms) bytes.put(std::uint64_t{term.code});
}

// As the page's decode.ts reads it: runs, values, or a first value and a nest of differences.
void put_column(Bytes& bytes, const trace::Column& column) {
  bytes.put(static_cast<std::uint64_t>(column.kind()));
  if (column.kind() == trace::Column::Kind::kRuns) {
    bytes.put(column.runs().size());
    for (const trace::Run& run : column.runs()) {
      bytes.put_signed(run.value);
      bytes.put(run.count);
    }
    return;
  }
  const bool are_values = column.kind() == trace::Column::Kind::kValues;
  if (!are_values) bytes.put_signed(column.first());
  const std::vector<std::int64_t>& list = are_values ? column.values() : column.dictionary();
  bytes.put(list.size());
  for (const std::int64_t value : list) bytes.put_signed(value);
  if (are_values) return;
  put_terms(bytes, column.nest()->top());
  bytes.put(column.nest()->loops().size());
  for (const trace::Loop& loop : column.nest()->loops()) {
    put_terms(bytes, loop.body);
    put_column(bytes, loop.trip_counts);
  }
}

std::size_t size_of(const trace::Column& column) {
  if (column.kind() == trace::Column::Kind::kRuns) return 2 * column.runs().size();
  if (column.kind() == trace::Column::Kind::kValues) return column.values().size();
  std::size_t size = column.dictionary().size() + column.nest()->top().size();
  for (const trace::Loop& loop : column.nest()->loops())
    size += loop.body.size() + size_of(loop.trip_counts);
  return size;
}

// Nothing if it would not be far shorter, with the `others` that it needs.
std::optional<trace::Column> folded(const std::vector<std::int64_t>& values, std::size_t others) {
  fold::ColumnBuilder builder;
  for (const std::int64_t value : values) builder.push(value);
  trace::Column column = builder.finish();
  if (kShorter * (size_of(column) + others) > values.size()) return std::nullopt;
  return column;
}

// The eighth parts of all, one after the other: those of numbers of one size are alike.
void put_doubles(Bytes& bytes, const std::vector<double>& list) {
  for (unsigned part = 0; part < 64; part += 8) {
    for (const double value : list)
      bytes.text += static_cast<char>(std::bit_cast<std::uint64_t>(value) >> part);
  }
}

void put_whole(Bytes& bytes, const std::vector<std::int64_t>& values) {
  if (const auto column = folded(values, 0)) {
    bytes.put(Packing::kFolded);
    bytes.put(values.size());
    return put_column(bytes, *column);
  }
  Bytes plain, differences;
  plain.put(Packing::kWhole);
  differences.put(Packing::kDifferences);
  for (Bytes* each : {&plain, &differences}) each->put(values.size());
  std::int64_t before = 0;
  for (const std::int64_t value : values) {
    plain.put_signed(value);
    differences.put_signed(value - before);
    before = value;
  }
  bytes.text += plain.text.size() <= differences.text.size() ? plain.text : differences.text;
}

// Fractions, and nothing among numbers: by their places in a list of those that there are, where
// they are few that come again.
void put_fractions(Bytes& bytes, const std::vector<const json*>& list) {
  std::vector<double> values;
  values.reserve(list.size());
  for (const json* one : list)
    values.push_back(one->is_null() ? std::numeric_limits<double>::quiet_NaN()
                                    : one->get<double>());
  std::vector<std::int64_t> indices;
  std::unordered_map<std::uint64_t, std::size_t> known;
  std::vector<double> of;
  for (const double value : values) {
    const auto [entry, is_new] = known.try_emplace(std::bit_cast<std::uint64_t>(value), of.size());
    if (is_new) of.push_back(value);
    if (kShorter * of.size() > values.size()) break;
    indices.push_back(static_cast<std::int64_t>(entry->second));
  }
  const auto column = indices.size() == values.size() ? folded(indices, of.size()) : std::nullopt;
  bytes.put(column ? Packing::kChosen : Packing::kDoubles);
  bytes.put(values.size());
  if (!column) return put_doubles(bytes, values);
  bytes.put(of.size());
  put_doubles(bytes, of);
  put_column(bytes, *column);
}

void put_list(Bytes& bytes, const std::vector<const json*>& list) {
  std::vector<std::int64_t> values;
  values.reserve(list.size());
  for (const json* one : list) {
    const auto value = whole_of(*one);
    if (!value) return put_fractions(bytes, list);
    values.push_back(*value);
  }
  put_whole(bytes, values);
}

// Nothing if there is anything else in it.
std::vector<const json*> numbers_in(const json& list) {
  std::vector<const json*> numbers;
  for (const json& one : list) {
    if (!is_number(one)) return {};
    numbers.push_back(&one);
  }
  return numbers;
}

// Of lists that are equally long: the first numbers of all, then the second ones, as each of them
// may have a rule of its own.
std::vector<const json*> numbers_in(const json& lists, std::size_t width) {
  std::vector<const json*> numbers;
  for (std::size_t i = 0; i < width; ++i) {
    for (const json& one : lists) {
      if (!one.is_array() || one.size() != width || !is_number(one[i])) return {};
      numbers.push_back(&one[i]);
    }
  }
  return numbers;
}

// Long lists of numbers become columns, wherever they are.
void move_lists(json& document, Bytes& columns, std::size_t& count) {
  if (document.is_binary()) {
    const auto& bytes = document.get_binary();
    columns.text.append(bytes.begin(), bytes.end());
    document = {{"column", count++}};
    return;
  }
  if (document.is_object() && document.contains(kPackedRows)) {
    const auto& bytes = document[kPackedRows].get_binary();
    columns.text.append(bytes.begin(), bytes.end());
    document = {{"column", count++}, {"width", document["width"]}};
    return;
  }
  if (document.is_array() && document.size() >= kLeast) {
    const std::size_t width = document[0].is_array() ? document[0].size() : 0;
    const auto numbers = width > 0 ? numbers_in(document, width) : numbers_in(document);
    if (!numbers.empty()) {
      put_list(columns, numbers);
      document = {{"column", count++}};
      if (width > 0) document["width"] = width;
      return;
    }
  }
  if (!document.is_structured()) return;
  for (json& inner : document) {
    if (inner.is_structured() || inner.is_binary()) move_lists(inner, columns, count);
  }
}

} // namespace

std::vector<std::uint8_t> packed_list(const std::vector<std::int64_t>& values) {
  Bytes bytes;
  put_whole(bytes, values);
  return {bytes.text.begin(), bytes.text.end()};
}

json packed_rows(std::size_t width, const std::vector<std::int64_t>& values) {
  return {{kPackedRows, json::binary(packed_list(values))}, {"width", width}};
}

std::string packed(json document) {
  Bytes columns;
  std::size_t count = 0;
  move_lists(document, columns, count);
  const std::string text = escape::json_text(document, -1);
  Bytes page;
  page.put(text.size());
  return page.text + text + columns.text;
}

} // namespace rondo::present
