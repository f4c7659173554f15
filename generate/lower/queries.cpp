// SPDX-License-Identifier: Apache-2.0
#include "generate/lower/queries.hpp"

#include "generate/lower/completions.hpp"

#include <algorithm>

namespace rondo::generate::internal {
namespace {

using trace::CallInstance;
using trace::Field;
using trace::FieldKind;

// Calls visit(field, datatype) for each datatype that the call is given or gives.
template <class Visit>
void for_each_datatype(const trace::Program& program, const CallInstance& call, Visit visit) {
  int word = 0;
  for (const Field& field : call.function->fields) {
    const std::int64_t w = word_at(call, word);
    word += field.kind == FieldKind::kStatus && !field.is_array ? 3 : 1;
    if (field.kind != FieldKind::kDatatype) continue;
    if (!field.is_array) {
      visit(field, w);
    } else {
      for (const std::int64_t element : elements_of(program, w)) visit(field, element);
    }
  }
}

bool frees_datatype(const trace::Function& function) {
  return function.role == trace::Role::kDatatype &&
         trace::meaning_of(function).act == trace::Act::kFreeObject;
}

bool has_queries(const trace::Program& program) {
  return std::ranges::any_of(program.calls, [](const trace::Call& call) {
    return is_query(*trace::find_function(call.function));
  });
}

} // namespace

bool is_query(const trace::Function& function) {
  return function.role == trace::Role::kDatatype &&
         trace::meaning_of(function).act == trace::Act::kAskObject;
}

QueriedTypes::Part QueriedTypes::next(const trace::Program& program, const CallInstance& call) {
  if (!is_query(*call.function)) return slots_.empty() ? Part::kNone : use(program, call);
  for_each_datatype(program, call, [&](const Field& field, std::int64_t slot) {
    if (field.is_outcome && !trace::is_special(slot) && slot >= 0) slots_.insert(slot);
  });
  return Part::kQuery;
}

QueriedTypes::Part QueriedTypes::use(const trace::Program& program, const CallInstance& call) {
  const bool frees = frees_datatype(*call.function);
  Part part = Part::kNone;
  for_each_datatype(program, call, [&](const Field& field, std::int64_t slot) {
    if (field.is_outcome && !frees) {
      slots_.erase(slot); // the slot has another datatype now
    } else if (slots_.contains(slot)) {
      part = frees ? Part::kFree : Part::kUse;
      if (part == Part::kFree) slots_.erase(slot);
    }
  });
  return part;
}

Queries queries_of(const trace::Trace& trace) {
  using Part = QueriedTypes::Part;
  Queries queries;
  for (const trace::RankClass& of : trace.classes) {
    if (!has_queries(*of.program)) continue;
    for (const std::int64_t rank : of.ranks.ranks()) {
      QueriedTypes types;
      trace::CallReader reader(trace, of, rank);
      while (const CallInstance* call = reader.next()) {
        const Part part = types.next(reader.program(), *call);
        if (part == Part::kQuery || part == Part::kFree) ++queries.calls;
        if (part == Part::kUse) queries.are_used = true;
        if (frees_datatype(*call->function))
          queries.frees[{trace.programs[of.merged].get(), of.calls[call->symbol]}][rank].push_back(
              part == Part::kFree ? 0 : 1);
      }
    }
  }
  std::erase_if(queries.frees, [](const auto& free) {
    return std::ranges::none_of(
        free.second, [](const auto& of_rank) { return std::ranges::count(of_rank.second, 0) > 0; });
  });
  return queries;
}

} // namespace rondo::generate::internal
