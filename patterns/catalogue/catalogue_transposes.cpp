// SPDX-License-Identifier: Apache-2.0
// Which exchanges in pairs are transposes.
#include "patterns/message_group.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <map>
#include <set>

namespace rondo::patterns::internal {
namespace {

// Ranks that exchange in pairs, but for those that keep theirs, as a square matrix is transposed.
// What shows it: the ranks' groups before or after, of which each two exchange equally much; or
// numbers row by row.
class Transposes {
public:
  Transposes(const std::vector<PatternMessage>& messages, const PatternSurroundings& others)
      : ranks_(others.ranks.begin(), others.ranks.end()) {
    for (const PatternMessage& m : messages) {
      ranks_.insert(m.from);
      ranks_.insert(m.to);
    }
  }

  void name(std::vector<NamedPhase>& phases) const {
    for (NamedPhase& phase : phases) {
      if (phase.name != PatternName::kPairExchange) continue;
      const auto partner = partners(phase);
      std::string why = row_by_row(partner) ? "ranks row by row" : "";
      for (const NamedPhase& other : phases) {
        if (why.empty() && other.name != PatternName::kPairExchange &&
            exchanges_groups(partner, other.groups))
          why = fmt::format("the groups of the {}", to_text(other.name));
      }
      if (why.empty()) {
        say_what_fits(partner, phase);
        continue;
      }
      phase.name = PatternName::kTranspose;
      phase.what = fmt::format("transpose over {} ranks", ranks_.size());
      phase.evidence.insert(phase.evidence.begin(),
                            fmt::format("{} pairs exchange and {} ranks keep theirs: (i, j) with "
                                        "(j, i), by {}",
                                        phase.groups.size(),
                                        ranks_.size() - 2 * phase.groups.size(), why));
    }
  }

private:
  using Partners = std::map<std::int64_t, std::int64_t>;

  static Partners partners(const NamedPhase& phase) {
    Partners partner;
    for (const auto& pair : phase.groups) {
      partner[pair[0]] = pair[1];
      partner[pair[1]] = pair[0];
    }
    return partner;
  }

  // Rows of the square that has a rank in each place, with as many on its diagonal as keep theirs;
  // 0 if there is none.
  std::size_t side_of(const Partners& partner) const {
    const auto side = static_cast<std::size_t>(std::lround(std::sqrt(ranks_.size())));
    const bool fits =
        side >= 2 && side * side == ranks_.size() && partner.size() == side * (side - 1);
    return fits ? side : 0;
  }

  // Any pairing of as many ranks does; of a 2x2 square it is one pair.
  void say_what_fits(const Partners& partner, NamedPhase& phase) const {
    const std::size_t side = side_of(partner);
    if (side < 3) return;
    phase.what += fmt::format(", fits a transpose of {0}x{0} ranks", side);
    phase.evidence.insert(
        phase.evidence.begin(),
        fmt::format("{} pairs exchange and {} ranks keep theirs, as when {}x{} ranks transpose; "
                    "their numbers are not row by row, so it may be any pairing",
                    phase.groups.size(), side, side, side));
  }

  bool row_by_row(const Partners& partner) const {
    const std::size_t side = side_of(partner);
    if (side == 0) return false;
    const std::vector<std::int64_t> rank(ranks_.begin(), ranks_.end());
    for (std::size_t i = 0; i < rank.size(); ++i) {
      const auto found = partner.find(rank[i]);
      const std::int64_t other = found == partner.end() ? rank[i] : found->second;
      if (other != rank[i % side * side + i / side]) return false;
    }
    return true;
  }

  bool exchanges_groups(const Partners& partner,
                        const std::vector<std::vector<std::int64_t>>& groups) const {
    std::map<std::int64_t, std::size_t> group_of;
    for (std::size_t g = 0; g < groups.size(); ++g) {
      for (const std::int64_t rank : groups[g]) group_of[rank] = g;
    }
    if (groups.size() < 2 || group_of.size() != ranks_.size() || partner.size() == ranks_.size())
      return false;
    std::map<std::pair<std::size_t, std::size_t>, std::size_t> between;
    for (const std::int64_t rank : ranks_) {
      const auto found = partner.find(rank);
      ++between[{group_of[rank], group_of[found == partner.end() ? rank : found->second]}];
    }
    return between.size() == groups.size() * groups.size() &&
           std::all_of(between.begin(), between.end(),
                       [&](const auto& b) { return b.second == between.begin()->second; });
  }

  std::set<std::int64_t> ranks_;
};

} // namespace

void name_transposes(const std::vector<PatternMessage>& messages, const PatternSurroundings& others,
                     std::vector<NamedPhase>& phases) {
  Transposes(messages, others).name(phases);
}

} // namespace rondo::patterns::internal
