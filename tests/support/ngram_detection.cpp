// SPDX-License-Identifier: Apache-2.0
#include "tests/support/ngram_detection.hpp"

namespace rondo::support {
namespace {

using Word = std::vector<std::uint32_t>;

class Detection {
public:
  explicit Detection(const Word& text) : text_(text) {}

  std::map<Word, std::set<std::size_t>> run() {
    std::size_t p = 0;
    while (p + 2 <= text_.size()) {
      const Word bigram = word(p, 2);
      const bool is_new = !patterns_.contains(bigram);
      patterns_[bigram].insert(p);
      p += add_tandems(bigram, p);
      std::size_t length = 2;
      while (!is_new && p + length < text_.size() && grow(p, length)) ++length;
      if (!is_new && p + length >= text_.size()) break;
      p += is_new ? 1 : length; // to the last event of the n-gram that did not match
    }
    std::erase_if(patterns_, [](const auto& entry) { return entry.second.size() < 2; });
    return std::move(patterns_);
  }

private:
  Word word(std::size_t from, std::size_t length) const {
    const auto first = text_.begin() + static_cast<std::ptrdiff_t>(from);
    return {first, first + static_cast<std::ptrdiff_t>(length)};
  }

  // Positions of copies that follow directly; how far the last one is away.
  std::size_t add_tandems(const Word& pattern, std::size_t from) {
    std::size_t distance = 0;
    while (from + distance + 2 * pattern.size() <= text_.size() &&
           word(from + distance + pattern.size(), pattern.size()) == pattern) {
      distance += pattern.size();
      patterns_[pattern].insert(from + distance);
    }
    return distance;
  }

  bool grow(std::size_t& p, std::size_t length) {
    const Word prefix = word(p, length);
    const Word next = word(p, length + 1);
    bool matches = patterns_.contains(next) && !patterns_[next].empty();
    patterns_[next].insert(p);
    for (const std::size_t position : std::set<std::size_t>(patterns_[prefix])) { // Algorithm 2
      if (position == p || position + length >= text_.size()) continue;
      if (word(position, length + 1) != next) continue;
      matches = true;
      patterns_[prefix].erase(position);
      patterns_[next].insert(position);
    }
    const std::size_t first = p;
    p += add_tandems(next, p);
    if (p != first || matches) {
      patterns_[prefix].erase(first);
      return true;
    }
    patterns_.erase(next);
    return false;
  }

  const Word& text_;
  std::map<Word, std::set<std::size_t>> patterns_;
};

} // namespace

std::map<Word, std::set<std::size_t>> ngram_patterns(const Word& text) {
  return Detection(text).run();
}

} // namespace rondo::support
