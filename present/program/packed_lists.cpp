// SPDX-License-Identifier: Apache-2.0
#include "present/program/packed_lists.hpp"

#include "present/program/folded_program.hpp"
#include "rondo/fold/column_builder.hpp"
#include "rondo/trace/nest.hpp"

#include <bit>
#include <cmath>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rondo::present {
namespace {

using nlohmann::json;

constexpr std::size_t kLeast = 128; // numbers that are worth it
constexpr std::size_t kShorter = 4; // times

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

std::size_t size_of(const trace::Column& column) {
  if (column.kind() == trace::Column::Kind::kRuns) return 2 * column.runs().size();
  if (column.kind() == trace::Column::Kind::kValues) return column.values().size();
  std::size_t size = column.dictionary().size() + column.nest()->top().size();
  for (const trace::Loop& loop : column.nest()->loops())
    size += loop.body.size() + size_of(loop.trip_counts);
  return size;
}

// Null if it would not be far shorter, with the `others` that it needs.
json folded(const std::vector<std::int64_t>& values, std::size_t others) {
  fold::ColumnBuilder builder;
  for (const std::int64_t value : values) builder.push(value);
  const trace::Column column = builder.finish();
  if (kShorter * (size_of(column) + others) > values.size()) return nullptr;
  return {{"packed", column_json(column)}, {"count", values.size()}};
}

// Fractions, and nothing among numbers, by their place in a list of those that there are.
json by_dictionary(const std::vector<const json*>& list) {
  std::vector<std::int64_t> indices;
  indices.reserve(list.size());
  std::unordered_map<std::uint64_t, std::size_t> known;
  std::optional<std::size_t> nothing;
  json of = json::array();
  for (const json* value : list) {
    std::size_t index = of.size();
    if (value->is_null()) {
      if (!nothing) nothing = index;
      index = *nothing;
    } else {
      index = known.try_emplace(std::bit_cast<std::uint64_t>(value->get<double>()), index)
                  .first->second;
    }
    if (index == of.size()) of.push_back(*value);
    if (kShorter * of.size() > list.size()) return nullptr;
    indices.push_back(static_cast<std::int64_t>(index));
  }
  json result = folded(indices, of.size());
  if (!result.is_null()) result["of"] = std::move(of);
  return result;
}

json packed(const std::vector<const json*>& list) {
  std::vector<std::int64_t> values;
  values.reserve(list.size());
  for (const json* one : list) {
    const auto value = whole_of(*one);
    if (!value) return by_dictionary(list);
    values.push_back(*value);
  }
  return folded(values, 0);
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

} // namespace

void pack_lists(json& document) {
  if (document.is_array() && document.size() >= kLeast) {
    const std::size_t width = document[0].is_array() ? document[0].size() : 0;
    const auto numbers = width > 0 ? numbers_in(document, width) : numbers_in(document);
    if (!numbers.empty()) {
      json result = packed(numbers);
      if (result.is_null()) return;
      if (width > 0) result["width"] = width;
      document = std::move(result);
      return;
    }
  }
  if (!document.is_structured()) return;
  for (json& inner : document) {
    if (inner.is_structured()) pack_lists(inner);
  }
}

} // namespace rondo::present
