// SPDX-License-Identifier: Apache-2.0
#include "logical/folding/levelling.hpp"

#include "logical/joining/alike.hpp"
#include "logical/joining/one_place.hpp"

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>

namespace rondo::logical::internal {
namespace {

constexpr std::size_t kLongestUnit = 4; // calls
constexpr std::uint64_t kWorthLevelling = 8; // lines, and one for each word that differs

// Calls of statements as they are met in one pass through each loop.
class Passes {
public:
  /// @param length  calls of the unit: the first ones that are met
  explicit Passes(std::size_t length) : length_(length) {}

  /// False where the statement goes on with other calls, or is for some of the ranks.
  bool add(const Statement& statement) {
    if (const auto* call = std::get_if<CallStatement>(&statement.is)) return add(*call);
    const auto* loop = std::get_if<LoopStatement>(&statement.is);
    if (loop == nullptr || loop->is_by_rank) return false;
    has_loops_ = true;
    const std::size_t before = calls_.size();
    for (const Statement& inner : loop->body) {
      if (!add(inner)) return false;
    }
    return (calls_.size() - before) % length_ == 0; // each round begins as the one before
  }

  bool is_whole() const { return calls_.size() % length_ == 0; }
  bool has_loops() const { return has_loops_; }

  std::vector<std::vector<Statement>> units(std::size_t calls) const {
    std::vector<std::vector<Statement>> result;
    for (std::size_t i = 0; i < calls; ++i) {
      if (i % length_ == 0) result.emplace_back();
      result.back().push_back({*calls_[i]});
    }
    return result;
  }

  std::size_t size() const { return calls_.size(); }

private:
  bool add(const CallStatement& call) {
    if (calls_.size() >= length_ && !are_alike(*calls_[calls_.size() % length_], call))
      return false;
    calls_.push_back(&call);
    return true;
  }

  std::size_t length_;
  std::vector<const CallStatement*> calls_;
  bool has_loops_ = false;
};

// Statements from a place on as a loop of one unit.
struct Level {
  std::size_t end = 0; // behind the last of them
  std::vector<Statement> loop;
};

std::uint64_t rounds_of(const std::vector<std::vector<Statement>>& units) {
  std::uint64_t rounds = 0;
  for (const auto& unit : units) rounds += std::get<CallStatement>(unit.front().is).most_here;
  return rounds;
}

Level level_at(const std::vector<Statement>& statements, std::size_t begin, std::size_t length,
               std::uint64_t entries) {
  Passes passes(length);
  Level level;
  std::size_t calls = 0;
  bool has_loops = false;
  for (std::size_t i = begin; i < statements.size() && passes.add(statements[i]); ++i) {
    if (!passes.is_whole()) continue;
    level.end = i + 1;
    calls = passes.size();
    has_loops = passes.has_loops();
  }
  if (calls <= length || !has_loops) return {};
  const std::uint64_t lines = lines_of({&statements[begin], level.end - begin});
  if (lines < 1 + length + kWorthLevelling) return {};
  const std::vector<std::vector<Statement>> units = passes.units(calls);
  const Bodies bodies(units.begin(), units.end());
  const std::uint64_t rounds = rounds_of(units);
  if (differs_in_peers(bodies) || rounds % entries != 0 ||
      lines < 1 + length + kWorthLevelling + differing_words(bodies))
    return {};
  const std::vector<std::uint64_t> weights(bodies.size(), 1);
  level.loop = {
      {LoopStatement{std::to_string(rounds / entries), join_alike(bodies, false, weights)}}};
  return level;
}

} // namespace

std::vector<Statement> levelled(std::vector<Statement> statements, std::uint64_t entries) {
  const bool has_loops =
      std::any_of(statements.begin(), statements.end(), [](const Statement& statement) {
        return std::holds_alternative<LoopStatement>(statement.is);
      });
  if (entries == 0 || !has_loops) return statements;
  std::vector<Statement> result;
  for (std::size_t i = 0; i < statements.size();) {
    Level level;
    for (std::size_t length = 1; length <= kLongestUnit && level.loop.empty(); ++length)
      level = level_at(statements, i, length, entries);
    if (level.loop.empty()) {
      result.push_back(std::move(statements[i++]));
    } else {
      std::move(level.loop.begin(), level.loop.end(), std::back_inserter(result));
      i = level.end;
    }
  }
  return result;
}

} // namespace rondo::logical::internal
