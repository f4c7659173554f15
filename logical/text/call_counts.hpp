// SPDX-License-Identifier: Apache-2.0
// How often the calls and bodies of a merged program are executed, by the place where they stand,
// how much is sent there and how long it takes.
#pragma once

#include "rondo/logical/logical_program.hpp"
#include "rondo/logical/logical_text.hpp"
#include "rondo/matrix/layers.hpp"
#include "rondo/trace/trace.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace rondo::logical::internal {

/// The ranks that execute a term.
const trace::RankSet& ranks_of(const trace::MergedProgram& program, trace::Term term);

/// A place is an index into those of the layered traffic; 0 is the program itself.
class CallCounts {
public:
  /// @param index    of the merged program
  /// @param layered  must outlive this, as `logical` must
  CallCounts(const LogicalProgram& logical, std::size_t index,
             const matrix::LayeredTraffic& layered);

  /// The place of a term in the body at another place.
  std::optional<std::uint32_t> place_in(std::optional<std::uint32_t> at, std::uint32_t term) const;

  /// How often the ranks come to a body; once where that is not known.
  std::uint64_t entries_of(std::optional<std::uint32_t> at) const;
  /// ... to the body in which a place is.
  std::uint64_t entries_around(std::uint32_t place) const {
    return entries_of(places_[place].parent);
  }
  /// How often a rank comes to a place, or goes round the loop that stands there.
  std::uint64_t executions_at(std::uint32_t place) const { return places_[place].executions; }

  /// How often a rank makes a merged call, wherever it stands. @complexity O(classes of ranks)
  std::uint64_t executions_of(std::uint32_t call, std::int64_t rank) const;

  /// Puts them into the statement of a call. @param place  where the call stands, if known
  void say(CallStatement& call, std::uint32_t index, std::optional<std::uint32_t> place) const;

private:
  struct Sums {
    std::uint64_t executions = 0;
    std::uint64_t bytes = 0;
    std::uint64_t ranks = 0;
    std::uint64_t least = 0; // executions of a rank that has any
    trace::Durations before;
    trace::Durations inside;
  };

  void sum_up(const trace::Trace& trace, std::size_t index);
  void add_bytes(const matrix::Layer& layer);
  void deal_out_executions();
  double weight_of(const matrix::ProgramPlace& place) const;

  const std::vector<matrix::ProgramPlace>& places_;
  const trace::MergedProgram& program_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> place_of_; // by parent and term
  std::vector<Sums> sums_; // by merged call
  std::vector<std::pair<const trace::RankClass*, std::map<std::uint32_t, std::uint64_t>>>
      of_class_; // executions of one rank, by merged call
  std::vector<std::uint64_t> executions_here_; // by place, of all ranks
};

} // namespace rondo::logical::internal
