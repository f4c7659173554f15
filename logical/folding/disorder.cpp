// SPDX-License-Identifier: Apache-2.0
#include "logical/folding/disorder.hpp"

#include "logical/joining/alike.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace rondo::logical::internal {
namespace {

constexpr std::size_t kFewCalls = 4; // of all ranks, between two guards that name ranks
constexpr std::size_t kManySets = 6; // of ranks: where there are fewer, they are what is to be told
constexpr std::uint64_t kTimesShorter = 4;

struct CallOfRanks {
  CallStatement call;
  const trace::RankSet* ranks; // that make it, or some of them, below a guard
};

// Calls by what they are, in the order of that.
using Kinds = std::map<std::string, std::vector<CallOfRanks>>;

constexpr std::string_view kTimes = "times ";

void add_calls(const std::vector<Statement>& statements, const trace::RankSet& ranks,
               Kinds& kinds) {
  for (const Statement& statement : statements) {
    if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) {
      add_calls(loop->body, ranks, kinds);
    } else if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) {
      add_calls(guard->body, ranks, kinds);
    } else if (const auto* call = std::get_if<CallStatement>(&statement.is)) {
      CallStatement plain = *call;
      if (!plain.words.empty() && plain.words.back().before == kTimes) plain.words.pop_back();
      std::string kind = skeleton_of({plain});
      kinds[std::move(kind)].push_back({std::move(plain), &ranks});
    }
  }
}

// How often the rank that makes most of them does: as the run has it if they are all that there are
// of these calls, else what each of the statements may be at most.
std::uint64_t most_of_a_rank(const std::vector<CallOfRanks>& calls,
                             const CallsOfRank& calls_of_rank) {
  std::map<std::int64_t, std::uint64_t> times;
  std::set<std::uint32_t> merged;
  std::uint64_t here = 0;
  std::uint64_t anywhere = 0;
  for (const auto& [call, ranks] : calls) {
    here += call.executions;
    for (const CallShare& share : call.shares)
      anywhere += merged.insert(share.call).second ? share.all.calls : 0;
  }
  if (calls_of_rank && here == anywhere && !merged.empty()) {
    for (const auto& [call, ranks] : calls) {
      for (const std::int64_t rank : ranks->ranks()) times[rank] = 0;
    }
    for (auto& [rank, count] : times) {
      for (const std::uint32_t call : merged) count += calls_of_rank(call, rank);
    }
    return std::max_element(times.begin(), times.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->second;
  }
  for (const auto& [call, ranks] : calls) {
    for (const std::int64_t rank : ranks->ranks()) times[rank] += call.most_here;
  }
  std::uint64_t most = 0;
  for (const auto& [rank, count] : times) most = std::max(most, count);
  return most;
}

// All calls of a kind as one.
Statement one_of(const std::vector<CallOfRanks>& calls, const Entries& ranks_come) {
  const std::uint64_t entries = std::max<std::uint64_t>(ranks_come.times, 1);
  std::vector<Statement> statements;
  for (const auto& [call, ranks] : calls) statements.push_back({call});
  const std::uint64_t times = most_of_a_rank(calls, ranks_come.calls_of_rank);
  Bodies bodies;
  for (const Statement& statement : statements) bodies.push_back({&statement, 1});
  const std::vector<std::uint64_t> weights(bodies.size(), 1);
  Statement result = join_alike(bodies, false, weights).front();
  auto& call = std::get<CallStatement>(result.is);
  const auto most = static_cast<std::int64_t>((times + entries - 1) / entries);
  call.words.push_back({SaidWord::Kind::kNumber, std::string(kTimes), std::to_string(most), "times",
                        true, most, most});
  put_words_together(call);
  call.most_here = times;
  return result;
}

class Disorder {
public:
  Disorder(std::vector<Guarded>&& items, const ConditionText& condition, const Entries& entries)
      : items_(std::move(items)), entries_(entries) {
    for (const Guarded& item : items_) {
      std::string who = item.is_free ? "" : condition(item.ranks);
      sets_.push_back(who.starts_with("rank") ? std::move(who) : "");
    }
  }

  std::vector<Guarded> run() {
    std::vector<Stretch> stretches;
    for (std::size_t i = 0; i < items_.size();) {
      const std::size_t end = sets_[i].empty() ? i + 1 : end_of_stretch(i);
      if (!sets_[i].empty() && is_disorder(i, end)) stretches.push_back({i, end});
      i = end;
    }
    if (const auto all = around_all(stretches)) stretches = {*all};
    std::vector<Guarded> result;
    std::size_t from = 0;
    for (const Stretch& stretch : stretches) {
      move_up_to(stretch.begin, from, result);
      result.push_back(as_one(stretch));
      from = stretch.end;
    }
    move_up_to(items_.size(), from, result);
    return result;
  }

private:
  struct Stretch { // of items
    std::size_t begin = 0;
    std::size_t end = 0;
  };

  // Behind the last guard that names ranks and has no more than a few calls of all in front of it.
  std::size_t end_of_stretch(std::size_t begin) const {
    std::size_t end = begin + 1;
    std::size_t calls = 0;
    for (std::size_t i = end; i < items_.size() && calls <= kFewCalls; ++i) {
      calls = sets_[i].empty() ? calls + lines_of(items_[i].body) : 0;
      if (!sets_[i].empty()) end = i + 1;
    }
    return end;
  }

  bool is_disorder(std::size_t begin, std::size_t end) const {
    const std::set<std::string> sets(sets_.begin() + static_cast<std::ptrdiff_t>(begin),
                                     sets_.begin() + static_cast<std::ptrdiff_t>(end));
    if (sets.size() < kManySets) return false;
    std::uint64_t lines = 0;
    for (std::size_t i = begin; i < end; ++i)
      lines += lines_of(items_[i].body) + (items_[i].is_free ? 0 : 1);
    return lines >= kTimesShorter * (1 + kinds_in({begin, end}).size());
  }

  Kinds kinds_in(const Stretch& stretch) const {
    Kinds kinds;
    for (std::size_t i = stretch.begin; i < stretch.end; ++i)
      add_calls(items_[i].body, items_[i].ranks, kinds);
    return kinds;
  }

  // Several stretches are one, if what is between them are the same kinds of calls, where the ranks
  // happen to agree for a moment; with what is around them of these kinds.
  std::optional<Stretch> around_all(const std::vector<Stretch>& stretches) const {
    if (stretches.size() < 2) return std::nullopt;
    Kinds known;
    for (const Stretch& stretch : stretches) known.merge(kinds_in(stretch));
    const auto is_known = [&](const Stretch& stretch) {
      const Kinds kinds = kinds_in(stretch);
      return std::all_of(kinds.begin(), kinds.end(),
                         [&](const auto& kind) { return known.contains(kind.first); });
    };
    Stretch all{stretches.front().begin, stretches.back().end};
    if (!is_known(all)) return std::nullopt;
    while (all.begin > 0 && is_known({all.begin - 1, all.begin})) --all.begin;
    while (all.end < items_.size() && is_known({all.end, all.end + 1})) ++all.end;
    return all;
  }

  Guarded as_one(const Stretch& stretch) const {
    return in_disorder(std::span(items_).subspan(stretch.begin, stretch.end - stretch.begin),
                       entries_);
  }

  void move_up_to(std::size_t end, std::size_t from, std::vector<Guarded>& to) {
    std::move(items_.begin() + static_cast<std::ptrdiff_t>(from),
              items_.begin() + static_cast<std::ptrdiff_t>(end), std::back_inserter(to));
  }

  std::vector<Guarded> items_;
  const Entries& entries_;
  std::vector<std::string> sets_; // of each item: "ranks 0-2"; empty if it names no ranks
};

} // namespace

Guarded in_disorder(std::span<const Guarded> items, const Entries& entries) {
  std::set<std::int64_t> ranks;
  Kinds kinds;
  for (const Guarded& item : items) {
    for (const std::int64_t rank : item.ranks.ranks()) ranks.insert(rank);
    add_calls(item.body, item.ranks, kinds);
  }
  Guarded result;
  result.ranks = trace::RankSet::of({ranks.begin(), ranks.end()});
  result.is_in_disorder = true;
  for (const auto& [kind, calls] : kinds) result.body.push_back(one_of(calls, entries));
  return result;
}

std::vector<Guarded> disorder_as_one(std::vector<Guarded>&& items, const ConditionText& condition,
                                     const Entries& entries) {
  return Disorder(std::move(items), condition, entries).run();
}

} // namespace rondo::logical::internal
