// SPDX-License-Identifier: Apache-2.0
// Writes down what ranks and what goes on behind them do, while a trace is played on any network.
#pragma once

#include "rondo/simulate/schedule.hpp"
#include "simulate/transport/transport.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace rondo::simulate::internal {

class ScheduleBuilder {
public:
  /// @param most_steps  more are counted, not kept
  ScheduleBuilder(std::int64_t ranks, std::uint64_t most_steps);

  // By activities: a rank has its own number, what goes on behind it a higher one.
  void compute(std::uint32_t activity, double seconds);
  void send(std::uint32_t activity, const ChannelKey& key, std::uint64_t bytes, SendMode mode,
            const Request& request);
  void receive(std::uint32_t activity, const ChannelKey& key, const Request& request);
  void probe(std::uint32_t activity, const ChannelKey& key, const Request& request);
  /// @param other  is over at the same time, or nullptr
  void put(std::uint32_t activity, std::uint64_t bytes, bool there_and_back, const Request& request,
           const Request* other);
  void begin(std::uint32_t activity, std::uint32_t starter, const Request& done);
  void wait(std::uint32_t activity, const Request& request);
  void finish(std::uint32_t activity);
  /// The place of a request that is made now may have been another's.
  void forget(const Request& request) { requests_.erase(&request); }

  bool is_whole() const { return steps_ <= most_; }
  /// Of all that was played. @complexity O(steps)
  std::vector<RankSchedule> build() const;

private:
  using Kind = ScheduleStep::Kind;
  struct Entry {
    ScheduleStep step;
    std::uint32_t channel = 0;
    std::uint32_t request = 0; // that is made or waited for
    std::uint32_t activity = 0; // that begins
  };
  struct Activity {
    std::vector<Entry> entries;
    std::vector<double> computing_s;
    bool is_computing = false; // further computation is the same step
    bool waits = false; // for something before the next finish
  };
  class Composer;

  Activity& of(std::uint32_t activity);
  void add(std::uint32_t activity, Entry entry);
  std::uint32_t channel_of(const ChannelKey& key);
  std::uint32_t made(const Request& request);

  std::size_t ranks_;
  std::uint64_t most_;
  std::uint64_t steps_ = 0;
  std::vector<Activity> activities_;
  std::unordered_map<ChannelKey, std::uint32_t, HashChannelKey> channels_;
  std::unordered_map<const Request*, std::uint32_t> requests_;
  std::uint32_t next_request_ = 1;
};

} // namespace rondo::simulate::internal
