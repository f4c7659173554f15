// SPDX-License-Identifier: Apache-2.0
#include "fold/again/spread.hpp"

#include "fold/merge/rank_words.hpp"
#include "rondo/fold/recast.hpp"
#include "rondo/trace/call_reader.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace rondo::fold {
namespace {

using trace::Word;

// Where each of the ranks stands in communicators that it is asked about.
class Standing {
public:
  Standing(const std::vector<std::int64_t>& ranks, const trace::Trace& places)
      : ranks_(ranks), places_(places) {}

  const std::vector<std::int64_t>& in(std::int64_t comm) {
    if (comm == trace::kWorldSlot) return ranks_;
    const auto [known, is_new] = own_.try_emplace(comm);
    if (is_new) {
      for (const std::int64_t rank : ranks_)
        known->second.push_back(trace::Positions(places_, rank).of(comm).rank);
    }
    return known->second;
  }

private:
  const std::vector<std::int64_t>& ranks_;
  const trace::Trace& places_;
  std::map<std::int64_t, std::vector<std::int64_t>> own_; // by slot
};

std::int64_t comm_of_call(const trace::Call& call) {
  const int word = trace::find_function(call.function)->comm_word();
  return word < 0 ? trace::kWorldSlot : call.words[static_cast<std::size_t>(word)].value;
}

// A word that is the n-th number of each rank's own.
Word word_of_own(trace::RankTable& table, std::size_t ranks,
                 const std::function<std::int64_t(std::size_t)>& value) {
  std::vector<std::int64_t> values;
  for (std::size_t i = 0; i < ranks; ++i) values.push_back(value(i));
  if (std::ranges::all_of(values, [&](std::int64_t v) { return v == values.front(); }))
    return {Word::Form::kConstant, values.front()};
  return {Word::Form::kByRank, find_or_add(table, values_by_rank(values))};
}

} // namespace

bool is_own_number(std::int64_t word) { return word >= Recasting::kFirstOwnNumber; }

std::int64_t place_of_own_number(std::int64_t word) { return word - Recasting::kFirstOwnNumber; }

bool has_varying_own_numbers(const StreamProgram& program) {
  for (const trace::Column& column : program.program.columns) {
    trace::ColumnReader reader(column);
    while (const auto value = reader.next()) {
      if (is_own_number(*value)) return true;
    }
  }
  return false;
}

PartClass spread(PartClass&& one, const std::vector<std::int64_t>& ranks,
                 const trace::Trace& places,
                 const std::function<std::int64_t(std::size_t i, std::int64_t n)>& own) {
  PartClass result = std::move(one);
  if (ranks.size() < 2) return result;
  Standing standing(ranks, places);
  trace::MergedProgram& program = result.program;
  for (const trace::MergedCall& merged : program.calls) {
    const trace::Function& function = *trace::find_function(merged.call.function);
    for (std::size_t word = 0; word < merged.call.words.size(); ++word) {
      const Word& peer = merged.call.words[word];
      if (peer.form != Word::Form::kByRank) continue;
      trace::RankFunction& of = program.table.functions[static_cast<std::size_t>(peer.value)];
      of = spread(of, is_root_word(function, word), standing.in(comm_of_call(merged.call)));
    }
  }
  for (trace::MergedCall& merged : program.calls) {
    for (Word& word : merged.call.words) {
      if (word.form != Word::Form::kConstant || !is_own_number(word.value)) continue;
      const std::int64_t n = place_of_own_number(word.value);
      word = word_of_own(program.table, ranks.size(), [&](std::size_t i) { return own(i, n); });
    }
  }
  program.table.sets.front() = trace::RankSet::of(std::vector<std::int64_t>(ranks));
  for (trace::PlaceTimes& place : result.times) {
    const trace::RankMeans mean = place.means.front();
    place.means.assign(ranks.size(), mean);
  }
  return result;
}

} // namespace rondo::fold
