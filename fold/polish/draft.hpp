// SPDX-License-Identifier: Apache-2.0
// A nest on its way to a smaller one (polish.hpp): terms move, and each loop says how its trip
// counts follow from those before.
#pragma once

#include "rondo/trace/nest.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace rondo::fold {

/// Where something stands, seen from a loop.
enum class Side : std::uint8_t { kBefore, kBehind };

/// A term of the new nest. A loop's trip count is `added` and the sum of the next `taken` counts
/// that the loop had in the nest before: they are used up in the order of execution, as always;
/// `dropped` counts before them have no use any more.
struct Item {
  trace::Term term;
  std::uint64_t added = 0;
  std::uint64_t taken = 0;
  std::uint64_t dropped = 0;
  std::uint64_t lent = 0; // taken off again in all iterations around but one,
  Side keeps = Side::kBehind; // the last or the first
  /// True of a loop that is not executed: it only drops counts.
  bool is_nothing() const { return term.is_loop() && added == 0 && taken == 0; }
  friend bool operator==(const Item&, const Item&) = default;
};
using Sequence = std::vector<Item>;

struct Draft {
  std::vector<Sequence> bodies; // those of the nest before, then new ones
  Sequence top;
};

constexpr std::size_t kMaxSequence = 300; // terms of a sequence that is made longer or folded anew

/// The nest with (x^a)^b as one loop, and without the loops that take no fewer terms than what they
/// stand for. With `all`, other loops that go round at most four times are written out too.
Draft write_out(const trace::Nest& nest, bool all);

/// Writes u (v u)^k as (u v)^k u at all places of a loop, for the longest u, and (u v)^k u as
/// u (v u)^k where it is to take in what stands behind it; false if there is no u.
bool rotate(Draft& draft, std::uint32_t loop, Side side);

/// Writes w^k (v w^a) (v w^b) ... (v w^z) as (w^k v w^(a-k)) (w^k v w^(b-k)) ... (w^k v w^z) at all
/// places of a loop, for the largest k, and (w^a v) ... (w^z v) w^k accordingly: what a program
/// does in each iteration and what it does in some only, `if (i % 5 == 0) v`, are in step then.
/// False if there is no such w.
/// @param before   the nest that write_out() was given
bool lend(Draft& draft, std::uint32_t loop, Side side, const trace::Nest& before);

/// Sequences that were folded anew. Drafts of one nest differ in few, so the others are folded
/// once.
class FoldedSequences {
public:
  struct Iterations { // of a loop that is there already, from one place of the sequence to another
    std::size_t begin;
    std::size_t end;
    std::uint32_t loop;
    std::size_t body; // its length
    friend bool operator==(const Iterations&, const Iterations&) = default;
  };
  struct Key { // all that the result depends on
    Sequence sequence;
    std::vector<Iterations> iterations;
    friend bool operator==(const Key&, const Key&) = default;
  };
  struct Folded {
    Sequence sequence;
    std::vector<Sequence> bodies; // of its new loops
  };

  const Folded* find(const Key& key) const; // nullptr: not yet
  const Folded& add(Key key, Folded folded);
  std::size_t size() const { return folded_.size(); }

private:
  struct Hash {
    std::size_t operator()(const Key& key) const;
  };
  std::unordered_map<Key, Folded, Hash> folded_;
};

/// Writes every sequence with the fewest terms there are, given the loops that are there already.
/// @param known  of drafts with as many loops
/// @complexity   O(n^2) times the squares that end at a term
void refold(Draft& draft, FoldedSequences& known);

/// What is known of a draft's nest before its trip counts are.
struct Outline {
  std::size_t terms = 0; // exactly
  std::vector<std::uint32_t> kept; // loops of the nest before that have the counts that they had
};
Outline outline_of(const trace::Nest& before, const Draft& draft);

/// Trip counts as columns, which are polished. Drafts of one nest have most of them in common.
class CountColumns {
public:
  trace::Column of(const std::vector<std::int64_t>& counts);
  std::size_t made() const { return made_; }

private:
  std::map<std::vector<std::int64_t>, trace::Column> known_;
  std::size_t size_ = 0; // counts of those
  std::size_t made_ = 0;
};

/// The draft with its trip counts; nothing if counting them out takes too long.
/// @param before   the nest that write_out() was given
std::optional<trace::Nest> finish(const trace::Nest& before, const Draft& draft,
                                  CountColumns& columns);

/// Replaces the loop `inner` next to each place of a loop, if its count there is always the same,
/// by an item that says so; false where it differs, or counting takes too long.
bool settle_counts(Draft& draft, std::uint32_t loop, Side side, trace::Term inner,
                   const trace::Nest& before);

} // namespace rondo::fold
