// SPDX-License-Identifier: Apache-2.0
// The smallest automaton that knows all suffixes of a text, grown symbol by symbol. A state stands
// for words with the same ends in the text; the longest of them is the one that cannot be extended
// to the left.
#pragma once

#include "rondo/patterns/collapsed_stream.hpp"

#include <cstdint>
#include <vector>

namespace rondo::patterns::internal {

class SuffixAutomaton {
public:
  static constexpr std::uint32_t kNone = 0xffffffff;
  static constexpr std::uint32_t kRoot = 0;

  struct State {
    std::uint32_t length = 0; // of its longest word
    std::uint32_t link = kNone; // state of the longest suffix with more ends
    std::uint32_t edges = kNone; // first of its transitions
    std::uint32_t end = 0; // one of its ends: length of the text up to there
    bool is_copy = false; // does not bring an end of its own
  };

  SuffixAutomaton() { states_.emplace_back(); }

  /// @complexity O(transitions of a state), amortised
  void add(Symbol symbol);

  const std::vector<State>& states() const { return states_; }
  std::uint32_t last() const { return last_; }
  std::size_t count_transitions(std::uint32_t state) const;
  template <class Visit> void for_each_target(std::uint32_t state, Visit visit) const {
    for (std::uint32_t e = states_[state].edges; e != kNone; e = edges_[e].next)
      visit(edges_[e].target);
  }

private:
  struct Edge {
    Symbol symbol = 0;
    std::uint32_t target = 0;
    std::uint32_t next = kNone; // of the same state
  };
  std::uint32_t* find(std::uint32_t state, Symbol symbol); // target, or nullptr
  void connect(std::uint32_t state, Symbol symbol, std::uint32_t target);
  std::uint32_t copy_of(std::uint32_t state, std::uint32_t length);

  std::vector<State> states_;
  std::vector<Edge> edges_;
  std::vector<std::uint32_t> from_root_; // symbol -> edge: the root may have many
  std::uint32_t last_ = kRoot;
};

} // namespace rondo::patterns::internal
