// SPDX-License-Identifier: Apache-2.0
// Words of several groups of ranks joined to one word: the same value for all, or a function of the
// rank in every encoding that stays short.
#pragma once

#include "rondo/fold/program_builder.hpp"
#include "rondo/trace/rank_function.hpp"

#include <cstdint>
#include <vector>

namespace rondo::fold {

/// The function of one rank's peer: all encodings of one value.
trace::RankFunction function_of(const PeerHypotheses& peer);

/// A value that is the same for all ranks of a set. Special values have every encoding, others none
/// that needs to know the rank.
trace::RankFunction function_of(std::int64_t constant, std::uint64_t ranks);

/// A value for each rank of a set, ascending, which neither are peers nor mean a rank.
trace::RankFunction values_by_rank(const std::vector<std::int64_t>& values);

/// The function of one rank's peer or root as it is for ranks that have a peer as far from where
/// they stand, or the same root.
/// @param one  of one rank
/// @param own  where each rank stands in the communicator, in ascending order of ranks
/// @complexity O(ranks)
trace::RankFunction spread(const trace::RankFunction& one, bool is_root,
                           const std::vector<std::int64_t>& own);

/// The order in which the ranks of several groups stand.
class RankOrder {
public:
  /// @param groups   disjoint sets; must outlive this
  explicit RankOrder(std::vector<const trace::RankSet*> groups);

  /// True if each group stands wholly before the next: nothing needs to be unfolded.
  bool is_sorted() const { return is_sorted_; }
  /// Calls visit(group) for each rank of all groups in ascending order; not for a sorted order,
  /// which takes groups as wholes.
  template <class Visit> void for_each_rank(Visit visit) const {
    for (const std::uint32_t group : group_of_) visit(group);
  }
  trace::RankSet united(const std::vector<std::uint32_t>& groups) const;
  std::size_t groups() const { return groups_.size(); }

private:
  std::vector<const trace::RankSet*> groups_;
  bool is_sorted_ = true;
  std::vector<std::uint32_t> group_of_; // by place in ascending order; empty if sorted
  std::vector<std::int64_t> rank_; // likewise
};

struct FunctionOfGroup {
  std::uint32_t group = 0;
  trace::RankFunction function;
};

/// @param parts   in ascending order of groups; the functions' domains are the groups' ranks
/// @complexity    O(items) for a sorted order, else O(ranks)
trace::RankFunction joined(const RankOrder& order, const std::vector<FunctionOfGroup>& parts);

/// The word that a function comes to once all ranks are in: a simple form, or kByRank with the one
/// encoding that is left in `function`.
/// @param is_root   prefers what all ranks have in common to the distance from each
trace::Word settled(trace::RankFunction& function, bool is_root, bool is_single_rank);

/// Index of a function in the table, which gets it if it does not have one folded the same.
std::int64_t find_or_add(trace::RankTable& table, trace::RankFunction&& function);

} // namespace rondo::fold
