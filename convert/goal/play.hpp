// SPDX-License-Identifier: Apache-2.0
// An order in which the ranks of a schedule can go through their operations, one after another:
// that of the text, as far as dependencies and messages allow. It matters where a rank goes on with
// whatever comes first: waiting in the order of the text could then wait for ever.
//
//   GoalPlay play(schedule);
//   play.run([&](std::size_t rank, std::uint32_t operation) { ... });
//
// Sends are over when they begin, receives when a message is there, in the order of both.
#pragma once

#include "convert/goal/schedule.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace rondo::convert::internal {

class GoalPlay {
public:
  /// @param schedule   must outlive the object
  explicit GoalPlay(const GoalSchedule& schedule);

  /// A circle of dependencies, by the line of its rank.
  /// @error  kFormat
  Status check() const;

  using Begin = std::function<void(std::size_t rank, std::uint32_t operation)>;
  /// Tells each operation when it can begin: all that it requires is over then.
  /// @return  how many operations can never begin, as messages lack; they are told at the end
  std::uint64_t run(const Begin& begin);

  /// Those that an operation requires.
  struct Required {
    std::uint32_t operation = 0;
    bool on_start = false;
  };
  std::span<const Required> required(std::size_t rank, std::uint32_t operation) const;

private:
  enum State : std::uint8_t { kWaits, kBegun, kOver };
  struct Lists { // of one rank
    std::vector<std::uint32_t> order; // of the text, but what is required comes first
    std::vector<std::uint32_t> first; // of each operation in required, and one more
    std::vector<Required> required;
    std::vector<State> states;
    std::size_t next = 0; // in order
    bool is_queued = true;
  };
  using Channel = std::pair<std::uint32_t, std::uint32_t>; // source and tag
  struct Meeting { // what has come to a rank, and what it expects
    std::map<Channel, std::deque<std::uint64_t>> arrived; // by number, in the order of sending
    std::map<Channel, std::deque<std::pair<std::uint64_t, std::uint32_t>>> expected;
    std::deque<std::pair<std::uint64_t, std::uint32_t>> wild; // receives from any source or tag
  };

  void list(std::size_t rank);
  bool is_ready(std::size_t rank, std::uint32_t operation) const;
  void begin_one(std::size_t rank, std::uint32_t operation, const Begin& begin);
  bool advance(std::size_t rank, const Begin& begin);
  bool pass_by(std::size_t rank, const Begin& begin);
  void send(std::size_t rank, const GoalOperation& operation);
  void receive(std::size_t rank, std::uint32_t operation);
  void queue(std::size_t rank);

  const GoalSchedule& schedule_;
  std::vector<Lists> ranks_;
  std::vector<Meeting> meetings_;
  std::deque<std::size_t> queue_; // ranks that may have something to do
  std::uint64_t told_ = 0; // operations
};

} // namespace rondo::convert::internal
