// SPDX-License-Identifier: Apache-2.0
// An order of places in a program in which the flow of control goes forward, but for steps back to
// where a round of a loop begins: the loops of the source, as far as they can be told from who
// follows whom.
//
//   init -> a -> b -> a, b -> end         is        init, loop (a, b), end
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace rondo::fold {

/// Who comes after whom in any of many walks through a program.
struct Flow {
  std::vector<std::set<std::uint32_t>> next; // by place
  std::set<std::uint32_t> first; // places where walks begin
  std::vector<std::uint64_t> in_source; // by place: greater further down
  /// Places that are a loop of their own also where they are the head of a larger one: who comes to
  /// them stays for equally many rounds each time.
  std::set<std::uint32_t> repeated{};
  /// By walk, how often it goes from one place to another; empty: not known. Tells loops over
  /// neighbours, of which ranks have unequally many, from the loop of steps that they begin.
  std::vector<std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint64_t>> steps{};
};

/// A place, or a loop of items. The first item of a loop is a place, its head.
struct FlowItem {
  static constexpr std::uint32_t kLoop = 0xffffffff;
  std::uint32_t place = kLoop;
  std::vector<std::uint32_t> items{}; // of a loop, by their number, in order
  std::uint32_t loop = 0; // that it is in
  std::uint32_t position = 0; // in it
};

/// Items by number; number 0 is the whole, as if it were a loop that goes round once. Each step of
/// the flow goes to an item further on, or back within a loop that it is in, whose next round it
/// begins. What may come in any order comes as in the source; a loop's head is, of the places where
/// it is entered, the first in the source.
/// @complexity  O(depth of loops * (places + steps) * log(places))
/// @source      [bourdoncle1993, sec. 3], by components [tarjan1972] instead of one walk, as that
///              leaves open which of several orders it is
std::vector<FlowItem> order_of_flow(const Flow& flow);

} // namespace rondo::fold
