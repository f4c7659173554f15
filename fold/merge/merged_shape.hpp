// SPDX-License-Identifier: Apache-2.0
// Which calls and loops of several classes of ranks are the same place of the program. A shape
// is what the classes have in common and what only some have, in an order that all of them keep.
//
//   MergedShape shape(*classes[0]);
//   shape.add(*classes[1]);            // or MergedShape::paired() for classes of one shape
//   PartClass all = assembled(classes, shape);
#pragma once

#include "rondo/fold/merge.hpp"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace rondo::fold {

constexpr std::uint32_t kAbsent = 0xffffffff;

/// What calls must have in common to stand for one place: function, site, objects, requests, and
/// which words are columns. Peers, tags, counts and the like may differ.
std::uint64_t key_of(const trace::MergedProgram& program, const trace::Call& call);

class MergedShape {
public:
  struct Symbol {
    std::vector<std::uint32_t> members; // by class: its symbol, or kAbsent
    std::uint64_t key = 0;
  };
  struct Loop {
    std::vector<std::uint32_t> members; // by class: its loop, or kAbsent
    std::vector<trace::Term> body;
  };

  explicit MergedShape(const PartClass& first);

  /// The shape of two classes if they have the same terms, loop by loop, the same trip counts
  /// and columns: if only words of single calls differ. Else nothing.
  /// @complexity O(size)
  static std::optional<MergedShape> paired(const PartClass& a, const PartClass& b);

  /// Aligns one more class: the terms that match best in order are shared. Gives up, and leaves the
  /// shape as it was, if less than half of the smaller one's terms match.
  /// @complexity O(terms of the shape * terms of the class), with equal ends left aside
  bool add(const PartClass& added);

  const std::vector<Symbol>& symbols() const { return symbols_; }
  const std::vector<Loop>& loops() const { return loops_; }
  const std::vector<trace::Term>& top() const { return top_; }
  std::size_t classes() const { return classes_.size(); }

private:
  friend class Pairing;
  friend class Alignment;
  MergedShape() = default;

  bool add_of_same_shape(const PartClass& added);

  std::vector<const PartClass*> classes_;
  std::vector<Symbol> symbols_;
  std::vector<Loop> loops_; // inner ones first
  std::vector<trace::Term> top_;
};

/// Joins words, trip counts, columns and tables along a shape of the same classes; times are
/// left out.
/// @param classes   in the order of their first ranks, and as the shape has them
/// @complexity      O(size of all) plus, where ranks of the classes stand between each other and
///                  their words differ, O(ranks) for each such word
trace::MergedProgram assembled(const std::vector<const PartClass*>& classes,
                               const MergedShape& shape);

/// The times of one class by the shape's symbols. Where calls of the class that were one become
/// several, those of a place are dealt out by how often each is reached; sums stay what they are.
std::vector<trace::PlaceTimes> translated_times(const PartClass& c, const MergedShape& shape,
                                                std::size_t number);

/// Adds the times of other ranks: equal places become one, with the means of all ranks in their
/// order.
/// @complexity   O(places) and, if the ranks do not stand wholly behind those of `into`, O(ranks)
///               for each place
void add_times(std::vector<trace::PlaceTimes>& into, const trace::RankSet& into_ranks,
               std::vector<trace::PlaceTimes>&& from, const trace::RankSet& from_ranks);

} // namespace rondo::fold
