// SPDX-License-Identifier: Apache-2.0
// Messages in the order in which their calls stand in the source. Where the owner of a row or a
// column changes from step to step, each rank leaves out other calls each time, so that all of them
// make the same calls in orders of their own.
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace rondo::logical::internal {

class SourceOrder {
public:
  explicit SourceOrder(const trace::Trace& trace);

  /// Greater for calls that stand further down; nothing for those that a stretch of messages does
  /// not go beyond, as ranks that meet in them have an order together.
  std::optional<std::uint64_t> place_of(const trace::Function& function, std::uint32_t site) const;

private:
  std::vector<std::uint64_t> places_; // by site
};

/// Whether some ranks differ in the order of messages that all ranks have.
/// @complexity  O(calls of one rank of each class)
bool ranks_have_own_orders(const trace::Trace& trace);

} // namespace rondo::logical::internal
