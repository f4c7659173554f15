// SPDX-License-Identifier: Apache-2.0
#include "logical/text/beyond_topology.hpp"

#include "rondo/base/sort_stably.hpp"
#include "rondo/base/units.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

namespace rondo::logical::internal {
namespace {

constexpr std::string_view kHead = "# beyond the topology: ";
constexpr std::string_view kLine = "#   ";
constexpr std::string_view kLoops = "loop counts: ";
constexpr std::string_view kOthers = "others";
constexpr std::size_t kMostNamed = 8;

// A call of a merged program stands at several places, but its executions count once.
class Counter {
public:
  void add_guard(const std::string& ranks, const std::vector<Statement>& body) {
    const auto [known, is_new] = index_.emplace(ranks, sets_.size());
    if (is_new) sets_.push_back({ranks, {}, {}});
    RankDifference& set = sets_[known->second];
    set.records += records_of(body);
    add_calls(set, body);
  }

  void walk(const std::vector<Statement>& statements, bool is_by_rank) {
    for (const Statement& statement : statements) {
      if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) {
        if (guard->condition.starts_with("rank")) {
          add_guard(guard->condition, guard->body);
        } else {
          walk(guard->body, is_by_rank);
        }
      } else if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) {
        if (loop->is_by_rank) ++loops_;
        walk(loop->body, is_by_rank || loop->is_by_rank);
      } else if (const auto* call = std::get_if<CallStatement>(&statement.is); call && is_by_rank) {
        for (const CallShare& share : call->shares) {
          if (loop_calls_.insert(share.call).second) surplus_ += share.surplus;
        }
      }
    }
  }

  void take(BeyondTopology& into) {
    std::move(sets_.begin(), sets_.end(), std::back_inserter(into.sets));
    into.loops += loops_;
    into.surplus += surplus_;
  }

private:
  void add_calls(RankDifference& set, const std::vector<Statement>& body) {
    for (const Statement& statement : body) {
      if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) {
        add_calls(set, guard->body);
      } else if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) {
        add_calls(set, loop->body);
      } else if (const auto* call = std::get_if<CallStatement>(&statement.is)) {
        for (const CallShare& share : call->shares) {
          if (!guarded_calls_.insert(share.call).second) continue;
          set.all.calls += share.all.calls;
          set.all.bytes += share.all.bytes;
        }
      }
    }
  }

  std::vector<RankDifference> sets_;
  std::map<std::string, std::size_t> index_;
  std::set<std::uint32_t> guarded_calls_;
  std::set<std::uint32_t> loop_calls_;
  std::uint64_t loops_ = 0;
  std::uint64_t surplus_ = 0;
};

void add(RankDifference& into, const RankDifference& set) {
  into.records += set.records;
  into.all.calls += set.all.calls;
  into.all.bytes += set.all.bytes;
}

std::string counted(std::uint64_t number, const std::string& thing) {
  return std::to_string(number) + " " + thing + (number == 1 ? "" : "s");
}

// Bytes to processes that are no ranks of the run are none of the topology's, but of all.
std::string of_all(std::uint64_t part, std::uint64_t all, const std::string& things) {
  all = std::max(all, part);
  std::string text = std::to_string(part) + " of " + std::to_string(all) + " " + things;
  if (part > 0 && all > 0)
    text += " (" + human_percent(static_cast<double>(part) / static_cast<double>(all)) + ")";
  return text;
}

std::string line_of(const RankDifference& set) {
  return std::string(kLine) + set.ranks + ": " + counted(set.records, "record") + ", " +
         counted(set.all.calls, "call") + ", " + counted(set.all.bytes, "byte");
}

// Reads "12 " and drops it.
std::optional<std::uint64_t> take_number(std::string_view& text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end == text.data() + text.size() || *end != ' ') return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  return value;
}

// The number in front of each of the words, in this order.
bool read_numbers(std::string_view text, const std::vector<std::string_view>& words,
                  const std::vector<std::uint64_t*>& numbers) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto number = take_number(text);
    if (!number || !text.starts_with(words[i])) return false;
    *numbers[i] = *number;
    const std::size_t comma = text.find(", ");
    if (i + 1 < words.size() && comma == std::string_view::npos) return false;
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 2);
  }
  return true;
}

} // namespace

BeyondTopology beyond_of(const std::vector<LogicalText::Part>& parts, std::uint64_t all_calls) {
  BeyondTopology beyond;
  for (const LogicalText::Part& part : parts) {
    Counter counter;
    const bool is_told_apart = part.ranks.find(", if ") != std::string::npos ||
                               part.ranks.find(", thread ") != std::string::npos;
    if (part.ranks.empty() || is_told_apart) {
      counter.walk(part.statements, false);
    } else {
      counter.add_guard(part.ranks, part.statements);
    }
    counter.take(beyond);
  }
  sort_stably(beyond.sets.begin(), beyond.sets.end(), [](const auto& a, const auto& b) {
    return std::pair(a.all.calls, a.records) > std::pair(b.all.calls, b.records);
  });
  if (!beyond.sets.empty() || beyond.loops > 0) beyond.all_calls = all_calls;
  return beyond;
}

std::vector<std::string> beyond_lines(const BeyondTopology& beyond, std::uint64_t all_bytes) {
  if (beyond.sets.empty() && beyond.loops == 0) return {};
  RankDifference sum;
  RankDifference others{std::string(kOthers), 0, {}};
  std::vector<std::string> sets;
  for (const RankDifference& set : beyond.sets) {
    add(sum, set);
    if (sets.size() < kMostNamed || beyond.sets.size() == kMostNamed + 1) {
      sets.push_back(line_of(set));
    } else {
      add(others, set);
    }
  }
  if (others.records > 0) sets.push_back(line_of(others));
  std::vector<std::string> lines{std::string(kHead) + counted(sum.records, "record") + ", " +
                                 of_all(sum.all.calls, beyond.all_calls, "calls") + ", " +
                                 of_all(sum.all.bytes, all_bytes, "bytes")};
  lines.insert(lines.end(), sets.begin(), sets.end());
  if (beyond.loops > 0)
    lines.push_back(std::string(kLine) + std::string(kLoops) + counted(beyond.loops, "loop") +
                    ", " + counted(beyond.surplus, "call") + " more than the least");
  return lines;
}

bool is_beyond_head(std::string_view line) { return line.starts_with(kHead); }
bool is_beyond_line(std::string_view line) { return line.starts_with(kLine); }

bool read_beyond_line(std::string_view line, BeyondTopology& beyond) {
  if (is_beyond_head(line)) {
    const std::size_t of = line.find(" of ");
    if (of == std::string_view::npos) return false;
    line.remove_prefix(of + 4);
    return read_numbers(line, {"calls"}, {&beyond.all_calls});
  }
  if (!is_beyond_line(line)) return false;
  line.remove_prefix(kLine.size());
  if (line.starts_with(kLoops)) {
    line.remove_prefix(kLoops.size());
    return read_numbers(line, {"loop", "call"}, {&beyond.loops, &beyond.surplus});
  }
  const std::size_t colon = line.rfind(": ");
  if (colon == std::string_view::npos) return false;
  RankDifference set{std::string(line.substr(0, colon)), 0, {}};
  if (!set.ranks.starts_with("rank") && set.ranks != kOthers) return false;
  line.remove_prefix(colon + 2);
  if (!read_numbers(line, {"record", "call", "byte"},
                    {&set.records, &set.all.calls, &set.all.bytes}))
    return false;
  beyond.sets.push_back(std::move(set));
  return true;
}

} // namespace rondo::logical::internal
