// SPDX-License-Identifier: Apache-2.0
#include "logical/text/rounds_text.hpp"

#include "logical/text/call_line.hpp"

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

namespace rondo::logical::internal {
namespace {

constexpr std::string_view kLoop = "loop ";
constexpr std::string_view kSome = "in some rounds ";
constexpr std::string_view kRounds = "in rounds ";
constexpr std::string_view kRound = "in round ";
constexpr std::string_view kEvery = "in every ";
constexpr std::string_view kSomeCount = "0..1 (mean ";
constexpr std::string_view kEveryCount = "0..1 (every ";
constexpr std::string_view kAndTheFirst = " and the first";

// Which rounds, where these are more of them one time and fewer another: of the loop `count`, and
// in its head.
constexpr std::pair<std::string_view, std::string_view> kAtEnds[] = {
    {"0..1 (all but the last)", "in all but the last round"},
    {"0..1 (all but the first)", "in all but the first round"},
    {"0..1 (the first)", "in the first round"},
    {"0..1 (the last)", "in the last round"}};

using Runs = std::vector<std::pair<std::int64_t, std::int64_t>>; // count, and in how many rounds

std::optional<std::int64_t> number_in(std::string_view text) {
  constexpr std::uint64_t kMost = std::uint64_t{1} << 60;
  const auto value = number(text);
  if (!value || *value > kMost) return std::nullopt;
  return static_cast<std::int64_t>(*value);
}

// Splits off what stands before `gap`, or all.
std::string_view taken(std::string_view& text, std::string_view gap) {
  const std::size_t at = text.find(gap);
  const std::string_view first = text.substr(0, at);
  text.remove_prefix(at == text.npos ? text.size() : at + gap.size());
  return first;
}

// "1 x52, 0 x8" of zeros and ones by turns.
std::optional<Runs> runs_of(std::string_view count) {
  Runs runs;
  while (!count.empty()) {
    std::string_view run = taken(count, ", ");
    const std::string_view value = taken(run, " x");
    const auto rounds = run.empty() ? std::optional<std::int64_t>(1) : number_in(run);
    if ((value != "0" && value != "1") || !rounds || *rounds < 1) return std::nullopt;
    const std::int64_t times = value == "1" ? 1 : 0;
    if (!runs.empty() && runs.back().first == times) return std::nullopt;
    runs.emplace_back(times, *rounds);
  }
  return runs.size() < 2 ? std::nullopt : std::optional(std::move(runs));
}

std::string text_of(const Runs& runs) {
  std::string text;
  for (const auto& [times, rounds] : runs)
    text += (text.empty() ? "" : ", ") + std::to_string(times) +
            (rounds > 1 ? " x" + std::to_string(rounds) : "");
  return text;
}

std::string ordinal(std::int64_t number) {
  const std::int64_t tens = number / 10 % 10;
  const char* const kEndings[] = {"th", "st", "nd", "rd"};
  return std::to_string(number) + kEndings[tens == 1 || number % 10 > 3 ? 0 : number % 10];
}

std::string head_of(const Runs& runs) {
  std::string text;
  std::int64_t round = 0;
  std::int64_t ones = 0;
  for (const auto& [times, rounds] : runs) {
    if (times == 1) {
      text += (text.empty() ? "" : ", ") + std::to_string(round + 1) +
              (rounds > 1 ? "-" + std::to_string(round + rounds) : "");
      ones += rounds;
    }
    round += rounds;
  }
  return std::string(ones == 1 ? kRound : kRounds) + text + " of " + std::to_string(round);
}

// Of "1-52, 55 of 60".
std::optional<Runs> runs_of_rounds(std::string_view text) {
  std::string_view list = taken(text, " of ");
  const auto all = number_in(text);
  std::int64_t before = 0; // the last round that is known of
  Runs runs;
  while (all && !list.empty()) {
    std::string_view range = taken(list, ", ");
    const auto first = number_in(taken(range, "-"));
    const auto last = range.empty() ? first : number_in(range);
    if (!first || !last || *first <= before || *last < *first || *last > *all) return std::nullopt;
    if (*first > before + 1) runs.emplace_back(0, *first - before - 1);
    runs.emplace_back(1, *last - *first + 1);
    before = *last;
  }
  if (runs.empty()) return std::nullopt;
  if (*all > before) runs.emplace_back(0, *all - before);
  return runs.size() < 2 ? std::nullopt : std::optional(std::move(runs));
}

} // namespace

std::string loop_head(const std::string& count) {
  const auto inside = [&](std::string_view before) {
    return count.substr(before.size(), count.size() - before.size() - 1);
  };
  if (count.ends_with(')') && count.starts_with(kSomeCount))
    return std::string(kSome) + "(mean " + inside(kSomeCount) + ")";
  if (count.ends_with(')') && count.starts_with(kEveryCount)) {
    std::string every = inside(kEveryCount);
    const std::size_t from = std::min(every.find(" from "), every.find(kAndTheFirst));
    if (from != every.npos) return std::string(kEvery) + every.insert(from, " round");
    return std::string(kEvery) + every + " round";
  }
  for (const auto& [at_ends, head] : kAtEnds) {
    if (count == at_ends) return std::string(head);
  }
  if (const auto runs = runs_of(count)) return head_of(*runs);
  return std::string(kLoop) + count;
}

std::optional<std::string> count_of_head(std::string_view head) {
  std::string count;
  for (const auto& [at_ends, in_head] : kAtEnds) {
    if (head == in_head) return std::string(at_ends);
  }
  if (head.starts_with(kLoop)) {
    count = head.substr(kLoop.size());
  } else if (head.starts_with(kSome)) {
    head.remove_prefix(kSome.size());
    if (!head.starts_with("(mean ") || !head.ends_with(')')) return std::nullopt;
    count = "0..1 " + std::string(head);
  } else if (head.starts_with(kEvery)) {
    head.remove_prefix(kEvery.size());
    const std::string_view which = taken(head, " round");
    count = std::string(kEveryCount) + std::string(which) + std::string(head) + ")";
    if (!kth_of(count)) return std::nullopt;
  } else if (head.starts_with(kRounds) || head.starts_with(kRound)) {
    head.remove_prefix(head.starts_with(kRounds) ? kRounds.size() : kRound.size());
    const auto runs = runs_of_rounds(head);
    if (!runs) return std::nullopt;
    count = text_of(*runs);
  }
  return count.empty() ? std::nullopt : std::optional(std::move(count));
}

bool is_in_some_rounds(std::string_view count) { return count.starts_with(kSomeCount); }

bool is_condition(std::string_view count) {
  const bool is_at_end = std::any_of(std::begin(kAtEnds), std::end(kAtEnds),
                                     [&](const auto& one) { return one.first == count; });
  return is_at_end || is_in_some_rounds(count) || count.starts_with(kEveryCount) ||
         runs_of(count).has_value();
}

std::optional<std::string> every_kth(const trace::Column& column) {
  constexpr std::uint64_t kMostRounds = std::uint64_t{1} << 24; // as they are read one by one
  if (column.size() > kMostRounds) return std::nullopt;
  trace::ColumnReader reader(column);
  std::uint64_t round = 0;
  std::vector<std::uint64_t> comes;
  while (const auto count = reader.next()) {
    ++round;
    if (*count == 0) continue;
    if (*count != 1) return std::nullopt;
    comes.push_back(round);
  }
  return every_kth(comes, round);
}

std::optional<std::string> every_kth(const std::vector<std::uint64_t>& comes,
                                     std::uint64_t rounds) {
  constexpr std::uint64_t kLeastBesideTheFirst = 3; // "in every 2nd round" of all but one
  // As in `if (step % 10 == 0 || step == 1)`.
  const bool has_first = comes.size() > 2 && comes[0] == 1 && comes[1] >= kLeastBesideTheFirst &&
                         comes[2] == 2 * comes[1];
  const std::size_t from = has_first ? 1 : 0;
  if (comes.size() < from + 2) return std::nullopt;
  const std::uint64_t step = comes[from + 1] - comes[from];
  for (std::size_t i = from + 1; i < comes.size(); ++i)
    if (comes[i] - comes[i - 1] != step) return std::nullopt;
  if (step < 2 || comes[from] > step + 1 || rounds >= comes.back() + step) return std::nullopt;
  if (!has_first) return every_kth(step, comes[0]);
  return std::string(kEveryCount) + ordinal(static_cast<std::int64_t>(step)) +
         std::string(kAndTheFirst) + ")";
}

std::string every_kth(std::uint64_t step, std::uint64_t first) {
  return std::string(kEveryCount) + ordinal(static_cast<std::int64_t>(step)) +
         (first != step ? " from " + std::to_string(first) : "") + ")";
}

std::string all_but_one_end(bool first) { return std::string(kAtEnds[first ? 1 : 0].first); }

std::string in_the_first() { return std::string(kAtEnds[2].first); }
std::string in_the_last() { return std::string(kAtEnds[3].first); }

void RoundsAtEnds::add(std::uint64_t round, std::uint64_t rounds, bool comes) {
  const bool is_first = round == 0;
  const bool is_last = round + 1 == rounds;
  const bool holds[] = {!is_last, !is_first, is_first, is_last}; // as in kAtEnds
  static_assert(std::size(holds) == std::size(kAtEnds));
  for (std::size_t i = 0; i < std::size(holds); ++i) is_so_[i] = is_so_[i] && holds[i] == comes;
  has_several_ = has_several_ || rounds > 2;
}

std::optional<std::string> RoundsAtEnds::count() const {
  if (!has_several_) return std::nullopt;
  for (std::size_t i = 0; i < std::size(kAtEnds); ++i) {
    if (is_so_[i]) return std::string(kAtEnds[i].first);
  }
  return std::nullopt;
}

std::optional<std::int64_t> kth_of(std::string_view count) {
  if (!count.starts_with(kEveryCount) || !count.ends_with(')')) return std::nullopt;
  count = count.substr(kEveryCount.size(), count.size() - kEveryCount.size() - 1);
  const bool has_first = count.ends_with(kAndTheFirst);
  if (has_first) count.remove_suffix(kAndTheFirst.size());
  if (has_first && count.find(" from ") != count.npos) return std::nullopt;
  const std::string_view which = taken(count, " from ");
  const auto step = number_in(which.substr(0, which.size() < 2 ? 0 : which.size() - 2));
  if (!step || *step < 2 || which != ordinal(*step)) return std::nullopt;
  const auto first = number_in(count);
  if (!count.empty() && (!first || *first < 1 || *first == *step)) return std::nullopt;
  return step;
}

} // namespace rondo::logical::internal
