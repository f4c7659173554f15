// SPDX-License-Identifier: Apache-2.0
// The channels of a trace while its messages are matched: what is posted on one side waits there
// until the other side comes.
#pragma once

#include "trace/messages/posted_calls.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace rondo::trace::internal {

/// One end of a message without the other. The rank is that of the channel.
struct WaitingEnd {
  std::uint64_t call = 0;
  std::uint64_t bytes = 0;
  std::uint64_t arrival = 0; // among all ends of the trace
  std::uint32_t thread = 0;
  std::uint32_t symbol = 0;
};

/// First in, first out, in one piece of memory.
class WaitingEnds {
public:
  bool empty() const { return first_ == ends_.size(); }
  std::size_t size() const { return ends_.size() - first_; }
  const WaitingEnd& front() const { return ends_[first_]; }
  void push(const WaitingEnd& end) { ends_.push_back(end); }
  void pop() {
    ++first_;
    if (first_ == ends_.size() || first_ * 2 > ends_.size() + kSlack) compact();
  }
  const WaitingEnd* begin() const { return ends_.data() + first_; }
  const WaitingEnd* end() const { return ends_.data() + ends_.size(); }

private:
  static constexpr std::size_t kSlack = 64;
  void compact() {
    ends_.erase(ends_.begin(), ends_.begin() + static_cast<std::ptrdiff_t>(first_));
    first_ = 0;
  }
  std::vector<WaitingEnd> ends_;
  std::size_t first_ = 0;
};

struct Channel {
  std::uint32_t comm = 0;
  std::uint32_t line = 0;
  std::int64_t source = 0;
  std::int64_t destination = 0;
  std::int64_t tag = 0;
  bool sends_wait = false; // what the waiting ends are
  WaitingEnds waiting;
  std::int64_t surplus = 0; // sends that no receive of known source takes; once they are counted
  std::vector<std::size_t> paused; // streams that wait for the other side to catch up

  friend bool same_key(const Channel& a, const Channel& b) {
    return a.comm == b.comm && a.line == b.line && a.source == b.source &&
           a.destination == b.destination && a.tag == b.tag;
  }
};

class Channels {
public:
  /// Index of the channel, made if it is new.
  std::uint32_t find_or_add(std::uint32_t comm, std::int64_t source, std::int64_t destination,
                            std::int64_t tag, std::uint32_t line);
  Channel& operator[](std::uint32_t index) { return all_[index]; }
  std::vector<Channel>& all() { return all_; }
  /// Of all tags and sources, to one rank of a communicator.
  const std::vector<std::uint32_t>& towards(std::uint32_t comm, std::int64_t destination) const;

private:
  struct Hash {
    std::size_t operator()(std::uint64_t key) const { return key; }
  };
  static std::uint64_t hash_of(const Channel& channel);
  static std::uint64_t target_key(std::uint32_t comm, std::int64_t destination) {
    return static_cast<std::uint64_t>(comm) << 32 ^ static_cast<std::uint64_t>(destination);
  }

  std::vector<Channel> all_;
  std::unordered_multimap<std::uint64_t, std::uint32_t, Hash> by_hash_;
  std::unordered_map<std::uint64_t, std::vector<std::uint32_t>> towards_;
};

} // namespace rondo::trace::internal
