// SPDX-License-Identifier: Apache-2.0
#include "logical/procedures/value_slots.hpp"

#include "logical/joining/alike.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <set>
#include <string_view>
#include <utility>

namespace rondo::logical::internal {
namespace {

constexpr std::size_t kMostParameters = 6;
constexpr std::int64_t kLargest = std::int64_t{1} << 60; // sums of two do not overflow

bool is_number_char(char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; }
bool is_name_char(char c) {
  return std::islower(static_cast<unsigned char>(c)) != 0 || is_number_char(c) || c == '_';
}

// "12", "120..130", "120|130"
bool is_number_or_range(std::string_view text) {
  const auto is_digits = [](std::string_view part) {
    return !part.empty() && std::all_of(part.begin(), part.end(), is_number_char);
  };
  for (std::size_t bar = text.find('|'); bar != std::string_view::npos; bar = text.find('|')) {
    if (!is_digits(text.substr(0, bar))) return false;
    text.remove_prefix(bar + 1);
  }
  const std::size_t dots = text.find("..");
  if (dots == std::string_view::npos) return is_digits(text);
  return is_digits(text.substr(0, dots)) && is_digits(text.substr(dots + 2));
}

// A parameter of the procedure that the place is in: not known where else the statement stands.
bool is_of_caller(std::string_view value) { return value.find('$') != std::string_view::npos; }

// In a text of `call NAME(name=value, name=value)`.
bool can_be_argument(std::string_view value) {
  return !value.empty() && value.find_first_of("=()") == std::string_view::npos;
}

template <std::size_t N>
bool is_one_of(std::string_view word, const std::array<std::string_view, N>& words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

// Numbers among the words, not those of formulas.
void values_of_words(std::string& text, const VisitValue& visit) {
  constexpr std::array<std::string_view, 12> kNumbered = {
      "leaf",   "member", "child",   "neighbour", "bit", "spawned",
      "parent", "remote", "unknown", "type",      "op",  "cell"};
  constexpr std::array<std::string_view, 6> kOperators = {"%", "/", "*", "+", "-", "xor"};
  std::string result;
  std::string before;
  std::size_t begin = 0;
  while (begin <= text.size()) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    std::string word = text.substr(begin, end - begin);
    const std::size_t equals = word.find('=') + 1; // 0: none
    std::string value = word.substr(equals);
    const std::size_t behind = std::min(text.find(' ', end + 1), text.size());
    const std::string_view next = end < text.size()
                                      ? std::string_view(text).substr(end + 1, behind - end - 1)
                                      : std::string_view();
    if ((is_number_or_range(value) || is_of_caller(value)) && !is_one_of(before, kOperators) &&
        !is_one_of(next, kOperators)) {
      const std::string name = equals > 0                     ? word.substr(0, equals - 1)
                               : is_one_of(before, kNumbered) ? before
                               : next == "bytes"              ? "bytes"
                                                              : "count";
      visit(value, name);
    }
    if (begin > 0) result += ' ';
    result += word.substr(0, equals) + value;
    before = std::move(word);
    begin = end + 1;
  }
  text = std::move(result);
}

// A word as a whole; of types that the program made the number.
void value_of_word(SaidWord& word, const VisitValue& visit) {
  constexpr std::string_view kType = "type#";
  constexpr std::size_t kLongest = 100;
  constexpr std::size_t kLongestList = 40;
  const bool is_list = word.text.find(", ") != std::string::npos;
  if (word.name.empty() || word.text.size() > (is_list ? kLongestList : kLongest) ||
      (word.is_remark && word.text.ends_with(')')))
    return;
  if (!word.text.starts_with(kType)) return visit(word.text, word.name);
  std::string number = word.text.substr(kType.size());
  visit(number, word.name);
  word.text = std::string(kType) + number;
}

// "tag 5": all behind the first word.
void value_of_remark(std::string& remark, const VisitValue& visit) {
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kNames = {
      {{"tag", "tag"}, {"root", "root"}, {"on", "comm"}, {"makes", "new_comm"}}};
  const std::size_t blank = remark.find(' ');
  if (blank == std::string::npos) return;
  for (const auto& [word, name] : kNames) {
    if (remark.substr(0, blank) != word) continue;
    std::string value = remark.substr(blank + 1);
    if (!can_be_argument(value)) return;
    visit(value, std::string(name));
    remark = std::string(word) + " " + value;
  }
}

// "ranks 0-3"
void value_of_condition(std::string& condition, const VisitValue& visit) {
  for (const std::string word : {"rank ", "ranks "}) {
    if (!condition.starts_with(word)) continue;
    std::string value = condition.substr(word.size());
    if (!can_be_argument(value)) return;
    visit(value, word.substr(0, word.size() - 1));
    condition = word + value;
  }
}

// A reference "$name", "$name+2" or "$name-2" in a text.
struct Reference {
  std::string name;
  std::int64_t more = 0;
  std::size_t end = 0;
};

std::optional<Reference> reference_at(const std::string& text, std::size_t at) {
  std::size_t end = at + 1;
  while (end < text.size() && is_name_char(text[end])) ++end;
  if (end == at + 1) return std::nullopt;
  Reference found{text.substr(at + 1, end - at - 1), 0, end};
  if (end < text.size() && (text[end] == '+' || text[end] == '-')) {
    std::size_t last = end + 1;
    while (last < text.size() && is_number_char(text[last])) ++last;
    const auto more = whole_number(text.substr(end + 1, last - end - 1));
    if (more) {
      found.more = text[end] == '-' ? -*more : *more;
      found.end = last;
    }
  }
  return found;
}

std::string counted_on_from(const std::string& value, std::int64_t more) {
  return more == 0 ? value : value + (more < 0 ? "" : "+") + std::to_string(more);
}

std::string counted_on(const std::string& value, std::int64_t more) {
  if (more == 0) return value;
  if (const auto number = whole_number(value)) return std::to_string(*number + more);
  const auto reference = value.starts_with('$') ? reference_at(value, 0) : std::nullopt;
  if (reference && reference->end == value.size())
    return counted_on_from("$" + reference->name, reference->more + more);
  return counted_on_from(value, more);
}

// A number that others may be counted on from: a rank three below another says nothing.
bool is_countable(std::string_view name) {
  return name != "rank" && name != "ranks" && name != "root";
}

// Values at all places, one after the other, as they differ from the first place's; nothing if they
// are no numbers.
std::optional<std::vector<std::int64_t>> differences_of(const ValueTable& table,
                                                        const std::vector<ValuesAt>& values,
                                                        std::size_t slot, std::string_view name) {
  if (!is_countable(name)) return std::nullopt;
  std::vector<std::int64_t> numbers;
  for (const ValuesAt& of_place : values) {
    const auto& number = table[of_place[slot]].number;
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  for (std::size_t i = numbers.size(); i-- > 0;) numbers[i] -= numbers[0];
  return numbers;
}

} // namespace

void for_each_value(Statement& statement, const VisitValue& visit) {
  if (auto* call = std::get_if<CallStatement>(&statement.is); call && !call->words.empty()) {
    for (SaidWord& word : call->words) value_of_word(word, visit);
    put_words_together(*call);
  } else if (call != nullptr) {
    values_of_words(call->what, visit);
    for (std::string& remark : call->remarks) value_of_remark(remark, visit);
  } else if (auto* loop = std::get_if<LoopStatement>(&statement.is)) {
    if (can_be_argument(loop->count) || loop->count.ends_with(')')) visit(loop->count, "times");
  } else if (auto* guard = std::get_if<GuardStatement>(&statement.is)) {
    value_of_condition(guard->condition, visit);
  } else if (auto* invoke = std::get_if<InvokeStatement>(&statement.is)) {
    for (Argument& argument : invoke->arguments) {
      const std::size_t number = argument.name.find_first_of("0123456789");
      visit(argument.value, number == std::string::npos || number == 0
                                ? argument.name
                                : argument.name.substr(0, argument.name.rfind('_')));
    }
  }
}

std::string shape_without_values(const Statement& statement, const VisitValue& visit) {
  Statement shape;
  if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) {
    shape = {LoopStatement{loop->count, {}}};
  } else if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) {
    shape = {GuardStatement{guard->condition, {}}};
  } else {
    shape = statement;
  }
  for_each_value(shape, [&](std::string& value, const std::string& name) {
    visit(value, name);
    value = "\x01";
  });
  if (const auto* call = std::get_if<CallStatement>(&shape.is)) return call->text();
  if (const auto* loop = std::get_if<LoopStatement>(&shape.is)) return "loop " + loop->count;
  if (const auto* guard = std::get_if<GuardStatement>(&shape.is)) return "if " + guard->condition;
  if (const auto* phase = std::get_if<PhaseStatement>(&shape.is))
    return "phase " + std::to_string(phase->number);
  return "call " + std::get<InvokeStatement>(shape.is).name;
}

std::optional<std::int64_t> whole_number(std::string_view value) {
  std::int64_t number = 0;
  const char* const last = value.data() + value.size();
  const auto [end, error] = std::from_chars(value.data(), last, number);
  if (error != std::errc{} || end != last || number < 0 || number > kLargest) return std::nullopt;
  return number;
}

std::string with_values(const std::string& text, const ValuesOfParameters& values) {
  std::string result;
  std::size_t from = 0;
  for (std::size_t at = text.find('$'); at != std::string::npos; at = text.find('$', at + 1)) {
    const auto found = reference_at(text, at);
    const auto value = found ? values.find(found->name) : values.end();
    if (value == values.end()) continue;
    result += text.substr(from, at - from) + counted_on(value->second, found->more);
    from = found->end;
  }
  return result + text.substr(from);
}

std::optional<std::string> unknown_parameter(const std::string& text,
                                             const std::vector<std::string>& parameters) {
  for (std::size_t at = text.find('$'); at != std::string::npos; at = text.find('$', at + 1)) {
    const auto found = reference_at(text, at);
    if (!found || std::find(parameters.begin(), parameters.end(), found->name) == parameters.end())
      return found ? found->name : "";
  }
  return std::nullopt;
}

namespace {

// Whom one sends to and whom one receives from can be one value.
std::string_view kind_of(std::string_view name) {
  return name == "to" || name == "from" ? "with" : name;
}

// Names of parameters: "with", where whom all places send to is whom they receive from.
std::vector<std::string_view> names_of_partners(const std::vector<ValuesAt>& values,
                                                const std::vector<std::string>& of_slots) {
  std::vector<std::string_view> names(of_slots.begin(), of_slots.end());
  const auto first = std::find_if(names.begin(), names.end(),
                                  [](std::string_view name) { return kind_of(name) == "with"; });
  if (std::none_of(first, names.end(), [&](std::string_view name) {
        return kind_of(name) == "with" && name != *first;
      }))
    return names;
  std::map<ValuesAt, std::set<std::string_view>> names_of; // by what stands at all places
  std::vector<ValuesAt> partners(names.size());
  for (std::size_t slot = 0; slot < names.size(); ++slot) {
    if (kind_of(names[slot]) != "with") continue;
    for (const ValuesAt& place : values) partners[slot].push_back(place[slot]);
    names_of[partners[slot]].insert(names[slot]);
  }
  for (std::size_t slot = 0; slot < names.size(); ++slot) {
    if (kind_of(names[slot]) == "with" && names_of[partners[slot]].size() > 1) names[slot] = "with";
  }
  return names;
}

} // namespace

Value::Value(std::string said)
    : text(std::move(said)), number(whole_number(text)),
      is_of_caller(internal::is_of_caller(text)) {}

std::uint32_t ValueTable::number_of(const std::string& text) {
  const auto [known, is_new] =
      numbers_.try_emplace(text, static_cast<std::uint32_t>(values_.size()));
  if (is_new) values_.emplace_back(text);
  return known->second;
}

SlotKinds::SlotKinds(const std::vector<std::string>& names) {
  std::vector<std::string_view> known; // few
  for (const std::string& name : names) {
    is_countable.push_back(internal::is_countable(name) ? 1 : 0);
    const auto found = std::find(known.begin(), known.end(), kind_of(name));
    group.push_back(static_cast<std::uint32_t>(found - known.begin()));
    if (found == known.end()) known.push_back(kind_of(name));
  }
  groups = known.size();
}

ParameterFit::ParameterFit(const ValueTable& table, ValuesAt first, const SlotKinds& kinds)
    : table_(table), first_(std::move(first)), kinds_(kinds), group_of_(kinds.group),
      is_varying_(kinds.groups, 0) {}

ParameterFit::Group ParameterFit::group_at(std::size_t slot, std::uint32_t value,
                                           bool is_same) const {
  Group group{group_of_[slot]};
  const auto& number = table_[value].number;
  const auto& first = table_[first_[slot]].number;
  if (kinds_.is_countable[slot] != 0 && first && number) {
    group.difference = *number - *first;
  } else if (!is_same || is_varying_[group.before] != 0) {
    group.first = first_[slot];
    group.other = value;
  }
  return group;
}

bool ParameterFit::add(const ValuesAt& values) {
  groups_.clear(); // few: as many as before, and those that vary
  next_group_of_.clear();
  next_is_varying_.clear();
  std::size_t parameters = 0;
  for (std::size_t slot = 0; slot < values.size(); ++slot) {
    const bool is_same = values[slot] == first_[slot] && !table_[values[slot]].is_of_caller;
    const Group group = group_at(slot, values[slot], is_same);
    const auto found = std::find(groups_.begin(), groups_.end(), group);
    next_group_of_.push_back(static_cast<std::uint32_t>(found - groups_.begin()));
    if (found != groups_.end()) continue;
    groups_.push_back(group);
    next_is_varying_.push_back(is_varying_[group.before] != 0 || !is_same ? 1 : 0);
    parameters += next_is_varying_.back() != 0 ? 1 : 0;
    if (parameters > kMostParameters) return false;
  }
  group_of_.swap(next_group_of_);
  is_varying_.swap(next_is_varying_);
  return true;
}

std::optional<Parameters> parameters_of(const ValueTable& table,
                                        const std::vector<ValuesAt>& values,
                                        const std::vector<std::string>& kinds) {
  const std::vector<std::string_view> names = names_of_partners(values, kinds);
  Parameters result;
  for (const std::uint32_t value : values.front()) result.values.push_back(table[value].text);
  result.arguments.resize(values.size());
  struct Known {
    std::size_t slot = 0; // the first one
    std::string_view name; // of the kind
    std::optional<std::vector<std::int64_t>> differences;
  };
  std::vector<Known> known;
  for (std::size_t slot = 0; slot < names.size(); ++slot) {
    const auto is_equal = [&](std::size_t other) {
      return std::all_of(values.begin(), values.end(),
                         [&](const ValuesAt& place) { return place[slot] == place[other]; });
    };
    const std::uint32_t at_first = values.front()[slot];
    const Value& first = table[at_first];
    if (!first.is_of_caller &&
        std::all_of(values.begin(), values.end(),
                    [&](const ValuesAt& place) { return place[slot] == at_first; }))
      continue;
    const auto differences = differences_of(table, values, slot, names[slot]);
    std::size_t parameter = 0;
    while (parameter < known.size() && (known[parameter].name != names[slot] ||
                                        !(differences ? known[parameter].differences == differences
                                                      : is_equal(known[parameter].slot))))
      ++parameter;
    if (parameter == known.size()) {
      if (known.size() == kMostParameters) return std::nullopt;
      known.push_back({slot, names[slot], differences});
      const std::string kind(names[slot]);
      std::string name = kind;
      for (int number = 2; std::count(result.names.begin(), result.names.end(), name) > 0; ++number)
        name = kind + "_" + std::to_string(number);
      result.names.push_back(std::move(name));
      for (std::size_t place = 0; place < values.size(); ++place)
        result.arguments[place].push_back(table[values[place][slot]].text);
    }
    const Value& counted_from = table[values.front()[known[parameter].slot]];
    const std::int64_t more = differences ? *first.number - *counted_from.number : 0;
    result.values[slot] = counted_on("$" + result.names[parameter], more);
  }
  return result;
}

} // namespace rondo::logical::internal
