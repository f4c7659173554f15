// SPDX-License-Identifier: Apache-2.0
#include "rondo/patterns/rank_by.hpp"

#include <array>
#include <utility>

namespace rondo::patterns {
namespace {

constexpr std::array<std::pair<std::string_view, RankBy>, 5> kNames = {
    {{"traffic", RankBy::kTraffic},
     {"time", RankBy::kTime},
     {"frequency", RankBy::kFrequency},
     {"ranks", RankBy::kRanks},
     {"length", RankBy::kLength}}};

} // namespace

std::optional<RankBy> rank_by(std::string_view name) {
  for (const auto& [known, by] : kNames) {
    if (known == name) return by;
  }
  return std::nullopt;
}

std::vector<std::string> rank_by_names() {
  std::vector<std::string> names;
  for (const auto& [name, by] : kNames) names.emplace_back(name);
  return names;
}

} // namespace rondo::patterns
