// SPDX-License-Identifier: Apache-2.0
// One rank's way through the items of a flow of control: in which rounds of its loop each came.
#pragma once

#include "fold/flow/flow_order.hpp"
#include "rondo/trace/column.hpp"

#include <cstdint>
#include <vector>

namespace rondo::fold {

/// How often an item came in each round of the loop that it is in.
struct Presence {
  std::vector<trace::Run> counts; // of a call, 0 or 1
  std::uint64_t rounds = 0; // that are in `counts`
  std::uint64_t hash = 0; // of the rounds in which it came
  bool came = false;
  bool was_left_out = false;

  void add(std::int64_t count, std::uint64_t times);
  /// k where it comes in every k-th round, from the k-th or an earlier one on; 0: it does not.
  std::uint64_t step() const;
  /// In this round, and not since the last one in which it did.
  void come(std::int64_t count, std::uint64_t round);
};

/// What comes in a round is noted, and what does not come costs nothing: most items of an outer
/// loop come in few of its rounds.
class Way {
public:
  /// @param items  of order_of_flow(); they must stay
  explicit Way(const std::vector<FlowItem>& items);

  /// False if the item is not in the order of this flow. @complexity O(depth of loops) amortised
  bool go_to(std::uint32_t item);

  /// By item.
  std::vector<Presence> end();

private:
  void come(std::uint32_t item);
  void close();
  void end_round(std::uint32_t loop);

  const std::vector<FlowItem>& items_;
  std::vector<std::vector<std::uint32_t>> paths_; // by item: the loops that it is in, and itself
  std::vector<Presence> presence_; // by item
  std::vector<std::int64_t> current_; // of the open round of the loop that it is in
  std::vector<std::uint32_t> position_; // by loop: behind the last item that came; 0: none did
  std::vector<std::uint64_t> rounds_; // by loop: that have ended
  std::vector<std::vector<std::uint32_t>> came_; // by loop: items, in the open round
  std::vector<std::uint32_t> open_; // loops, the outermost first
};

} // namespace rondo::fold
