// SPDX-License-Identifier: Apache-2.0
#include "logical/folding/alike_guards.hpp"

#include "logical/folding/alike.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace rondo::logical::internal {
namespace {

using trace::RankSet;

// An item as a body that stands there some times for each of its ranks.
struct Turns {
  std::vector<std::vector<Statement>> bodies;
  std::string skeleton; // of each of them
  std::int64_t times = 0; // for each rank
  std::map<std::int64_t, std::int64_t> times_of_rank{}; // if they differ, in place of `times`
};

std::string skeleton_of_all(const std::vector<Statement>& body) {
  std::string text;
  for (const Statement& statement : body) text += skeleton_of(statement) + "\n";
  return text;
}

// How often a loop goes round; false if it is not known.
bool set_rounds(const LoopStatement& loop, const RankSet& ranks, Turns& turns) {
  const char* const last = loop.count.data() + loop.count.size();
  const auto [end, error] = std::from_chars(loop.count.data(), last, turns.times);
  if (error == std::errc{} && end == last) return true;
  if (loop.count_of_rank == nullptr) return false;
  const std::vector<std::int64_t> all = ranks.ranks();
  if (!std::all_of(all.begin(), all.end(),
                   [&](std::int64_t rank) { return loop.count_of_rank->contains(rank); }))
    return false;
  turns.times_of_rank = *loop.count_of_rank;
  return true;
}

Turns turns_of(const Guarded& item) {
  Turns turns;
  const auto* loop = item.body.size() == 1 ? std::get_if<LoopStatement>(&item.body[0].is) : nullptr;
  if (loop != nullptr) {
    if (set_rounds(*loop, item.ranks, turns)) {
      turns.bodies = {loop->body};
      turns.skeleton = skeleton_of_all(loop->body);
      return turns;
    }
  }
  const std::string first = skeleton_of(item.body[0]) + "\n";
  const bool is_one = std::all_of(item.body.begin(), item.body.end(), [&](const Statement& one) {
    return skeleton_of(one) + "\n" == first;
  });
  if (is_one) {
    for (const Statement& statement : item.body) turns.bodies.push_back({statement});
    turns.skeleton = first;
  } else {
    turns.bodies = {item.body};
    turns.skeleton = skeleton_of_all(item.body);
  }
  turns.times = static_cast<std::int64_t>(turns.bodies.size());
  return turns;
}

class GuardJoining {
public:
  GuardJoining(std::vector<Guarded>&& items, const RankSet& around, const ConditionText& condition,
               const CountsText& counts)
      : items_(std::move(items)), around_(around), condition_(condition), counts_(counts) {}

  std::vector<Guarded> run() {
    std::vector<Guarded> result;
    for (std::size_t i = 0; i < items_.size();) {
      const std::size_t end = can_join(items_[i]) ? end_of_run(i) : i + 1;
      std::optional<Guarded> joined;
      if (end > i + 1) joined = joined_items(i, end);
      if (joined) {
        result.push_back(std::move(*joined));
        i = end;
      } else {
        result.push_back(std::move(items_[i++]));
      }
    }
    return result;
  }

private:
  // What a direction implies is said best by that.
  bool can_join(const Guarded& item) const {
    return !item.body.empty() && (!item.is_free || item.ranks == around_);
  }

  std::size_t end_of_run(std::size_t begin) {
    turns_ = {turns_of(items_[begin])};
    std::size_t end = begin + 1;
    while (end < items_.size() && can_join(items_[end])) {
      Turns turns = turns_of(items_[end]);
      if (turns.skeleton != turns_[0].skeleton) break;
      turns_.push_back(std::move(turns));
      ++end;
    }
    return end;
  }

  std::optional<Guarded> joined_items(std::size_t begin, std::size_t end) const {
    std::vector<const std::vector<Statement>*> bodies;
    std::vector<std::uint64_t> weights;
    std::map<std::int64_t, std::int64_t> counts;
    Guarded result;
    std::uint64_t lines = 0;
    bool names_ranks = false;
    for (std::size_t i = begin; i < end; ++i) {
      const Turns& turns = turns_[i - begin];
      for (const auto& body : turns.bodies) {
        bodies.push_back(&body);
        weights.push_back(static_cast<std::uint64_t>(items_[i].ranks.size()));
      }
      lines += lines_of(items_[i].body) + (items_[i].is_free ? 0 : 1);
      names_ranks =
          names_ranks || (!items_[i].is_free && condition_(items_[i].ranks).starts_with("rank"));
    }
    if (!names_ranks || differs_in_directions(bodies)) return std::nullopt;
    for (std::size_t i = begin; i < end; ++i) {
      const Turns& turns = turns_[i - begin];
      for (const std::int64_t rank : items_[i].ranks.ranks())
        counts[rank] += turns.times_of_rank.empty() ? turns.times : turns.times_of_rank.at(rank);
    }
    std::vector<std::int64_t> ranks;
    for (const auto& [rank, count] : counts) ranks.push_back(rank);
    result.ranks = RankSet::of(std::move(ranks));
    result.is_free = result.ranks == around_;
    result.body = join_alike(bodies, false, weights);
    const bool is_once =
        std::all_of(counts.begin(), counts.end(), [](const auto& one) { return one.second == 1; });
    if (!is_once) result.body = {loop_of(std::move(counts), std::move(result.body))};
    const std::uint64_t new_lines = lines_of(result.body) + (result.is_free ? 0 : 1);
    return new_lines < lines ? std::optional(std::move(result)) : std::nullopt;
  }

  Statement loop_of(std::map<std::int64_t, std::int64_t> counts,
                    std::vector<Statement> body) const {
    const std::int64_t first = counts.begin()->second;
    const bool is_equal = std::all_of(counts.begin(), counts.end(),
                                      [&](const auto& one) { return one.second == first; });
    LoopStatement loop{
        is_equal ? std::to_string(first) : counts_(counts), std::move(body), !is_equal, {}};
    if (!is_equal)
      loop.count_of_rank =
          std::make_shared<const std::map<std::int64_t, std::int64_t>>(std::move(counts));
    return {std::move(loop)};
  }

  std::vector<Guarded> items_;
  const RankSet& around_;
  const ConditionText& condition_;
  const CountsText& counts_;
  std::vector<Turns> turns_; // of the run
};

} // namespace

std::vector<Guarded> alike_guards_joined(std::vector<Guarded>&& items, const RankSet& around,
                                         const ConditionText& condition, const CountsText& counts) {
  return GuardJoining(std::move(items), around, condition, counts).run();
}

} // namespace rondo::logical::internal
