// SPDX-License-Identifier: Apache-2.0
#include "logical/joining/joined_words.hpp"

#include "logical/text/number_text.hpp"
#include "logical/text/rounds_text.hpp"
#include "rondo/base/units.hpp"

#include <algorithm>
#include <charconv>
#include <set>
#include <utility>

namespace rondo::logical::internal {
namespace {

std::optional<std::int64_t> plain_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

constexpr std::string_view kAny = "any";
constexpr std::string_view kAnyOf = "any of ";

// "west|east" and "east|south" as "west|east|south"; "any of west" and "any" as "any of west".
std::string joined_choices(const Words& words, std::size_t most_names, const std::string& of_more) {
  std::vector<std::string> names;
  bool is_more = false;
  const bool is_any = is_any_source(*words[0]); // as all of them are
  for (const SaidWord* word : words) {
    if (word->text == kAny) continue;
    for (std::size_t begin = 0; begin <= word->text.size();) {
      const std::size_t bar = std::min(word->text.find('|', begin), word->text.size());
      std::string name = word->text.substr(begin, bar - begin);
      begin = bar + 1;
      if (is_any && name.starts_with(kAnyOf)) name.erase(0, kAnyOf.size());
      if (name == "..." || name == "any of several") {
        is_more = true;
      } else if (std::find(names.begin(), names.end(), name) == names.end()) {
        names.push_back(std::move(name));
      }
    }
  }
  for (const char* last : {"itself", "nobody"}) {
    const auto found = std::find(names.begin(), names.end(), last);
    if (found != names.end()) std::rotate(found, found + 1, names.end());
  }
  is_more = is_more || names.size() > most_names;
  if (is_more && of_more != "...") return of_more;
  if (names.empty()) return std::string(kAny);
  std::string text(is_any ? kAnyOf : "");
  for (std::size_t i = 0; i < std::min(names.size(), most_names); ++i)
    text += (i == 0 ? "" : "|") + names[i];
  return is_more ? text + "|..." : text;
}

// "child 3": what stands in front, and the number.
std::optional<std::pair<std::string_view, std::int64_t>> numbered_direction(std::string_view name) {
  const std::size_t digits = name.find_last_not_of("0123456789") + 1;
  const auto number = plain_number(name.substr(digits));
  if (!number) return std::nullopt;
  return std::pair(name.substr(0, digits), *number);
}

} // namespace

std::optional<Counts> counts_of(std::string_view text) {
  if (const auto number = plain_number(text))
    return Counts{*number, *number, static_cast<double>(*number)};
  if (const auto every = kth_of(text)) return Counts{0, 1, 1.0 / static_cast<double>(*every)};
  if (const std::size_t dots = text.find(".."); dots != text.npos) {
    const std::size_t blank = text.find(" (mean ");
    if (blank == std::string_view::npos || !text.ends_with(')')) return std::nullopt;
    const auto least = plain_number(text.substr(0, dots));
    const auto most = plain_number(text.substr(dots + 2, blank - dots - 2));
    double mean = 0;
    const std::string_view of = text.substr(blank + 7, text.size() - blank - 8);
    const auto [end, error] = std::from_chars(of.data(), of.data() + of.size(), mean);
    if (!least || !most || error != std::errc{} || end != of.data() + of.size()) return {};
    return Counts{*least, *most, mean};
  }
  if (text.starts_with('[') && text.ends_with(']')) text = text.substr(1, text.size() - 2);
  Counts result{std::int64_t{1} << 60, 0, 0};
  std::int64_t all = 0;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(", "), text.size());
    const std::string_view run = text.substr(0, comma);
    const std::size_t times = run.find(" x");
    const auto count = plain_number(run.substr(0, times));
    const auto n = times == std::string_view::npos ? std::optional<std::int64_t>(1)
                                                   : plain_number(run.substr(times + 2));
    if (!count || !n || *n < 1) return std::nullopt;
    result.least = std::min(result.least, *count);
    result.most = std::max(result.most, *count);
    result.mean += static_cast<double>(*count) * static_cast<double>(*n);
    all += *n;
    text.remove_prefix(std::min(comma + 2, text.size()));
  }
  if (all == 0) return std::nullopt;
  result.mean /= static_cast<double>(all);
  return result;
}

std::string joined_counts(const std::vector<std::string>& counts, bool is_list,
                          const Weights& weights) {
  constexpr std::size_t kMostRuns = 4;
  if (std::all_of(counts.begin(), counts.end(), [&](const auto& c) { return c == counts[0]; }))
    return counts[0];
  std::vector<std::pair<std::string, std::uint64_t>> runs;
  bool are_plain = is_list;
  Counts all = *counts_of(counts[0]);
  double sum = 0;
  double times = 0;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    are_plain = are_plain && plain_number(counts[i]);
    if (runs.empty() || runs.back().first != counts[i]) runs.emplace_back(counts[i], 0);
    runs.back().second += weights[i];
    const Counts one = *counts_of(counts[i]);
    all.least = std::min(all.least, one.least);
    all.most = std::max(all.most, one.most);
    sum += one.mean * static_cast<double>(weights[i]);
    times += static_cast<double>(weights[i]);
  }
  std::string text;
  if (are_plain && runs.size() <= kMostRuns) {
    for (const auto& [count, n] : runs)
      text += (text.empty() ? "" : ", ") + count + (n > 1 ? " x" + std::to_string(n) : "");
    return text;
  }
  return std::to_string(all.least) + ".." + std::to_string(all.most) + " (mean " +
         compact_mean(sum / times, static_cast<double>(all.least), static_cast<double>(all.most)) +
         ")";
}

bool are_equal(const Words& words) {
  return std::all_of(words.begin(), words.end(),
                     [&](const SaidWord* word) { return word->text == words[0]->text; });
}

bool is_any_source(const SaidWord& word) {
  return word.kind == SaidWord::Kind::kPeer &&
         (word.text == "any" || word.text.starts_with("any of "));
}

bool is_direction(const SaidWord& word) {
  return word.kind == SaidWord::Kind::kPeer && word.text.find('|') == std::string::npos &&
         word.text.find(", ") == std::string::npos && !word.text.starts_with("rank") &&
         !word.text.starts_with("(") && !word.text.starts_with("round") && !is_any_source(word);
}

bool is_direction(const GuardStatement& guard) {
  static constexpr std::string_view kOther[] = {"not ", "even", "odd", "on ", "at ", "in "};
  const std::string& text = guard.condition;
  return std::none_of(std::begin(kOther), std::end(kOther),
                      [&](std::string_view front) { return text.starts_with(front); }) &&
         text.find(" and ") == text.npos && text.find(" or ") == text.npos &&
         is_direction(SaidWord{SaidWord::Kind::kPeer, "", text, ""});
}

bool is_direction_or_nobody(const SaidWord& word) {
  constexpr std::string_view kOrNobody = "|nobody";
  SaidWord direction{word.kind, "", word.text, ""};
  if (direction.text.ends_with(kOrNobody))
    direction.text.resize(direction.text.size() - kOrNobody.size());
  return is_direction(direction);
}

std::optional<std::string> directions_in_turn(const Words& words, const Weights& weights) {
  const bool is_once_each =
      std::all_of(weights.begin(), weights.end(), [](auto weight) { return weight == 1; });
  if (!is_once_each || words.size() > kLongestList ||
      !std::all_of(words.begin(), words.end(),
                   [](const auto* word) { return is_direction_or_nobody(*word); }))
    return std::nullopt;
  std::string text;
  for (const SaidWord* word : words) text += (text.empty() ? "" : ", ") + word->text;
  return text;
}

std::optional<std::string> progression(const Words& words, const Weights& weights) {
  constexpr std::size_t kFewest = 3;
  if (std::any_of(weights.begin(), weights.end(), [](auto weight) { return weight != 1; }))
    return {};
  std::vector<std::int64_t> numbers;
  for (const SaidWord* word : words) {
    const auto number = plain_number(word->text);
    if (!number) return std::nullopt;
    numbers.push_back(*number);
  }
  if (numbers.size() < kFewest) return std::nullopt;
  for (std::size_t i = 2; i < numbers.size(); ++i) {
    if (numbers[i] - numbers[i - 1] != numbers[1] - numbers[0]) return std::nullopt;
  }
  const std::string gap = numbers.size() == kFewest ? "," : ".."; // of three all are said
  return std::to_string(numbers[0]) + "," + std::to_string(numbers[1]) + gap +
         std::to_string(numbers.back());
}

std::optional<std::string> numbers_in_turn(const Words& words, const Weights& weights) {
  const bool is_once_each =
      std::all_of(weights.begin(), weights.end(), [](auto weight) { return weight == 1; });
  if (!is_once_each || words.size() > kLongestList) return std::nullopt;
  std::string text;
  std::set<std::string_view> different;
  for (const SaidWord* word : words) {
    different.insert(word->text);
    if (!plain_number(word->text)) return std::nullopt;
    text += (text.empty() ? "" : word->is_remark ? ", " : ",") + word->text;
  }
  return 2 * different.size() >= words.size() ? std::optional(text) : std::nullopt;
}

bool is_communicator(const SaidWord& word) {
  return word.remark == SaidWord::Remark::kComm || word.remark == SaidWord::Remark::kNewComm;
}

std::optional<std::string> communicators_in_turn(const Words& words, const Weights& weights) {
  const bool are_in_turn =
      std::all_of(weights.begin(), weights.end(), [](auto weight) { return weight == 1; }) &&
      std::all_of(words.begin(), words.end(),
                  [](const auto* word) { return is_communicator(*word); });
  if (!are_in_turn || words.size() > kLongestList) return std::nullopt;
  std::string text;
  for (const SaidWord* word : words) text += (text.empty() ? "" : ", ") + word->text;
  return text;
}

bool counts_on(const Words& words) {
  constexpr std::size_t kFewest = 3;
  std::vector<std::int64_t> numbers;
  std::string_view kind;
  for (const SaidWord* word : words) {
    const auto one =
        numbered_direction(std::string_view(word->text).substr(0, word->text.find("|nobody")));
    if (!one || (!numbers.empty() && one->first != kind)) return false;
    kind = one->first;
    numbers.push_back(one->second);
  }
  if (numbers.size() < kFewest) return false;
  const auto all = [&](const auto& holds) {
    for (std::size_t i = 1; i < numbers.size(); ++i) {
      if (!holds(numbers[i - 1], numbers[i])) return false;
    }
    return true;
  };
  const std::int64_t step = numbers[1] - numbers[0];
  return step != 0 && (all([&](auto a, auto b) { return b - a == step; }) ||
                       all([](auto a, auto b) { return b == 2 * a; }) ||
                       all([](auto a, auto b) { return a == 2 * b; }));
}

std::vector<std::int64_t> joined_values(const Words& words) {
  std::set<std::int64_t> values;
  for (const SaidWord* word : words) {
    if (word->values.empty()) return {};
    values.insert(word->values.begin(), word->values.end());
  }
  if (values.size() > kFewNumbers) return {};
  return {values.begin(), values.end()};
}

SaidWord joined_word(const Words& words, bool is_list, const Weights& weights) {
  constexpr std::size_t kMostPeers = 8;
  constexpr std::size_t kMostObjects = 4;
  SaidWord result = *words[0];
  for (const SaidWord* word : words) {
    result.least = std::min(result.least, word->least);
    result.most = std::max(result.most, word->most);
  }
  if (are_equal(words)) return result;
  if (result.kind == SaidWord::Kind::kPeer) {
    const auto in_turn = is_list ? directions_in_turn(words, weights) : std::nullopt;
    result.text = in_turn ? *in_turn : joined_choices(words, kMostPeers, "...");
  } else if (result.kind == SaidWord::Kind::kObject) {
    result.text = joined_choices(words, kMostObjects, "any of several");
  } else if (is_communicator(result)) {
    const auto in_turn = is_list ? communicators_in_turn(words, weights) : std::nullopt;
    result.text = in_turn ? *in_turn : joined_choices(words, kMostObjects, "any of several");
    result.name.clear(); // several are no parameter of a procedure
  } else if (result.kind == SaidWord::Kind::kNumber) {
    auto steps = is_list ? progression(words, weights) : std::nullopt;
    if (is_list && !steps) steps = numbers_in_turn(words, weights);
    result.values = joined_values(words);
    result.text = steps                    ? *steps
                  : !result.values.empty() ? numbers_text(result.values)
                  : result.least == result.most
                      ? std::to_string(result.least)
                      : std::to_string(result.least) + ".." + std::to_string(result.most);
  }
  return result;
}

} // namespace rondo::logical::internal
