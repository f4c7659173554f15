// SPDX-License-Identifier: Apache-2.0
// Loops of a program that stand behind one another: each can be folded in its own way.
#pragma once

#include "logical/text/local_calls.hpp"
#include "rondo/fold/recast.hpp"
#include "rondo/logical/logical_text.hpp"
#include "rondo/trace/trace.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <set>
#include <vector>

namespace rondo::logical::internal {

class FlowStretches {
public:
  explicit FlowStretches(const trace::Trace& trace);

  std::size_t size() const { return stretches_.size(); }
  /// How long a stretch is in the source: call sites and loops.
  std::size_t length_of(std::size_t stretch) const {
    return stretches_[stretch].sites.size() + stretches_[stretch].loops;
  }
  /// Call sites in a stretch.
  std::size_t sites_in(std::size_t stretch) const { return stretches_[stretch].sites.size(); }
  /// By site: whether it is in one of them.
  std::vector<bool> sites_in(const std::set<std::size_t>& stretches) const;

  /// How many calls there are to read in each, as they repeat, in the longest of the programs.
  /// @param trace   that this was made of
  /// @param unseen  not counted
  std::map<std::size_t, std::size_t> calls_in(const trace::Trace& trace,
                                              const UnseenCalls& unseen) const;

  /// What a text has of one of them.
  /// @param text   without procedures; with CallStatement::sites
  /// @param calls  of all ranks
  LogicalText text_of(const LogicalText& text, std::size_t stretch, std::uint64_t calls) const;

private:
  std::size_t all_sites_;
  std::vector<fold::FlowStretch> stretches_;
};

} // namespace rondo::logical::internal
