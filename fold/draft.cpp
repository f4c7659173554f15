// SPDX-License-Identifier: Apache-2.0
#include "fold/draft.hpp"

#include <algorithm>

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

} // namespace

Draft write_out(const Nest& nest, bool all) { return Unroller(nest, all).draft(); }

bool rotate(Draft& draft, std::uint32_t loop) {
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

void reverse(Draft& draft) {
  for_each_sequence(draft,
                    [](Sequence& sequence) { std::reverse(sequence.begin(), sequence.end()); });
}

} // namespace rondo::fold
