// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/call_reader.hpp"

#include "rondo/base/sort_stably.hpp"
#include "trace/model/times_in_a_row.hpp"

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

Positions::Positions(const Trace& trace, std::int64_t rank)
    : positions_{{kWorldSlot, {rank, trace.run.ranks, nullptr}}, {kSelfSlot, {0, 1, nullptr}}} {
  for (const CommDefinition& comm : trace.comms) {
    if (!comm.holders.contains(rank)) continue;
    const auto& peers = comm.remote.empty() ? comm.members : comm.remote;
    positions_.emplace_back(comm.slot, Position{index_in(comm.members, rank),
                                                std::max<std::int64_t>(size_of(peers), 1), &comm});
  }
  sort_stably(positions_.begin() + kPredefined, positions_.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
}

const Positions::Position& Positions::of(std::int64_t slot) const {
  static const Position kUnknown;
  if (slot == kWorldSlot) return positions_[0].second;
  if (slot == kSelfSlot) return positions_[1].second;
  // Of several the last one, as definitions have it.
  const auto behind = std::upper_bound(positions_.begin() + kPredefined, positions_.end(), slot,
                                       [](std::int64_t a, const auto& b) { return a < b.first; });
  const auto found = behind - 1;
  return found - positions_.begin() >= kPredefined && found->first == slot ? found->second
                                                                           : kUnknown;
}

std::int64_t value_of_word(const Program& program, const Word& word, std::int64_t world_rank,
                           const Positions::Position& position) {
  switch (word.form) {
  case Word::Form::kRelative:
    return wrapping_sum(position.rank, word.value);
  case Word::Form::kRelativeModulo:
    return position.size > 0 ? wrapping_sum(position.rank, word.value) % position.size : kNothing;
  case Word::Form::kXor:
    return position.rank ^ word.value;
  case Word::Form::kByRank: {
    const auto function = static_cast<std::size_t>(word.value); // of a column nobody checked, maybe
    if (function >= program.by_rank->functions.size()) return kNothing;
    return program.by_rank->value(function, world_rank, position.rank);
  }
  default:
    return word.value;
  }
}

bool is_column(const Word& word) {
  return word.form == Word::Form::kColumn || word.form == Word::Form::kRelativeColumn ||
         word.form == Word::Form::kFunctionColumn;
}

Word word_at(const Word& column, std::int64_t value) {
  if (column.form == Word::Form::kFunctionColumn) return {Word::Form::kByRank, value};
  const bool is_relative = column.form == Word::Form::kRelativeColumn && !is_special(value);
  return {is_relative ? Word::Form::kRelative : Word::Form::kConstant, value};
}

Program program_of(const Trace& trace, const RankClass& rank_class, std::int64_t rank) {
  const Program& all = *rank_class.program;
  Program program{all.calls, all.nest, all.columns, all.arrays, all.texts, {}, all.by_rank};
  const Positions positions(trace, rank);
  for (Call& call : program.calls) {
    const Positions::Position& position =
        positions.of(comm_of(call, *find_function(call.function)));
    const auto value_of = [&](std::int64_t function) {
      return value_of_word(program, {Word::Form::kByRank, function}, rank, position);
    };
    for (Word& word : call.words) {
      if (word.form == Word::Form::kByRank) {
        word = {Word::Form::kConstant, value_of(word.value)};
      } else if (word.form == Word::Form::kFunctionColumn) {
        std::vector<std::int64_t> values;
        ColumnReader functions(program.columns[static_cast<std::size_t>(word.value)]);
        while (const auto function = functions.next()) values.push_back(value_of(*function));
        word = {Word::Form::kColumn, static_cast<std::int64_t>(program.columns.size())};
        program.columns.push_back(Column::from_values(std::move(values)));
      }
    }
  }
  return program;
}

CallReader::CallReader(const Trace& trace, const RankClass& rank_class, std::int64_t rank)
    : program_(rank_class.program.get()), rank_(rank), positions_(trace, rank),
      nest_(program_->nest) {
  calls_.reserve(program_->calls.size());
  for (const Call& call : program_->calls) {
    const Function& function = *find_function(call.function);
    const auto symbol = static_cast<std::uint32_t>(calls_.size());
    calls_.push_back(
        {&function, symbol, call.error, call.site, std::vector<std::int64_t>(call.words.size())});
    first_varying_.push_back(static_cast<std::uint32_t>(varying_.size()));
    const Positions::Position& position = positions_.of(comm_of(call, function));
    std::size_t word = 0;
    for (const Field& field : function.fields) {
      const int parts = field.kind == FieldKind::kStatus && !field.is_array ? 3 : 1;
      for (int part = 0; part < parts; ++part) prepare(symbol, word++, position, limit_of(field));
    }
  }
  first_varying_.push_back(static_cast<std::uint32_t>(varying_.size()));
}

// A word that is an index has to be below; 0 for other words.
std::uint64_t CallReader::limit_of(const Field& field) const {
  if (field.is_array) return program_->arrays.size();
  return field.kind == FieldKind::kText ? program_->texts.size() : 0;
}

// What depends on the rank only is a constant from here on; a column gets its reader. Columns may
// be long and ranks many, so nobody checked their indices when the trace was read.
void CallReader::prepare(std::uint32_t symbol, std::size_t index,
                         const Positions::Position& position, std::uint64_t limit) {
  const Word& word = program_->calls[symbol].words[index];
  if (is_column(word)) {
    const bool is_relative = word.form == Word::Form::kRelativeColumn;
    const bool of_functions = word.form == Word::Form::kFunctionColumn;
    varying_.push_back(
        {.word = static_cast<std::uint32_t>(index),
         .values = ColumnReader(program_->columns[static_cast<std::size_t>(word.value)]),
         .base = is_relative ? position.rank : 0,
         .limit = limit,
         .position = of_functions ? &position : nullptr});
    return;
  }
  const std::int64_t value = value_of_word(*program_, word, rank_, position);
  calls_[symbol].words[index] = word.form == Word::Form::kByRank ? limited(value, limit) : value;
}

std::int64_t CallReader::limited(std::int64_t value, std::uint64_t limit) {
  const bool is_index = limit > 0 && !is_special(value);
  return is_index && static_cast<std::uint64_t>(value) >= limit ? 0 : value;
}

// A column names few functions again and again.
std::int64_t CallReader::value_of(std::int64_t function, const Positions::Position& position) {
  FunctionValue& known = known_values_[static_cast<std::size_t>(function) % kKnownValues];
  if (known.position != &position || known.function != function)
    known = {&position, function,
             value_of_word(*program_, {Word::Form::kByRank, function}, rank_, position)};
  return known.value;
}

// A column that is too short goes on with zeros.
std::size_t CallReader::read_values(Varying& varying, std::span<std::int64_t> out) {
  std::size_t count = varying.values.read(out);
  if (count == 0) out[count++] = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::int64_t value = out[i];
    if (varying.position != nullptr) value = value_of(value, *varying.position);
    value = limited(value, varying.limit);
    out[i] = is_special(value) ? value : wrapping_sum(varying.base, value);
  }
  return count;
}

void CallReader::read_ahead(Varying& varying) {
  varying.next = 0;
  varying.count = static_cast<std::uint16_t>(read_values(varying, varying.ahead));
}

// Iterations ------------------------------------------------------------------------------------

std::vector<std::uint64_t> CallReader::taken() const {
  std::vector<std::uint64_t> result;
  result.reserve(nest_.trip_counts().size() + varying_.size());
  for (const ColumnReader& column : nest_.trip_counts()) result.push_back(column.taken());
  for (const Varying& each : varying_)
    result.push_back(each.values.taken() - (each.count - each.next));
  return result;
}

std::uint64_t CallReader::repeats(const Varying& varying, std::uint64_t values,
                                  std::uint64_t most) {
  const auto begin = varying.ahead.begin() + varying.next;
  const auto end = varying.ahead.begin() + varying.count;
  const bool is_known = std::adjacent_find(begin, end, std::not_equal_to<>()) == end;
  if (is_known && values <= ~std::uint64_t{0} / most) {
    // Values alike that were read ahead, and those behind them.
    Varying behind = varying;
    std::int64_t value = 0;
    const std::uint64_t alike = varying.values.equal_ahead();
    const auto ahead = static_cast<std::uint64_t>(end - begin);
    if (alike > 0 && ahead + alike >= values * most && read_values(behind, {&value, 1}) == 1 &&
        (begin == end || value == *begin))
      return most;
  }
  Varying rest = varying;
  return internal::times_in_a_row(
      values, most, rest.values, [&](std::span<std::int64_t> out) -> std::size_t {
        if (rest.next < rest.count) {
          const std::size_t count = std::min<std::size_t>(out.size(), rest.count - rest.next);
          std::copy_n(rest.ahead.begin() + rest.next, count, out.begin());
          rest.next = static_cast<std::uint16_t>(rest.next + count);
          return count;
        }
        return read_values(rest, out);
      });
}

std::uint64_t CallReader::repeats(std::span<const std::uint64_t> values, std::uint64_t most) {
  const auto& trips = nest_.trip_counts();
  for (std::size_t i = 0; i < values.size() && most > 1; ++i) {
    if (values[i] == 0) continue;
    if (i >= trips.size()) {
      most = repeats(varying_[i - trips.size()], values[i], most);
    } else {
      most = trips[i].repeats(values[i], most);
    }
  }
  return most;
}

void CallReader::skip_iterations(std::uint64_t iterations, std::span<const std::uint64_t> values,
                                 std::uint64_t times) {
  const std::size_t trips = nest_.trip_counts().size();
  nest_.skip_iterations(iterations, values.first(trips), times);
  for (std::size_t i = trips; i < values.size(); ++i) {
    Varying& varying = varying_[i - trips];
    const std::uint64_t ahead = varying.count - varying.next;
    const std::uint64_t known = std::min(ahead, values[i]);
    varying.next = static_cast<std::uint16_t>(varying.next + known);
    varying.values.skip(values[i] - known, values[i] / std::max<std::uint64_t>(times, 1));
  }
}

const CallInstance* CallReader::next() {
  if (next_symbol_ == symbols_read_) {
    if (nest_.is_at_iteration() && !is_at_iteration_) {
      is_at_iteration_ = true;
      return nullptr;
    }
    is_at_iteration_ = false;
    symbols_read_ = nest_.read(symbols_);
    next_symbol_ = 0;
    if (symbols_read_ == 0) {
      is_at_iteration_ = nest_.is_at_iteration();
      return nullptr;
    }
  }
  const std::uint32_t symbol = symbols_[next_symbol_++];
  CallInstance& call = calls_[symbol];
  for (std::uint32_t i = first_varying_[symbol]; i < first_varying_[symbol + 1]; ++i) {
    Varying& varying = varying_[i];
    if (varying.next == varying.count) read_ahead(varying);
    call.words[varying.word] = varying.ahead[varying.next++];
  }
  return &call;
}

} // namespace rondo::trace
