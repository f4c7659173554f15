// SPDX-License-Identifier: Apache-2.0
#include "rondo/patterns/repeats.hpp"

#include "patterns/suffix_automaton.hpp"

#include <algorithm>
#include <numeric>
#include <set>

namespace rondo::patterns {
namespace {

using internal::SuffixAutomaton;

/// An automaton with the number and the ends of the occurrences of its states.
class Occurrences {
public:
  explicit Occurrences(const Word& text) : text_(text) {
    for (const Symbol symbol : text) automaton_.add(symbol);
    const auto& states = automaton_.states();
    counts_.resize(states.size());
    is_end_.resize(states.size());
    children_.resize(states.size());
    std::vector<std::uint32_t> by_length(states.size());
    std::iota(by_length.begin(), by_length.end(), 0);
    std::sort(by_length.begin(), by_length.end(), [&](std::uint32_t a, std::uint32_t b) {
      return states[a].length > states[b].length;
    });
    for (const std::uint32_t state : by_length) {
      if (!states[state].is_copy && state != SuffixAutomaton::kRoot) ++counts_[state];
      if (states[state].link == SuffixAutomaton::kNone) continue;
      counts_[states[state].link] += counts_[state];
      children_[states[state].link].push_back(state);
    }
    for (std::uint32_t s = automaton_.last(); s != SuffixAutomaton::kNone; s = states[s].link)
      is_end_[s] = true;
  }

  std::vector<Repeat> maximal(std::size_t least_length) const {
    std::vector<Repeat> result;
    for (std::uint32_t state = 1; state < automaton_.states().size(); ++state) {
      if (automaton_.states()[state].length < least_length || counts_[state] < 2) continue;
      if (automaton_.count_transitions(state) + (is_end_[state] ? 1 : 0) < 2) continue;
      Repeat repeat;
      repeat.length = automaton_.states()[state].length;
      repeat.starts = starts_of(state);
      repeat.apart = apart(repeat.starts, repeat.length);
      if (repeat.apart < 2) continue;
      repeat.is_supermaximal = is_supermaximal(state, repeat);
      result.push_back(std::move(repeat));
    }
    return result;
  }

private:
  std::vector<std::size_t> starts_of(std::uint32_t top) const {
    std::vector<std::size_t> starts;
    std::vector<std::uint32_t> open{top};
    const std::size_t length = automaton_.states()[top].length;
    while (!open.empty()) {
      const std::uint32_t state = open.back();
      open.pop_back();
      if (!automaton_.states()[state].is_copy)
        starts.push_back(automaton_.states()[state].end - length);
      open.insert(open.end(), children_[state].begin(), children_[state].end());
    }
    std::sort(starts.begin(), starts.end());
    return starts;
  }

  // No word one symbol longer, on either side, occurs twice.
  bool is_supermaximal(std::uint32_t state, const Repeat& repeat) const {
    bool result = true;
    automaton_.for_each_target(
        state, [&](std::uint32_t target) { result = result && counts_[target] == 1; });
    std::set<Symbol> before;
    for (const std::size_t start : repeat.starts)
      result = result && (start == 0 || before.insert(text_[start - 1]).second);
    return result;
  }

  const Word& text_;
  SuffixAutomaton automaton_;
  std::vector<std::uint32_t> counts_;
  std::vector<bool> is_end_; // its words are suffixes of the text
  std::vector<std::vector<std::uint32_t>> children_; // by suffix link
};

} // namespace

std::vector<Repeat> repeats_of(const Word& text, const RepeatOptions& options) {
  std::vector<Repeat> result =
      Occurrences(text).maximal(std::max<std::size_t>(options.least_length, 1));
  std::sort(result.begin(), result.end(), [](const Repeat& a, const Repeat& b) {
    return a.starts.front() != b.starts.front() ? a.starts.front() < b.starts.front()
                                                : a.length > b.length;
  });
  return result;
}

std::vector<std::size_t> occurrences_of(const Word& word, const Word& text) {
  std::vector<std::size_t> starts;
  if (word.empty() || word.size() > text.size()) return starts;
  std::vector<std::size_t> border(word.size() + 1, 0); // of the prefix of that length
  std::size_t matched = 0;
  for (std::size_t i = 1; i < word.size(); ++i) {
    while (matched > 0 && word[i] != word[matched]) matched = border[matched];
    if (word[i] == word[matched]) ++matched;
    border[i + 1] = matched;
  }
  matched = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    while (matched > 0 && (matched == word.size() || text[i] != word[matched]))
      matched = border[matched];
    if (text[i] == word[matched]) ++matched;
    if (matched == word.size()) starts.push_back(i + 1 - word.size());
  }
  return starts;
}

std::size_t apart(const std::vector<std::size_t>& starts, std::size_t length) {
  std::size_t count = 0;
  std::size_t free_from = 0;
  for (const std::size_t start : starts) {
    if (start < free_from) continue;
    ++count;
    free_from = start + length;
  }
  return count;
}

} // namespace rondo::patterns
