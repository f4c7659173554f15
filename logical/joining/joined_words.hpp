// SPDX-License-Identifier: Apache-2.0
// One word, or one trip count, for those that several alike statements have in one place: the
// choices among them, a range, or a list of what comes in turn.
#pragma once

#include "rondo/logical/logical_text.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::logical::internal {

using Words = std::vector<const SaidWord*>; // what the statements have in one place, never empty
using Weights = std::vector<std::uint64_t>; // how often each of the statements stands there

/// Directions, numbers or communicators that a list of what comes in turn has room for.
inline constexpr std::size_t kLongestList = 12;

/// Trip counts of a loop in words.
struct Counts {
  std::int64_t least = 0;
  std::int64_t most = 0;
  double mean = 0;
};

/// Of "3", "0..8 (mean 2.1)", "4 x125, 0", "[40 x3, 39]"; nothing for a formula.
std::optional<Counts> counts_of(std::string_view text);

/// One text for trip counts that all have counts_of().
/// @param is_list  they come one after the other: "4 x125, 0"
std::string joined_counts(const std::vector<std::string>& counts, bool is_list,
                          const Weights& weights);

/// @param is_list  they come one after the other: "west, east", "45,46..93"
SaidWord joined_word(const Words& words, bool is_list, const Weights& weights);

/// "any" or "any of west|east"
bool is_any_source(const SaidWord& word);

/// One direction of a topology: no choice, list or distance.
bool is_direction(const SaidWord& word);

/// `if west:`, of one direction.
bool is_direction(const GuardStatement& guard);

/// The same, or "west|nobody", as at the borders of an open dimension.
bool is_direction_or_nobody(const SaidWord& word);

bool are_equal(const Words& words);

/// "west, east" of directions that iterations have one after the other.
std::optional<std::string> directions_in_turn(const Words& words, const Weights& weights);

/// "45,46..93" of numbers that all are as far from the next; nothing if they are not.
std::optional<std::string> progression(const Words& words, const Weights& weights);

/// "2, 1, 1" of tags one after the other, "8,4,2" of amounts; of few values a choice is shorter.
std::optional<std::string> numbers_in_turn(const Words& words, const Weights& weights);

/// "split#1, split#2" of communicators that iterations have one after the other; nothing if they
/// are none.
std::optional<std::string> communicators_in_turn(const Words& words, const Weights& weights);

/// "on split#1", "makes split#2": a communicator that a call has, or makes.
bool is_communicator(const SaidWord& word);

/// One of a kind after the other, by equal steps or by doubling or halving: "child 1", "child 2".
bool counts_on(const Words& words);

/// The values of all words; empty where they are not known, or not few.
std::vector<std::int64_t> joined_values(const Words& words);

} // namespace rondo::logical::internal
