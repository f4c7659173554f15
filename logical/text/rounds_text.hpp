// SPDX-License-Identifier: Apache-2.0
// The line above the body of a loop. What comes once or not at all in each round of the loop around
// it is no loop for who reads it, but an `if`: "in rounds 1-52 of 60".
#pragma once

#include "rondo/trace/column.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::logical::internal {

/// "loop 249", "in some rounds (mean 0.3)", "in rounds 1-52 of 60", "in every 5th round".
/// @param count  as LoopStatement has it
std::string loop_head(const std::string& count);

/// Back again; nothing if `head` is not what loop_head() writes.
std::optional<std::string> count_of_head(std::string_view head);

/// Whether each round of the loop around has the body once or not at all, as the count says it.
bool is_condition(std::string_view count);

/// "0..1 (mean 0.3)": in which rounds is not said.
bool is_in_some_rounds(std::string_view count);

/// "0..1 (every 5th)" of 0, 0, 0, 0, 1 again and again, "0..1 (every 5th from 2)" if each time it
/// is the second; nothing of others, of more than 2^24 rounds, or if it comes only once.
std::optional<std::string> every_kth(const trace::Column& column);

/// The same; also "0..1 (every 5th and the first)".
/// @param comes  in which of the rounds, from 1 on, ascending
std::optional<std::string> every_kth(const std::vector<std::uint64_t>& comes, std::uint64_t rounds);

/// @param first  of these rounds, from 1 on
std::string every_kth(std::uint64_t step, std::uint64_t first);

/// "0..1 (all but the first)" or "0..1 (all but the last)".
std::string all_but_one_end(bool first);
/// "0..1 (the first)", "0..1 (the last)".
std::string in_the_first();
std::string in_the_last();

/// "0..1 (all but the last)", "0..1 (all but the first)", "0..1 (the first)", "0..1 (the last)":
/// what comes in such rounds each time that the loop around it is gone through, however often it
/// goes round, as in `while (1) { receive; if (done) break; send; }`.
class RoundsAtEnds {
public:
  /// @param rounds  of the loop around it this time
  void add(std::uint64_t round, std::uint64_t rounds, bool comes);
  bool may_be() const { return is_so_[0] || is_so_[1] || is_so_[2] || is_so_[3]; }
  /// Nothing if there is no such rule, or the loop never goes round three times.
  std::optional<std::string> count() const;

private:
  std::array<bool, 4> is_so_{true, true, true, true};
  bool has_several_ = false;
};

/// k of a count that every_kth() has made, of one with the first round, too.
std::optional<std::int64_t> kth_of(std::string_view count);

} // namespace rondo::logical::internal
