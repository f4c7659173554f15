// SPDX-License-Identifier: Apache-2.0
// The logical program with no more of a call than the paper's records have.
#include "logical/folding/effort.hpp"
#include "logical/folding/small_dimensions.hpp"
#include "logical/places/run_facts.hpp"
#include "rondo/logical/logical_program.hpp"

#include <cstddef>
#include <utility>

namespace rondo::logical {
namespace {

// Of texts that are far longer than one by the flow of control; the shortest of four such had two
// thirds of the terms of the first.
constexpr std::size_t kManyTerms = 20'000;

} // namespace

LogicalProgram logicalize_in_paper_detail(const trace::Trace& trace, bool shows_local) {
  internal::RunFacts facts(trace, true);
  LogicalProgram shortest = internal::logicalize_for_text(trace, facts, true, shows_local, false);
  shortest.detail = Detail::kPaper;
  internal::KnownEfforts efforts;
  std::size_t least = efforts.of(shortest).records;
  LogicalizeOptions options;
  options.shortest = true;
  options.by_rank_numbers = true;
  options.plays_alike_once = true;
  options.unseen = shows_local ? Unseen::kNothing : Unseen::kLocal;
  bool is_hopeless = false;
  const auto take_if_shorter = [&] {
    if (is_hopeless) return;
    LogicalProgram other = internal::logicalize(trace, options, facts);
    other.detail = Detail::kPaper;
    other.shows_local = shows_local;
    if (internal::is_far_longer(other, shortest)) {
      // Data decides what is called: no way to say less of each call mends that.
      is_hopeless = shortest.is_by_flow && internal::terms_of(other) > kManyTerms;
      return;
    }
    const std::size_t records = efforts.of(other).records;
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
