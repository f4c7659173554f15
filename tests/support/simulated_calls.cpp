// SPDX-License-Identifier: Apache-2.0
// The calls that MessageSimulator's ranks make.
#include "tests/support/message_simulator.hpp"
#include "tests/support/simulated_words.hpp"

#include <algorithm>

namespace rondo::support {

using namespace internal;

void MessageSimulator::send(std::int64_t rank, int comm, std::int64_t dest, std::int64_t tag,
                            int how) {
  constexpr const char* kNames[] = {"MPI_Send", "MPI_Isend", "MPI_Ssend"};
  post_send(rank, comm, dest, tag);
  if (how == 1) ++ranks_[static_cast<std::size_t>(rank)].requests;
  call(rank, kNames[how],
       {{"count", 2},
        {"datatype", kInt},
        {"dest", rank_of(comm, rank, dest)},
        {"tag", tag},
        {"comm", slot(comm, rank)}});
}

Named MessageSimulator::with_status(std::int64_t rank, const Posted& posted,
                                    Named arguments) const {
  if (posted.channel.peer != kAny && posted.channel.tag != kAny) return arguments;
  arguments.emplace_back("status", rank_of(posted.channel.comm, rank, posted.got->source));
  arguments.emplace_back("status.tag", posted.got->tag);
  return arguments;
}

void MessageSimulator::receive(std::int64_t rank) {
  const Channel channel = random_receive(rank);
  Posted& posted = post_receive(rank, channel);
  // What others do meanwhile they do not see: only this rank's own calls must keep their order.
  const std::size_t place = ranks_[static_cast<std::size_t>(rank)].calls.size();
  call(rank, [](Caller&) {});
  complete(rank, posted);
  const Named arguments =
      with_status(rank, posted,
                  {{"count", 2},
                   {"datatype", kInt},
                   {"source", channel.peer == kAny ? source_word(kAny)
                                                   : rank_of(channel.comm, rank, channel.peer)},
                   {"tag", tag_word(channel.tag)},
                   {"comm", slot(channel.comm, rank)}});
  ranks_[static_cast<std::size_t>(rank)].calls[place] = [arguments](Caller& c) {
    play_call(c, "MPI_Recv", arguments);
  };
}

void MessageSimulator::receive_later(std::int64_t rank) {
  const Channel channel = random_receive(rank);
  Posted& posted = post_receive(rank, channel);
  posted.request = ++ranks_[static_cast<std::size_t>(rank)].requests;
  call(rank, "MPI_Irecv",
       {{"count", 2},
        {"datatype", kInt},
        {"source",
         channel.peer == kAny ? source_word(kAny) : rank_of(channel.comm, rank, channel.peer)},
        {"tag", tag_word(channel.tag)},
        {"comm", slot(channel.comm, rank)}});
}

void MessageSimulator::exchange(std::int64_t rank) {
  const int comm = random_comm(rank);
  const auto& list = peers(comm, rank);
  const std::int64_t dest = list[static_cast<std::size_t>(pick(std::ssize(list)))];
  const Channel channel{comm, kAny, pick(kTags)};
  const std::int64_t tag = pick(kTags);
  post_send(rank, comm, dest, tag);
  Posted& posted = post_receive(rank, channel);
  const std::size_t place = ranks_[static_cast<std::size_t>(rank)].calls.size();
  call(rank, [](Caller&) {});
  complete(rank, posted);
  const Named arguments = with_status(rank, posted,
                                      {{"sendcount", 2},
                                       {"sendtype", kInt},
                                       {"dest", rank_of(comm, rank, dest)},
                                       {"sendtag", tag},
                                       {"recvcount", 2},
                                       {"recvtype", kInt},
                                       {"source", trace::kAnySource},
                                       {"recvtag", channel.tag},
                                       {"comm", slot(comm, rank)}});
  ranks_[static_cast<std::size_t>(rank)].calls[place] = [arguments](Caller& c) {
    play_call(c, "MPI_Sendrecv", arguments);
  };
}

// MPI_Mprobe takes the message away, MPI_Mrecv is only its end.
void MessageSimulator::probe(std::int64_t rank) {
  const Channel channel = random_receive(rank);
  Rank& own = ranks_[static_cast<std::size_t>(rank)];
  const auto found = [&] {
    return std::find_if(own.unexpected.begin(), own.unexpected.end(),
                        [&](const Sent& s) { return may_take(channel, s); });
  };
  const std::size_t place = own.calls.size();
  call(rank, [](Caller&) {});
  while (found() == own.unexpected.end()) let_arrive(rank, channel);
  const Sent sent = *found();
  own.unexpected.erase(found());
  ++receives_;
  matches_.insert({sent.source, sent.call, rank, place});
  const Named arguments = {{"source", channel.peer == kAny
                                          ? source_word(kAny)
                                          : rank_of(channel.comm, rank, channel.peer)},
                           {"tag", tag_word(channel.tag)},
                           {"comm", slot(channel.comm, rank)},
                           {"message", 0},
                           {"status", rank_of(channel.comm, rank, sent.source)},
                           {"status.tag", sent.tag}};
  own.calls[place] = [arguments](Caller& c) { play_call(c, "MPI_Mprobe", arguments); };
  call(rank, "MPI_Mrecv", {{"count", 2}, {"datatype", kInt}, {"message", 0}});
}

std::vector<MessageSimulator::Posted*> MessageSimulator::open(std::int64_t rank) {
  std::vector<Posted*> result;
  for (Posted& posted : ranks_[static_cast<std::size_t>(rank)].posted) {
    if (posted.request && !posted.done) result.push_back(&posted);
  }
  std::shuffle(result.begin(), result.end(), random_);
  return result;
}

std::int64_t MessageSimulator::reference(std::int64_t rank, const Posted& posted) const {
  if (posted.is_slot) return trace::request_by_slot(0);
  return trace::request_by_age(ranks_[static_cast<std::size_t>(rank)].requests - *posted.request);
}

void MessageSimulator::wait(std::int64_t rank) {
  const auto requests = open(rank);
  if (requests.empty()) return;
  Posted& posted = *requests.front();
  if (!posted.got && pick(2) == 0) {
    call(rank, "MPI_Test", {{"request", reference(rank, posted)}, {"flag", 0}});
    return;
  }
  complete(rank, posted);
  if (posted.is_slot) ranks_[static_cast<std::size_t>(rank)].slot_is_active = false;
  call(rank, "MPI_Wait", with_status(rank, posted, {{"request", reference(rank, posted)}}));
}

void MessageSimulator::wait_some(std::int64_t rank, bool all) {
  auto requests = open(rank);
  if (requests.empty()) return;
  requests.resize(std::min<std::size_t>(requests.size(), 4));
  std::vector<std::int64_t> indices;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    if (!all && pick(2) == 0) continue;
    complete(rank, *requests[i]);
    if (requests[i]->is_slot) ranks_[static_cast<std::size_t>(rank)].slot_is_active = false;
    indices.push_back(static_cast<std::int64_t>(i));
  }
  std::vector<std::int64_t> references;
  for (const Posted* posted : requests) references.push_back(reference(rank, *posted));
  std::vector<std::int64_t> statuses{std::ssize(indices)};
  for (std::size_t i = 0; i < indices.size(); ++i) {
    const Posted& posted = *requests[static_cast<std::size_t>(indices[i])];
    if (posted.channel.peer != kAny && posted.channel.tag != kAny) continue;
    const std::int64_t source = rank_of(posted.channel.comm, rank, posted.got->source);
    statuses.insert(statuses.end(),
                    {static_cast<std::int64_t>(i), source - rank, posted.got->tag, 8});
  }
  call(rank, [all, references, indices, statuses](Caller& c) {
    Named arguments = {{"array_of_requests", c.array(references)}};
    arguments.emplace_back("array_of_statuses", statuses.size() > 1 ? c.array(statuses) : 0);
    if (!all) {
      arguments.emplace_back("outcount", std::ssize(indices));
      arguments.emplace_back("array_of_indices", c.array(indices));
    }
    play_call(c, all ? "MPI_Waitall" : "MPI_Waitsome", arguments);
  });
}

// Only what has not got a message: then it is certain that the cancelling succeeds.
void MessageSimulator::cancel(std::int64_t rank) {
  for (Posted* posted : open(rank)) {
    if (posted->got || posted->is_slot) continue;
    posted->done = true;
    --receives_;
    ++cancelled_;
    call(rank, "MPI_Cancel", {{"request", reference(rank, *posted)}});
    call(rank, "MPI_Wait", {{"request", reference(rank, *posted)}});
    return;
  }
}

void MessageSimulator::start(std::int64_t rank) {
  Rank& own = ranks_[static_cast<std::size_t>(rank)];
  if (pick(2) == 0) {
    post_send(rank, 0, (rank + 1) % std::ssize(ranks_), kStartTag);
    call(rank, "MPI_Start", {{"request", trace::request_by_slot(1)}});
  } else if (!own.slot_is_active) {
    own.slot_is_active = true;
    Posted& posted = post_receive(rank, {0, kAny, kStartTag});
    posted.request = 0;
    posted.is_slot = true;
    call(rank, "MPI_Start", {{"request", trace::request_by_slot(0)}});
  }
}

void MessageSimulator::operation(std::int64_t rank) {
  Rank& own = ranks_[static_cast<std::size_t>(rank)];
  if (own.operations >= kOperations) return;
  ++own.operations;
  ++own.requests;
  call(rank, "MPI_Ibarrier", {{"comm", slot(1, rank)}});
}

} // namespace rondo::support
