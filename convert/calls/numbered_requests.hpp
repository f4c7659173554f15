// SPDX-License-Identifier: Apache-2.0
// Requests of one stream by the numbers that it made them with, 1, 2, ..., for millions of them of
// which few are open at a time.
//
//   NumberedRequests<Send> open;
//   open.add({...});
//   if (Send* one = open.find(open.last() - age)) open.erase(open.last() - age);
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <utility>

namespace rondo::convert::internal {

template <class Request> class NumberedRequests {
public:
  /// It has the number last() from here on. @complexity O(1)
  void add(const Request& request) {
    ++last_;
    recent_.push_back(request);
    if (recent_.size() > kMostRecent) age();
  }
  std::uint64_t last() const { return last_; }

  /// nullptr for one that was never made, or is erased. @complexity O(1)
  Request* find(std::uint64_t number) {
    const std::uint64_t from_end = last_ - number; // of numbers above the last: a large one
    if (from_end < recent_.size()) {
      auto& found = recent_[recent_.size() - 1 - static_cast<std::size_t>(from_end)];
      return found ? &*found : nullptr;
    }
    const auto found = old_.find(number);
    return found == old_.end() ? nullptr : &found->second;
  }

  void erase(std::uint64_t number) {
    const std::uint64_t from_end = last_ - number;
    if (from_end < recent_.size()) {
      recent_[recent_.size() - 1 - static_cast<std::size_t>(from_end)].reset();
      trim();
    } else {
      old_.erase(number);
    }
  }

private:
  // One that stays open for long is kept apart, so that it does not keep those behind it.
  static constexpr std::size_t kMostRecent = 1024;

  void age() {
    const std::uint64_t first = last_ - recent_.size() + 1;
    if (recent_.front()) old_.emplace(first, std::move(*recent_.front()));
    recent_.pop_front();
    trim();
  }
  void trim() {
    while (!recent_.empty() && !recent_.front()) recent_.pop_front();
  }

  std::uint64_t last_ = 0;
  std::deque<std::optional<Request>> recent_; // up to the last
  std::unordered_map<std::uint64_t, Request> old_;
};

} // namespace rondo::convert::internal
