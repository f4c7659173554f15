// SPDX-License-Identifier: Apache-2.0
// Random programs of sends and receives, run by a small MPI of its own that delivers messages in
// random order. It records what each rank calls, and keeps which message every receive got.
#pragma once

#include "tests/support/recorded.hpp"

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <tuple>
#include <vector>

namespace rondo::support {

class MessageSimulator {
public:
  /// Ranks and indices of calls: source, send, destination, receive.
  using Match = std::tuple<std::int64_t, std::uint64_t, std::int64_t, std::uint64_t>;

  MessageSimulator(std::int64_t ranks, std::uint32_t seed, bool cancels);

  void run(int steps);
  trace::Trace trace() const;

  const std::set<Match>& matches() const { return matches_; }
  std::size_t sends() const { return sends_; }
  std::size_t receives() const { return receives_; } // posted and not cancelled
  std::size_t cancelled() const { return cancelled_; }
  std::size_t operations() const { return kOperations; } // collective ones

private:
  static constexpr std::size_t kOperations = 20;

  struct Channel { // communicator by its number in comms_
    int comm;
    std::int64_t peer, tag; // of a receive perhaps -1: any
  };
  struct Sent {
    int comm;
    std::int64_t source, tag; // world rank
    std::uint64_t call;
  };
  struct Posted {
    Channel channel;
    std::uint64_t call;
    std::optional<Sent> got{};
    std::optional<std::uint64_t> request{}; // number, from 1
    bool is_slot = false;
    bool done = false;
  };
  struct Rank {
    std::vector<std::function<void(Caller&)>> calls;
    std::deque<Posted> posted; // in order; those that have got a message stay
    std::deque<Sent> unexpected;
    std::uint64_t requests = 0;
    std::size_t operations = 0;
    bool slot_is_active = false;
  };
  struct Comm {
    std::vector<std::int64_t> members; // world ranks
    std::vector<std::int64_t> remote; // of inter-communicators
  };

  std::int64_t pick(std::int64_t below);
  std::int64_t slot(int comm, std::int64_t rank) const;
  const std::vector<std::int64_t>& peers(int comm, std::int64_t rank) const;
  std::int64_t rank_of(int comm, std::int64_t rank, std::int64_t peer) const; // in the peers
  bool may_take(const Channel& channel, const Sent& sent) const;
  int random_comm(std::int64_t rank);
  Channel random_receive(std::int64_t rank);

  void step(std::int64_t rank);
  void call(std::int64_t rank, std::function<void(Caller&)> play);
  void call(std::int64_t rank, const char* name,
            std::vector<std::pair<std::string_view, std::int64_t>> arguments);
  void post_send(std::int64_t rank, int comm, std::int64_t dest, std::int64_t tag);
  void send(std::int64_t rank, int comm, std::int64_t dest, std::int64_t tag, int how);
  Posted& post_receive(std::int64_t rank, const Channel& channel);
  bool deliver();
  void arrive(std::int64_t dest, const Sent& sent);
  void take(std::int64_t rank, Posted& posted, const Sent& sent);
  void let_arrive(std::int64_t rank, const Channel& channel);
  void complete(std::int64_t rank, Posted& posted);
  std::vector<std::pair<std::string_view, std::int64_t>>
  with_status(std::int64_t rank, const Posted& posted,
              std::vector<std::pair<std::string_view, std::int64_t>> arguments) const;
  std::int64_t reference(std::int64_t rank, const Posted& posted) const;

  void receive(std::int64_t rank);
  void receive_later(std::int64_t rank);
  void exchange(std::int64_t rank);
  void probe(std::int64_t rank);
  void wait(std::int64_t rank);
  void wait_some(std::int64_t rank, bool all);
  void cancel(std::int64_t rank);
  void start(std::int64_t rank);
  void operation(std::int64_t rank);
  std::vector<Posted*> open(std::int64_t rank);

  std::mt19937 random_;
  bool cancels_;
  bool any_tags_; // some receives take any tag
  std::vector<Comm> comms_;
  std::vector<Rank> ranks_;
  std::map<std::pair<std::int64_t, std::int64_t>, std::deque<Sent>> under_way_;
  std::set<Match> matches_;
  std::size_t sends_ = 0;
  std::size_t receives_ = 0;
  std::size_t cancelled_ = 0;
};

} // namespace rondo::support
