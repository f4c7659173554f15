// SPDX-License-Identifier: Apache-2.0
// A trace with other rank numbers and other words: every call is folded again, so that what was
// made alike becomes one program.
//
//   Recasting recasting;
//   recasting.new_rank = cell_of_rank;
//   trace::Trace by_cells = recast(trace, recasting).trace;
#pragma once

#include "rondo/fold/refold.hpp"
#include "rondo/trace/call_reader.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

namespace rondo::fold {

struct Recasting {
  /// Rank -> its new number in MPI_COMM_WORLD; a permutation of all ranks.
  std::vector<std::int64_t> new_rank;
  /// Changes the words of a call, which `old_rank` made, one of `of`; to begin with they are those
  /// of the call.
  std::function<void(const trace::RankClass& of, std::int64_t old_rank,
                     const trace::CallInstance& call, std::span<std::int64_t> words)>
      words{};
  /// The same for the values of an array that a field of the call refers to; ranks among them are
  /// relative to `old_rank`, and should then be so to its new number.
  std::function<void(const trace::RankClass& of, std::int64_t old_rank,
                     const trace::CallInstance& call, const trace::Field& field,
                     std::span<std::int64_t> values)>
      array{};
  /// Calls that differ in nothing but where they stand in the source become one.
  bool drops_sites = false;
  /// In place of where a call stands in the source, a number that says no more than whether it is
  /// the same; empty: where it stands, unless sites are dropped.
  std::function<std::int64_t(const trace::RankClass& of, std::int64_t old_rank,
                             const trace::CallInstance& call)>
      site{};
  /// Communicators that the changed words name, with new rank numbers; nothing: those of the trace.
  std::optional<std::vector<trace::CommDefinition>> comms{};
  /// What `words` and `array` make of all words that depend on the rank, each less where the rank
  /// stands. Of ranks of a class with equal ones only the first is played: the others do the same,
  /// with roots that are the same and peers that are as far from them, and have the mean of their
  /// times. Nothing: this rank is played. Empty: all are.
  std::function<std::optional<std::vector<std::int64_t>>(const trace::RankClass& of,
                                                         std::int64_t old_rank)>
      likeness{};
  /// Words that `words` sets to own_number(n) are numbers of each rank's own, which ranks that do
  /// the same may differ in: colours, tags, offsets. This tells the n-th of a rank; n from 0 to
  /// 2^32.
  std::function<std::int64_t(const trace::RankClass& of, std::int64_t old_rank, std::int64_t n)>
      own_numbers{};
  static constexpr std::int64_t own_number(std::int64_t n) { return kFirstOwnNumber + n; }
  static constexpr std::int64_t kFirstOwnNumber = std::int64_t{1} << 61; // no word is as large
  /// Told of a rank that is played anew, before it is: own numbers came to vary from call to call.
  std::function<void(std::int64_t old_rank)> again{};
  /// Told of each rank that was not played, and of the one that was in its place.
  std::function<void(std::int64_t old_rank, std::int64_t played)> not_played{};
  /// These calls are left out, as if nobody had made them; empty: none.
  std::function<bool(const trace::RankClass& of, std::int64_t old_rank,
                     const trace::CallInstance& call)>
      leaves_out{};
  /// Where a call comes if a stretch of calls is put into an order that all ranks have: ranks whose
  /// roles change from step to step make the same calls in orders of their own. Calls of which
  /// nothing is said are the borders of stretches. Calls of a stretch that has changed have
  /// `kMovedSite` added to what `site` says. Empty: all stay where they are.
  std::function<std::optional<std::uint64_t>(const trace::RankClass& of,
                                             const trace::CallInstance& call)>
      place_in_source{};
  static constexpr std::int64_t kMovedSite = 1;
  /// What the functions above remember of a rank's calls, and what they count.
  struct Memory {
    std::function<void(std::int64_t old_rank)> keep{}; // the state that it is in
    /// Whether it is in that state again, counts aside, so that the same calls would be changed in
    /// the same way; empty: always.
    std::function<bool(std::int64_t old_rank)> is_as_kept{};
    /// The calls since then have come so often again.
    std::function<void(std::int64_t old_rank, std::uint64_t times)> repeat{};
  };
  /// With this, passes of loops that come again exactly are counted and not played: the result is
  /// the same. Nothing: all calls are played.
  std::optional<Memory> memory{};
  /// By site: calls that stand at one place in the source are one call, however their words vary,
  /// and loops are those of the flow of control (fold/flow/flow.hpp), not what repeats. All sites
  /// of a loop of the flow, or none (stretches_of_flow()). Not where that is too much work; empty:
  /// nowhere.
  std::vector<bool> by_flow{};
};

/// Every rank's calls with the changed words under its new number, folded and merged. Definitions
/// and facts of ranks follow the new numbers; ranks in words do not, that is up to `words`.
/// @complexity  O(calls of all ranks that are played + words of the others), of loops with a memory
///              those of some passes only; memory O(result)
Refolded recast(const trace::Trace& trace, const Recasting& recasting, ProgramOptions options = {},
                const std::function<void(std::uint64_t, std::uint64_t)>& progress = {});

/// A stretch of the source that no rank leaves and comes back to.
struct FlowStretch {
  std::vector<std::uint32_t> sites;
  std::size_t loops = 0; // of the flow of control, one within the other or not
};

/// The loops of the flow of control that are in no other loop, and what is in none, in the order in
/// which ranks come to them. None if there are too many calls.
/// @complexity  O(calls of one rank of each class)
std::vector<FlowStretch> stretches_of_flow(const trace::Trace& trace);

/// By site: its place in an order that all ranks follow but for steps back within loops, where the
/// source has one. Calls of a class beyond the first 2^14 are not looked at.
/// @complexity  O(those calls * log sites)
std::vector<std::uint32_t> order_of_sites(const trace::Trace& trace);

} // namespace rondo::fold
