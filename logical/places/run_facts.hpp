// SPDX-License-Identifier: Apache-2.0
// What is known of a run however it is folded. Of many texts the shortest is looked for, and all of
// them need it.
#pragma once

#include "logical/places/comm_roles.hpp"
#include "logical/places/rank_uses.hpp"
#include "rondo/logical/logical_program.hpp"
#include "rondo/matrix/layers.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace rondo::logical::internal {

/// Each is found when it is first asked for, by one thread at a time.
class RunFacts {
public:
  /// @param trace            it must stay
  /// @param by_rank_numbers  as LogicalizeOptions has it
  RunFacts(const trace::Trace& trace, bool by_rank_numbers);

  struct Topologies {
    std::vector<PeerTopology> all;
    std::vector<std::vector<std::size_t>> of_calls; // peer_topologies_of_calls()
  };

  /// Rank -> its number.
  const std::vector<std::int64_t>& numbers() const { return numbers_; }
  /// The reference stays valid.
  const Topologies& topologies(const DirectionOptions& directions);
  const matrix::LayeredTraffic& traffic();
  const CommRoles& roles();
  /// As fold::order_of_sites() has it; empty where no lines are known.
  const std::vector<std::uint32_t>& order_of_sites();

  /// Finds all that a program with these options needs, so that several threads may ask.
  void find_all(const LogicalizeOptions& options, const std::vector<DirectionOptions>& directions);

private:
  const trace::Trace& trace_;
  std::vector<RankUse> uses_;
  std::vector<std::int64_t> numbers_;
  std::map<std::pair<bool, bool>, Topologies> topologies_; // by across_twos and square_is_grid
  std::optional<matrix::LayeredTraffic> traffic_;
  std::optional<CommRoles> roles_;
  std::optional<std::vector<std::uint32_t>> order_of_sites_;
};

/// logicalize() as one of several.
/// @param facts  of the same trace and by_rank_numbers
LogicalProgram logicalize(const trace::Trace& trace, const LogicalizeOptions& options,
                          RunFacts& facts);

} // namespace rondo::logical::internal
