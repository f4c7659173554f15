// SPDX-License-Identifier: Apache-2.0
// Which rank is the root of a collective operation. A Paraver trace says it at the root's call
// alone; the others learn it by counting the operations of their communicator.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace rondo::convert::internal {

/// The rooted operations of one communicator, those that not all members have asked about yet.
class Roots {
public:
  explicit Roots(std::uint64_t members = 1) : members_(members) {}

  /// A member's call of the operation with this number on the communicator.
  void begin(std::uint64_t ordinal, std::uint16_t function, std::optional<std::int64_t> root) {
    if (ordinal < first_) return;
    while (ordinal - first_ >= open_.size()) open_.emplace_back();
    Operation& operation = open_[ordinal - first_];
    if (operation.function != 0 && operation.function != function) is_confused_ = true;
    operation.function = function;
    if (root) operation.root = *root;
  }

  /// Nothing as long as it is not known.
  std::optional<std::int64_t> root_of(std::uint64_t ordinal) const {
    const bool is_open = ordinal >= first_ && ordinal - first_ < open_.size();
    if (!is_open || is_confused_ || open_[ordinal - first_].root < 0) return std::nullopt;
    return open_[ordinal - first_].root;
  }

  /// A member needs it no more.
  void end(std::uint64_t ordinal) {
    if (ordinal < first_ || ordinal - first_ >= open_.size()) return;
    ++open_[ordinal - first_].ended;
    while (!open_.empty() && open_.front().ended >= members_) {
      open_.pop_front();
      ++first_;
    }
  }

  /// Members called different functions as the same operation: a part of the calls is missing.
  bool is_confused() const { return is_confused_; }

private:
  struct Operation {
    std::int64_t root = -1; // in the communicator
    std::uint64_t ended = 0; // members that do not need it any more
    std::uint16_t function = 0;
  };
  std::uint64_t members_;
  std::uint64_t first_ = 0; // number of the front
  std::deque<Operation> open_;
  bool is_confused_ = false;
};

} // namespace rondo::convert::internal
