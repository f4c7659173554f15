// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/rank_sequence.hpp"

#include "rondo/base/mixed.hpp"
#include "rondo/trace/column.hpp"
#include "rondo/trace/functions.hpp"

#include <algorithm>
#include <utility>

namespace rondo::trace {
namespace {

std::int64_t wrapping_product(std::int64_t a, std::uint64_t b) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(a) * b);
}

} // namespace

RankSequence RankSequence::of(const std::vector<std::int64_t>& values) {
  RankSequence sequence;
  for (const std::int64_t value : values) sequence.push(value);
  return sequence;
}

RankSequence RankSequence::from_items(std::vector<Item> items) {
  RankSequence sequence;
  sequence.items_ = std::move(items);
  sequence.refresh();
  return sequence;
}

bool RankSequence::same(const std::vector<Item>& a, const std::vector<Item>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const Item& x, const Item& y) { return same(x, y); });
}

// Items of the body must be up to date.
void RankSequence::refresh(Item& item) {
  if (!item.is_loop()) {
    item.once = 1;
    item.sum = is_special(item.value) ? 0 : item.value;
    item.key = mixed(1, static_cast<std::uint64_t>(item.value));
    return;
  }
  item.once = 0;
  item.sum = 0;
  item.key = 2;
  for (const Item& part : item.body) {
    item.once += part.length();
    item.sum = wrapping_sum(item.sum, wrapping_product(part.sum, part.count));
    item.key = mixed(mixed(item.key, part.key), part.count);
  }
}

void RankSequence::refresh() {
  const auto refresh_all = [](const auto& self, std::vector<Item>& items) -> void {
    for (Item& item : items) {
      self(self, item.body);
      refresh(item);
    }
  };
  refresh_all(refresh_all, items_);
  size_ = 0;
  for (const Item& item : items_) size_ += item.length();
}

void RankSequence::push(std::int64_t value, std::uint64_t count) {
  if (count == 0) return;
  size_ += count;
  if (!items_.empty() && !items_.back().is_loop() && items_.back().value == value) {
    items_.back().count += count;
    while (fold_tail()) {
    }
    return;
  }
  Item item;
  item.value = value;
  item.count = count;
  refresh(item);
  push_item(std::move(item));
}

// The length is the caller's to count.
void RankSequence::push_item(Item item) {
  const bool joins = !items_.empty() && items_.back().key == item.key &&
                     items_.back().value == item.value && same(items_.back().body, item.body);
  if (joins) {
    items_.back().count += item.count;
  } else {
    items_.push_back(std::move(item));
  }
  while (fold_tail()) {
  }
}

// Makes a loop of the shortest tail that repeats what stands before it.
bool RankSequence::fold_tail() {
  const std::size_t n = items_.size();
  for (std::size_t period = 1; period < n && period <= kLongestPeriod; ++period) {
    const auto tail = items_.end() - static_cast<std::ptrdiff_t>(period);
    Item& before = *(tail - 1);
    const auto same_item = [](const Item& a, const Item& b) { return same(a, b); };
    if (before.is_loop() && before.body.size() == period &&
        std::equal(before.body.begin(), before.body.end(), tail, same_item)) {
      ++before.count;
      items_.erase(tail, items_.end());
      return true;
    }
    if (2 * period > n || !same(items_[n - 1 - period], items_[n - 1])) continue;
    const auto first = tail - static_cast<std::ptrdiff_t>(period);
    if (!std::equal(first, tail, tail, same_item)) continue;
    Item loop;
    loop.count = 2;
    loop.body.assign(std::make_move_iterator(tail), std::make_move_iterator(items_.end()));
    refresh(loop);
    items_.erase(first, items_.end());
    items_.push_back(std::move(loop));
    return true;
  }
  return false;
}

void RankSequence::append(const RankSequence& other) {
  append_items(std::vector<Item>(other.items_)); // may be this one's
}

void RankSequence::append_items(const std::vector<Item>& items) {
  for (const Item& item : items) {
    if (item.is_loop()) {
      append_loop(item);
    } else {
      push(item.value, item.count);
    }
  }
}

void RankSequence::append_changed(const RankSequence& other, std::int64_t change) {
  append_changed_items(std::vector<Item>(other.items_), change);
}

// False if there was no value to change.
bool RankSequence::append_changed_items(const std::vector<Item>& items, std::int64_t change) {
  for (std::size_t i = 0; i < items.size(); ++i) {
    Item rest = items[i];
    bool is_changed = false;
    if (rest.is_loop()) {
      is_changed = append_changed_items(rest.body, change);
      --rest.count;
    } else if (!is_special(rest.value)) {
      push(wrapping_sum(rest.value, change));
      is_changed = true;
      --rest.count;
    }
    if (rest.count > 0) append_items({rest});
    if (!is_changed) continue;
    append_items({items.begin() + static_cast<std::ptrdiff_t>(i) + 1, items.end()});
    return true;
  }
  return false;
}

// A loop that starts elsewhere in the period than the one before it: pass by pass, until a pass
// does no more than lengthen that one.
void RankSequence::append_loop(const Item& loop) {
  constexpr std::uint64_t kPasses = 3;
  const bool joins =
      !items_.empty() && items_.back().key == loop.key && same(items_.back().body, loop.body);
  std::uint64_t passes = joins ? 0 : std::min(kPasses, loop.count);
  for (std::uint64_t i = 0; i < passes; ++i) {
    const std::vector<Item> before = items_;
    append_items(loop.body);
    const std::uint64_t left = loop.count - i - 1;
    if (left > 0 && grow_loop_by_one_pass(before, left)) {
      size_ += left * loop.once;
      return;
    }
  }
  if (passes == loop.count) return;
  Item rest = loop;
  rest.count -= passes;
  size_ += rest.length();
  push_item(std::move(rest));
}

// If the last pass changed nothing but one loop's count, does so `passes` times more.
bool RankSequence::grow_loop_by_one_pass(const std::vector<Item>& before, std::uint64_t passes) {
  if (before.size() != items_.size()) return false;
  Item* grown = nullptr;
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (same(before[i], items_[i])) continue;
    const bool is_loop = grown == nullptr && items_[i].is_loop() && before[i].is_loop() &&
                         before[i].key == items_[i].key && before[i].count < items_[i].count;
    if (!is_loop) return false;
    grown = &items_[i];
    passes *= items_[i].count - before[i].count;
  }
  if (grown == nullptr) return false;
  grown->count += passes;
  return true;
}

std::int64_t RankSequence::at(std::uint64_t index) const {
  const std::vector<Item>* items = &items_;
  while (true) {
    const Item* inside = nullptr;
    for (const Item& item : *items) {
      if (index < item.length()) {
        inside = &item;
        break;
      }
      index -= item.length();
    }
    if (inside == nullptr) return 0; // beyond the end
    if (!inside->is_loop()) return inside->value;
    index %= inside->once;
    items = &inside->body;
  }
}

std::int64_t RankSequence::sum_of_first(std::uint64_t count) const {
  std::int64_t sum = 0;
  const std::vector<Item>* items = &items_;
  while (items != nullptr) {
    const std::vector<Item>* inside = nullptr;
    for (const Item& item : *items) {
      const std::uint64_t passes = std::min(item.count, count / item.once);
      sum = wrapping_sum(sum, wrapping_product(item.sum, passes));
      count -= passes * item.once;
      if (passes == item.count) continue;
      if (item.is_loop()) inside = &item.body;
      break;
    }
    items = inside;
  }
  return sum;
}

std::vector<std::int64_t> RankSequence::values() const {
  std::vector<std::int64_t> values;
  values.reserve(size_);
  for_each_run(
      [&](std::int64_t value, std::uint64_t count) { values.insert(values.end(), count, value); });
  return values;
}

std::size_t RankSequence::total_items() const {
  const auto count = [](const auto& self, const std::vector<Item>& items) -> std::size_t {
    std::size_t total = items.size();
    for (const Item& item : items) total += self(self, item.body);
    return total;
  };
  return count(count, items_);
}

bool operator==(const RankSequence& a, const RankSequence& b) {
  if (a.size_ != b.size_) return false;
  return RankSequence::same(a.items_, b.items_) || a.values() == b.values();
}

} // namespace rondo::trace
