// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/merged_program.hpp"

#include "rondo/trace/projection_size.hpp"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>

namespace rondo::trace {
namespace {

using Form = Word::Form;
constexpr std::uint32_t kNone = 0xffffffff;

bool is_column_by_rank(Form form) {
  return form == Form::kColumnByRank || form == Form::kRelativeColumnByRank;
}

// Cuts out what one rank does.
class Projector {
public:
  Projector(const MergedProgram& merged, std::shared_ptr<const RankTable> table, std::int64_t rank)
      : merged_(merged), rank_(rank), loop_(merged.loops.size(), kNone),
        call_(merged.calls.size(), kNone), column_(merged.columns.size(), kNone) {
    for (const RankSet& set : merged.table.sets) is_in_.push_back(set.contains(rank));
    result_.program.by_rank = std::move(table);
  }

  Projection project() {
    number_calls();
    number_loops();
    const std::vector<Term> top = terms(merged_.top);
    number_columns();
    set_trip_counts(top);
    result_.program.nest = Nest(std::move(loops_), top);
    result_.program.arrays = merged_.arrays;
    result_.program.texts = merged_.texts;
    return std::move(result_);
  }

private:
  void number_calls() {
    for (std::size_t i = 0; i < merged_.calls.size(); ++i) {
      if (!is_in_[merged_.calls[i].set]) continue;
      call_[i] = static_cast<std::uint32_t>(result_.calls.size());
      result_.calls.push_back(static_cast<std::uint32_t>(i));
      result_.program.calls.push_back(merged_.calls[i].call);
    }
  }

  // Inner loops stand first.
  void number_loops() {
    for (std::size_t i = 0; i < merged_.loops.size(); ++i) {
      if (!is_in_[merged_.loops[i].set]) continue;
      loops_.push_back({terms(merged_.loops[i].body), {}});
      loop_[i] = static_cast<std::uint32_t>(result_.loops.size());
      result_.loops.push_back(static_cast<std::uint32_t>(i));
    }
  }

  std::vector<Term> terms(const std::vector<Term>& merged) const {
    std::vector<Term> own;
    for (const Term term : merged) {
      const std::uint32_t number = (term.is_loop() ? loop_ : call_)[term.index()];
      if (number == kNone) continue;
      own.push_back(term.is_loop() ? Term::loop(number) : Term::symbol(number));
    }
    return own;
  }

  // Columns that this rank does not have are left out.
  std::uint32_t own_column(std::int64_t merged) {
    std::uint32_t& own = column_[static_cast<std::size_t>(merged)];
    if (own == kNone) {
      own = static_cast<std::uint32_t>(result_.program.columns.size());
      result_.program.columns.push_back(merged_.columns[static_cast<std::size_t>(merged)]);
    }
    return own;
  }

  std::int64_t value(std::int64_t function) const {
    return merged_.table.value(static_cast<std::size_t>(function), rank_, 0);
  }

  void number_columns() {
    for (Call& call : result_.program.calls) {
      for (Word& word : call.words) {
        if (is_column_by_rank(word.form)) {
          word.value = value(word.value);
          word.form = word.form == Form::kColumnByRank ? Form::kColumn : Form::kRelativeColumn;
        } else if (word.form != Form::kColumn && word.form != Form::kRelativeColumn &&
                   word.form != Form::kFunctionColumn) {
          continue;
        }
        word.value = own_column(word.value);
      }
    }
  }

  // A count that is the same each time says how often it stands in the column only if one knows how
  // often the loop is entered: from the outermost loops inwards.
  void set_trip_counts(const std::vector<Term>& top) {
    std::vector<std::uint64_t> entries(loops_.size(), 0);
    const auto enter = [&](const std::vector<Term>& terms, std::uint64_t times) {
      for (const Term term : terms) {
        if (term.is_loop()) entries[term.index()] = saturating_add(entries[term.index()], times);
      }
    };
    enter(top, 1);
    for (std::size_t i = loops_.size(); i-- > 0;) { // outer ones first
      Word count = merged_.loops[result_.loops[i]].trip_count;
      if (count.form == Form::kByRank) count = {Form::kConstant, value(count.value)};
      if (count.form == Form::kColumnByRank) count = {Form::kColumn, value(count.value)};
      if (count.form == Form::kColumn) {
        loops_[i].trip_counts = merged_.columns[static_cast<std::size_t>(count.value)];
      } else if (entries[i] > 0) {
        loops_[i].trip_counts = Column::from_runs({{count.value, entries[i]}});
      }
      const std::int64_t iterations = loops_[i].trip_counts.sum();
      enter(loops_[i].body, iterations > 0 ? static_cast<std::uint64_t>(iterations) : 0);
    }
  }

  const MergedProgram& merged_;
  std::int64_t rank_;
  std::vector<bool> is_in_; // by set
  std::vector<std::uint32_t> loop_; // merged -> own
  std::vector<std::uint32_t> call_;
  std::vector<std::uint32_t> column_;
  std::vector<Loop> loops_;
  Projection result_;
};

// Marks that tell ranks apart which execute different terms or have different columns.
class Marks {
public:
  explicit Marks(const MergedProgram& merged)
      : merged_(merged), ranks_(merged.ranks().ranks()), mark_(ranks_.size(), 0),
        is_marked_(merged.table.sets.size(), false),
        is_told_(merged.table.functions.size(), false) {
    for (const MergedCall& call : merged.calls) {
      tell_sets(call.set);
      for (const Word& word : call.call.words) tell_columns(word);
    }
    for (const MergedLoop& loop : merged.loops) {
      tell_sets(loop.set);
      tell_columns(loop.trip_count);
      if (loop.trip_count.form == Form::kByRank) tell_values(loop.trip_count.value);
    }
  }

  // Ranks with one mark, in the order of their first ranks.
  std::vector<std::vector<std::int64_t>> groups() const {
    std::vector<std::vector<std::int64_t>> groups;
    std::unordered_map<std::uint64_t, std::size_t> of_mark;
    for (std::size_t i = 0; i < ranks_.size(); ++i) {
      const auto [group, is_new] = of_mark.emplace(mark_[i], groups.size());
      if (is_new) groups.emplace_back();
      groups[group->second].push_back(ranks_[i]);
    }
    return groups;
  }

private:
  void tell_sets(std::uint32_t set) {
    if (set == 0 || is_marked_[set]) return;
    is_marked_[set] = true;
    each_of(merged_.table.sets[set], [&](std::size_t place) { mix(place, set); });
  }

  void tell_columns(const Word& word) {
    if (is_column_by_rank(word.form)) tell_values(word.value);
  }

  void tell_values(std::int64_t index) {
    if (is_told_[static_cast<std::size_t>(index)]) return;
    is_told_[static_cast<std::size_t>(index)] = true;
    const RankFunction& function = merged_.table.functions[static_cast<std::size_t>(index)];
    each_of(merged_.table.sets[function.domain], [&](std::size_t place) {
      const auto number = static_cast<std::size_t>(index);
      mix(place, static_cast<std::uint64_t>(merged_.table.value(number, ranks_[place], 0)));
      mix(place, number);
    });
  }

  // Both are ascending.
  template <class Visit> void each_of(const RankSet& set, Visit visit) {
    std::size_t place = 0;
    for (const std::int64_t rank : set.ranks()) {
      while (place < ranks_.size() && ranks_[place] < rank) ++place;
      if (place == ranks_.size() || ranks_[place] != rank) return;
      visit(place);
    }
  }

  void mix(std::size_t place, std::uint64_t what) {
    std::uint64_t& mark = mark_[place];
    mark = (mark ^ (what + 0x9e3779b97f4a7c15U)) * 0xbf58476d1ce4e5b9U;
    mark ^= mark >> 29;
  }

  const MergedProgram& merged_;
  std::vector<std::int64_t> ranks_;
  std::vector<std::uint64_t> mark_; // by place in ranks_
  std::vector<bool> is_marked_; // sets
  std::vector<bool> is_told_; // functions
};

} // namespace

std::size_t MergedProgram::terms() const {
  std::size_t terms = top.size();
  for (const MergedLoop& loop : loops) terms += loop.body.size();
  return terms;
}

Projection project(const MergedProgram& merged, std::shared_ptr<const RankTable> table,
                   std::int64_t rank) {
  return Projector(merged, std::move(table), rank).project();
}

std::vector<ProjectedClass> classes_of(const MergedProgram& merged, std::size_t most_terms) {
  auto groups = Marks(merged).groups();
  // Each class goes through all sets, calls and terms once, which is quick, and keeps its own, with
  // all arrays and texts, which is not little.
  constexpr std::size_t kSteps = 8;
  const std::size_t steps =
      merged.terms() + merged.calls.size() + merged.table.sets.size() + merged.columns.size() + 1;
  if (groups.size() / kSteps > most_terms / steps) return {};
  std::uint64_t kept = 0;
  const auto table = std::make_shared<const RankTable>(merged.table);
  std::vector<ProjectedClass> classes;
  for (std::vector<std::int64_t>& ranks : groups) {
    const std::int64_t first = ranks.front();
    classes.push_back({RankSet::of(std::move(ranks)), project(merged, table, first)});
    kept += size_of(classes.back().projection.program);
    if (kept > most_terms) return {};
  }
  return classes;
}

} // namespace rondo::trace
