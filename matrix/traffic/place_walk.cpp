// SPDX-License-Identifier: Apache-2.0
#include "matrix/traffic/place_walk.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

namespace rondo::matrix::internal {

using trace::Term;

namespace {

// Programs share loops, and a file made up to hurt may share them at very many places.
constexpr std::size_t kMostPlaces = 1 << 20;

} // namespace

// Most terms stand at one place.
PlaceTree::PlaceTree(const trace::MergedProgram& merged)
    : merged_(&merged), places_(1), executions_(1), children_(1) {
  std::size_t terms = merged.top.size();
  for (const auto& loop : merged.loops) terms += loop.body.size();
  terms = std::min(terms + 1, kMostPlaces);
  places_.reserve(terms);
  executions_.reserve(terms);
  children_.reserve(terms);
}

std::uint32_t PlaceTree::child(std::uint32_t parent, std::uint32_t term) {
  Children& children = children_[parent];
  auto& known = children.places;
  if (children.next == known.size() || known[children.next].first != term) {
    const auto at = std::lower_bound(known.begin(), known.end(), std::pair{term, std::uint32_t{0}});
    children.next = static_cast<std::size_t>(at - known.begin());
    if (at == known.end() || at->first != term) {
      if (places_.size() == kMostPlaces) return parent;
      known.insert(at, {term, static_cast<std::uint32_t>(places_.size())});
      add(parent, term);
    }
  }
  return children_[parent].places[children_[parent].next++].second;
}

void PlaceTree::add(std::uint32_t parent, std::uint32_t term) {
  const auto& around = places_[parent].what;
  const auto& body = around ? merged_->loops[around->index()].body : merged_->top;
  places_.push_back({parent, term, places_[parent].depth + 1, body[term]});
  executions_.push_back(0);
  children_.emplace_back();
}

void PlaceTree::finish_rank() {
  for (std::size_t i = 0; i < places_.size(); ++i)
    places_[i].executions = std::max(places_[i].executions, std::exchange(executions_[i], 0));
}

std::vector<ProgramPlace> PlaceTree::in_program_order(std::vector<std::uint32_t>& number) const {
  std::vector<ProgramPlace> result;
  number.assign(places_.size(), 0);
  std::vector<std::uint32_t> open = {0};
  while (!open.empty()) {
    const std::uint32_t place = open.back();
    open.pop_back();
    number[place] = static_cast<std::uint32_t>(result.size());
    result.push_back(places_[place]);
    result.back().parent = number[places_[place].parent];
    const auto& children = children_[place].places;
    for (std::size_t i = children.size(); i > 0; --i) open.push_back(children[i - 1].second);
  }
  return result;
}

PlaceWalk::PlaceWalk(const trace::MergedProgram& merged, const trace::Projection& projection,
                     PlaceTree& places)
    : merged_(&merged), projection_(&projection), places_(&places),
      groups_of_symbol_(projection.program.calls.size()) {
  number_terms();
  for (const trace::Loop& loop : projection.program.nest.loops())
    trip_counts_.emplace_back(loop.trip_counts);
}

// A rank's body is the merged one without the terms of others.
void PlaceWalk::number_terms() {
  const auto positions = [&](const std::vector<Term>& own, const std::vector<Term>& merged) {
    std::vector<std::uint32_t> result;
    std::size_t next = 0;
    for (const Term term : own) {
      const auto& numbers = term.is_loop() ? projection_->loops : projection_->calls;
      const std::uint32_t index = numbers[term.index()];
      const Term wanted = term.is_loop() ? Term::loop(index) : Term::symbol(index);
      while (next < merged.size() && merged[next] != wanted) ++next;
      result.push_back(static_cast<std::uint32_t>(next++));
    }
    return result;
  };
  const trace::Nest& nest = projection_->program.nest;
  top_positions_ = positions(nest.top(), merged_->top);
  for (std::size_t i = 0; i < nest.loops().size(); ++i) {
    positions_.push_back(
        positions(nest.loops()[i].body, merged_->loops[projection_->loops[i]].body));
  }
}

void PlaceWalk::keep_order(std::uint32_t symbol, std::size_t group) {
  const auto number = group_number_.emplace(group, group_number_.size()).first->second;
  groups_of_symbol_[symbol].push_back(number);
}

void PlaceWalk::add(Content& content, std::size_t group) const {
  if (content.some[group]) content.is_repeated = true;
  content.some[group] = true;
}

// Trip counts that differ are a group too: the loop has to be entered in order. Inner loops stand
// first.
void PlaceWalk::find_contents() {
  const auto& loops = projection_->program.nest.loops();
  const std::size_t symbols_groups = group_number_.size();
  const std::size_t groups = symbols_groups + loops.size();
  for (const trace::Loop& loop : loops) {
    Content content{std::vector<bool>(groups, false), false};
    for (const Term term : loop.body) {
      if (!term.is_loop()) {
        for (const std::size_t group : groups_of_symbol_[term.index()]) add(content, group);
        continue;
      }
      const Content& inner = contents_[term.index()];
      content.is_repeated = content.is_repeated || inner.is_repeated;
      for (std::size_t group = 0; group < groups; ++group) {
        if (inner.some[group]) add(content, group);
      }
      const trace::Column& counts = loops[term.index()].trip_counts;
      const bool is_constant =
          counts.kind() == trace::Column::Kind::kRuns && counts.runs().size() == 1;
      if (!is_constant) add(content, symbols_groups + term.index());
    }
    contents_.push_back(std::move(content));
  }
}

void PlaceWalk::run(const Visit& visit) {
  visit_ = &visit;
  find_contents();
  walk(projection_->program.nest.top(), top_positions_, 0, 1);
  places_->finish_rank();
}

std::uint64_t PlaceWalk::next_iterations(std::uint32_t loop, std::uint64_t entries) {
  const trace::Column& counts = projection_->program.nest.loops()[loop].trip_counts;
  if (counts.kind() == trace::Column::Kind::kRuns && counts.runs().size() == 1) {
    const std::int64_t count = counts.runs()[0].value;
    return count > 0 ? static_cast<std::uint64_t>(count) * entries : 0;
  }
  std::uint64_t sum = 0;
  std::array<std::int64_t, 256> read; // one by one takes several times as long
  while (entries > 0) {
    const std::size_t wanted = std::min<std::uint64_t>(read.size(), entries);
    const std::size_t here = trip_counts_[loop].read({read.data(), wanted});
    for (std::size_t i = 0; i < here; ++i)
      sum += read[i] > 0 ? static_cast<std::uint64_t>(read[i]) : 0;
    if (here < wanted) break;
    entries -= here;
  }
  return sum;
}

// More than once only where no order has to be kept.
void PlaceWalk::walk(const std::vector<Term>& terms, const std::vector<std::uint32_t>& positions,
                     std::uint32_t place, std::uint64_t times) {
  for (std::size_t i = 0; i < terms.size(); ++i) {
    const Term term = terms[i];
    const std::uint32_t here = places_->child(place, positions[i]);
    if (!term.is_loop()) {
      places_->count(here, times);
      (*visit_)(term.index(), here, times);
      continue;
    }
    const std::uint64_t iterations = next_iterations(term.index(), times);
    if (iterations == 0) continue;
    places_->count(here, iterations);
    const auto& body = projection_->program.nest.loops()[term.index()].body;
    const auto& inside = positions_[term.index()];
    if (!contents_[term.index()].is_repeated) {
      walk(body, inside, here, iterations);
    } else {
      for (std::uint64_t n = 0; n < iterations; ++n) walk(body, inside, here, 1);
    }
  }
}

} // namespace rondo::matrix::internal
