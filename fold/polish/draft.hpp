// SPDX-License-Identifier: Apache-2.0
// A nest on its way to a smaller one (polish.hpp): terms move, and each loop says how its trip
// counts follow from those before.
#pragma once

#include "rondo/trace/nest.hpp"

#include <cstdint>
#include <optional>
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

/// Writes every sequence with the fewest terms there are, given the loops that are there already.
/// @complexity   O(n^2) times the squares that end at a term
void refold(Draft& draft);

/// The draft with its trip counts; nothing if counting them out takes too long.
/// @param before   the nest that write_out() was given
std::optional<trace::Nest> finish(const trace::Nest& before, const Draft& draft);

/// Replaces the loop `inner` next to each place of a loop, if its count there is always the same,
/// by an item that says so; false where it differs, or counting takes too long.
bool settle_counts(Draft& draft, std::uint32_t loop, Side side, trace::Term inner,
                   const trace::Nest& before);

} // namespace rondo::fold
