// SPDX-License-Identifier: Apache-2.0
#include "fold/polish.hpp"

#include "fold/draft.hpp"
#include "rondo/fold/column_builder.hpp"

#include <algorithm>
#include <utility>

namespace rondo::fold {
namespace {

using trace::Column;
using trace::Loop;
using trace::Nest;
using trace::Term;

// Larger nests stay: what does not fold on line is no program that one would read.
constexpr std::size_t kMaxTerms = 2000;
constexpr int kMaxRounds = 4;
// Loops tried in rotation.
constexpr std::size_t kMostRotated = 32;
// Loops entered and counts read to find the trip counts of the new nest.
constexpr std::uint64_t kMaxSteps = std::uint64_t{1} << 18;

// Executes the draft where trip counts change, to have the new ones in the order of execution.
class Finisher {
public:
  Finisher(const Nest& before, const Draft& draft)
      : before_(before), draft_(draft), states_(draft.bodies.size()) {
    for (const Loop& loop : before.loops()) counts_.emplace_back(loop.trip_counts);
    for (std::size_t i = counts_.size(); i < states_.size(); ++i) states_[i].changes = true;
    number(draft.top);
    for (const Item& item : draft.top) look_into(item);
  }

  std::optional<Nest> nest() {
    if (!execute(draft_.top)) return std::nullopt;
    std::vector<Loop> loops;
    for (const std::uint32_t loop : order_) {
      State& state = states_[loop];
      loops.push_back({terms(draft_.bodies[loop]),
                       state.changes ? state.counts.finish() : before_.loops()[loop].trip_counts});
    }
    return Nest(std::move(loops), terms(draft_.top));
  }

private:
  struct State {
    bool is_numbered = false;
    bool is_seen = false;
    bool changes = false;
    bool contains_changes = false;
    std::uint32_t number = 0;
    ColumnBuilder counts;
  };

  // Numbers the loops by their first execution and finds those with items of changed counts.
  void number(const Sequence& sequence) {
    for (const Item& item : sequence) {
      if (!item.term.is_loop()) continue;
      State& state = states_[item.term.index()];
      if (item.added != 0 || item.taken != 1) state.changes = true;
      if (state.is_numbered) continue;
      state.is_numbered = true;
      state.number = static_cast<std::uint32_t>(order_.size());
      order_.push_back(item.term.index());
      number(draft_.bodies[item.term.index()]);
    }
  }

  // True if executing the item changes the counts of any loop.
  bool look_into(const Item& item) {
    if (!item.term.is_loop()) return false;
    const std::uint32_t loop = item.term.index();
    if (!states_[loop].is_seen) {
      states_[loop].is_seen = true;
      bool contains = false;
      for (const Item& inner : draft_.bodies[loop]) contains = look_into(inner) || contains;
      states_[loop].contains_changes = contains;
    }
    return states_[loop].contains_changes || states_[loop].changes;
  }

  bool execute(const Sequence& sequence) {
    for (const Item& item : sequence) {
      if (!item.term.is_loop()) continue;
      State& state = states_[item.term.index()];
      if (!state.changes && !state.contains_changes) continue;
      const auto count = count_of(item);
      if (!count) return false;
      if (state.changes) state.counts.push(static_cast<std::int64_t>(*count));
      if (!state.contains_changes) continue;
      for (std::uint64_t i = 0; i < *count; ++i) {
        if (++steps_ > kMaxSteps || !execute(draft_.bodies[item.term.index()])) return false;
      }
    }
    return true;
  }

  std::optional<std::uint64_t> count_of(const Item& item) {
    std::uint64_t count = item.added;
    if (item.taken > 0) {
      const std::uint32_t loop = item.term.index();
      if (const auto constant = before_.loops()[loop].trip_counts.constant()) {
        count += item.taken * static_cast<std::uint64_t>(*constant);
      } else if ((steps_ += item.taken) <= kMaxSteps) {
        for (std::uint64_t i = 0; i < item.taken; ++i)
          count += static_cast<std::uint64_t>(counts_[loop].next().value_or(0));
      }
    }
    if (++steps_ > kMaxSteps) return std::nullopt;
    return count;
  }

  std::vector<Term> terms(const Sequence& sequence) const {
    std::vector<Term> terms;
    for (const Item& item : sequence) {
      const bool is_loop = item.term.is_loop();
      terms.push_back(is_loop ? Term::loop(states_[item.term.index()].number) : item.term);
    }
    return terms;
  }

  const Nest& before_;
  const Draft& draft_;
  std::vector<trace::ColumnReader> counts_;
  std::vector<State> states_; // by loop of the draft
  std::vector<std::uint32_t> order_;
  std::uint64_t steps_ = 0;
};

std::size_t numbers_in(const Column& column) {
  std::size_t size = column.runs().size() + column.values().size() + column.dictionary().size();
  if (column.nest() != nullptr) {
    size += column.nest()->terms();
    for (const Loop& loop : column.nest()->loops()) size += numbers_in(loop.trip_counts);
  }
  return size;
}

// What is to become smaller: terms, and what their trip counts take.
std::size_t size_of(const Nest& nest) {
  std::size_t size = nest.terms();
  for (const Loop& loop : nest.loops()) size += numbers_in(loop.trip_counts);
  return size;
}

} // namespace

std::optional<Nest> finish(const Nest& before, const Draft& draft) {
  return Finisher(before, draft).nest();
}

trace::Nest polish(trace::Nest nest) {
  if (nest.terms() > kMaxTerms) return nest;
  bool improved = true;
  for (int round = 0; round < kMaxRounds && improved; ++round) {
    improved = false;
    const Nest before = nest;
    const auto consider = [&](Draft draft) {
      refold(draft);
      auto refolded = finish(before, draft);
      if (!refolded || refolded->terms() > nest.terms() || size_of(*refolded) >= size_of(nest))
        return;
      nest = std::move(*refolded);
      improved = true;
    };
    const Draft draft = write_out(before, false);
    consider(draft);
    consider(write_out(before, true));
    const auto loops = static_cast<std::uint32_t>(std::min(draft.bodies.size(), kMostRotated));
    for (std::uint32_t loop = 0; loop < loops; ++loop) {
      Draft rotated = draft;
      if (rotate(rotated, loop)) consider(rotated);
      rotated = draft;
      reverse(rotated);
      if (!rotate(rotated, loop)) continue;
      reverse(rotated);
      consider(rotated);
    }
  }
  return nest;
}

} // namespace rondo::fold
