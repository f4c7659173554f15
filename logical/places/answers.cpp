// SPDX-License-Identifier: Apache-2.0
#include "logical/places/answers.hpp"

#include "logical/places/peer_topologies.hpp"
#include "rondo/matrix/tagged_sends.hpp"
#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/communicators.hpp"

#include <algorithm>
#include <limits>

namespace rondo::logical::internal {
namespace {

bool asks_anybody(const trace::Call& call) {
  const int source = trace::meaning_of(*trace::find_function(call.function)).source;
  return source >= 0 && call.words[static_cast<std::size_t>(source)].value == trace::kAnySource;
}

bool asks_anybody(const trace::Trace& trace) {
  return std::any_of(trace.classes.begin(), trace.classes.end(), [](const trace::RankClass& c) {
    const std::vector<trace::Call>& calls = c.program->calls;
    return std::any_of(calls.begin(), calls.end(),
                       [](const trace::Call& call) { return asks_anybody(call); });
  });
}

bool may_ask_anybody(const trace::Call& call) {
  const int source = trace::meaning_of(*trace::find_function(call.function)).source;
  return source >= 0 &&
         (trace::is_column(call.words[static_cast<std::size_t>(source)]) || asks_anybody(call));
}

// By rank and number of a communicator: its slots on the rank where anybody is asked.
using Asked = std::map<std::pair<std::int64_t, std::uint32_t>, std::set<std::int64_t>>;

Asked asked_of(const trace::Trace& trace, const trace::Communicators& comms) {
  Asked asked;
  for (const trace::RankClass& c : trace.classes) {
    std::set<std::int64_t> slots; // a communicator that differs from time to time is none
    for (const trace::Call& call : c.program->calls) {
      const int word = trace::find_function(call.function)->comm_word();
      if (!may_ask_anybody(call) || word < 0) continue;
      const trace::Word& comm = call.words[static_cast<std::size_t>(word)];
      if (!trace::is_column(comm)) slots.insert(comm.value);
    }
    for (const std::int64_t rank : c.ranks.ranks()) {
      for (const std::int64_t slot : slots) asked[{rank, comms.of(rank, slot).id}].insert(slot);
    }
  }
  return asked;
}

Answers by_roles(const trace::Trace& trace, const CommRoles& roles, const Answers& answers) {
  Answers result;
  for (const auto& [of, senders] : answers) {
    const auto& [rank, slot, tag] = of;
    const auto c = static_cast<std::size_t>(trace.class_of(rank, 0) - trace.classes.data());
    for (const std::int64_t role : roles.roles_of(c, slot))
      result[{rank, role, tag}].insert(senders.begin(), senders.end());
  }
  return result;
}

std::optional<Peer> peer_on(const LogicalProgram& logical, std::size_t peer_topology,
                            std::int64_t from, std::int64_t to) {
  const auto direction = direction_between(logical.peer_topologies[peer_topology], from, to);
  if (!direction) return std::nullopt;
  const bool is_any_leaf = is_leaf(logical.peer_topologies[peer_topology], *direction);
  return Peer{Peer::Form::kDirection, peer_topology, is_any_leaf ? Peer::kAnyLeaf : *direction, 0};
}

Peer first_peer(const LogicalProgram& logical, std::int64_t from, std::int64_t to) {
  for (std::size_t g = 0; g < logical.peer_topologies.size(); ++g) {
    if (const auto peer = peer_on(logical, g, from, to)) return *peer;
  }
  return {Peer::Form::kOutside, 0, 0, 0};
}

} // namespace

Answers answers_of(const trace::Trace& trace, const CommRoles& roles) {
  Answers answers;
  if (!asks_anybody(trace)) return answers;
  const trace::Communicators comms(trace);
  const Asked asked = asked_of(trace, comms);
  matrix::for_each_tagged_send(trace, [&](const matrix::TaggedSend& send) {
    const auto at = asked.find({send.destination, comms.of(send.source, send.comm).id});
    if (at == asked.end()) return;
    for (const std::int64_t slot : at->second)
      answers[{send.destination, slot, send.tag}].insert(send.source);
  });
  return roles.is_renaming() ? by_roles(trace, roles, answers) : answers;
}

std::set<std::int64_t> senders(const Answers& answers, std::int64_t rank, std::int64_t comm,
                               std::int64_t tag) {
  const bool is_any = trace::is_special(tag);
  const std::int64_t least = is_any ? std::numeric_limits<std::int64_t>::min() : tag;
  std::set<std::int64_t> result;
  for (auto at = answers.lower_bound({rank, comm, least}); at != answers.end(); ++at) {
    const auto& [receiver, slot, sent] = at->first;
    if (receiver != rank || slot != comm || (!is_any && sent != tag)) break;
    result.insert(at->second.begin(), at->second.end());
  }
  return result;
}

std::vector<Peer> peers_in_text(const LogicalProgram& logical, std::int64_t from,
                                const std::set<std::int64_t>& to) {
  std::vector<Peer> peers;
  for (std::size_t g = 0; g < logical.peer_topologies.size(); ++g) {
    peers.clear();
    for (const std::int64_t rank : to) {
      const auto peer = peer_on(logical, g, from, rank);
      if (!peer) break;
      peers.push_back(*peer);
    }
    if (peers.size() == to.size()) return peers;
  }
  peers.clear();
  for (const std::int64_t rank : to) peers.push_back(first_peer(logical, from, rank));
  return peers;
}

} // namespace rondo::logical::internal
