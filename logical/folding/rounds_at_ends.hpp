// SPDX-License-Identifier: Apache-2.0
// Loops of which the first or the last round stands beside them, as it has something more or less:
// `if (step > 0)`, `if (step == 1 || step == last)`.
#pragma once

#include "logical/joining/alike.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace rondo::logical::internal {

/// Rounds of a loop that is put together are no more.
inline constexpr std::uint64_t kMostPutTogether = std::uint64_t{1} << 40;

/// One loop for the statements from `begin` to behind `end`.
struct LoopAround {
  std::size_t begin;
  std::size_t end;
  Statement loop;
};

/// The loop of a statement, if all ranks go round it equally often; else nullptr.
const LoopStatement* plain_loop_in(const Statement& statement);

/// The same statements of the source, which may say other amounts each time. What says the same
/// elsewhere is no round, even if it comes in the right number.
bool are_rounds_of_one_loop(Body a, Body b);

/// "loop 9: { exchange, reduce }, exchange" of one exchange in the source is "loop 10: exchange, in
/// all but the last round: reduce". Nothing if what stands beside the loop at `at` is no such
/// round.
/// @param is_once  whether ranks come to the statements once: what an end of each of many loops has
///                 more in its middle may come every so often in all of them
/// @complexity     O(statements of the loop ^ 2)
std::optional<LoopAround> loop_with_other_ends(const std::vector<Statement>& statements,
                                               std::size_t at, bool is_once);

} // namespace rondo::logical::internal
