// SPDX-License-Identifier: Apache-2.0
// The values that a word of a merged program's call has, for each rank that makes it.
#pragma once

#include "rondo/trace/call_reader.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

namespace rondo::logical::internal {

// A word's values for all ranks that execute the call.
class Values {
public:
  Values(const trace::Trace& trace, const trace::MergedProgram& program) : program_(program) {
    for (std::int64_t rank = 0; rank < trace.run.ranks; ++rank)
      positions_.emplace_back(trace, rank);
    by_rank_.by_rank = std::make_shared<const trace::RankTable>(program.table);
  }

  const trace::Positions& positions(std::int64_t rank) const {
    return positions_[static_cast<std::size_t>(rank)];
  }

  /// @param visit  called with rank, own rank in the communicator and value, once for each value
  /// @param only   of a column, the values that are meant; nullptr: all
  template <class Visit>
  void each(const trace::MergedCall& merged, std::size_t index, std::int64_t comm,
            const Visit& visit, const std::set<std::int64_t>* only = nullptr) {
    trace::Word word = merged.call.words[index];
    for (const std::int64_t rank : program_.table.sets[merged.set].ranks()) {
      const auto& position = positions(rank).of(comm);
      each_of(word, rank, position, only,
              [&](std::int64_t value) { visit(rank, position.rank, value); });
    }
  }

  /// The same for the first rank only, where the word is that of all.
  template <class Visit>
  void each_of_first(const trace::MergedCall& merged, std::size_t index, std::int64_t comm,
                     const Visit& visit, const std::set<std::int64_t>* only = nullptr) {
    const std::int64_t rank = program_.table.sets[merged.set].front();
    const auto& position = positions(rank).of(comm);
    each_of(merged.call.words[index], rank, position, only,
            [&](std::int64_t value) { visit(rank, position.rank, value); });
  }

  /// What a column says in turn in a loop, if each time round the loop it is the same.
  /// @param rounds  of the loop each time
  /// @param visit   called with rank, own rank, round and value; false ends it
  /// @return        whether all were visited
  template <class Visit>
  bool each_in_turn(const trace::MergedCall& merged, std::size_t index, std::int64_t comm,
                    std::uint64_t rounds, const Visit& visit) {
    for (const std::int64_t rank : program_.table.sets[merged.set].ranks()) {
      const auto& position = positions(rank).of(comm);
      const trace::Word word = column_of(merged.call.words[index], rank, position);
      if (!trace::is_column(word)) return false;
      const auto& values = in_turn(word.value, rounds);
      if (values.empty()) return false;
      for (std::size_t i = 0; i < values.size(); ++i) {
        const std::int64_t value =
            trace::value_of_word(by_rank_, trace::word_at(word, values[i]), rank, position);
        if (!visit(rank, position.rank, i, value)) return false;
      }
    }
    return true;
  }

  /// What a column says in every `rounds`-th round, from round `turn` on.
  std::set<std::int64_t> of_turn(std::int64_t column, std::uint64_t rounds, std::uint64_t turn) {
    std::set<std::int64_t> values;
    trace::ColumnReader reader(program_.columns[static_cast<std::size_t>(column)]);
    for (std::uint64_t i = 0; const auto value = reader.next(); ++i) {
      if (i % rounds == turn) values.insert(*value);
    }
    return values;
  }

  /// A column's values in the order of their first use.
  const std::vector<std::int64_t>& distinct(std::int64_t column) {
    const auto [known, is_new] = distinct_.try_emplace(column);
    if (!is_new) return known->second;
    std::set<std::int64_t> values;
    trace::ColumnReader reader(program_.columns[static_cast<std::size_t>(column)]);
    while (const auto value = reader.next()) {
      if (values.insert(*value).second) known->second.push_back(*value);
    }
    return known->second;
  }

  /// How many values a column has.
  std::uint64_t length(std::int64_t column) {
    const auto [known, is_new] = length_.try_emplace(column, 0);
    if (!is_new) return known->second;
    trace::ColumnReader reader(program_.columns[static_cast<std::size_t>(column)]);
    while (reader.next()) ++known->second;
    return known->second;
  }

private:
  // The rank's column, of a word that has a column for each rank.
  trace::Word column_of(trace::Word word, std::int64_t rank,
                        const trace::Positions::Position& position) const {
    if (word.form == trace::Word::Form::kColumnByRank ||
        word.form == trace::Word::Form::kRelativeColumnByRank) {
      const bool is_relative = word.form == trace::Word::Form::kRelativeColumnByRank;
      word.value =
          trace::value_of_word(by_rank_, {trace::Word::Form::kByRank, word.value}, rank, position);
      word.form = is_relative ? trace::Word::Form::kRelativeColumn : trace::Word::Form::kColumn;
    }
    return word;
  }

  // A column's first values, if all others repeat them; else nothing.
  const std::vector<std::int64_t>& in_turn(std::int64_t column, std::uint64_t rounds) {
    const auto [known, is_new] = in_turn_.try_emplace(std::pair(column, rounds));
    std::vector<std::int64_t>& first = known->second;
    if (!is_new) return first;
    trace::ColumnReader reader(program_.columns[static_cast<std::size_t>(column)]);
    std::uint64_t taken = 0;
    while (const auto value = reader.next()) {
      if (taken < rounds) {
        first.push_back(*value);
      } else if (first[taken % rounds] != *value) {
        first.clear();
        return first;
      }
      ++taken;
    }
    if (taken % rounds != 0) first.clear();
    return first;
  }

  template <class Visit>
  void each_of(trace::Word word, std::int64_t rank, const trace::Positions::Position& position,
               const std::set<std::int64_t>* only, const Visit& visit) {
    const auto of = [&](const trace::Word& one) {
      return trace::value_of_word(by_rank_, one, rank, position);
    };
    word = column_of(word, rank, position);
    if (!trace::is_column(word)) return visit(of(word));
    for (const std::int64_t value : distinct(word.value)) {
      if (only == nullptr || only->contains(value)) visit(of(trace::word_at(word, value)));
    }
  }

  const trace::MergedProgram& program_;
  std::vector<trace::Positions> positions_;
  trace::Program by_rank_;
  std::map<std::int64_t, std::vector<std::int64_t>> distinct_;
  std::map<std::int64_t, std::uint64_t> length_;
  std::map<std::pair<std::int64_t, std::uint64_t>, std::vector<std::int64_t>> in_turn_;
};

} // namespace rondo::logical::internal
