// SPDX-License-Identifier: Apache-2.0
#include "rondo/fold/merge.hpp"

#include <algorithm>

namespace rondo::fold {
namespace {

using trace::RankSet;

RankSet united(const RankSet& a, const RankSet& b) {
  std::vector<std::int64_t> ranks = a.ranks();
  const std::vector<std::int64_t> more = b.ranks();
  ranks.insert(ranks.end(), more.begin(), more.end());
  return RankSet::of(std::move(ranks));
}

// Adds the rows of `from` to `into`; equal rows become one, held by the ranks of both.
template <class Row, class Same, class Holders>
void merge_rows(std::vector<Row>& into, std::vector<Row>&& from, Same same, Holders holders) {
  for (Row& row : from) {
    const auto known =
        std::find_if(into.begin(), into.end(), [&](const Row& other) { return same(row, other); });
    if (known == into.end()) {
      into.push_back(std::move(row));
    } else {
      (*known).*holders = united((*known).*holders, row.*holders);
    }
  }
}

void merge_tables(trace::Trace& into, trace::Trace&& from) {
  merge_rows(
      into.hosts, std::move(from.hosts),
      [](const trace::Host& a, const trace::Host& b) { return a.name == b.name; },
      &trace::Host::ranks);
  merge_rows(
      into.comms, std::move(from.comms),
      [](const trace::CommDefinition& a, const trace::CommDefinition& b) {
        return a.slot == b.slot && a.members == b.members && a.remote == b.remote;
      },
      &trace::CommDefinition::holders);
  merge_rows(
      into.groups, std::move(from.groups),
      [](const trace::GroupDefinition& a, const trace::GroupDefinition& b) {
        return a.slot == b.slot && a.members == b.members;
      },
      &trace::GroupDefinition::holders);
  merge_rows(
      into.datatypes, std::move(from.datatypes),
      [](const trace::DatatypeDefinition& a, const trace::DatatypeDefinition& b) {
        return a.slot == b.slot && a.name == b.name && a.size_bytes == b.size_bytes &&
               a.extent_bytes == b.extent_bytes;
      },
      &trace::DatatypeDefinition::holders);
  for (trace::Module& module : from.modules) {
    if (std::find(into.modules.begin(), into.modules.end(), module) == into.modules.end())
      into.modules.push_back(std::move(module));
  }
}

// Numbers of `from`'s sites in `into`, which gets those it lacks.
std::vector<std::uint32_t> merge_sites(std::vector<trace::CallSite>& into,
                                       const std::vector<trace::CallSite>& from) {
  std::vector<std::uint32_t> number;
  for (std::size_t i = 0; i < from.size(); ++i) {
    trace::CallSite site = from[i];
    if (site.caller != 0) site.caller = number[site.caller - 1] + 1; // callers stand before
    // Ranks of one program see their sites in the same order, mostly.
    auto place = i < into.size() && into[i] == site ? into.begin() + static_cast<std::ptrdiff_t>(i)
                                                    : std::find(into.begin(), into.end(), site);
    number.push_back(static_cast<std::uint32_t>(place - into.begin()));
    if (place == into.end()) into.push_back(std::move(site));
  }
  return number;
}

bool same_structure(const trace::Program& a, const trace::Program& b) {
  return a.calls == b.calls && a.nest == b.nest && a.columns == b.columns && a.arrays == b.arrays &&
         a.texts == b.texts;
}

// What a peer means for both, or nothing (holds == 0).
PeerHypotheses common(const PeerHypotheses& a, const PeerHypotheses& b) {
  PeerHypotheses result = a;
  if (a.constant != b.constant)
    result.holds &= static_cast<std::uint8_t>(~PeerHypotheses::kConstant);
  if (a.relative != b.relative)
    result.holds &= static_cast<std::uint8_t>(~PeerHypotheses::kRelative);
  if (a.modulo != b.modulo) result.holds &= static_cast<std::uint8_t>(~PeerHypotheses::kModulo);
  if (a.exclusive_or != b.exclusive_or)
    result.holds &= static_cast<std::uint8_t>(~PeerHypotheses::kXor);
  result.holds &= b.holds;
  return result;
}

bool merge_peers(std::vector<PeerHypotheses>& into, const std::vector<PeerHypotheses>& from) {
  if (into.size() != from.size()) return false;
  std::vector<PeerHypotheses> merged(into.size());
  for (std::size_t i = 0; i < into.size(); ++i) {
    merged[i] = common(into[i], from[i]);
    if (merged[i].holds == 0) return false;
  }
  into = std::move(merged);
  return true;
}

void merge_times(std::vector<trace::PlaceTimes>& into, std::vector<trace::PlaceTimes>&& from) {
  const auto before = [](const trace::PlaceTimes& a, const trace::PlaceTimes& b) {
    return a.call != b.call ? a.call < b.call : a.before < b.before;
  };
  std::vector<trace::PlaceTimes> added;
  for (trace::PlaceTimes& place : from) {
    const auto known = std::lower_bound(into.begin(), into.end(), place, before);
    if (known != into.end() && !before(place, *known)) {
      known->computation.add(place.computation);
      known->inside.add(place.inside);
    } else {
      added.push_back(std::move(place));
    }
  }
  into.insert(into.end(), std::make_move_iterator(added.begin()),
              std::make_move_iterator(added.end()));
  if (!added.empty()) std::sort(into.begin(), into.end(), before);
}

bool merge_class(PartClass& into, PartClass& from) {
  if (into.thread != from.thread || !same_structure(into.stream.program, from.stream.program))
    return false;
  if (!merge_peers(into.stream.peers, from.stream.peers)) return false;
  merge_times(into.stream.program.times, std::move(from.stream.program.times));
  const auto middle = static_cast<std::ptrdiff_t>(into.ranks.size());
  into.ranks.insert(into.ranks.end(), from.ranks.begin(), from.ranks.end());
  std::inplace_merge(into.ranks.begin(), into.ranks.begin() + middle, into.ranks.end());
  return true;
}

// A peer's meaning where several hold: ranks differ in what is constant only if it means one
// process, so a distance is the better guess for peers, the constant for roots.
trace::Word resolve_peer(const PeerHypotheses& peer, bool is_root, bool is_single_rank) {
  using Form = trace::Word::Form;
  if (is_single_rank || (is_root && (peer.holds & PeerHypotheses::kConstant)))
    return {Form::kConstant, peer.constant};
  if (peer.holds & PeerHypotheses::kRelative) return {Form::kRelative, peer.relative};
  if (peer.holds & PeerHypotheses::kModulo) return {Form::kRelativeModulo, peer.modulo};
  if (peer.holds & PeerHypotheses::kXor) return {Form::kXor, peer.exclusive_or};
  return {Form::kConstant, peer.constant};
}

trace::Program resolve_program(StreamProgram&& stream, bool is_single_rank) {
  std::size_t next = 0;
  for (trace::Call& call : stream.program.calls) {
    for_each_open_peer(call, [&](std::size_t word, bool is_root) {
      call.words[word] = resolve_peer(stream.peers[next++], is_root, is_single_rank);
    });
  }
  return std::move(stream.program);
}

} // namespace

void merge(Part& into, Part&& from) {
  const std::vector<std::uint32_t> number = merge_sites(into.tables.sites, from.tables.sites);
  for (auto& [rank, facts] : from.ranks) {
    if (facts.ending.function != 0) facts.ending.site = number[facts.ending.site];
  }
  merge_tables(into.tables, std::move(from.tables));
  for (PartClass& added : from.classes) {
    for (trace::Call& call : added.stream.program.calls) call.site = number[call.site];
    const bool merged = std::any_of(into.classes.begin(), into.classes.end(),
                                    [&](PartClass& known) { return merge_class(known, added); });
    if (!merged) into.classes.push_back(std::move(added));
  }
  into.ranks.insert(into.ranks.end(), from.ranks.begin(), from.ranks.end());
  if (into.run.notes.find(from.run.notes) == std::string::npos) {
    into.run.notes += (into.run.notes.empty() ? "" : "; ") + from.run.notes;
  }
  into.run.complete = into.run.complete && from.run.complete;
}

trace::Trace resolve(Part&& part) {
  trace::Trace result = std::move(part.tables);
  result.run = std::move(part.run);
  std::sort(part.classes.begin(), part.classes.end(), [](const PartClass& a, const PartClass& b) {
    return std::pair(a.ranks.front(), a.thread) < std::pair(b.ranks.front(), b.thread);
  });
  for (PartClass& c : part.classes) {
    const bool is_single = c.ranks.size() == 1;
    auto program =
        std::make_shared<trace::Program>(resolve_program(std::move(c.stream), is_single));
    result.classes.push_back({RankSet::of(std::move(c.ranks)), c.thread, std::move(program)});
  }
  std::int64_t ranks = std::max<std::int64_t>(result.run.ranks, 0);
  for (const auto& [rank, facts] : part.ranks) ranks = std::max(ranks, rank + 1);
  trace::RankFacts unheard;
  unheard.ending.kind = trace::Ending::kUnheard;
  result.ranks.assign(static_cast<std::size_t>(ranks), unheard);
  for (auto& [rank, facts] : part.ranks) result.ranks[static_cast<std::size_t>(rank)] = facts;
  return result;
}

} // namespace rondo::fold
