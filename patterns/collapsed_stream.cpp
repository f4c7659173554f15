// SPDX-License-Identifier: Apache-2.0
#include "rondo/patterns/collapsed_stream.hpp"

#include "rondo/base/sort_stably.hpp"

#include <algorithm>

namespace rondo::patterns {
namespace {

// Words of different lengths are told apart by their hashes alone, and begin with small numbers: of
// rondo::mixed() some would be equal.
std::uint64_t with_symbol(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ (value + 0x9e3779b97f4a7c15u)) * 0xff51afd7ed558ccdu;
  return hash ^ hash >> 32;
}

} // namespace

void CollapsedStream::push(const StreamEvent& event) {
  const std::uint64_t before = places_.empty() ? 0 : places_.back().hash;
  items_.push_back({event.symbol, event.source, event.bytes, event.inside_ns, 1, position_,
                    position_, event.phase});
  ++position_;
  Place place;
  place.hash = with_symbol(before, event.symbol);
  place.at = kept_at_.size();
  if (is_tracking_) kept_at_.push_back(place.at);
  places_.push_back(place);
  if (items_.size() >= kGram) {
    places_.back().gram = gram_of_tail();
    auto& last = last_gram_.try_emplace(places_.back().gram, kNone).first->second;
    places_.back().before = last;
    last = static_cast<std::uint32_t>(items_.size() - 1);
  }
  while (fold_once()) continue;
}

void CollapsedStream::skip(std::uint64_t inside_ns) {
  if (is_tracking_) kept_at_.push_back(~std::uint64_t{0});
  ++position_;
  if (items_.empty() || inside_ns == 0) return;
  items_.back().inside_ns += inside_ns;
  lowest_ = std::min(lowest_, items_.size() - 1);
}

std::uint64_t CollapsedStream::gram_of_tail() const {
  std::uint64_t hash = 0;
  for (std::size_t i = items_.size() - kGram; i < items_.size(); ++i)
    hash = with_symbol(hash, items_[i].symbol);
  return hash;
}

bool CollapsedStream::is_square(std::size_t period) const {
  const std::size_t size = items_.size();
  for (std::size_t i = 1; i <= period; ++i) {
    if (items_[size - i].symbol != items_[size - i - period].symbol) return false;
  }
  return true;
}

bool CollapsedStream::fold_once() {
  const std::size_t size = items_.size();
  for (std::size_t period = 1; period < kGram && period * 2 <= size; ++period) {
    if (!is_square(period)) continue;
    fold(period);
    return true;
  }
  if (size < kGram * 2) return false;
  std::uint32_t earlier = places_.back().before;
  for (int tries = 0; earlier != kNone && tries < kMostTries; ++tries) {
    const std::size_t period = size - 1 - earlier;
    if (period * 2 > size || period > kLongestPeriod) return false;
    if (period >= kGram && is_square(period)) {
      fold(period);
      return true;
    }
    earlier = places_[earlier].before;
  }
  return false;
}

void CollapsedStream::fold(std::size_t period) {
  note_tandem(period);
  const std::size_t second = items_.size() - period;
  lowest_ = std::min(lowest_, second - period);
  for (std::size_t i = 0; i < period; ++i) {
    CollapsedItem& kept = items_[second - period + i];
    if (is_tracking_) kept_at_[places_[second + i].at] = places_[second - period + i].at;
    kept.executions += items_[second + i].executions;
    kept.inside_ns += items_[second + i].inside_ns;
    kept.bytes += items_[second + i].bytes;
    kept.last = items_[second + i].last;
  }
  for (std::size_t i = 0; i < period; ++i) pop();
}

void CollapsedStream::pop() {
  const Place& place = places_.back();
  if (items_.size() >= kGram) {
    const auto found = last_gram_.find(place.gram);
    if (place.before == kNone) {
      last_gram_.erase(found);
    } else {
      found->second = place.before;
    }
  }
  items_.pop_back();
  places_.pop_back();
}

void CollapsedStream::note_tandem(std::size_t period) {
  std::uint64_t hash = period;
  for (std::size_t i = items_.size() - period; i < items_.size(); ++i)
    hash = with_symbol(hash, items_[i].symbol);
  TandemRepeat& tandem = tandems_[hash];
  if (tandem.times++ == 0) {
    for (std::size_t i = items_.size() - period; i < items_.size(); ++i)
      tandem.word.push_back(items_[i].symbol);
  }
  if (journal_ != nullptr) ++(*journal_)[hash];
}

// A position was taken in by an earlier one, so those before it are known when it is looked at.
std::vector<std::uint32_t> CollapsedStream::item_of_positions() const {
  if (!is_tracking_) return {};
  std::vector<std::uint32_t> result(kept_at_.size(), kNoItem);
  for (std::size_t i = 0; i < items_.size(); ++i)
    result[places_[i].at] = static_cast<std::uint32_t>(i);
  for (std::uint64_t at = 0; at < kept_at_.size(); ++at) {
    if (kept_at_[at] != at && kept_at_[at] < at) result[at] = result[kept_at_[at]];
  }
  return result;
}

std::vector<CollapsedStream::LongPass> CollapsedStream::long_passes() const {
  auto result = long_passes_;
  sort_stably(result.begin(), result.end(), [](const LongPass& a, const LongPass& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;
  });
  return result;
}

std::vector<TandemRepeat> CollapsedStream::tandem_repeats() const {
  std::vector<TandemRepeat> result;
  for (const auto& [hash, tandem] : tandems_) result.push_back(tandem);
  sort_stably(result.begin(), result.end(),
              [](const TandemRepeat& a, const TandemRepeat& b) { return a.word < b.word; });
  return result;
}

std::uint64_t CollapsedStream::hash_here() const {
  return places_.empty() ? 0 : places_.back().hash;
}

CollapsedStream::Tail CollapsedStream::tail_from(std::size_t index) const {
  const std::size_t from = std::min(index, items_.size());
  return {items_.begin() + static_cast<std::ptrdiff_t>(from), items_.end()};
}

bool CollapsedStream::is_linear(const Tail& a, const Tail& b, const Tail& c) {
  if (a.size() != b.size() || b.size() != c.size()) return false;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (c[i].executions - b[i].executions != b[i].executions - a[i].executions ||
        c[i].inside_ns - b[i].inside_ns != b[i].inside_ns - a[i].inside_ns ||
        c[i].bytes - b[i].bytes != b[i].bytes - a[i].bytes ||
        c[i].first - b[i].first != b[i].first - a[i].first ||
        c[i].last - b[i].last != b[i].last - a[i].last)
      return false;
  }
  return true;
}

void CollapsedStream::add_passes(std::uint64_t passes, const Tail& before, std::uint64_t length) {
  const std::size_t from = items_.size() - before.size();
  for (std::size_t i = 0; i < before.size(); ++i) {
    CollapsedItem& item = items_[from + i];
    item.executions += (item.executions - before[i].executions) * passes;
    item.inside_ns += (item.inside_ns - before[i].inside_ns) * passes;
    item.bytes += (item.bytes - before[i].bytes) * passes;
    item.first += (item.first - before[i].first) * passes;
    item.last += (item.last - before[i].last) * passes;
  }
  position_ += length * passes;
}

// The symbol whose item has this one now.
std::uint64_t CollapsedStream::kept_now(std::uint64_t at) const {
  while (kept_at_[at] < at) at = kept_at_[at];
  return kept_at_[at] == at ? at : ~std::uint64_t{0};
}

// With tracking it must also be known into which items the symbols of passes go that are left out.
// A pass that follows may move what the last one has left at the end. If what it did to the pass
// before is undone by nothing, no later pass moves it again: then only the last passes have items
// of their own, and are made one by one.
// @param begins   of the last passes that were alike, in kept_at_
std::uint64_t CollapsedStream::passes_to_leave_out(std::uint64_t left,
                                                   std::vector<std::uint64_t>& begins) {
  constexpr std::uint64_t kMadeBehind = 2;
  if (!is_tracking_) return left;
  if (left <= kMadeBehind || begins.size() < 3) return 0;
  const std::uint64_t third = *(begins.end() - 1);
  const std::uint64_t second = *(begins.end() - 2);
  const std::uint64_t first = *(begins.end() - 3);
  const std::uint64_t length = kept_at_.size() - third;
  if (third - second != length || second - first != length) return 0;
  for (std::uint64_t i = 0; i < length; ++i) {
    if (kept_now(first + i) != kept_now(second + i)) return 0;
  }
  left -= kMadeBehind;
  long_passes_.push_back({third, third + length, left + 1});
  begins.clear();
  return left;
}

// What is done to the stream depends on its symbols alone. Once a pass of the loop leaves the same
// symbols as it found, all later passes do the same, and counts and positions change linearly: with
// one pass they go from c to A c + b. If two passes in a row change them by the same amounts, so do
// all that follow.
void CollapsedStream::repeat(std::uint64_t count, const std::function<void()>& body) {
  Journal* const outer = journal_;
  const std::size_t outer_lowest = lowest_;
  std::size_t lowest = outer_lowest;
  std::vector<Tail> tails; // from `from` on, after each of the last passes that were alike
  std::size_t from = 0;
  std::vector<std::uint64_t> begins; // of these passes, in kept_at_
  for (std::uint64_t pass = 0; pass < count; ++pass) {
    const std::uint64_t hash = hash_here();
    const std::size_t size = items_.size();
    const std::uint64_t position = position_;
    begins.push_back(kept_at_.size());
    Journal journal;
    journal_ = &journal;
    lowest_ = ~std::size_t{0};
    body();
    lowest = std::min(lowest, lowest_);
    std::uint64_t left = 0;
    if (hash_here() != hash || items_.size() != size || (!tails.empty() && from != lowest_)) {
      tails.clear();
      begins.clear();
    } else {
      from = lowest_;
      tails.push_back(tail_from(from));
      if (tails.size() > 3) tails.erase(tails.begin());
      if (tails.size() == 3 && is_linear(tails[0], tails[1], tails[2]))
        left = passes_to_leave_out(count - pass - 1, begins);
    }
    if (left > 0) {
      add_passes(left, tails[1], position_ - position);
      tails.clear();
    }
    for (const auto& [key, times] : journal) {
      tandems_[key].times += times * left;
      if (outer != nullptr) (*outer)[key] += times * (left + 1);
    }
    pass += left;
  }
  journal_ = outer;
  lowest_ = std::min(outer_lowest, lowest);
}

} // namespace rondo::patterns
