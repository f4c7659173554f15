// SPDX-License-Identifier: Apache-2.0
// What is known of a run however it is folded. Of many texts the shortest is looked for, and all of
// them need it.
#pragma once

#include "logical/places/comm_roles.hpp"
#include "logical/places/rank_uses.hpp"
#include "rondo/logical/logical_program.hpp"
#include "rondo/matrix/layers.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <stop_token>
#include <tuple>
#include <utility>
#include <vector>

namespace rondo::logical::internal {

/// Each is found when it is first asked for. Texts that are made side by side may share it.
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
  /// Of this trace: it need not be found then.
  void know_traffic(matrix::LayeredTraffic traffic) { traffic_ = std::move(traffic); }
  const CommRoles& roles();
  /// As fold::order_of_sites() has it; empty where no lines are known.
  const std::vector<std::uint32_t>& order_of_sites();

  /// The program that was made so; nothing if none was, or it is long ago. Two texts may be made of
  /// one program: with borders and without, by one way of folding and by that or another one.
  /// @param of       all that is in it but `shortest`, `has_borders` and `progress` counts
  /// @param is_soft  calls that differ become one sooner
  std::optional<LogicalProgram> known_program(const LogicalizeOptions& of,
                                              const DirectionOptions& directions, bool is_soft);
  void keep_program(const LogicalizeOptions& of, const DirectionOptions& directions, bool is_soft,
                    const LogicalProgram& program);
  std::size_t programs_made() const { return made_; }

  /// Finds all that a program with these options needs.
  void find_all(const LogicalizeOptions& options, const std::vector<DirectionOptions>& directions);

  /// For texts that are begun before it is known that they are wanted: who wants none any more.
  void give_up_by(std::stop_token unwanted) { unwanted_ = std::move(unwanted); }
  bool is_given_up() const { return unwanted_.stop_requested(); }

private:
  // How a program was made.
  using Making = std::tuple<std::array<int, 9>, std::vector<bool>, std::array<bool, 3>>;
  struct Known {
    Making making;
    LogicalProgram program;
    std::size_t size = 0;
  };
  static Making making_of(const LogicalizeOptions& of, const DirectionOptions& directions,
                          bool is_soft);

  const trace::Trace& trace_;
  std::vector<RankUse> uses_;
  std::vector<std::int64_t> numbers_;
  std::map<std::pair<bool, bool>, Topologies> topologies_; // by across_twos and square_is_grid
  std::optional<matrix::LayeredTraffic> traffic_;
  std::optional<CommRoles> roles_;
  std::optional<std::vector<std::uint32_t>> order_of_sites_;
  std::recursive_mutex finding_; // of what is above: one asks for the other
  std::stop_token unwanted_;
  std::mutex known_mutex_;
  std::deque<Known> known_; // the last ones
  std::size_t size_of_known_ = 0;
  std::size_t made_ = 0;
};

/// logicalize() as one of several.
/// @param facts  of the same trace and by_rank_numbers
LogicalProgram logicalize(const trace::Trace& trace, const LogicalizeOptions& options,
                          RunFacts& facts);
/// The same of logicalize_for_text().
LogicalProgram logicalize_for_text(const trace::Trace& trace, RunFacts& facts, bool by_rank_numbers,
                                   bool shows_local, bool keeps_order);

} // namespace rondo::logical::internal
