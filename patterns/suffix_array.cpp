// SPDX-License-Identifier: Apache-2.0
#include "patterns/suffix_array.hpp"

#include <algorithm>
#include <numeric>

namespace rondo::patterns::internal {
namespace {

using Numbers = std::vector<std::uint32_t>;

constexpr std::uint32_t kNone = 0xffffffff;

/// Sorts the suffixes of a text that ends with its only, smallest symbol. A suffix is of the
/// smaller type if it is smaller than the one behind it. Those of the smaller type with one of the
/// larger before them are the leftmost ones: the order of these gives that of all others.
class Sorter {
public:
  Sorter(const Numbers& text, std::uint32_t alphabet) : text_(text), order_(text.size(), kNone) {
    find_types();
    find_buckets(alphabet);
  }

  Numbers sorted() {
    for (std::size_t i = 1; i < text_.size(); ++i) {
      if (is_leftmost(i)) leftmost_.push_back(static_cast<std::uint32_t>(i));
    }
    induce(leftmost_); // in any order: sorts them up to where the next one begins
    induce(leftmost_in_order());
    return std::move(order_);
  }

private:
  bool is_leftmost(std::size_t i) const { return i > 0 && is_smaller_[i] && !is_smaller_[i - 1]; }

  void find_types() {
    is_smaller_.resize(text_.size());
    is_smaller_.back() = true;
    for (std::size_t i = text_.size() - 1; i > 0; --i)
      is_smaller_[i - 1] = text_[i - 1] < text_[i] || (text_[i - 1] == text_[i] && is_smaller_[i]);
  }

  void find_buckets(std::uint32_t alphabet) {
    begins_.resize(alphabet + std::size_t{1});
    for (const std::uint32_t symbol : text_) ++begins_[symbol + std::size_t{1}];
    std::partial_sum(begins_.begin(), begins_.end(), begins_.begin());
  }

  // Puts these at the ends of their buckets; then larger ones from the left and smaller ones from
  // the right, each by the suffix behind it.
  void induce(const Numbers& seeds) {
    std::fill(order_.begin(), order_.end(), kNone);
    Numbers ends(begins_.begin() + 1, begins_.end());
    for (auto seed = seeds.rbegin(); seed != seeds.rend(); ++seed)
      order_[--ends[text_[*seed]]] = *seed;
    Numbers next(begins_.begin(), begins_.end() - 1);
    for (std::size_t i = 0; i < order_.size(); ++i) {
      const std::uint32_t at = order_[i];
      if (at != kNone && at > 0 && !is_smaller_[at - 1]) order_[next[text_[at - 1]]++] = at - 1;
    }
    ends.assign(begins_.begin() + 1, begins_.end());
    for (std::size_t i = order_.size(); i > 0; --i) {
      const std::uint32_t at = order_[i - 1];
      if (at != kNone && at > 0 && is_smaller_[at - 1]) order_[--ends[text_[at - 1]]] = at - 1;
    }
  }

  // From one leftmost suffix to the next, that one's first symbol included.
  bool are_equal_pieces(std::size_t a, std::size_t b) const {
    for (std::size_t i = 0;; ++i) {
      if (text_[a + i] != text_[b + i] || is_smaller_[a + i] != is_smaller_[b + i]) return false;
      if (i > 0 && (is_leftmost(a + i) || is_leftmost(b + i)))
        return is_leftmost(a + i) && is_leftmost(b + i);
    }
  }

  // The pieces are sorted; the text of their numbers is at most half as long.
  Numbers leftmost_in_order() const {
    Numbers name_at(text_.size(), kNone);
    std::uint32_t names = 0;
    std::uint32_t last = kNone;
    for (const std::uint32_t at : order_) {
      if (!is_leftmost(at)) continue;
      if (last == kNone || !are_equal_pieces(last, at)) ++names;
      name_at[at] = names - 1;
      last = at;
    }
    Numbers pieces;
    for (const std::uint32_t at : leftmost_) pieces.push_back(name_at[at]);
    Numbers order;
    if (names == pieces.size()) {
      order.resize(pieces.size());
      for (std::size_t i = 0; i < pieces.size(); ++i)
        order[pieces[i]] = static_cast<std::uint32_t>(i);
    } else {
      order = Sorter(pieces, names).sorted();
    }
    for (std::uint32_t& piece : order) piece = leftmost_[piece];
    return order;
  }

  const Numbers& text_;
  std::vector<bool> is_smaller_;
  Numbers begins_; // of each symbol's bucket; one more at the end
  Numbers leftmost_; // by place
  Numbers order_;
};

// The text's symbols as small numbers in the same order from 1, and a 0 behind.
Numbers numbered(const Word& text, std::uint32_t& alphabet) {
  Word symbols(text);
  std::sort(symbols.begin(), symbols.end());
  symbols.erase(std::unique(symbols.begin(), symbols.end()), symbols.end());
  alphabet = static_cast<std::uint32_t>(symbols.size() + 1);
  Numbers numbers;
  numbers.reserve(text.size() + 1);
  for (const Symbol symbol : text) {
    const auto at = std::lower_bound(symbols.begin(), symbols.end(), symbol);
    numbers.push_back(static_cast<std::uint32_t>(at - symbols.begin() + 1));
  }
  numbers.push_back(0);
  return numbers;
}

// A suffix without its first symbol has one less in common with the one before it, at least.
Numbers common_of(const Word& text, const Numbers& starts) {
  Numbers place(text.size());
  for (std::size_t i = 0; i < starts.size(); ++i) place[starts[i]] = static_cast<std::uint32_t>(i);
  Numbers common(text.size(), 0);
  std::uint32_t length = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (place[i] == 0) {
      length = 0;
      continue;
    }
    const std::size_t other = starts[place[i] - 1];
    while (std::max(i, other) + length < text.size() && text[i + length] == text[other + length])
      ++length;
    common[place[i]] = length;
    length -= length > 0 ? 1 : 0;
  }
  return common;
}

} // namespace

SuffixArray suffix_array(const Word& text) {
  SuffixArray result;
  if (text.empty()) return result;
  std::uint32_t alphabet = 0;
  const Numbers numbers = numbered(text, alphabet);
  result.starts = Sorter(numbers, alphabet).sorted();
  result.starts.erase(result.starts.begin()); // the end of the text
  result.common = common_of(text, result.starts);
  return result;
}

} // namespace rondo::patterns::internal
