// SPDX-License-Identifier: Apache-2.0
// How much of a logical program there is to read.
#pragma once

#include "rondo/logical/logical_program.hpp"
#include "rondo/logical/logical_text.hpp"

#include <cstddef>
#include <functional>
#include <string>
#include <unordered_map>

namespace rondo::logical::internal {

constexpr std::size_t kMostToRead = 5000; // records; procedures take long to find in more

struct Effort {
  std::size_t records = 0; // as the text is written; twice where guards name ranks
  std::size_t choices = 0; // peers that are one of several: a shorter text, but it says less
  std::size_t known_ifs = 0; // of the records: as known_ifs_in() has them
  std::size_t by_ranks = 0; // of the records: under guards that name ranks
  bool has_waits_by_direction = false; // `if west:` over a wait, which may be for another message
  bool is_first = false; // of procedures as they were found first, as no others were asked for
};

/// Whether a text that may become less long is worth looking at; empty: all are.
/// @param effort  the least that is to be expected
using IsWorthMore = std::function<bool(const Effort& effort)>;

/// @param text        without procedures: those that it would have are counted
/// @param is_by_flow  what such a text does not say counts as choices
Effort effort_of(LogicalText text, bool is_by_flow, const IsWorthMore& is_worth_more = {});

/// Of programs that are tried one after the other. Several ways to fold a run may lead to one text,
/// in which procedures, which take long to find, are looked for once.
class KnownEfforts {
public:
  /// Disorder is summed up in `logical` where nobody could read it otherwise.
  /// @param is_worth_more  else an effort is told that is_first
  Effort of(LogicalProgram& logical, const IsWorthMore& is_worth_more = {});
  std::size_t texts() const { return known_.size(); } // that were looked at

private:
  Effort of(LogicalText text, const std::string& written, bool is_by_flow,
            const IsWorthMore& is_worth_more);

  std::unordered_map<std::string, Effort> known_; // by all that is said, and of what kind it is
};

/// In records.
std::size_t weighed(const Effort& effort);

/// Whether the other text cannot become shorter than the best one: to write it, and to look for
/// procedures in it, takes longer than all else.
bool is_far_longer(const LogicalProgram& other, const LogicalProgram& best);

} // namespace rondo::logical::internal
