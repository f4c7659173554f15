// SPDX-License-Identifier: Apache-2.0
#include "archive/class_costs.hpp"

#include "rondo/trace/nest.hpp"
#include "rondo/trace/projection_size.hpp"

namespace rondo::archive {
namespace {

// The steps of telling the ranks of a program apart: each rank of each set, and each value of the
// functions that choose columns and trip counts.
std::uint64_t steps_of_classes(const trace::MergedProgram& program) {
  using Form = trace::Word::Form;
  std::uint64_t steps = static_cast<std::uint64_t>(program.ranks().size());
  for (const trace::RankSet& set : program.table.sets)
    steps += static_cast<std::uint64_t>(set.size());
  std::vector<bool> is_seen(program.table.functions.size(), false);
  const auto see = [&](const trace::Word& word) {
    const bool chooses = word.form == Form::kByRank || word.form == Form::kColumnByRank ||
                         word.form == Form::kRelativeColumnByRank;
    if (!chooses || is_seen[static_cast<std::size_t>(word.value)]) return;
    is_seen[static_cast<std::size_t>(word.value)] = true;
    const auto& function = program.table.functions[static_cast<std::size_t>(word.value)];
    const auto ranks = static_cast<std::uint64_t>(program.table.sets[function.domain].size());
    steps += ranks * (1 + function.encoded.front().values.items().size() / 8);
  };
  for (const trace::MergedLoop& loop : program.loops) see(loop.trip_count);
  for (const trace::MergedCall& call : program.calls) {
    for (const trace::Word& word : call.call.words) {
      if (word.form != Form::kByRank) see(word);
    }
  }
  return steps;
}

// Terms of the program when it is written as text, where a body that stands in many places is
// written as often. Bodies in bodies, each twice, soon make more than anybody can read.
std::uint64_t written_terms(const trace::MergedProgram& program) {
  std::vector<std::uint64_t> of_loop;
  const auto terms_of = [&](const std::vector<trace::Term>& terms) {
    std::uint64_t written = terms.size();
    for (const trace::Term term : terms) {
      if (term.is_loop()) written = trace::saturating_add(written, of_loop[term.index()]);
    }
    return written;
  };
  for (const trace::MergedLoop& loop : program.loops) of_loop.push_back(terms_of(loop.body));
  return terms_of(program.top);
}

// Of a written term: its text and what is known of it while it is written.
constexpr std::uint64_t kBytesOfWrittenTerm = 64;

} // namespace

std::vector<trace::ProjectedClass> classes_within(Budget& budget,
                                                  const trace::MergedProgram& program) {
  if (!budget.take_steps(steps_of_classes(program)) ||
      !budget.take_items(written_terms(program), kBytesOfWrittenTerm))
    return {};
  auto classes = classes_of(program, budget.bytes_left() / trace::kBytesOfThing);
  std::uint64_t terms = 0;
  for (const trace::ProjectedClass& c : classes) terms += size_of(c.projection.program);
  const bool is_paid = !classes.empty() && budget.take_items(terms, trace::kBytesOfThing);
  if (!is_paid) budget.take_bytes(~std::uint64_t{0}); // so that the error says why
  return is_paid ? std::move(classes) : std::vector<trace::ProjectedClass>{};
}

} // namespace rondo::archive
