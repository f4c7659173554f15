// SPDX-License-Identifier: Apache-2.0
#include "rondo/patterns/approximate_search.hpp"

#include "rondo/base/sort_stably.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace rondo::patterns {
namespace {

constexpr std::size_t kBits = 64;
constexpr Symbol kSmallSymbols = 1 << 16; // those below have their row in a table

Word piece_of(const Word& text, std::uint64_t start, std::size_t length) {
  const auto first = text.begin() + static_cast<std::ptrdiff_t>(start);
  return {first, first + static_cast<std::ptrdiff_t>(length)};
}

/// Row of the dynamic programme for edit distance: that of a prefix to all prefixes of `b`.
class DistanceRow {
public:
  explicit DistanceRow(const Word& b) : b_(b), row_(b.size() + 1) {
    for (std::size_t j = 0; j < row_.size(); ++j) row_[j] = j;
  }
  void add(Symbol symbol) {
    std::size_t diagonal = row_[0]++;
    for (std::size_t j = 1; j < row_.size(); ++j) {
      const std::size_t changed = diagonal + (b_[j - 1] == symbol ? 0 : 1);
      diagonal = row_[j];
      row_[j] = std::min({changed, row_[j] + 1, row_[j - 1] + 1});
    }
  }
  const std::vector<std::size_t>& row() const { return row_; }

private:
  const Word& b_;
  std::vector<std::size_t> row_;
};

// The best piece that ends there: backwards from the end, as far as m + k symbols.
Occurrence best_before(const Word& reversed, const Word& text, std::uint64_t end, std::size_t k) {
  const std::size_t m = reversed.size();
  DistanceRow row(reversed);
  Occurrence best{end, 0, m};
  const auto off = [&](std::size_t length) { return length > m ? length - m : m - length; };
  for (std::size_t length = 1; length <= std::min<std::uint64_t>(end, m + k); ++length) {
    row.add(text[end - length]);
    const std::size_t distance = row.row()[m];
    if (distance < best.distance || (distance == best.distance && off(length) < off(best.length)))
      best = {end - length, length, distance};
  }
  return best;
}

// Those that overlap none with fewer differences, nor one with as many that is nearer to m in
// length, or earlier.
std::vector<Occurrence> best_apart(std::vector<Occurrence> all, std::size_t m) {
  const auto off = [&](const Occurrence& o) { return o.length > m ? o.length - m : m - o.length; };
  sort_stably(all.begin(), all.end(), [&](const Occurrence& a, const Occurrence& b) {
    return std::pair{a.distance, off(a)} < std::pair{b.distance, off(b)};
  });
  std::map<std::uint64_t, Occurrence> kept; // by start
  for (const Occurrence& occurrence : all) {
    const auto next = kept.lower_bound(occurrence.start);
    if (next != kept.end() && next->first < occurrence.start + occurrence.length) continue;
    if (next != kept.begin()) {
      const Occurrence& before = std::prev(next)->second;
      if (before.start + before.length > occurrence.start) continue;
    }
    kept.emplace(occurrence.start, occurrence);
  }
  std::vector<Occurrence> result;
  for (const auto& [start, occurrence] : kept) result.push_back(occurrence);
  return result;
}

} // namespace

DistanceScanner::DistanceScanner(const Word& word)
    : words_((word.size() + kBits - 1) / kBits), distance_(word.size()),
      last_bit_(word.empty() ? 0 : std::uint64_t{1} << ((word.size() - 1) % kBits)),
      masks_(words_, 0), plus_(words_, ~std::uint64_t{0}), minus_(words_, 0) {
  for (std::size_t i = 0; i < word.size(); ++i) {
    const auto [row, is_new] = row_of_.emplace(word[i], masks_.size() / words_);
    if (is_new) masks_.resize(masks_.size() + words_, 0);
    masks_[row->second * words_ + i / kBits] |= std::uint64_t{1} << (i % kBits);
    if (word[i] >= kSmallSymbols) continue;
    if (word[i] >= small_rows_.size()) small_rows_.resize(word[i] + std::size_t{1}, 0);
    small_rows_[word[i]] = static_cast<std::uint32_t>(row->second);
  }
}

// The column of differences between neighbouring rows is kept in bits; what leaves a block at its
// last row enters the next one as the difference above its first.
std::size_t DistanceScanner::push(Symbol symbol) {
  std::size_t row = 0;
  if (symbol < kSmallSymbols) {
    row = symbol < small_rows_.size() ? small_rows_[symbol] : 0;
  } else if (const auto found = row_of_.find(symbol); found != row_of_.end()) {
    row = found->second;
  }
  std::uint64_t plus_in = 0;
  std::uint64_t minus_in = 0;
  for (std::size_t block = 0; block < words_; ++block) {
    const std::uint64_t plus = plus_[block];
    const std::uint64_t minus = minus_[block];
    std::uint64_t equal = masks_[row * words_ + block];
    const std::uint64_t across = equal | minus;
    equal |= minus_in;
    const std::uint64_t down = (((equal & plus) + plus) ^ plus) | equal;
    std::uint64_t plus_out = minus | ~(down | plus);
    std::uint64_t minus_out = plus & down;
    const std::uint64_t top = block + 1 == words_ ? last_bit_ : std::uint64_t{1} << (kBits - 1);
    const bool rises = (plus_out & top) != 0;
    const bool falls = (minus_out & top) != 0;
    plus_out = plus_out << 1 | plus_in;
    minus_out = minus_out << 1 | minus_in;
    plus_[block] = minus_out | ~(across | plus_out);
    minus_[block] = plus_out & across;
    plus_in = rises ? 1 : 0;
    minus_in = falls ? 1 : 0;
  }
  distance_ += plus_in;
  distance_ -= minus_in;
  return distance_;
}

std::vector<Occurrence> find_similar(const Word& word, const Word& text, std::size_t k) {
  if (word.empty()) return {};
  const Word reversed(word.rbegin(), word.rend());
  k = std::min(k, word.size() - 1); // with as many differences as symbols anything would do
  DistanceScanner scanner(word);
  std::vector<Occurrence> found;
  for (std::uint64_t end = 1; end <= text.size(); ++end) {
    if (scanner.push(text[end - 1]) <= k) found.push_back(best_before(reversed, text, end, k));
  }
  return best_apart(std::move(found), word.size());
}

std::vector<Occurrence> find_similar_windows(const Word& word, const Word& text, std::size_t k,
                                             std::size_t n) {
  const std::size_t m = word.size();
  std::vector<Occurrence> found;
  if (m == 0 || n == 0 || n > m) return found;
  const auto needed = static_cast<std::int64_t>(m - n + 1) - static_cast<std::int64_t>(k * n);
  std::map<Word, std::size_t> position; // of the pieces of n symbols: the first in the word
  for (std::size_t i = 0; i + n <= m; ++i) position.emplace(piece_of(word, i, n), i);
  for (std::uint64_t start = 0; start + m <= text.size();) {
    std::int64_t shared = 0;
    std::size_t shift = 0;
    for (std::size_t i = 0; i + n <= m; ++i) {
      const auto piece = position.find(piece_of(text, start + i, n));
      if (piece == position.end()) continue;
      if (shared == 0 && i > piece->second) shift = i - piece->second;
      ++shared;
    }
    const std::size_t distance =
        shared >= needed ? edit_distance(word, piece_of(text, start, m)) : m;
    if (distance <= k) {
      found.push_back({start, m, distance});
      start += m;
    } else {
      start += std::max<std::size_t>(shift, 1);
    }
  }
  return found;
}

std::size_t edit_distance(const Word& a, const Word& b) {
  DistanceRow row(b);
  for (const Symbol symbol : a) row.add(symbol);
  return row.row().back();
}

std::vector<Edit> edits(const Word& word, const Word& piece) {
  std::vector<std::vector<std::size_t>> rows;
  DistanceRow row(piece);
  rows.push_back(row.row());
  for (const Symbol symbol : word) {
    row.add(symbol);
    rows.push_back(row.row());
  }
  std::vector<Edit> result;
  std::size_t i = word.size();
  std::size_t j = piece.size();
  while (i > 0 || j > 0) {
    const bool same = i > 0 && j > 0 && word[i - 1] == piece[j - 1];
    if (i > 0 && j > 0 && rows[i][j] == rows[i - 1][j - 1] + (same ? 0 : 1)) {
      result.push_back({same ? Edit::Kind::kSame : Edit::Kind::kChanged, --i, --j});
    } else if (i > 0 && rows[i][j] == rows[i - 1][j] + 1) {
      result.push_back({Edit::Kind::kMissing, --i, j});
    } else {
      result.push_back({Edit::Kind::kAdded, i, --j});
    }
  }
  std::reverse(result.begin(), result.end());
  return result;
}

} // namespace rondo::patterns
