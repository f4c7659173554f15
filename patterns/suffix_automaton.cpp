// SPDX-License-Identifier: Apache-2.0
#include "patterns/suffix_automaton.hpp"

namespace rondo::patterns::internal {

std::uint32_t* SuffixAutomaton::find(std::uint32_t state, Symbol symbol) {
  if (state == kRoot) {
    const bool is_there = symbol < from_root_.size() && from_root_[symbol] != kNone;
    return is_there ? &edges_[from_root_[symbol]].target : nullptr;
  }
  for (std::uint32_t e = states_[state].edges; e != kNone; e = edges_[e].next) {
    if (edges_[e].symbol == symbol) return &edges_[e].target;
  }
  return nullptr;
}

void SuffixAutomaton::connect(std::uint32_t state, Symbol symbol, std::uint32_t target) {
  const auto edge = static_cast<std::uint32_t>(edges_.size());
  edges_.push_back({symbol, target, states_[state].edges});
  states_[state].edges = edge;
  if (state != kRoot) return;
  if (symbol >= from_root_.size()) from_root_.resize(symbol + std::size_t{1}, kNone);
  from_root_[symbol] = edge;
}

std::uint32_t SuffixAutomaton::copy_of(std::uint32_t state, std::uint32_t length) {
  const auto copy = static_cast<std::uint32_t>(states_.size());
  State made = states_[state];
  made.length = length;
  made.is_copy = true;
  made.edges = kNone;
  states_.push_back(made);
  for (std::uint32_t e = states_[state].edges; e != kNone; e = edges_[e].next)
    connect(copy, edges_[e].symbol, edges_[e].target);
  return copy;
}

void SuffixAutomaton::add(Symbol symbol) {
  const auto fresh = static_cast<std::uint32_t>(states_.size());
  const std::uint32_t length = states_[last_].length + 1;
  states_.push_back({length, kRoot, kNone, length, false});
  std::uint32_t state = last_;
  last_ = fresh;
  while (state != kNone && find(state, symbol) == nullptr) {
    connect(state, symbol, fresh);
    state = states_[state].link;
  }
  if (state == kNone) return;
  const std::uint32_t target = *find(state, symbol);
  if (states_[target].length == states_[state].length + 1) {
    states_[fresh].link = target;
    return;
  }
  const std::uint32_t copy = copy_of(target, states_[state].length + 1);
  states_[fresh].link = states_[target].link = copy;
  while (state != kNone) {
    std::uint32_t* old = find(state, symbol);
    if (old == nullptr || *old != target) break;
    *old = copy;
    state = states_[state].link;
  }
}

std::size_t SuffixAutomaton::count_transitions(std::uint32_t state) const {
  std::size_t count = 0;
  for_each_target(state, [&](std::uint32_t) { ++count; });
  return count;
}

} // namespace rondo::patterns::internal
