// SPDX-License-Identifier: Apache-2.0
// A sequence of integers, one for each of some ranks in ascending order, folded: equal values are a
// run, repeated pieces a loop. What is regular in the ranks (the rows of a grid, its borders, every
// eighth rank) takes the same few items at any number of ranks, and two sequences are put together
// without unfolding them.
//
//   RankSequence row;
//   for (const std::int64_t offset : {1, 1, 1, -3}) row.push(offset);
//   row.append(row); // {1 x3, -3} x2
//
// The same folding of repeated tails as in NestBuilder, offline and without trip counts that vary.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace rondo::trace {

class RankSequence {
public:
  /// `count` equal values, or a body `count` times.
  struct Item {
    std::int64_t value = 0;
    std::uint64_t count = 1;
    std::vector<Item> body{}; // empty: the value

    bool is_loop() const { return !body.empty(); }
    std::uint64_t length() const { return count * once; }

    // Of one pass, kept up by the sequence.
    std::uint64_t once = 1; // values
    std::int64_t sum = 0; // of the values that are not special
    std::uint64_t key = 0; // hash of value or body
  };

  RankSequence() = default;
  static RankSequence of(const std::vector<std::int64_t>& values);
  /// A sequence of items as a file has them; only value, count and body need be set.
  static RankSequence from_items(std::vector<Item> items);

  /// @complexity O(1) amortised where values repeat, at most O(kLongestPeriod) items are compared
  void push(std::int64_t value, std::uint64_t count = 1);
  /// @complexity O(items of the other * kLongestPeriod) at worst, whatever its length
  void append(const RankSequence& other);
  /// The same with `change` added to the first value that is not special.
  void append_changed(const RankSequence& other, std::int64_t change);

  std::uint64_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  /// @complexity O(items on the way)
  std::int64_t at(std::uint64_t index) const;
  /// Sum of the first `count` values, special ones left out.
  std::int64_t sum_of_first(std::uint64_t count) const;

  std::vector<std::int64_t> values() const;
  /// Calls visit(value, count) for runs in order; nothing is unfolded in memory.
  template <class Visit> void for_each_run(Visit visit) const { visit_runs(items_, visit); }
  /// Replaces each value by change(value).
  template <class Change> RankSequence changed(Change change) const {
    RankSequence result;
    result.items_ = changed_items(items_, change);
    result.refresh();
    return result;
  }
  /// Calls visit(value) for each value of an item, loops entered once: every value there is.
  template <class Visit> void for_each_value(Visit visit) const { visit_values(items_, visit); }

  const std::vector<Item>& items() const { return items_; }
  /// Items in all bodies: the size of the folded sequence.
  std::size_t total_items() const;
  /// "{+1 x3, -3} x4"; `value_text` writes a value.
  template <class Text> std::string text(Text value_text) const {
    return items_text(items_, value_text);
  }

  /// Whether the values are the same and folded the same. @complexity O(items)
  bool is_folded_like(const RankSequence& other) const {
    return size_ == other.size_ && same(items_, other.items_);
  }
  /// Whether the values are the same, however they are folded. @complexity O(size) if they differ
  friend bool operator==(const RankSequence& a, const RankSequence& b);

private:
  static constexpr std::size_t kLongestPeriod = 64; // items

  static bool same(const Item& a, const Item& b) {
    return a.key == b.key && a.count == b.count && a.value == b.value && same(a.body, b.body);
  }
  static bool same(const std::vector<Item>& a, const std::vector<Item>& b);
  static void refresh(Item& item);
  void refresh();
  void push_item(Item item);
  void append_items(const std::vector<Item>& items);
  void append_loop(const Item& loop);
  bool append_changed_items(const std::vector<Item>& items, std::int64_t change);
  bool fold_tail();
  bool grow_loop_by_one_pass(const std::vector<Item>& before, std::uint64_t passes);

  template <class Visit> static void visit_runs(const std::vector<Item>& items, Visit& visit) {
    for (const Item& item : items) {
      if (!item.is_loop()) visit(item.value, item.count);
      for (std::uint64_t i = 0; item.is_loop() && i < item.count; ++i) visit_runs(item.body, visit);
    }
  }
  template <class Visit> static void visit_values(const std::vector<Item>& items, Visit& visit) {
    for (const Item& item : items) {
      if (item.is_loop()) {
        visit_values(item.body, visit);
      } else {
        visit(item.value);
      }
    }
  }
  template <class Change>
  static std::vector<Item> changed_items(std::vector<Item> items, Change& change) {
    for (Item& item : items) {
      if (item.is_loop()) {
        item.body = changed_items(std::move(item.body), change);
      } else {
        item.value = change(item.value);
      }
    }
    return items;
  }
  template <class Text>
  static std::string items_text(const std::vector<Item>& items, Text& value_text) {
    std::string text;
    for (const Item& item : items) {
      if (!text.empty()) text += ", ";
      text +=
          item.is_loop() ? "{" + items_text(item.body, value_text) + "}" : value_text(item.value);
      if (item.count > 1) text += " x" + std::to_string(item.count);
    }
    return text;
  }

  std::vector<Item> items_;
  std::uint64_t size_ = 0;
};

} // namespace rondo::trace
