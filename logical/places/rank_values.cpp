// SPDX-License-Identifier: Apache-2.0
#include "logical/places/rank_values.hpp"

#include <algorithm>
#include <set>

namespace rondo::logical::internal {
namespace {

using trace::FieldKind;
using trace::Word;

// The same for all ranks of a class.
bool is_common(const Word& word) {
  return word.form == Word::Form::kConstant || word.form == Word::Form::kColumn;
}

bool has_ranks(const trace::Field& field) {
  return field.kind == FieldKind::kRank || field.kind == FieldKind::kStatus;
}

// Amounts are put together with datatypes.
bool may_be_own_number(const trace::Field& field) {
  if (field.is_outcome || field.is_array) return false;
  const bool is_number = field.kind == FieldKind::kInteger && !field.name.ends_with("count");
  return is_number || field.kind == FieldKind::kTag || field.kind == FieldKind::kColor;
}

} // namespace

RankValues::RankValues(const trace::RankClass& of, bool has_outcomes)
    : program_(*of.program), own_numbers_(program_.calls.size()) {
  for (std::uint32_t symbol = 0; symbol < program_.calls.size() && is_complete_; ++symbol)
    add_call(symbol, has_outcomes);
}

void RankValues::add_call(std::uint32_t symbol, bool has_outcomes) {
  const trace::Call& call = program_.calls[symbol];
  const trace::Function& function = *trace::find_function(call.function);
  const int comm_word = function.comm_word();
  const Word comm = comm_word < 0 ? Word{Word::Form::kConstant, trace::kWorldSlot}
                                  : call.words[static_cast<std::size_t>(comm_word)];
  std::size_t next = 0;
  for (const trace::Field& field : function.fields) {
    const bool is_status = field.kind == FieldKind::kStatus && !field.is_array;
    for (std::size_t part = 0; part < (is_status ? 3 : 1); ++part) {
      const Word& word = call.words[next++];
      const bool is_outcome = field.kind == FieldKind::kStatus || field.is_array;
      const bool is_peer = !field.is_array && part == 0 && has_ranks(field);
      const bool is_root = !field.is_array && field.kind == FieldKind::kRoot;
      const bool has_array = field.is_array && has_ranks(field);
      if (is_outcome && !has_outcomes) continue;
      if (is_common(word) && !is_peer && !is_root && !has_array) continue;
      is_complete_ = is_complete_ && comm.form == Word::Form::kConstant &&
                     word.form != Word::Form::kColumnByRank &&
                     word.form != Word::Form::kRelativeColumnByRank;
      if (!is_complete_) return;
      const Value::Kind kind = is_peer   ? Value::Kind::kPeer
                               : is_root ? Value::Kind::kRoot
                                         : Value::Kind::kOther;
      const bool is_own_number = may_be_own_number(field) && !trace::is_column(word);
      if (is_own_number) own_numbers_[symbol].push_back(next - 1);
      entries_.push_back(
          {kind, symbol, comm.value, has_array ? &field : nullptr, values_of(word), is_own_number});
    }
  }
}

std::optional<std::int64_t> RankValues::own_number(std::int64_t symbol, std::size_t word,
                                                   std::int64_t rank,
                                                   const trace::Positions& positions) const {
  const auto at = static_cast<std::size_t>(symbol);
  if (symbol < 0 || at >= own_numbers_.size()) return std::nullopt;
  const std::vector<std::size_t>& own = own_numbers_[at];
  if (std::find(own.begin(), own.end(), word) == own.end()) return std::nullopt;
  const trace::Call& call = program_.calls[at];
  const int comm = trace::find_function(call.function)->comm_word();
  const std::int64_t slot =
      comm < 0 ? trace::kWorldSlot : call.words[static_cast<std::size_t>(comm)].value;
  return trace::value_of_word(program_, call.words[word], rank, positions.of(slot));
}

// Each as a word without a column.
std::vector<Word> RankValues::values_of(const Word& word) const {
  if (!trace::is_column(word)) return {word};
  std::set<std::int64_t> values;
  trace::ColumnReader reader(program_.columns[static_cast<std::size_t>(word.value)]);
  while (const auto value = reader.next()) values.insert(*value);
  std::vector<Word> result;
  for (const std::int64_t value : values) result.push_back(trace::word_at(word, value));
  return result;
}

} // namespace rondo::logical::internal
