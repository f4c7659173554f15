// SPDX-License-Identifier: Apache-2.0
#include "rondo/patterns/repeats.hpp"

#include "patterns/suffix_array.hpp"

#include <algorithm>

namespace rondo::patterns {
namespace {

using internal::SuffixArray;

/// Suffixes that begin with the same word, next to each other, are an interval. Those that cannot
/// be made longer without losing some have a word that is maximal to the right; it is so to the
/// left if different symbols stand before them.
class Intervals {
public:
  Intervals(const Word& text, std::size_t least_length)
      : text_(text), suffixes_(internal::suffix_array(text)), least_length_(least_length) {
    find_changes();
  }

  std::vector<Repeat> maximal() {
    struct Open {
      std::size_t first = 0; // place of its first suffix
      std::size_t length = 0;
    };
    std::vector<Open> open;
    const std::size_t count = suffixes_.starts.size();
    for (std::size_t place = 1; place <= count; ++place) {
      const std::size_t common = place < count ? suffixes_.common[place] : 0;
      std::size_t first = place - 1;
      while (!open.empty() && open.back().length > common) {
        first = open.back().first;
        add(first, place, open.back().length);
        open.pop_back();
      }
      if (common > 0 && (open.empty() || open.back().length < common))
        open.push_back({first, common});
    }
    return std::move(result_);
  }

private:
  // Each end of the text is a neighbour of its own, as nothing else is.
  bool is_same_before(std::size_t a, std::size_t b) const {
    return a > 0 && b > 0 && text_[a - 1] == text_[b - 1];
  }

  void find_changes() {
    changes_.resize(suffixes_.starts.size());
    for (std::size_t i = 1; i < changes_.size(); ++i)
      changes_[i] =
          changes_[i - 1] + (is_same_before(suffixes_.starts[i - 1], suffixes_.starts[i]) ? 0 : 1);
  }

  void add(std::size_t first, std::size_t last, std::size_t length) {
    if (length < least_length_ || changes_[first] == changes_[last - 1]) return;
    Repeat repeat;
    repeat.length = length;
    repeat.starts.assign(suffixes_.starts.begin() + static_cast<std::ptrdiff_t>(first),
                         suffixes_.starts.begin() + static_cast<std::ptrdiff_t>(last));
    std::sort(repeat.starts.begin(), repeat.starts.end());
    repeat.apart = apart(repeat.starts, length);
    if (repeat.apart < 2) return;
    repeat.is_supermaximal = is_supermaximal(first, last, repeat);
    result_.push_back(std::move(repeat));
  }

  // No word one symbol longer, on either side, occurs twice.
  bool is_supermaximal(std::size_t first, std::size_t last, const Repeat& repeat) {
    for (std::size_t place = first + 1; place < last; ++place) {
      if (suffixes_.common[place] > repeat.length) return false;
    }
    before_.clear();
    for (const std::size_t start : repeat.starts) {
      if (start > 0) before_.push_back(text_[start - 1]);
    }
    std::sort(before_.begin(), before_.end());
    return std::adjacent_find(before_.begin(), before_.end()) == before_.end();
  }

  const Word& text_;
  SuffixArray suffixes_;
  std::size_t least_length_;
  std::vector<std::uint32_t> changes_; // of the symbol before, among the suffixes up to a place
  std::vector<Repeat> result_;
  Word before_;
};

} // namespace

std::vector<Repeat> repeats_of(const Word& text, const RepeatOptions& options) {
  std::vector<Repeat> result =
      Intervals(text, std::max<std::size_t>(options.least_length, 1)).maximal();
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
