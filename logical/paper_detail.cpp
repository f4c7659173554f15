// SPDX-License-Identifier: Apache-2.0
// The logical program with no more of a call than the paper's records have.
#include "logical/folding/effort.hpp"
#include "logical/places/run_facts.hpp"
#include "rondo/logical/logical_program.hpp"

#include <utility>

namespace rondo::logical {

LogicalProgram logicalize_in_paper_detail(const trace::Trace& trace, bool shows_local) {
  LogicalProgram shortest = logicalize_for_text(trace, true, shows_local);
  shortest.detail = Detail::kPaper;
  std::size_t least = internal::effort_of(shortest).records;
  LogicalizeOptions options;
  options.shortest = true;
  options.by_rank_numbers = true;
  options.unseen = shows_local ? Unseen::kNothing : Unseen::kLocal;
  internal::RunFacts facts(trace, options.by_rank_numbers);
  const auto take_if_shorter = [&] {
    LogicalProgram other = internal::logicalize(trace, options, facts);
    other.detail = Detail::kPaper;
    other.shows_local = shows_local;
    if (internal::is_far_longer(other, shortest)) return;
    const std::size_t records = internal::effort_of(other).records;
    if (records >= least) return;
    least = records;
    shortest = std::move(other);
  };
  take_if_shorter();
  options.detail = Detail::kPaper;
  take_if_shorter();
  options.for_text = true;
  options.drops_sites = true;
  take_if_shorter();
  options.detail = Detail::kFull; // calls that differ in many words are one sooner
  take_if_shorter();
  return shortest;
}

} // namespace rondo::logical
