// SPDX-License-Identifier: Apache-2.0
#include "generate/lower/places.hpp"

#include <algorithm>

namespace rondo::generate::internal {

using trace::Term;
using trace::Word;

// Goes through the calls of one rank and notes where the shared terms stand.
struct Places::Walk {
  Places& all;
  std::int64_t rank;
  std::map<std::uint32_t, std::vector<std::uint32_t>> order{};
  std::map<std::uint32_t, std::pair<Sequence, std::size_t>> trip_counts{};
  std::map<std::uint32_t, bool> takes_part{};

  const trace::MergedProgram& program() const { return *all.trace_.programs[all.index_]; }

  bool is_in(std::uint32_t set) {
    const auto [found, is_new] = takes_part.try_emplace(set);
    if (is_new) found->second = program().table.sets[set].contains(rank);
    return found->second;
  }

  std::int64_t next_trip_count(std::uint32_t loop) {
    const auto [found, is_new] = trip_counts.try_emplace(loop);
    auto& [values, next] = found->second;
    if (is_new)
      values = all.words_.sequence(program().loops[loop].trip_count, rank,
                                   {rank, all.trace_.run.ranks, nullptr});
    return values.at(next++);
  }

  void body(std::uint32_t id, const std::vector<Term>& terms) {
    for (std::uint32_t i = 0; i < terms.size(); ++i) {
      const Term term = terms[i];
      const std::uint32_t set =
          term.is_loop() ? program().loops[term.index()].set : program().calls[term.index()].set;
      if (!is_in(set)) continue;
      if (all.shared_.contains(term.code)) {
        const auto& places = all.places_.at(term.code);
        order[term.code].push_back(static_cast<std::uint32_t>(
            std::ranges::find(places, TermPlace{id, i}) - places.begin()));
      }
      if (!term.is_loop()) continue;
      const std::int64_t trips = next_trip_count(term.index());
      for (std::int64_t t = 0; t < trips; ++t)
        body(term.index() + 1, program().loops[term.index()].body);
    }
  }
};

Places::Places(const trace::Trace& trace, std::size_t index, WordValues& words)
    : trace_(trace), index_(index), words_(words) {
  const trace::MergedProgram& program = *trace.programs[index];
  note_uses(0, program.top);
  for (std::uint32_t loop = 0; loop < program.loops.size(); ++loop)
    note_uses(loop + 1, program.loops[loop].body);
  for (const auto& [code, places] : places_) {
    if (places.size() > 1 && varies({code})) shared_.insert(code);
  }
}

void Places::note_uses(std::uint32_t body, const std::vector<Term>& terms) {
  for (std::uint32_t i = 0; i < terms.size(); ++i) places_[terms[i].code].push_back({body, i});
}

bool Places::varies(Term term) const {
  const auto is_column = [](const Word& word) {
    return word.form == Word::Form::kColumn || word.form == Word::Form::kRelativeColumn ||
           word.form == Word::Form::kFunctionColumn || word.form == Word::Form::kColumnByRank ||
           word.form == Word::Form::kRelativeColumnByRank;
  };
  const trace::MergedProgram& program = *trace_.programs[index_];
  if (term.is_loop()) return is_column(program.loops[term.index()].trip_count);
  return std::ranges::any_of(program.calls[term.index()].call.words, is_column);
}

const std::map<std::uint32_t, std::vector<std::uint32_t>>&
Places::order_of(std::size_t rank_class) {
  const auto [found, is_new] = orders_.try_emplace(rank_class);
  if (is_new) {
    Walk walk{*this, trace_.classes[rank_class].ranks.front()};
    walk.body(0, trace_.programs[index_]->top);
    found->second = std::move(walk.order);
  }
  return found->second;
}

Sequence Places::at(const TermPlace& place, Term term, std::int64_t rank, const Sequence& values) {
  if (values.is_constant() || !shared_.contains(term.code)) return values;
  const auto found = std::ranges::find_if(trace_.classes, [&](const trace::RankClass& c) {
    return c.merged == index_ && c.ranks.contains(rank);
  });
  const auto rank_class = static_cast<std::size_t>(found - trace_.classes.begin());
  const auto& places = places_.at(term.code);
  const auto which = static_cast<std::uint32_t>(std::ranges::find(places, place) - places.begin());
  auto& part = parts_[{values.values, term.code, rank_class, which}];
  if (!part) {
    std::vector<std::int64_t> own;
    const auto& order = order_of(rank_class);
    const auto executions = order.find(term.code);
    for (std::size_t i = 0; executions != order.end() && i < executions->second.size(); ++i) {
      if (executions->second[i] == which) own.push_back((*values.values)[i]);
    }
    part = std::make_shared<const std::vector<std::int64_t>>(std::move(own));
  }
  return {0, part, values.base};
}

} // namespace rondo::generate::internal
