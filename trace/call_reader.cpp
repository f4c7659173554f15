// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/call_reader.hpp"

#include <algorithm>

namespace rondo::trace {
namespace {

std::int64_t index_in(const std::vector<RankRange>& members, std::int64_t rank) {
  std::int64_t before = 0;
  for (const RankRange& range : members) {
    const std::int64_t distance = rank - range.start;
    const std::int64_t steps = range.stride == 0 ? 0 : distance / range.stride;
    if (range.start + steps * range.stride == rank && steps >= 0 && steps < range.count)
      return before + steps;
    before += range.count;
  }
  return -1;
}

std::int64_t size_of(const std::vector<RankRange>& members) {
  std::int64_t size = 0;
  for (const RankRange& range : members) size += range.count;
  return size;
}

std::int64_t comm_of(const Call& call, const Function& function) {
  const int word = function.comm_word();
  return word < 0 ? kWorldSlot : call.words[static_cast<std::size_t>(word)].value;
}

} // namespace

Positions::Positions(const Trace& trace, std::int64_t rank) {
  positions_[kWorldSlot] = {rank, trace.run.ranks, nullptr};
  positions_[kSelfSlot] = {0, 1, nullptr};
  for (const CommDefinition& comm : trace.comms) {
    if (!comm.holders.contains(rank)) continue;
    const auto& peers = comm.remote.empty() ? comm.members : comm.remote;
    positions_[comm.slot] = {index_in(comm.members, rank),
                             std::max<std::int64_t>(size_of(peers), 1), &comm};
  }
}

const Positions::Position& Positions::of(std::int64_t slot) const {
  const auto found = positions_.find(slot);
  return found == positions_.end() ? unknown_ : found->second;
}

CallReader::CallReader(const Trace& trace, const RankClass& rank_class, std::int64_t rank)
    : program_(rank_class.program.get()), rank_(rank), positions_(trace, rank),
      nest_(program_->nest) {
  columns_.reserve(program_->columns.size());
  for (const Column& column : program_->columns) columns_.emplace_back(column);
  last_index_.assign(program_->columns.size(), ~std::uint64_t{0});
  for (const Call& call : program_->calls) {
    const Function& function = *find_function(call.function);
    position_of_call_.push_back(&positions_.of(comm_of(call, function)));
    limit_indices(call, function);
  }
}

// A column of indices may be long, so nobody checked it when the trace was read: it is checked
// value by value.
void CallReader::limit_indices(const Call& call, const Function& function) {
  std::size_t word = 0;
  for (const Field& field : function.fields) {
    const Word& w = call.words[word];
    word += field.kind == FieldKind::kStatus && !field.is_array ? 3 : 1;
    if (!field.is_array && field.kind != FieldKind::kText) continue;
    if (w.form != Word::Form::kColumn && w.form != Word::Form::kRelativeColumn) continue;
    const std::size_t size = field.is_array ? program_->arrays.size() : program_->texts.size();
    std::uint64_t& last = last_index_[static_cast<std::size_t>(w.value)];
    last = std::min<std::uint64_t>(last, size - 1);
  }
}

std::int64_t CallReader::next_of_column(std::int64_t column) {
  const auto index = static_cast<std::size_t>(column);
  const std::int64_t value = columns_[index].next().value_or(0);
  return static_cast<std::uint64_t>(value) > last_index_[index] && !is_special(value) ? 0 : value;
}

std::int64_t CallReader::value_of(const Word& word, const Positions::Position& position) {
  switch (word.form) {
  case Word::Form::kConstant:
    return word.value;
  case Word::Form::kRelative:
    return wrapping_sum(position.rank, word.value);
  case Word::Form::kRelativeModulo:
    return wrapping_sum(position.rank, word.value) % position.size;
  case Word::Form::kXor:
    return position.rank ^ word.value;
  case Word::Form::kColumn:
    return next_of_column(word.value);
  case Word::Form::kRelativeColumn: {
    const std::int64_t value = next_of_column(word.value);
    return is_special(value) ? value : wrapping_sum(position.rank, value);
  }
  }
  return 0;
}

const CallInstance* CallReader::next() {
  const auto symbol = nest_.next();
  if (!symbol) return nullptr;
  const Call& call = program_->calls[*symbol];
  call_.symbol = *symbol;
  call_.function = find_function(call.function);
  call_.error = call.error;
  call_.site = call.site;
  call_.words.clear();
  for (const Word& word : call.words)
    call_.words.push_back(value_of(word, *position_of_call_[*symbol]));
  return &call_;
}

} // namespace rondo::trace
