// SPDX-License-Identifier: Apache-2.0
#include "tests/support/message_simulator.hpp"
#include "tests/support/simulated_words.hpp"

#include <algorithm>
#include <memory>

namespace rondo::support {

using namespace internal;

MessageSimulator::MessageSimulator(std::int64_t ranks, std::uint32_t seed, bool cancels)
    : random_(seed), cancels_(cancels), any_tags_(seed % 2 == 0),
      ranks_(static_cast<std::size_t>(ranks)) {
  comms_.resize(4); // world, all in reverse order, the same again, even ranks to odd ones
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    comms_[0].members.push_back(rank);
    comms_[1].members.insert(comms_[1].members.begin(), rank);
    (rank % 2 == 0 ? comms_[3].members : comms_[3].remote).push_back(rank);
  }
  comms_[2] = comms_[1];
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    call(rank, "MPI_Recv_init",
         {{"count", 1},
          {"datatype", kInt},
          {"source", trace::kAnySource},
          {"tag", kStartTag},
          {"comm", kWorld}});
    call(rank, "MPI_Send_init",
         {{"count", 1},
          {"datatype", kInt},
          {"dest", (rank + 1) % ranks},
          {"tag", kStartTag},
          {"comm", kWorld}});
  }
}

std::int64_t MessageSimulator::pick(std::int64_t below) {
  return static_cast<std::int64_t>(random_() % static_cast<std::uint64_t>(below));
}

// Odd ranks call the communicators by other slots.
std::int64_t MessageSimulator::slot(int comm, std::int64_t rank) const {
  return comm == 0 ? kWorld : comm - 1 + (rank % 2) * 10;
}

const std::vector<std::int64_t>& MessageSimulator::peers(int comm, std::int64_t rank) const {
  const Comm& c = comms_[static_cast<std::size_t>(comm)];
  return c.remote.empty() || rank % 2 == 1 ? c.members : c.remote;
}

std::int64_t MessageSimulator::rank_of(int comm, std::int64_t rank, std::int64_t peer) const {
  const auto& list = peers(comm, rank);
  return std::find(list.begin(), list.end(), peer) - list.begin();
}

bool MessageSimulator::may_take(const Channel& channel, const Sent& sent) const {
  return channel.comm == sent.comm && (channel.peer == kAny || channel.peer == sent.source) &&
         (channel.tag == kAny || channel.tag == sent.tag);
}

int MessageSimulator::random_comm(std::int64_t rank) {
  const int comm = static_cast<int>(pick(4));
  return peers(comm, rank).empty() ? 0 : comm;
}

MessageSimulator::Channel MessageSimulator::random_receive(std::int64_t rank) {
  const int comm = random_comm(rank);
  const auto& list = peers(comm, rank);
  const std::int64_t peer = list[static_cast<std::size_t>(pick(std::ssize(list)))];
  return {comm, pick(3) == 0 ? kAny : peer, any_tags_ && pick(4) == 0 ? kAny : pick(kTags)};
}

void MessageSimulator::call(std::int64_t rank, std::function<void(Caller&)> play) {
  ranks_[static_cast<std::size_t>(rank)].calls.push_back(std::move(play));
}

void MessageSimulator::call(std::int64_t rank, const char* name, Named arguments) {
  call(rank,
       [name, arguments = std::move(arguments)](Caller& c) { play_call(c, name, arguments); });
}

// The small MPI
// ------------------------------------------------------------------------------------------------

void MessageSimulator::post_send(std::int64_t rank, int comm, std::int64_t dest, std::int64_t tag) {
  ++sends_;
  under_way_[{rank, dest}].push_back(
      {comm, rank, tag, ranks_[static_cast<std::size_t>(rank)].calls.size()});
}

MessageSimulator::Posted& MessageSimulator::post_receive(std::int64_t rank,
                                                         const Channel& channel) {
  Rank& own = ranks_[static_cast<std::size_t>(rank)];
  ++receives_;
  own.posted.push_back({channel, own.calls.size()});
  Posted& posted = own.posted.back();
  const auto sent = std::find_if(own.unexpected.begin(), own.unexpected.end(),
                                 [&](const Sent& s) { return may_take(channel, s); });
  if (sent != own.unexpected.end()) {
    const Sent message = *sent;
    own.unexpected.erase(sent);
    take(rank, posted, message);
  }
  return posted;
}

void MessageSimulator::take(std::int64_t rank, Posted& posted, const Sent& sent) {
  posted.got = sent;
  matches_.insert({sent.source, sent.call, rank, posted.call});
}

// Messages between two ranks do not overtake each other; all else is up to chance.
bool MessageSimulator::deliver() {
  std::erase_if(under_way_, [](const auto& entry) { return entry.second.empty(); });
  if (under_way_.empty()) return false;
  auto entry = under_way_.begin();
  std::advance(entry, pick(std::ssize(under_way_)));
  const Sent sent = entry->second.front();
  entry->second.pop_front();
  arrive(entry->first.second, sent);
  return true;
}

void MessageSimulator::arrive(std::int64_t dest, const Sent& sent) {
  Rank& rank = ranks_[static_cast<std::size_t>(dest)];
  for (Posted& posted : rank.posted) {
    if (posted.done || posted.got || !may_take(posted.channel, sent)) continue;
    take(dest, posted, sent);
    return;
  }
  rank.unexpected.push_back(sent);
}

// Somebody sends what the receive waits for, if nothing is under way.
void MessageSimulator::let_arrive(std::int64_t rank, const Channel& channel) {
  if (deliver()) return;
  const auto& list = peers(channel.comm, rank);
  const std::int64_t source =
      channel.peer != kAny ? channel.peer : list[static_cast<std::size_t>(pick(std::ssize(list)))];
  send(source, channel.comm, rank, channel.tag != kAny ? channel.tag : pick(kTags), 0);
}

void MessageSimulator::complete(std::int64_t rank, Posted& posted) {
  while (!posted.got) let_arrive(rank, posted.channel);
  posted.done = true;
}

void MessageSimulator::step(std::int64_t rank) {
  const std::int64_t what = pick(14);
  if (what < 4) {
    const int comm = random_comm(rank);
    const auto& list = peers(comm, rank);
    send(rank, comm, list[static_cast<std::size_t>(pick(std::ssize(list)))], pick(kTags),
         static_cast<int>(pick(3)));
  } else if (what < 7) {
    receive_later(rank);
  } else if (what == 7) {
    receive(rank);
  } else if (what == 8) {
    exchange(rank);
  } else if (what == 9) {
    probe(rank);
  } else if (what == 10) {
    wait(rank);
  } else if (what == 11) {
    wait_some(rank, pick(2) == 0);
  } else if (what == 12) {
    cancels_ ? cancel(rank) : start(rank);
  } else {
    operation(rank);
  }
}

void MessageSimulator::run(int steps) {
  for (int i = 0; i < steps; ++i) {
    if (pick(2) == 0) deliver();
    step(pick(std::ssize(ranks_)));
  }
  for (std::int64_t rank = 0; rank < std::ssize(ranks_); ++rank) {
    while (ranks_[static_cast<std::size_t>(rank)].operations < kOperations) operation(rank);
  }
  // What a wildcard got is known only when its request completes.
  for (std::int64_t rank = 0; rank < std::ssize(ranks_); ++rank) {
    while (!open(rank).empty()) wait(rank);
  }
  while (deliver()) continue; // to receives that let_arrive() served otherwise: there are none left
}

trace::Trace MessageSimulator::trace() const {
  trace::Trace trace = recorded(std::ssize(ranks_), [&](Caller& caller) {
    for (int comm = 1; comm < 4; ++comm) {
      const auto& list = comms_[static_cast<std::size_t>(comm)];
      const auto& own = comm == 3 && caller.rank % 2 == 1 ? list.remote : list.members;
      caller.builder.set_position(slot(comm, caller.rank),
                                  std::find(own.begin(), own.end(), caller.rank) - own.begin(),
                                  std::ssize(own));
    }
    for (const auto& play : ranks_[static_cast<std::size_t>(caller.rank)].calls) play(caller);
  });
  for (const std::int64_t side : {0, 1}) {
    std::vector<std::int64_t> holders;
    for (std::int64_t rank = side; rank < std::ssize(ranks_); rank += 2) holders.push_back(rank);
    if (holders.empty()) continue;
    for (int comm = 1; comm < 4; ++comm) {
      const Comm& c = comms_[static_cast<std::size_t>(comm)];
      const bool is_remote = comm == 3 && side == 1;
      trace.comms.push_back({slot(comm, side), trace::ranges_of(is_remote ? c.remote : c.members),
                             trace::ranges_of(is_remote ? c.members : c.remote),
                             trace::RankSet::of(holders)});
    }
  }
  return trace;
}

} // namespace rondo::support
