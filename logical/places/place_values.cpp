// SPDX-License-Identifier: Apache-2.0
#include "logical/places/place_values.hpp"

#include "rondo/trace/call_reader.hpp"

#include <algorithm>

namespace rondo::logical::internal {
namespace {

using trace::Term;

constexpr std::uint64_t kMostCallsRead = std::uint64_t{1} << 24; // of one rank of each class
constexpr std::uint32_t kNotOfClass = 0xffffffff;

// How often each call stands in the program.
std::vector<int> standings_of(const trace::MergedProgram& program) {
  std::vector<int> calls(program.calls.size(), 0);
  std::vector<int> loops(program.loops.size(), 0);
  const auto add = [&](const std::vector<Term>& terms, int times) {
    for (const Term term : terms) {
      int& count = (term.is_loop() ? loops : calls)[term.index()];
      count = std::min(count + times, 2);
    }
  };
  add(program.top, 1);
  for (std::size_t i = program.loops.size(); i-- > 0;) add(program.loops[i].body, loops[i]);
  return calls;
}

bool has_column(const trace::Call& call) {
  return std::any_of(call.words.begin(), call.words.end(),
                     [](const trace::Word& word) { return trace::is_column(word); });
}

// A class that goes through the merged program, call by call.
class ClassWalk {
public:
  using Found = std::function<void(std::uint32_t place, std::size_t word, std::int64_t value)>;

  ClassWalk(const trace::MergedProgram& merged, const trace::RankClass& c,
            const PlaceValues::PlaceIn& place_in, const Found& found)
      : merged_(merged), place_in_(place_in), found_(found), program_(*c.program),
        call_(merged.calls.size(), kNotOfClass), loop_(merged.loops.size(), kNotOfClass) {
    for (std::uint32_t own = 0; own < c.calls.size(); ++own) call_[c.calls[own]] = own;
    std::uint32_t own = 0; // a class's loops are in the merged program's order
    for (std::size_t i = 0; i < merged.loops.size(); ++i) {
      if (merged.table.sets[merged.loops[i].set].contains(c.ranks.front())) loop_[i] = own++;
    }
    for (const trace::Loop& loop : program_.nest.loops()) counts_.emplace_back(loop.trip_counts);
    for (const trace::Call& call : program_.calls) {
      auto& readers = columns_.emplace_back();
      for (std::size_t word = 0; word < call.words.size(); ++word) {
        if (!trace::is_column(call.words[word])) continue;
        const auto column = static_cast<std::size_t>(call.words[word].value);
        readers.emplace_back(word, trace::ColumnReader(program_.columns[column]));
      }
    }
  }

  void run(const std::vector<Term>& terms, std::optional<std::uint32_t> at) {
    for (std::uint32_t i = 0; i < terms.size(); ++i) {
      const std::uint32_t own = (terms[i].is_loop() ? loop_ : call_)[terms[i].index()];
      if (own == kNotOfClass) continue;
      if (terms[i].is_loop()) {
        const std::int64_t count = counts_[own].next().value_or(0);
        const auto place = place_in_(at, i);
        for (std::int64_t k = 0; k < count; ++k) run(merged_.loops[terms[i].index()].body, place);
      } else if (!columns_[own].empty()) {
        read(own, place_in_(at, i));
      }
    }
  }

private:
  void read(std::uint32_t call, std::optional<std::uint32_t> place) {
    for (auto& [word, reader] : columns_[call]) {
      const auto value = reader.next();
      if (value && place) found_(*place, word, *value);
    }
  }

  const trace::MergedProgram& merged_;
  const PlaceValues::PlaceIn& place_in_;
  const Found& found_;
  const trace::Program& program_;
  std::vector<std::uint32_t> call_; // merged -> own
  std::vector<std::uint32_t> loop_;
  std::vector<trace::ColumnReader> counts_;
  std::vector<std::vector<std::pair<std::size_t, trace::ColumnReader>>> columns_; // by call
};

} // namespace

PlaceValues::PlaceValues(const trace::Trace& trace, std::size_t index, std::uint32_t top,
                         const PlaceIn& place_in) {
  const trace::MergedProgram& merged = *trace.programs[index];
  const std::vector<int> standings = standings_of(merged);
  std::uint64_t calls = 0;
  bool is_wanted = false;
  for (const trace::RankClass& c : trace.classes) {
    if (c.merged != index) continue;
    for (const std::uint64_t n : c.program->nest.occurrences(c.program->calls.size()))
      calls = trace::saturating_add(calls, n);
    for (std::size_t own = 0; own < c.calls.size(); ++own)
      is_wanted = is_wanted || (standings[c.calls[own]] > 1 && has_column(c.program->calls[own]));
  }
  if (!is_wanted || calls > kMostCallsRead) return;
  const ClassWalk::Found found = [&](std::uint32_t place, std::size_t word, std::int64_t value) {
    values_[{place, word}].insert(value);
  };
  for (const trace::RankClass& c : trace.classes) {
    if (c.merged == index) ClassWalk(merged, c, place_in, found).run(merged.top, top);
  }
}

const std::set<std::int64_t>* PlaceValues::at(std::optional<std::uint32_t> place,
                                              std::size_t word) const {
  const auto found = place ? values_.find({*place, word}) : values_.end();
  return found == values_.end() ? nullptr : &found->second;
}

} // namespace rondo::logical::internal
