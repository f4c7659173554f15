// SPDX-License-Identifier: Apache-2.0
// The logical program with no more of a call than the paper's records have.
#include "rondo/logical/logical_program.hpp"

namespace rondo::logical {
namespace {

std::size_t length_of(const LogicalProgram& logical) {
  std::size_t terms = 0;
  for (const auto& program : logical.cells.programs) terms += program->terms();
  return terms;
}

} // namespace

LogicalProgram logicalize_in_paper_detail(const trace::Trace& trace, bool shows_local) {
  LogicalizeOptions options;
  options.shortest = true;
  options.by_rank_numbers = true;
  options.unseen = shows_local ? Unseen::kNothing : Unseen::kLocal;
  LogicalProgram with_words = logicalize(trace, options);
  options.detail = Detail::kPaper;
  LogicalProgram without = logicalize(trace, options);
  LogicalProgram* shortest = length_of(with_words) < length_of(without) ? &with_words : &without;
  options.for_text = true;
  options.drops_sites = true;
  LogicalProgram without_sites = logicalize(trace, options);
  if (length_of(without_sites) < length_of(*shortest)) shortest = &without_sites;
  shortest->detail = Detail::kPaper;
  shortest->shows_local = shows_local;
  return std::move(*shortest);
}

} // namespace rondo::logical
