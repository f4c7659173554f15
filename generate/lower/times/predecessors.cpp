// SPDX-License-Identifier: Apache-2.0
#include "generate/lower/times/predecessors.hpp"

#include "rondo/trace/column.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace rondo::generate::internal {

using trace::Term;

Predecessors::Predecessors(const trace::MergedProgram& program) : program_(program) {
  find_stands(program.top, program.loops.size());
  for (std::size_t loop = 0; loop < program.loops.size(); ++loop)
    find_stands(program.loops[loop].body, loop);
}

void Predecessors::find_stands(const std::vector<Term>& body, std::size_t around) {
  for (std::size_t i = 0; i < body.size(); ++i) {
    if (body[i].is_loop()) stands_[body[i].index()].push_back({&body, i, around});
  }
}

Predecessors::Ranks Predecessors::ranks_of(Term term) const {
  const std::uint32_t set =
      term.is_loop() ? program_.loops[term.index()].set : program_.calls[term.index()].set;
  return program_.table.sets[set].ranks();
}

// Where the flow of control was written down, what is done at times only is a loop of one pass or
// none: a pass that leaves it out ends with what stands before it.
bool Predecessors::may_have_no_pass(std::size_t loop) {
  const auto [known, is_new] = may_have_no_pass_.try_emplace(loop, false);
  if (!is_new) return known->second;
  const trace::Word& trips = program_.loops[loop].trip_count;
  const auto at = static_cast<std::size_t>(trips.value);
  const auto has_none = [&](std::int64_t column) {
    trace::ColumnReader values(program_.columns[static_cast<std::size_t>(column)]);
    while (const auto value = values.next()) {
      if (*value <= 0) return true;
    }
    return false;
  };
  std::set<std::int64_t> columns;
  bool& result = known->second;
  switch (trips.form) {
  case trace::Word::Form::kConstant:
    result = trips.value <= 0;
    return result;
  case trace::Word::Form::kColumn:
    columns.insert(trips.value);
    break;
  case trace::Word::Form::kByRank:
  case trace::Word::Form::kColumnByRank:
    for (const std::int64_t rank : ranks_of(Term::loop(static_cast<std::uint32_t>(loop)))) {
      const std::int64_t value = program_.table.value(at, rank, rank);
      if (trips.form == trace::Word::Form::kColumnByRank)
        columns.insert(value);
      else
        result = result || value <= 0;
    }
    break;
  default:
    result = true; // not a form of trip counts
  }
  result = result || std::ranges::any_of(columns, has_none);
  return result;
}

// The last calls of the terms before `end` that some of the ranks execute. False if some of them
// may execute none of the terms.
bool Predecessors::gather(const std::vector<Term>& body, std::size_t end, Ranks ranks,
                          Symbols& into) {
  while (end-- > 0 && !ranks.empty()) {
    Ranks rest;
    std::ranges::set_difference(ranks, ranks_of(body[end]), std::back_inserter(rest));
    if (rest.size() == ranks.size()) continue;
    if (body[end].is_loop()) {
      const Symbols& last = last_of(body[end].index());
      into.insert(last.begin(), last.end());
      if (!may_have_no_pass(body[end].index())) ranks = std::move(rest);
    } else {
      ranks = std::move(rest);
      into.insert(body[end].index());
    }
  }
  return ranks.empty();
}

const Predecessors::Symbols& Predecessors::last_of(std::size_t loop) {
  const auto known = last_.find(loop);
  if (known != last_.end()) return known->second;
  Symbols last;
  const std::vector<Term>& body = program_.loops[loop].body;
  gather(body, body.size(), ranks_of(Term::loop(static_cast<std::uint32_t>(loop))), last);
  return last_.emplace(loop, std::move(last)).first->second;
}

const Predecessors::Symbols& Predecessors::before(std::size_t loop) {
  const auto known = before_.find(loop);
  if (known != before_.end()) return known->second;
  Symbols all;
  for (const Stand& stand : stands_[loop]) add_before(stand, all);
  return before_.emplace(loop, std::move(all)).first->second;
}

Predecessors::Symbols Predecessors::before(std::uint32_t body, std::size_t index) {
  const std::size_t around = body == 0 ? program_.loops.size() : body - 1;
  Symbols all;
  add_before({body == 0 ? &program_.top : &program_.loops[around].body, index, around}, all);
  return all;
}

void Predecessors::add_before(const Stand& stand, Symbols& into) {
  if (gather(*stand.body, stand.index, ranks_of((*stand.body)[stand.index]), into)) return;
  if (stand.around == program_.loops.size()) return;
  const Symbols& last = last_of(stand.around);
  into.insert(last.begin(), last.end());
  const Symbols& outside = before(stand.around);
  into.insert(outside.begin(), outside.end());
}

} // namespace rondo::generate::internal
