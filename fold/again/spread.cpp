// SPDX-License-Identifier: Apache-2.0
#include "fold/again/spread.hpp"

#include "fold/merge/rank_words.hpp"
#include "rondo/trace/call_reader.hpp"

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

} // namespace

PartClass spread(PartClass&& one, const std::vector<std::int64_t>& ranks,
                 const trace::Trace& places) {
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
  program.table.sets.front() = trace::RankSet::of(std::vector<std::int64_t>(ranks));
  for (trace::PlaceTimes& place : result.times) {
    const trace::RankMeans mean = place.means.front();
    place.means.assign(ranks.size(), mean);
  }
  return result;
}

} // namespace rondo::fold
