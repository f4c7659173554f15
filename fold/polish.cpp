// SPDX-License-Identifier: Apache-2.0
#include "fold/polish.hpp"

#include "rondo/fold/column_builder.hpp"

#include <algorithm>
#include <limits>
#include <optional>

namespace rondo::fold {
namespace {

using trace::Column;
using trace::Loop;
using trace::Nest;
using trace::Term;

constexpr std::size_t kMaxSequence = 300;
constexpr std::size_t kMaxLoops = 300;
// Loops that go round constantly at most so often are written out before sequences are folded anew.
constexpr std::uint64_t kMaxUnrolled = 4;
constexpr int kMaxRounds = 4;
// Loops entered and counts read to find the trip counts of the new nest.
constexpr std::uint64_t kMaxSteps = std::uint64_t{1} << 18;

// A term of the new nest. A loop's trip count is `added` and the sum of the next `taken` counts
// that the loop had in the nest before: they are used up in the order of execution, as always.
struct Item {
  Term term;
  std::uint64_t added = 0;
  std::uint64_t taken = 0;
  friend bool operator==(const Item&, const Item&) = default;
};
using Sequence = std::vector<Item>;

struct Draft {
  std::vector<Sequence> bodies; // those of the nest before, then new ones
  Sequence top;
};

// Writing loops out
// -----------------------------------------------------------------------------------

std::vector<std::uint64_t> references(const Nest& nest) {
  std::vector<std::uint64_t> count(nest.loops().size(), 0);
  const auto add = [&](const std::vector<Term>& terms) {
    for (const Term term : terms) {
      if (term.is_loop()) ++count[term.index()];
    }
  };
  add(nest.top());
  for (const Loop& loop : nest.loops()) add(loop.body);
  return count;
}

class Unroller {
public:
  // Loops whose terms are no fewer than what they stand for are always written out, others if
  // `all` is set and they are short.
  Unroller(const Nest& nest, bool all) : nest_(nest), bodies_(nest.loops().size()) {
    const std::vector<std::uint64_t> uses = references(nest);
    for (std::size_t i = 0; i < uses.size(); ++i) {
      const Loop& loop = nest.loops()[i];
      const auto count = loop.trip_counts.constant();
      const std::uint64_t size = loop.body.size();
      const bool is_short = count && *count <= static_cast<std::int64_t>(kMaxUnrolled);
      const bool pays =
          is_short && static_cast<std::uint64_t>(*count) * size * uses[i] > uses[i] + size;
      unrolls_.push_back(is_short && (!pays || (all && size > 1)));
    }
  }

  Draft draft() {
    Draft draft;
    for (std::uint32_t i = 0; i < bodies_.size(); ++i) draft.bodies.push_back(body(i));
    draft.top = unrolled(nest_.top());
    return draft;
  }

private:
  const Sequence& body(std::uint32_t loop) {
    if (bodies_[loop].empty()) bodies_[loop] = unrolled(nest_.loops()[loop].body);
    return bodies_[loop];
  }

  Sequence unrolled(const std::vector<Term>& terms) {
    Sequence sequence;
    for (const Term term : terms) {
      if (term.is_loop()) {
        append_loop(sequence, term);
      } else {
        sequence.push_back({term});
      }
      if (sequence.size() > kMaxSequence) return plain(terms);
    }
    return sequence;
  }

  void append_loop(Sequence& sequence, Term term) {
    const auto count = nest_.loops()[term.index()].trip_counts.constant();
    const Sequence& inner = body(term.index());
    if (count && inner.size() == 1 && inner.front().term.is_loop()) { // (x^a)^b
      const auto times = static_cast<std::uint64_t>(*count);
      sequence.push_back(
          {inner.front().term, inner.front().added * times, inner.front().taken * times});
    } else if (unrolls_[term.index()]) {
      for (std::int64_t i = 0; i < *count; ++i)
        sequence.insert(sequence.end(), inner.begin(), inner.end());
    } else {
      sequence.push_back({term, 0, 1});
    }
  }

  static Sequence plain(const std::vector<Term>& terms) {
    Sequence sequence;
    for (const Term term : terms)
      sequence.push_back({term, 0, term.is_loop() ? std::uint64_t{1} : 0});
    return sequence;
  }

  const Nest& nest_;
  std::vector<bool> unrolls_;
  std::vector<Sequence> bodies_; // empty: not yet made
};

// Folding a sequence anew
// -----------------------------------------------------------------------------

class Refolder {
public:
  explicit Refolder(Draft& draft)
      : draft_(draft), before_(draft.bodies), used_(draft.bodies.size(), false) {
    mark_used(draft.top);
  }

  void refold() {
    for (std::size_t i = 0; i < before_.size(); ++i) {
      if (used_[i]) draft_.bodies[i] = refolded(before_[i]);
    }
    draft_.top = refolded(Sequence(draft_.top));
  }

private:
  enum class Way : std::uint8_t { kItem, kSplit, kNewLoop, kKnownLoop };
  struct Cell { // the fewest terms for an interval of the sequence
    std::uint16_t cost = std::numeric_limits<std::uint16_t>::max();
    Way way = Way::kItem;
    std::uint32_t detail = 0; // where to split, the period, or the loop
  };

  void mark_used(const Sequence& sequence) {
    for (const Item& item : sequence) {
      if (!item.term.is_loop() || used_[item.term.index()]) continue;
      used_[item.term.index()] = true;
      mark_used(before_[item.term.index()]);
    }
  }

  Cell& cell(std::size_t begin, std::size_t end) { return cells_[begin * (size_ + 1) + end]; }
  std::uint16_t& common(std::size_t i, std::size_t j) { return common_[i * (size_ + 1) + j]; }

  Sequence refolded(const Sequence& sequence) {
    size_ = sequence.size();
    if (size_ < 2 || size_ > kMaxSequence) return sequence;
    cells_.assign((size_ + 1) * (size_ + 1), {});
    block_begins_.assign(size_ + 1, {});
    measure_common(sequence);
    find_known(sequence);
    for (std::size_t length = 1; length <= size_; ++length) {
      for (std::size_t begin = 0; begin + length <= size_; ++begin) solve(begin, begin + length);
    }
    Sequence result;
    write(sequence, 0, size_, result);
    return result;
  }

  // common(i, j): length of the longest sequence that starts both at i and at j.
  void measure_common(const Sequence& sequence) {
    common_.assign((size_ + 1) * (size_ + 1), 0);
    for (std::size_t i = size_; i-- > 0;) {
      for (std::size_t j = size_; j-- > i + 1;) {
        if (sequence[i] == sequence[j])
          common(i, j) = static_cast<std::uint16_t>(common(i + 1, j + 1) + 1);
      }
    }
  }

  // Intervals that are iterations of a loop that is there already, written out or not. Only shorter
  // bodies may be met written out: so no loop comes to contain itself.
  void find_known(const Sequence& sequence) {
    for (std::uint32_t loop = 0; loop < before_.size(); ++loop) {
      const Sequence& body = before_[loop];
      if (!used_[loop] || body.size() < 2) continue;
      for (std::size_t begin = 0; begin < size_; ++begin) {
        std::size_t end = begin;
        while (const std::size_t step = known_step(sequence, end, Term::loop(loop), body)) {
          end += step;
          if (end - begin > 1) cell(begin, end) = {1, Way::kKnownLoop, loop};
        }
      }
    }
  }

  std::size_t known_step(const Sequence& sequence, std::size_t at, Term loop,
                         const Sequence& body) const {
    if (at == size_) return 0;
    if (sequence[at].term == loop) return 1;
    if (body.size() >= size_ || at + body.size() > size_) return 0;
    const auto begin = sequence.begin() + static_cast<std::ptrdiff_t>(at);
    return std::equal(body.begin(), body.end(), begin) ? body.size() : 0;
  }

  // Every way to write an interval ends with a block: an item or a loop. Few intervals are blocks.
  void solve(std::size_t begin, std::size_t end) {
    Cell& best = cell(begin, end);
    const std::size_t length = end - begin;
    if (length == 1) best = {1, Way::kItem, 0};
    const std::uint16_t as_block = best.cost;
    for (const std::size_t middle : block_begins_[end]) {
      const int cost = cell(begin, middle).cost + cell(middle, end).cost;
      if (cost < best.cost)
        best = {static_cast<std::uint16_t>(cost), Way::kSplit, static_cast<std::uint32_t>(middle)};
    }
    if (as_block == best.cost) block_begins_[end].push_back(begin);
    const auto as_loop = static_cast<std::uint16_t>(best.cost + 1);
    for (std::size_t copies = common(begin, end) / length; copies > 0; --copies) {
      Cell& repeated = cell(begin, end + copies * length);
      if (as_loop < repeated.cost)
        repeated = {as_loop, Way::kNewLoop, static_cast<std::uint32_t>(length)};
    }
  }

  void write(const Sequence& sequence, std::size_t begin, std::size_t end, Sequence& out) {
    const Cell best = cell(begin, end);
    switch (best.way) {
    case Way::kItem:
      out.push_back(sequence[begin]);
      break;
    case Way::kSplit:
      write(sequence, begin, best.detail, out);
      write(sequence, best.detail, end, out);
      break;
    case Way::kNewLoop: {
      Sequence body;
      write(sequence, begin, begin + best.detail, body);
      out.push_back({Term::loop(loop_with(std::move(body))), (end - begin) / best.detail, 0});
      break;
    }
    case Way::kKnownLoop: {
      Item item{Term::loop(best.detail)};
      for (std::size_t i = begin; i < end;) {
        const bool is_loop = sequence[i].term == item.term;
        item.added += is_loop ? sequence[i].added : 1;
        item.taken += is_loop ? sequence[i].taken : 0;
        i += is_loop ? 1 : before_[best.detail].size();
      }
      out.push_back(item);
      break;
    }
    }
  }

  std::uint32_t loop_with(Sequence body) {
    const auto first_new = draft_.bodies.begin() + static_cast<std::ptrdiff_t>(before_.size());
    const auto found = std::find(first_new, draft_.bodies.end(), body);
    const auto index = static_cast<std::uint32_t>(found - draft_.bodies.begin());
    if (found == draft_.bodies.end()) draft_.bodies.push_back(std::move(body));
    return index;
  }

  Draft& draft_;
  const std::vector<Sequence> before_; // bodies as they were met in sequences
  std::vector<bool> used_;
  std::size_t size_ = 0; // of the sequence at hand
  std::vector<Cell> cells_;
  std::vector<std::vector<std::size_t>> block_begins_; // by end: of blocks
  std::vector<std::uint16_t> common_;
};

// Trip counts
// -----------------------------------------------------------------------------------------

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
  std::size_t size = 2 * column.runs().size() + column.values().size() + column.dictionary().size();
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

trace::Nest polish(trace::Nest nest) {
  if (nest.loops().size() > kMaxLoops) return nest;
  bool improved = true;
  for (int round = 0; round < kMaxRounds && improved; ++round) {
    improved = false;
    const Nest before = nest;
    for (const bool all : {false, true}) {
      Draft draft = Unroller(before, all).draft();
      Refolder(draft).refold();
      auto refolded = Finisher(before, draft).nest();
      if (!refolded || refolded->terms() > nest.terms() || size_of(*refolded) >= size_of(nest))
        continue;
      nest = std::move(*refolded);
      improved = true;
    }
  }
  return nest;
}

} // namespace rondo::fold
