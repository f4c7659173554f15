// SPDX-License-Identifier: Apache-2.0
// What is counted of ranks' ways through a program before its loops are known: where they stay, and
// from where they go where.
#pragma once

#include <cstddef>
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

namespace rondo::fold {

// Places where ranks stay for equally many rounds each time: loops of their own. A rank that has
// fewer of the other places, as at a border, comes back at once because of that.
class Rows {
public:
  explicit Rows(std::size_t places) : places_(places) {}

  void begin(std::size_t places_of_rank) {
    of_rank_ = places_of_rank;
    for (Row& row : places_) row.first = 0;
  }

  void add(std::uint32_t place) {
    if (length_ > 0 && place != at_) end();
    at_ = place;
    ++length_;
  }

  void end() {
    if (length_ == 0) return;
    Row& row = places_[at_];
    if (of_rank_ > row.most_places) row = {of_rank_};
    if (of_rank_ == row.most_places) {
      if (row.first == 0) row.first = length_;
      row.is_even = row.is_even && row.first == length_;
      row.is_repeated = row.is_repeated || length_ > 1;
    }
    length_ = 0;
  }

  std::set<std::uint32_t> repeated() const {
    std::set<std::uint32_t> result;
    for (std::uint32_t place = 0; place < places_.size(); ++place) {
      if (places_[place].is_even && places_[place].is_repeated) result.insert(place);
    }
    return result;
  }

private:
  struct Row {
    std::size_t most_places = 0; // of the ranks that come here
    std::uint64_t first = 0; // rounds of this rank, the first time
    bool is_even = true;
    bool is_repeated = false;
  };

  std::vector<Row> places_;
  std::size_t of_rank_ = 0;
  std::uint32_t at_ = 0;
  std::uint64_t length_ = 0; // rounds in a row until now
};

// How often a rank goes from one place, or from its start, to another.
class StepCounts {
public:
  explicit StepCounts(std::size_t places) : to_(places) {}

  void add(std::uint32_t from, std::uint32_t place) {
    for (auto& [to, times] : to_[from]) { // few: places have few places behind them
      if (to == place) {
        ++times;
        return;
      }
    }
    to_[from].emplace_back(place, 1);
  }

  template <class Visit> void each(Visit visit) const {
    for (std::uint32_t from = 0; from < to_.size(); ++from) {
      for (const auto& [place, times] : to_[from]) visit(from, place, times);
    }
  }

private:
  std::vector<std::vector<std::pair<std::uint32_t, std::uint64_t>>> to_;
};

} // namespace rondo::fold
