// SPDX-License-Identifier: Apache-2.0
// What a reader of untrusted bytes checks before it cuts and expands programs.
#include "archive/program_codec.hpp"

#include <algorithm>
#include <utility>

namespace rondo::archive {
namespace {

using trace::Call;
using trace::Field;
using trace::FieldKind;
using trace::Function;
using trace::MergedCall;
using trace::MergedLoop;
using trace::MergedProgram;
using trace::PlaceTimes;
using trace::Program;
using trace::RankFunction;
using trace::RankSet;
using trace::Term;
using trace::Word;

bool is_column(Word::Form form) {
  return form == Word::Form::kColumn || form == Word::Form::kRelativeColumn ||
         form == Word::Form::kFunctionColumn;
}

// Numbers of columns are looked at one by one: they are few, and a program cannot be cut into those
// of its ranks without them.
bool is_column_choice(const MergedProgram& program, const Word& word) {
  const auto index = static_cast<std::uint64_t>(word.value);
  if (index >= program.table.functions.size()) return false;
  const auto& encoded = program.table.functions[index].encoded;
  if (encoded.size() != 1 || encoded.front().encoding != trace::RankEncoding::kAbsolute)
    return false;
  bool is_good = true;
  encoded.front().values.for_each_value([&](std::int64_t value) {
    is_good = is_good && static_cast<std::uint64_t>(value) < program.columns.size();
  });
  return is_good && !program.columns.empty(); // 0 stands for ranks without value
}

bool is_word_consistent(const MergedProgram& program, const Field& field, const Word& word) {
  using Form = Word::Form;
  const auto index = static_cast<std::uint64_t>(word.value);
  const bool is_index = field.is_array || field.kind == FieldKind::kText;
  const std::size_t limit = field.is_array ? program.arrays.size() : program.texts.size();
  if (is_index && limit == 0 && word.form != Form::kConstant) return false;
  switch (word.form) {
  case Form::kConstant:
    return trace::is_special(word.value) || !is_index || index < limit;
  case Form::kByRank: // CallReader keeps indices in range
    return index < program.table.functions.size();
  case Form::kFunctionColumn: // and its values
    return index < program.columns.size() && !program.table.functions.empty();
  case Form::kColumn:
    return index < program.columns.size();
  case Form::kColumnByRank:
    return is_column_choice(program, word);
  case Form::kRelativeColumn:
    return !is_index && index < program.columns.size();
  case Form::kRelativeColumnByRank:
    return !is_index && is_column_choice(program, word);
  default:
    return !is_index;
  }
}

bool is_call_consistent(const MergedProgram& program, const Call& call) {
  const Function* function = trace::find_function(call.function);
  if (function == nullptr || call.words.size() != function->words()) return false;
  std::size_t word = 0;
  for (const Field& field : function->fields) {
    const int parts = field.kind == FieldKind::kStatus && !field.is_array ? 3 : 1;
    for (int part = 0; part < parts; ++part, ++word) {
      if (!is_word_consistent(program, field, call.words[word])) return false;
    }
  }
  return true;
}

bool is_trip_count_consistent(const MergedProgram& program, const Word& count) {
  switch (count.form) {
  case Word::Form::kConstant:
    return true;
  case Word::Form::kByRank:
    return static_cast<std::uint64_t>(count.value) < program.table.functions.size();
  case Word::Form::kColumn:
    return static_cast<std::uint64_t>(count.value) < program.columns.size();
  case Word::Form::kColumnByRank:
    return is_column_choice(program, count);
  default:
    return false;
  }
}

bool is_table_consistent(const trace::RankTable& table, std::int64_t ranks) {
  if (table.sets.empty()) return false;
  for (const RankSet& set : table.sets) {
    if (set.empty() || !is_set_within(set, ranks)) return false;
  }
  return std::all_of(
      table.functions.begin(), table.functions.end(), [&](const RankFunction& function) {
        if (function.domain >= table.sets.size() || function.encoded.empty()) return false;
        const auto size = static_cast<std::uint64_t>(table.sets[function.domain].size());
        return std::all_of(
            function.encoded.begin(), function.encoded.end(),
            [&](const trace::EncodedValues& encoded) { return encoded.values.size() == size; });
      });
}

// Loops stand after those in their bodies, and not too deep for a recursion.
bool are_terms_consistent(const MergedProgram& program) {
  constexpr std::uint32_t kDeepest = 4096;
  std::vector<std::uint32_t> depth;
  const auto are_known = [&](const std::vector<Term>& terms, std::uint32_t& deepest) {
    return std::all_of(terms.begin(), terms.end(), [&](Term term) {
      if (!term.is_loop()) return term.index() < program.calls.size();
      if (term.index() >= depth.size()) return false;
      deepest = std::max(deepest, depth[term.index()]);
      return true;
    });
  };
  for (const MergedLoop& loop : program.loops) {
    std::uint32_t deepest = 0;
    if (!are_known(loop.body, deepest) || deepest >= kDeepest) return false;
    depth.push_back(deepest + 1);
  }
  std::uint32_t deepest = 0;
  return are_known(program.top, deepest);
}

} // namespace

bool is_set_within(const RankSet& set, std::int64_t ranks) {
  if (set.empty()) return true;
  if (set.front() < 0 || set.front() >= ranks || set.size() > ranks) return false;
  bool is_good = true;
  set.gaps().for_each_value([&](std::int64_t gap) { is_good = is_good && gap > 0 && gap < ranks; });
  return is_good && set.back() < ranks; // fewer than 2^30 gaps of less than 2^30
}

bool is_consistent(const MergedProgram& program, std::size_t sites, std::int64_t ranks) {
  if (!is_table_consistent(program.table, ranks) || !are_terms_consistent(program)) return false;
  const std::size_t sets = program.table.sets.size();
  return std::all_of(program.calls.begin(), program.calls.end(),
                     [&](const MergedCall& call) {
                       return call.set < sets && call.call.site < sites &&
                              is_call_consistent(program, call.call);
                     }) &&
         std::all_of(program.loops.begin(), program.loops.end(), [&](const MergedLoop& loop) {
           return loop.set < sets && is_trip_count_consistent(program, loop.trip_count);
         });
}

bool is_expandable(const Program& program) {
  const std::size_t calls = program.calls.size();
  if (!program.nest.is_valid(calls)) return false;
  const std::vector<std::uint64_t> executions = program.nest.occurrences(calls);
  for (std::size_t i = 0; i < calls; ++i) {
    for (const Word& word : program.calls[i].words) {
      if (is_column(word.form) &&
          program.columns[static_cast<std::size_t>(word.value)].size() != executions[i])
        return false;
    }
  }
  return true;
}

bool are_times_consistent(const std::vector<PlaceTimes>& times, std::size_t calls,
                          std::int64_t ranks) {
  const PlaceTimes* last = nullptr;
  for (const PlaceTimes& place : times) {
    if (static_cast<std::int64_t>(place.means.size()) != ranks) return false;
    if (place.call >= calls || (place.before >= calls && place.before < PlaceTimes::kOther))
      return false;
    const bool ascends = last == nullptr ||
                         std::pair(last->call, last->before) < std::pair(place.call, place.before);
    if (!ascends) return false;
    last = &place;
  }
  return true;
}

} // namespace rondo::archive
