// SPDX-License-Identifier: Apache-2.0
// Trip counts of a draft: it is executed where they change, to have the new ones in the order of
// execution.
#include "fold/polish/draft.hpp"

#include "rondo/fold/column_builder.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace rondo::fold {
namespace {

using trace::Loop;
using trace::Nest;
using trace::Term;

// Loops entered and counts read at most.
constexpr std::uint64_t kMaxSteps = std::uint64_t{1} << 18;

// Executes a draft as far as the loops reach that are asked for.
class Execution {
public:
  Execution(const Nest& before, const Draft& draft, std::vector<bool> wanted)
      : before_(before), draft_(draft), wanted_(std::move(wanted)),
        around_(draft.bodies.size(), Around::kUnknown) {
    for (const Sequence& body : draft.bodies) {
      lends_.push_back(
          std::any_of(body.begin(), body.end(), [](const Item& item) { return item.lent != 0; }));
    }
    for (const Loop& loop : before.loops()) counts_.emplace_back(loop.trip_counts);
    for (const Item& item : draft.top) look_into(item);
  }

  /// Calls visit(item, count) at each execution of a loop that is wanted.
  /// @return false if it would take too long, or if what is lent is not there
  template <class Visit> bool run(const Visit& visit) { return execute(draft_.top, 0, 1, visit); }

private:
  enum class Around : std::uint8_t { kUnknown, kNothing, kWanted };

  // True if executing the item comes to a loop that is wanted.
  bool look_into(const Item& item) {
    if (!item.term.is_loop()) return false;
    const std::uint32_t loop = item.term.index();
    if (around_[loop] == Around::kUnknown) {
      bool contains = false;
      for (const Item& inner : draft_.bodies[loop]) contains = look_into(inner) || contains;
      around_[loop] = contains ? Around::kWanted : Around::kNothing;
    }
    return around_[loop] == Around::kWanted || wanted_[loop];
  }

  template <class Visit>
  bool execute(const Sequence& sequence, std::uint64_t iteration, std::uint64_t iterations,
               const Visit& visit) {
    for (const Item& item : sequence) {
      if (!item.term.is_loop()) continue;
      const std::uint32_t loop = item.term.index();
      const bool is_around = around_[loop] == Around::kWanted;
      if (!wanted_[loop] && !is_around) continue;
      auto count = count_of(item);
      if (!count) return false;
      if (item.is_nothing()) continue;
      if (iteration != (item.keeps == Side::kBefore ? 0 : iterations - 1)) {
        if (*count <= item.lent && item.lent != 0) return false;
        if (item.lent == 1 && *count == 2) return false; // once or twice: as well read as before
        *count -= item.lent;
      }
      if (*count == 0 && lends_[loop]) return false; // what it was lent has gone into its body
      if (wanted_[loop]) visit(item, *count);
      for (std::uint64_t i = 0; is_around && i < *count; ++i) {
        if (++steps_ > kMaxSteps || !execute(draft_.bodies[loop], i, *count, visit)) return false;
      }
    }
    return true;
  }

  std::optional<std::uint64_t> count_of(const Item& item) {
    std::uint64_t count = item.added;
    if (item.taken + item.dropped > 0) {
      const std::uint32_t loop = item.term.index();
      if (const auto constant = before_.loops()[loop].trip_counts.constant()) {
        count += item.taken * static_cast<std::uint64_t>(*constant);
      } else if ((steps_ += item.taken + item.dropped) <= kMaxSteps) {
        for (std::uint64_t i = 0; i < item.dropped; ++i) counts_[loop].next();
        for (std::uint64_t i = 0; i < item.taken; ++i)
          count += static_cast<std::uint64_t>(counts_[loop].next().value_or(0));
      }
    }
    if (++steps_ > kMaxSteps) return std::nullopt;
    return count;
  }

  const Nest& before_;
  const Draft& draft_;
  std::vector<bool> wanted_; // by loop of the draft
  std::vector<Around> around_;
  std::vector<bool> lends_;
  std::vector<trace::ColumnReader> counts_;
  std::uint64_t steps_ = 0;
};

// The loops of a draft as a nest numbers them, and which of them have other counts than before.
class Loops {
public:
  Loops(const Nest& before, const Draft& draft)
      : draft_(draft), numbers_(draft.bodies.size()), changes_(draft.bodies.size(), false) {
    for (std::size_t i = before.loops().size(); i < changes_.size(); ++i) changes_[i] = true;
    number(draft.top);
  }

  const std::vector<std::uint32_t>& in_order() const { return order_; }
  const std::vector<bool>& changes() const { return changes_; }

  std::vector<Term> terms(const Sequence& sequence) const {
    std::vector<Term> terms;
    for (const Item& item : sequence) {
      if (item.is_nothing()) continue;
      terms.push_back(item.term.is_loop() ? Term::loop(*numbers_[item.term.index()]) : item.term);
    }
    return terms;
  }

  static std::size_t size_of(const Sequence& sequence) { // as terms
    return static_cast<std::size_t>(std::count_if(
        sequence.begin(), sequence.end(), [](const Item& item) { return !item.is_nothing(); }));
  }

private:
  // By their first execution.
  void number(const Sequence& sequence) {
    for (const Item& item : sequence) {
      if (!item.term.is_loop()) continue;
      const std::uint32_t loop = item.term.index();
      if (item != Item{item.term, 0, 1}) changes_[loop] = true;
      if (item.is_nothing() || numbers_[loop]) continue;
      numbers_[loop] = static_cast<std::uint32_t>(order_.size());
      order_.push_back(loop);
      number(draft_.bodies[loop]);
    }
  }

  const Draft& draft_;
  std::vector<std::optional<std::uint32_t>> numbers_; // by loop of the draft
  std::vector<bool> changes_;
  std::vector<std::uint32_t> order_;
};

// The item next to each place of the loop, if it is `inner` with a count of its own.
template <class Visit>
void for_each_neighbour(Draft& draft, std::uint32_t loop, Side side, Term inner, Visit visit) {
  const auto look = [&](Sequence& sequence) {
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      if (sequence[i].term != Term::loop(loop)) continue;
      const std::size_t next = side == Side::kBefore ? i - 1 : i + 1; // before 0 there is none
      if (next < sequence.size() && sequence[next] == Item{inner, 0, 1}) visit(sequence[next]);
    }
  };
  for (Sequence& body : draft.bodies) look(body);
  look(draft.top);
}

} // namespace

Outline outline_of(const Nest& before, const Draft& draft) {
  const Loops loops(before, draft);
  Outline outline{loops.size_of(draft.top), {}};
  for (const std::uint32_t loop : loops.in_order()) {
    outline.terms += loops.size_of(draft.bodies[loop]);
    if (!loops.changes()[loop]) outline.kept.push_back(loop);
  }
  return outline;
}

trace::Column CountColumns::of(const std::vector<std::int64_t>& counts) {
  constexpr std::size_t kMostKept = std::size_t{1} << 18; // of all
  const auto known = known_.find(counts);
  if (known != known_.end()) return known->second;
  ++made_;
  ColumnBuilder builder;
  for (const std::int64_t count : counts) builder.push(count);
  trace::Column column = builder.finish();
  size_ += counts.size();
  if (size_ <= kMostKept) known_.emplace(counts, column);
  return column;
}

std::optional<Nest> finish(const Nest& before, const Draft& draft, CountColumns& columns) {
  const Loops loops(before, draft);
  std::vector<std::vector<std::int64_t>> counts(draft.bodies.size());
  const bool is_done =
      Execution(before, draft, loops.changes()).run([&](const Item& item, std::uint64_t count) {
        counts[item.term.index()].push_back(static_cast<std::int64_t>(count));
      });
  if (!is_done) return std::nullopt;
  std::vector<Loop> finished;
  for (const std::uint32_t loop : loops.in_order()) {
    finished.push_back({loops.terms(draft.bodies[loop]), loops.changes()[loop]
                                                             ? columns.of(counts[loop])
                                                             : before.loops()[loop].trip_counts});
  }
  return Nest(std::move(finished), loops.terms(draft.top));
}

bool settle_counts(Draft& draft, std::uint32_t loop, Side side, Term inner, const Nest& before) {
  std::map<const Item*, std::optional<std::uint64_t>> counts; // none yet: nothing
  for_each_neighbour(draft, loop, side, inner,
                     [&](const Item& item) { counts.emplace(&item, std::nullopt); });
  if (counts.empty()) return true;
  std::vector<bool> wanted(draft.bodies.size(), false);
  wanted[inner.index()] = true;
  bool is_same = true;
  const bool is_done =
      Execution(before, draft, std::move(wanted)).run([&](const Item& item, std::uint64_t count) {
        const auto found = counts.find(&item);
        if (found == counts.end()) return;
        is_same = is_same && found->second.value_or(count) == count;
        found->second = count;
      });
  if (!is_done || !is_same) return false;
  for_each_neighbour(draft, loop, side, inner, [&](Item& item) {
    item = {inner, counts.at(&item).value_or(0), 0, 1};
  });
  return true;
}

} // namespace rondo::fold
