// SPDX-License-Identifier: Apache-2.0
#include "patterns/masters.hpp"

#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/call_reader.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <optional>
#include <string>

namespace rondo::patterns::internal {
namespace {

bool may_be_from_any(const trace::Call& call, const trace::CallMeaning& means) {
  if (means.source < 0) return false;
  const trace::Word& source = call.words[static_cast<std::size_t>(means.source)];
  return trace::is_column(source) || source.value == trace::kAnySource;
}

bool is_probe(const trace::CallMeaning& means) {
  return means.act == trace::Act::kProbe || means.act == trace::Act::kMatchedProbe;
}

bool chooses_request(const trace::CallMeaning& means) {
  return means.completes == trace::Completes::kAny || means.completes == trace::Completes::kSome;
}

// By symbol, whether a receive takes what comes first.
std::vector<bool> first_takers(const trace::Program& program) {
  bool has_probe = false;
  bool has_choice = false;
  for (const trace::Call& call : program.calls) {
    const trace::CallMeaning& means = trace::meaning_of(*trace::find_function(call.function));
    has_probe = has_probe || (is_probe(means) && may_be_from_any(call, means));
    has_choice = has_choice || chooses_request(means);
  }
  std::vector<bool> result;
  for (const trace::Call& call : program.calls) {
    const trace::Function& function = *trace::find_function(call.function);
    const trace::CallMeaning& means = trace::meaning_of(function);
    result.push_back(may_be_from_any(call, means) || (has_probe && means.receives()) ||
                     (has_choice && means.receives() && function.makes_request));
  }
  return result;
}

std::string first_come(std::int64_t rank) {
  return fmt::format("rank {} takes what comes first, not the same from all in turn", rank);
}

// The master that all messages go to or come from, both ways among three ranks at least.
std::optional<std::int64_t> master_of(const std::vector<PatternMessage>& messages,
                                      const PatternSurroundings& others) {
  for (const auto& [rank, is_master] : others.takers) {
    std::set<std::int64_t> senders;
    std::set<std::int64_t> receivers;
    for (const PatternMessage& m : messages) {
      senders.insert(m.from);
      receivers.insert(m.to);
      if ((m.from == rank) == (m.to == rank)) senders.clear();
      if (senders.empty()) break;
    }
    if (!is_master || !senders.contains(rank) || !receivers.contains(rank)) continue;
    senders.merge(receivers);
    if (senders.size() > 2) return rank;
  }
  return std::nullopt;
}

NamedPhase farm(std::int64_t master, const std::vector<PatternMessage>& messages,
                std::size_t rounds) {
  NamedPhase phase;
  std::set<std::int64_t> ranks;
  phase.least_bytes = messages.front().bytes;
  for (const PatternMessage& m : messages) {
    ranks.insert({m.from, m.to});
    phase.pairs.emplace_back(m.from, m.to);
    phase.least_bytes = std::min(phase.least_bytes, m.least_bytes < 0 ? m.bytes : m.least_bytes);
    phase.most_bytes = std::max(phase.most_bytes, m.most_bytes < 0 ? m.bytes : m.most_bytes);
  }
  phase.name = PatternName::kMasterWorker;
  phase.groups = {{ranks.begin(), ranks.end()}};
  phase.scope = fmt::format("over {} ranks", ranks.size());
  phase.what = fmt::format("master and workers {}, rank {} being the root", phase.scope, master);
  phase.evidence = {"all messages go to one rank or come from it", first_come(master)};
  phase.messages = messages.size();
  phase.rounds = rounds;
  phase.has_root = phase.takes_first = true;
  phase.root = master;
  return phase;
}

} // namespace

MasterFinder::MasterFinder(const trace::Trace& trace) {
  for (const trace::RankClass& c : trace.classes) {
    const std::vector<bool> takes_first = first_takers(*c.program);
    if (std::find(takes_first.begin(), takes_first.end(), true) == takes_first.end()) continue;
    for (const std::int64_t rank : c.ranks.ranks()) {
      takes_first_[{rank, c.thread}] = takes_first;
      taken_[rank];
    }
  }
}

void MasterFinder::note(const trace::Message& message) {
  if (taken_.empty()) return;
  partners_[message.send.rank].insert(message.receive.rank);
  partners_[message.receive.rank].insert(message.send.rank);
  if (taken_.contains(message.send.rank)) sent_[message.send.rank].insert(message.receive.rank);
  const auto takes = takes_first_.find({message.receive.rank, message.receive.thread});
  if (takes == takes_first_.end()) return;
  if (!takes->second[message.receive.symbol]) {
    asks_.insert(message.receive.rank);
    return;
  }
  const std::uint64_t round = taken_[message.receive.rank][message.send.rank]++;
  note_round(heard_[message.receive.rank], round, message.receive.call);
}

// Messages come in any order, but those of each sender as they were sent. Bounds of rounds only
// widen, so that two which overlap once always will.
void MasterFinder::note_round(Heard& heard, std::uint64_t round, std::uint64_t call) {
  if (!heard.is_in_turn) return;
  std::vector<Round>& rounds = heard.rounds;
  if (round >= rounds.size()) rounds.resize(round + 1);
  Round& here = rounds[round];
  here.first = std::min(here.first, call);
  here.last = std::max(here.last, call);
  const bool overlaps = (round > 0 && rounds[round - 1].last > here.first) ||
                        (round + 1 < rounds.size() && here.last > rounds[round + 1].first);
  if (overlaps) heard = {false, {}};
}

// Whether the rank hears from each once before it hears from one again, to the end, as in a gather
// that is done again and again.
bool MasterFinder::hears_in_turn(std::int64_t rank) const {
  const auto& by_sender = taken_.at(rank);
  const std::uint64_t times = by_sender.begin()->second;
  return heard_.at(rank).is_in_turn &&
         std::all_of(by_sender.begin(), by_sender.end(),
                     [&](const auto& one) { return one.second == times; });
}

std::map<std::int64_t, bool> MasterFinder::found() const {
  std::map<std::int64_t, bool> result;
  for (const auto& [receiver, by_sender] : taken_) {
    if (by_sender.size() < 2) continue;
    const auto sent = sent_.find(receiver);
    const bool answers = sent != sent_.end() &&
                         std::all_of(by_sender.begin(), by_sender.end(), [&](const auto& one) {
                           return sent->second.contains(one.first);
                         });
    result.emplace(receiver, answers && !hears_in_turn(receiver));
  }
  return result;
}

std::set<std::int64_t> MasterFinder::workers_of(std::int64_t rank) const {
  std::set<std::int64_t> result;
  const auto taken = taken_.find(rank);
  if (taken == taken_.end()) return result;
  for (const auto& [sender, times] : taken->second) {
    if (partners_.at(sender).size() > 1) return {};
    result.insert(sender);
  }
  return result;
}

std::set<std::int64_t> MasterFinder::workers_of_master(std::int64_t rank) const {
  std::set<std::int64_t> result;
  const auto taken = taken_.find(rank);
  if (taken == taken_.end() || asks_.contains(rank)) return result;
  for (const auto& [sender, times] : taken->second) result.insert(sender);
  const auto is_worker = [&](std::int64_t sender) {
    const auto own = taken_.find(sender);
    const auto& partners = partners_.at(sender);
    return (own == taken_.end() || own->second.size() < 2) &&
           std::all_of(partners.begin(), partners.end(), [&](std::int64_t partner) {
             return partner == rank || result.contains(partner);
           });
  };
  return std::all_of(result.begin(), result.end(), is_worker) ? result : std::set<std::int64_t>();
}

MasterApart master_apart(const std::vector<PatternMessage>& messages,
                         const PatternSurroundings& others) {
  for (const auto& [rank, is_master] : others.takers) {
    if (!is_master) continue;
    MasterApart apart;
    std::set<std::int64_t> senders;
    std::set<std::int64_t> receivers;
    for (const PatternMessage& m : messages) {
      const bool is_own = m.from != m.to && (m.from == rank || m.to == rank);
      (is_own ? apart.of_master : apart.of_workers).push_back(m);
      if (is_own && m.to == rank) senders.insert(m.from);
      if (is_own && m.from == rank) receivers.insert(m.to);
    }
    const bool is_among_workers =
        std::all_of(apart.of_workers.begin(), apart.of_workers.end(), [&](const auto& m) {
          return senders.contains(m.from) && senders.contains(m.to) &&
                 !others.takers.contains(m.from);
        });
    if (senders.size() > 1 && senders == receivers && !apart.of_workers.empty() && is_among_workers)
      return apart;
  }
  return {};
}

void name_masters(const std::vector<PatternMessage>& messages, const PatternSurroundings& others,
                  std::vector<NamedPhase>& phases) {
  const bool is_named = phases.size() == 1 && phases.front().name == PatternName::kMasterWorker &&
                        phases.front().messages == messages.size();
  const auto master = is_named ? std::nullopt : master_of(messages, others);
  if (master) {
    std::size_t rounds = 0;
    for (const NamedPhase& phase : phases) rounds += phase.rounds;
    phases = {farm(*master, messages, rounds)};
  }
  for (NamedPhase& phase : phases) {
    const bool is_star = phase.name == PatternName::kGather || phase.name == PatternName::kScatter;
    const auto taker = is_star ? others.takers.find(phase.root) : others.takers.end();
    if (taker == others.takers.end()) continue;
    phase.takes_first = true;
    if (!taker->second) continue;
    phase.collective.clear();
    if (phase.name == PatternName::kGather) phase.evidence.push_back(first_come(phase.root));
  }
}

} // namespace rondo::patterns::internal
