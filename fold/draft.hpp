// SPDX-License-Identifier: Apache-2.0
// A nest on its way to a smaller one (polish.hpp): terms move, and each loop says how its trip
// counts follow from those before.
#pragma once

#include "rondo/trace/nest.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace rondo::fold {

/// A term of the new nest. A loop's trip count is `added` and the sum of the next `taken` counts
/// that the loop had in the nest before: they are used up in the order of execution, as always.
struct Item {
  trace::Term term;
  std::uint64_t added = 0;
  std::uint64_t taken = 0;
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

/// Writes u (v u)^k as (u v)^k u at all places of a loop, for the longest u; false if there is
/// none.
bool rotate(Draft& draft, std::uint32_t loop);

/// Turns all sequences round.
void reverse(Draft& draft);

/// Writes every sequence with the fewest terms there are, given the loops that are there already.
/// @complexity   O(n^2) times the squares that end at a term
void refold(Draft& draft);

/// The draft with its trip counts; nothing if counting them out takes too long.
/// @param before   the nest that write_out() was given
std::optional<trace::Nest> finish(const trace::Nest& before, const Draft& draft);

} // namespace rondo::fold
