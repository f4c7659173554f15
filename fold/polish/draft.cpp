// SPDX-License-Identifier: Apache-2.0
#include "fold/polish/draft.hpp"

#include <algorithm>
#include <limits>

namespace rondo::fold {
namespace {

using trace::Loop;
using trace::Nest;
using trace::Term;

// Loops that go round constantly at most so often may be written out.
constexpr std::uint64_t kMaxUnrolled = 4;

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

template <class Visit> void for_each_sequence(Draft& draft, Visit visit) {
  for (Sequence& body : draft.bodies) visit(body);
  visit(draft.top);
}

// How many of the terms before each place of a loop are the end of its body; all but one at most.
std::size_t peeled_before(Draft& draft, std::uint32_t loop) {
  const Sequence& body = draft.bodies[loop];
  std::size_t least = body.size() - 1;
  for_each_sequence(draft, [&](const Sequence& sequence) {
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      if (sequence[i].term != Term::loop(loop)) continue;
      std::size_t equal = 0;
      while (equal < least && equal < i && sequence[i - 1 - equal] == body[body.size() - 1 - equal])
        ++equal;
      least = equal;
    }
  });
  return least;
}

void reverse(Draft& draft) {
  for_each_sequence(draft,
                    [](Sequence& sequence) { std::reverse(sequence.begin(), sequence.end()); });
}

bool rotate_forward(Draft& draft, std::uint32_t loop) {
  const std::size_t count = draft.bodies[loop].empty() ? 0 : peeled_before(draft, loop);
  if (count == 0) return false;
  for_each_sequence(draft, [&](Sequence& sequence) {
    for (std::size_t i = count; i < sequence.size(); ++i) {
      const auto place = sequence.begin() + static_cast<std::ptrdiff_t>(i);
      if (place->term == Term::loop(loop))
        std::rotate(place - static_cast<std::ptrdiff_t>(count), place, place + 1);
    }
  });
  Sequence& body = draft.bodies[loop];
  std::rotate(body.begin(), body.end() - static_cast<std::ptrdiff_t>(count), body.end());
  return true;
}

// Iterations of a loop in front of an item of a sequence: as a loop that counts them, or written
// out.
class IterationsBefore {
public:
  IterationsBefore(Sequence& sequence, std::size_t at, Term loop, const Sequence& body)
      : sequence_(sequence), at_(at), body_(body.size()) {
    if (at == 0) return;
    as_loop_ = sequence[at - 1].term == loop && sequence[at - 1].taken == 0;
    if (as_loop_) count_ = sequence[at - 1].added;
    for (std::size_t end = at; !as_loop_ && end >= body_; end -= body_, ++count_) {
      const auto last = sequence.begin() + static_cast<std::ptrdiff_t>(end);
      if (!std::equal(body.begin(), body.end(), last - static_cast<std::ptrdiff_t>(body_))) break;
    }
  }

  std::uint64_t count() const { return count_; }

  /// @return items that are gone
  std::size_t take(std::uint64_t count) const {
    if (as_loop_) {
      sequence_[at_ - 1].added -= count;
      return 0;
    }
    const auto last = sequence_.begin() + static_cast<std::ptrdiff_t>(at_);
    sequence_.erase(last - static_cast<std::ptrdiff_t>(count * body_), last);
    return count * body_;
  }

private:
  Sequence& sequence_;
  std::size_t at_;
  std::size_t body_;
  std::uint64_t count_ = 0;
  bool as_loop_ = false;
};

// What the loop's last item, a loop itself, lends to the iteration that follows.
bool lend_forward(Draft& draft, std::uint32_t loop, Side keeps) {
  const Term place = Term::loop(loop);
  const Term inner = draft.bodies[loop].back().term;
  const Sequence iteration = draft.bodies[inner.index()];
  if (iteration.empty()) return false;
  std::uint64_t count = std::numeric_limits<std::uint64_t>::max();
  for_each_sequence(draft, [&](Sequence& sequence) {
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      if (sequence[i].term == place)
        count = std::min(count, IterationsBefore(sequence, i, inner, iteration).count());
    }
  });
  if (count == 0 || count > kMaxSequence) return false;
  for_each_sequence(draft, [&](Sequence& sequence) {
    for (std::size_t i = 0; i < sequence.size(); ++i) {
      if (sequence[i].term == place)
        i -= IterationsBefore(sequence, i, inner, iteration).take(count);
    }
  });
  draft.bodies[loop].back().lent = count;
  draft.bodies[loop].back().keeps = keeps;
  Sequence first;
  if (count * iteration.size() <= kMaxUnrolled) {
    for (std::uint64_t i = 0; i < count; ++i)
      first.insert(first.end(), iteration.begin(), iteration.end());
  } else {
    first.push_back({Term::loop(static_cast<std::uint32_t>(draft.bodies.size())), count});
    draft.bodies.push_back(iteration);
  }
  Sequence& body = draft.bodies[loop];
  body.insert(body.begin(), first.begin(), first.end());
  return true;
}

} // namespace

Draft write_out(const Nest& nest, bool all) { return Unroller(nest, all).draft(); }

bool rotate(Draft& draft, std::uint32_t loop, Side side) {
  if (side == Side::kBefore) return rotate_forward(draft, loop);
  reverse(draft);
  const bool is_rotated = rotate_forward(draft, loop);
  reverse(draft);
  return is_rotated;
}

bool lend(Draft& draft, std::uint32_t loop, Side side, const Nest& before) {
  if (draft.bodies[loop].size() < 2) return false;
  const bool is_before = side == Side::kBefore;
  const Item inner = is_before ? draft.bodies[loop].back() : draft.bodies[loop].front();
  if (!inner.term.is_loop() || inner.term == Term::loop(loop) || inner != Item{inner.term, 0, 1} ||
      !settle_counts(draft, loop, side, inner.term, before))
    return false;
  if (is_before) return lend_forward(draft, loop, Side::kBehind);
  reverse(draft);
  const bool is_lent = lend_forward(draft, loop, Side::kBefore);
  reverse(draft);
  return is_lent;
}

} // namespace rondo::fold
