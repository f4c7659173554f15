// SPDX-License-Identifier: Apache-2.0
// What a procedure may have as parameters: the values in its statements. What is left of a
// statement without them is its shape.
#pragma once

#include "rondo/logical/logical_text.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rondo::logical::internal {

/// A value in a statement and the name of a parameter in its place.
using VisitValue = std::function<void(std::string& value, const std::string& name)>;

/// Amounts and tags, roots, communicators, trip counts, ranks of guards, arguments of calls of
/// procedures, and where a call has its words, peers and datatypes; not of what is below the
/// statement. What is assigned to a value stands in its place.
void for_each_value(Statement& statement, const VisitValue& visit);

/// What the statement says, its own line only, without its values, each of which is visited.
std::string shape_without_values(const Statement& statement, const VisitValue& visit);

/// A whole number that can be counted on from.
std::optional<std::int64_t> whole_number(std::string_view value);

/// Parameters by name, with their values at one call.
using ValuesOfParameters = std::map<std::string, std::string>;

/// "$tag" becomes the value of `tag`, "$tag+1" one more; what is no parameter stays.
std::string with_values(const std::string& text, const ValuesOfParameters& values);

/// A name behind a '$' that is not among them; nothing if all are.
std::optional<std::string> unknown_parameter(const std::string& text,
                                             const std::vector<std::string>& parameters);

/// What values of equal sequences are, of which each place has other ones.
struct Parameters {
  std::vector<std::string> names;
  std::vector<std::string> values; // of the procedure: the common value, or "$tag+1"
  std::vector<std::vector<std::string>> arguments; // by place
};

/// A value as a statement says it, with what is asked of it again and again.
struct Value {
  explicit Value(std::string said);
  std::string text;
  std::optional<std::int64_t> number; // whole_number()
  bool is_of_caller = false; // speaks of a parameter of the procedure around it
};

/// Values by number: equal ones have one.
class ValueTable {
public:
  std::uint32_t number_of(const std::string& text);
  const Value& operator[](std::uint32_t number) const { return values_[number]; }

private:
  std::deque<Value> values_;
  std::unordered_map<std::string, std::uint32_t> numbers_;
};

/// Values at one place, by their numbers.
using ValuesAt = std::vector<std::uint32_t>;

/// What is known of slots by their names.
struct SlotKinds {
  explicit SlotKinds(const std::vector<std::string>& names);
  std::vector<std::uint32_t> group; // by slot: equal for names that can be one parameter
  std::vector<char> is_countable; // by slot: numbers in it can be counted on from each other
  std::size_t groups = 0;
};

/// @param values  by place; all as long as `names`
/// @return        nothing if more parameters would be needed than a reader takes in
/// @complexity    O(places * values)
std::optional<Parameters> parameters_of(const ValueTable& table,
                                        const std::vector<ValuesAt>& values,
                                        const std::vector<std::string>& names);

/// Takes in one place after the other as long as parameters_of() them is something.
class ParameterFit {
public:
  /// @param kinds  must outlive this, as must the table
  ParameterFit(const ValueTable& table, ValuesAt first, const SlotKinds& kinds);

  /// @return      false if there would be too many parameters; then nothing has changed
  /// @complexity  O(values)
  bool add(const ValuesAt& values);

private:
  // Values of one group that go on together: they differ by a number, or are these at both places.
  struct Group {
    std::uint32_t before = 0; // the group
    std::uint32_t first = kAny;
    std::uint32_t other = kAny;
    std::int64_t difference = 0;
    friend bool operator==(const Group&, const Group&) = default;
  };
  static constexpr std::uint32_t kAny = ~std::uint32_t{0};

  Group group_at(std::size_t slot, std::uint32_t value, bool is_same) const;

  const ValueTable& table_;
  ValuesAt first_;
  const SlotKinds& kinds_;
  std::vector<std::uint32_t> group_of_; // of values that go together so far
  std::vector<char> is_varying_; // by group
  // With the place that is being added.
  std::vector<Group> groups_;
  std::vector<std::uint32_t> next_group_of_;
  std::vector<char> next_is_varying_;
};

} // namespace rondo::logical::internal
