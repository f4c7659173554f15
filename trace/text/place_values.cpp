// SPDX-License-Identifier: Apache-2.0
// Each class of ranks goes through the program once, as it is executed, but for loops in which
// nothing stands that stands elsewhere too: whatever is read there is of no other place.
#include "rondo/trace/place_values.hpp"

#include "rondo/trace/call_reader.hpp"
#include "trace/text/call_writer.hpp"

#include <algorithm>
#include <vector>

namespace rondo::trace {
namespace {

constexpr std::uint64_t kMostCallsWalked = std::uint64_t{1} << 24; // of one rank of each class
constexpr std::uint32_t kNotExecuted = 0xffffffff;

// The terms of a program, be it merged or of one rank.
struct Terms {
  const std::vector<Term>* top = nullptr;
  std::vector<const std::vector<Term>*> bodies; // of loops; a loop stands after those in its body
  std::size_t calls = 0;
};

Terms terms_of(const MergedProgram& program) {
  Terms terms{&program.top, {}, program.calls.size()};
  for (const MergedLoop& loop : program.loops) terms.bodies.push_back(&loop.body);
  return terms;
}

Terms terms_of(const Program& program) {
  Terms terms{&program.nest.top(), {}, program.calls.size()};
  for (const Loop& loop : program.nest.loops()) terms.bodies.push_back(&loop.body);
  return terms;
}

// Which of them stand at more than one place.
struct Standings {
  std::vector<int> calls;
  std::vector<int> loops;

  explicit Standings(const Terms& terms) : calls(terms.calls, 0), loops(terms.bodies.size(), 0) {
    add(*terms.top, 1);
    for (std::size_t i = loops.size(); i-- > 0;) add(*terms.bodies[i], loops[i]);
  }

private:
  void add(const std::vector<Term>& terms, int times) {
    for (const Term term : terms) {
      int& count = (term.is_loop() ? loops : calls)[term.index()];
      count = std::min(count + times, 2);
    }
  }
};

// What a class of ranks reads.
struct ClassOfRanks {
  const Program* program = nullptr;
  std::vector<std::uint32_t> call; // of the terms -> own, or kNotExecuted
  std::vector<std::uint32_t> loop;
};

ClassOfRanks class_of(const MergedProgram& merged, const RankClass& c) {
  ClassOfRanks result{c.program.get(),
                      std::vector<std::uint32_t>(merged.calls.size(), kNotExecuted),
                      std::vector<std::uint32_t>(merged.loops.size(), kNotExecuted)};
  for (std::uint32_t own = 0; own < c.calls.size(); ++own) result.call[c.calls[own]] = own;
  std::uint32_t own = 0; // a class's loops are in the merged program's order
  for (std::size_t i = 0; i < merged.loops.size(); ++i) {
    if (merged.table.sets[merged.loops[i].set].contains(c.ranks.front())) result.loop[i] = own++;
  }
  return result;
}

ClassOfRanks only_class_of(const Program& program) {
  ClassOfRanks result{&program, {}, {}};
  for (std::uint32_t i = 0; i < program.calls.size(); ++i) result.call.push_back(i);
  for (std::uint32_t i = 0; i < program.nest.loops().size(); ++i) result.loop.push_back(i);
  return result;
}

// A class that goes through the program, call by call.
class ClassWalk {
public:
  ClassWalk(const Terms& terms, const Standings& standings, const ClassOfRanks& c)
      : terms_(terms), class_(c) {
    const std::vector<Call>& calls = c.program->calls;
    for (std::size_t i = 0; i < terms.calls; ++i) {
      const std::uint32_t own = c.call[i];
      reads_call_.push_back(own != kNotExecuted && standings.calls[i] > 1 &&
                            has_column(calls[own]));
    }
    for (std::size_t i = 0; i < terms.bodies.size(); ++i) {
      const std::uint32_t own = c.loop[i];
      const bool is_of_class = own != kNotExecuted;
      reads_count_.push_back(is_of_class && standings.loops[i] > 1 &&
                             !loops()[own].trip_counts.constant());
      goes_in_.push_back(is_of_class &&
                         std::any_of(terms.bodies[i]->begin(), terms.bodies[i]->end(),
                                     [&](Term term) { return is_wanted(term); }));
    }
  }

  bool is_wanted() const {
    return std::any_of(terms_.top->begin(), terms_.top->end(),
                       [&](Term term) { return is_wanted(term); });
  }

  /// @param value  called with place, word and value
  /// @param count  called with place and trip count
  template <class Value, class Count>
  void run(std::uint32_t top, const PlaceValues::PlaceIn& place_in, const Value& value,
           const Count& count) {
    for (const Loop& loop : loops()) counts_.emplace_back(loop.trip_counts);
    for (const Call& call : class_.program->calls) {
      auto& readers = columns_.emplace_back();
      for (std::size_t word = 0; word < call.words.size(); ++word) {
        if (!is_column(call.words[word])) continue;
        const auto column = static_cast<std::size_t>(call.words[word].value);
        readers.emplace_back(word, ColumnReader(class_.program->columns[column]));
      }
    }
    run(*terms_.top, top, place_in, value, count);
  }

private:
  static bool has_column(const Call& call) {
    return std::any_of(call.words.begin(), call.words.end(),
                       [](const Word& word) { return is_column(word); });
  }

  const std::vector<Loop>& loops() const { return class_.program->nest.loops(); }

  bool is_wanted(Term term) const {
    if (!term.is_loop()) return reads_call_[term.index()];
    return reads_count_[term.index()] || goes_in_[term.index()];
  }

  template <class Value, class Count>
  void run(const std::vector<Term>& terms, std::optional<std::uint32_t> at,
           const PlaceValues::PlaceIn& place_in, const Value& value, const Count& count) {
    for (std::uint32_t i = 0; i < terms.size(); ++i) {
      const std::uint32_t index = terms[i].index();
      if (!is_wanted(terms[i])) continue;
      const auto place = place_in(at, i);
      if (!terms[i].is_loop()) {
        for (auto& [word, reader] : columns_[class_.call[index]]) {
          const auto read = reader.next();
          if (read && place) value(*place, word, *read);
        }
        continue;
      }
      const std::int64_t times = counts_[class_.loop[index]].next().value_or(0);
      if (reads_count_[index] && place) count(*place, times);
      if (!goes_in_[index]) continue;
      for (std::int64_t k = 0; k < times; ++k)
        run(*terms_.bodies[index], place, place_in, value, count);
    }
  }

  const Terms& terms_;
  const ClassOfRanks& class_;
  std::vector<bool> reads_call_;
  std::vector<bool> reads_count_;
  std::vector<bool> goes_in_; // to a loop's body
  std::vector<ColumnReader> counts_; // by own loop
  std::vector<std::vector<std::pair<std::size_t, ColumnReader>>> columns_; // by own call
};

std::string text_of(const Range& range) {
  return range.least == range.most ? std::to_string(range.least) : range_text(range);
}

std::uint64_t calls_of(const Program& program) {
  std::uint64_t calls = 0;
  for (const std::uint64_t n : program.nest.occurrences(program.calls.size()))
    calls = saturating_add(calls, n);
  return calls;
}

} // namespace

PlaceValues::PlaceValues(const Trace& trace, std::size_t index, std::uint32_t top,
                         const PlaceIn& place_in) {
  const MergedProgram& merged = *trace.programs[index];
  const Terms terms = terms_of(merged);
  const Standings standings(terms);
  std::vector<ClassOfRanks> classes;
  std::uint64_t calls = 0;
  for (const RankClass& c : trace.classes) {
    if (c.merged != index) continue;
    ClassOfRanks one = class_of(merged, c);
    if (!ClassWalk(terms, standings, one).is_wanted()) continue;
    calls = saturating_add(calls, calls_of(*c.program));
    classes.push_back(std::move(one));
  }
  if (calls > kMostCallsWalked) return;
  std::map<std::uint32_t, Range> of_all;
  for (const ClassOfRanks& c : classes) {
    std::map<std::uint32_t, Range> of_class;
    ClassWalk(terms, standings, c)
        .run(
            top, place_in,
            [&](std::uint32_t place, std::size_t word, std::int64_t value) {
              values_[{place, word}].insert(value);
            },
            [&](std::uint32_t place, std::int64_t times) { of_class[place].add(times); });
    for (const auto& [place, range] : of_class) {
      Range& all = of_all[place];
      if (range != all) all.add(range); // what is the same for all classes is said once
    }
  }
  for (const auto& [place, range] : of_all) trip_counts_.emplace(place, text_of(range));
}

PlaceValues::PlaceValues(const Program& program, std::uint32_t top, const PlaceIn& place_in) {
  const Terms terms = terms_of(program);
  const Standings standings(terms);
  const ClassOfRanks all = only_class_of(program);
  ClassWalk walk(terms, standings, all);
  if (!walk.is_wanted() || calls_of(program) > kMostCallsWalked) return;
  std::map<std::uint32_t, Range> counts;
  walk.run(
      top, place_in,
      [&](std::uint32_t place, std::size_t word, std::int64_t value) {
        values_[{place, word}].insert(value);
      },
      [&](std::uint32_t place, std::int64_t times) { counts[place].add(times); });
  for (const auto& [place, range] : counts) trip_counts_.emplace(place, text_of(range));
}

const std::set<std::int64_t>* PlaceValues::at(std::optional<std::uint32_t> place,
                                              std::size_t word) const {
  const auto found = place ? values_.find({*place, word}) : values_.end();
  return found == values_.end() ? nullptr : &found->second;
}

bool PlaceValues::knows(std::optional<std::uint32_t> place) const {
  if (!place) return false;
  const auto found = values_.lower_bound({*place, 0});
  return found != values_.end() && found->first.first == *place;
}

std::optional<std::string> PlaceValues::trip_counts(std::optional<std::uint32_t> place) const {
  const auto found = place ? trip_counts_.find(*place) : trip_counts_.end();
  return found == trip_counts_.end() ? std::nullopt : std::optional(found->second);
}

} // namespace rondo::trace
