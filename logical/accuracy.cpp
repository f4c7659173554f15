// SPDX-License-Identifier: Apache-2.0
#include "rondo/logical/accuracy.hpp"

#include "logical/places/peer_topologies.hpp"
#include "logical/places/peer_words.hpp"
#include "logical/text/local_calls.hpp"
#include "rondo/base/sort_stably.hpp"
#include "rondo/matrix/layers.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace rondo::logical {
namespace {

using trace::CallInstance;
using trace::FieldKind;

std::int64_t communicator_of(const CallInstance& call) {
  const int word = call.function->comm_word();
  return word < 0 ? trace::kWorldSlot : call.words[static_cast<std::size_t>(word)];
}

// Which of one stream's open requests were made by calls off the topology.
class Requests {
public:
  /// Whether the request is off the topology; nothing for one that is none or is not ours.
  std::optional<bool> is_outside(std::int64_t reference) const {
    if (trace::is_special(reference) || trace::is_foreign(reference)) return std::nullopt;
    const std::uint64_t n = trace::age_or_slot(reference);
    const auto& known = trace::is_persistent(reference) ? by_slot_ : by_age_;
    if (n >= known.size()) return std::nullopt;
    return (trace::is_persistent(reference) ? by_slot_[n] : by_age_[by_age_.size() - 1 - n])
        .outside;
  }

  void add(const CallInstance& call, bool outside) {
    if (!call.function->makes_request || call.error != 0) return;
    const bool has_slot = call.function->mode == trace::Mode::kPersistent ||
                          call.function->mode == trace::Mode::kPartitioned;
    if (!has_slot) {
      by_age_.push_back({outside, true});
      return;
    }
    auto slot =
        std::find_if(by_slot_.begin(), by_slot_.end(), [](const Open& o) { return !o.in_use; });
    if (slot == by_slot_.end()) slot = by_slot_.insert(slot, Open{});
    *slot = {outside, true};
  }

  void free(std::int64_t reference) {
    if (trace::is_special(reference) || !trace::is_persistent(reference)) return;
    const std::uint64_t slot = trace::age_or_slot(reference);
    if (!trace::is_foreign(reference) && slot < by_slot_.size()) by_slot_[slot].in_use = false;
  }

private:
  struct Open {
    bool outside = false;
    bool in_use = false;
  };
  std::vector<Open> by_age_; // oldest first
  std::vector<Open> by_slot_;
};

// Plays every stream back, in the words of both the recorded and the logical program: requests are
// in the first (the second may lack them), peers in the second.
class Player {
public:
  Player(const trace::Trace& trace, const LogicalProgram& logical)
      : trace_(trace), logical_(logical), unseen_(trace, logical.unseen) {
    for (const auto& program : logical.cells.programs) seen_.emplace_back(program->calls.size());
  }

  OffTopology run() {
    for (std::size_t rank = 0; rank < logical_.cell_of_rank.size(); ++rank) {
      for (const trace::RankClass& c : trace_.classes) {
        if (c.ranks.contains(static_cast<std::int64_t>(rank)))
          play(c, static_cast<std::int64_t>(rank));
      }
    }
    add_bytes();
    return result();
  }

private:
  struct Seen { // of one call of the logical program
    bool outside = false;
    bool inside = false;
  };

  void play(const trace::RankClass& recorded, std::int64_t rank) {
    const std::int64_t cell = logical_.cell_of_rank[static_cast<std::size_t>(rank)];
    const trace::RankClass& of = *logical_.cells.class_of(cell, recorded.thread);
    trace::CallReader physical(trace_, recorded, rank);
    trace::CallReader logical(logical_.cells, of, cell);
    Requests requests;
    while (const CallInstance* call = physical.next()) {
      if (unseen_.contains(recorded, *call)) continue;
      const CallInstance* recast = logical.next();
      if (recast == nullptr) return;
      Seen now = peers_of(*recast, logical.positions(), cell);
      if (internal::is_point_to_point(*call->function)) count(*call, now.outside);
      const bool outside = now.outside && !now.inside;
      add_requests(now, *call, *recorded.program, requests);
      requests.add(*call, outside);
      Seen& seen = seen_[of.merged][of.calls[recast->symbol]];
      seen.outside = seen.outside || now.outside;
      seen.inside = seen.inside || now.inside;
    }
  }

  static Seen peers_of(const CallInstance& call, const trace::Positions& positions,
                       std::int64_t cell) {
    Seen result;
    const std::int64_t comm = communicator_of(call);
    if (!internal::is_point_to_point(*call.function)) return result;
    const std::int64_t own = comm == trace::kWorldSlot ? cell : positions.of(comm).rank;
    internal::for_each_rank_word(*call.function, [&](std::size_t word, const trace::Field& field) {
      const std::int64_t value = call.words[word];
      if (value == trace::kAnySource) result.inside = true; // says nothing against it
      if (trace::is_special(value) || field.kind == FieldKind::kRoot) return;
      const bool outside = peer_of(value - own).form == Peer::Form::kOutside;
      (outside ? result.outside : result.inside) = true;
    });
    return result;
  }

  static void add_requests(Seen& now, const CallInstance& call, const trace::Program& program,
                           Requests& requests) {
    const auto look = [&](std::int64_t reference) {
      if (trace::is_special(reference) && reference != trace::kUnrecorded) return;
      const bool outside = requests.is_outside(reference).value_or(false);
      (outside ? now.outside : now.inside) = true;
    };
    const bool frees = trace::meaning_of(*call.function).act == trace::Act::kFreeRequest;
    std::size_t word = 0;
    for (const trace::Field& field : call.function->fields) {
      if (field.kind == FieldKind::kRequest && !field.is_array) {
        look(call.words[word]);
        if (frees && call.error == 0) requests.free(call.words[word]);
      } else if (field.kind == FieldKind::kRequest && !trace::is_special(call.words[word])) {
        const auto& array = program.arrays[static_cast<std::size_t>(call.words[word])];
        std::for_each(array.begin(), array.end(), look);
      }
      word += field.kind == FieldKind::kStatus && !field.is_array ? 3 : 1;
    }
  }

  SiteAccuracy& site(std::uint32_t site, const trace::Function* function) {
    SiteAccuracy& entry = sites_[{site, function->id}];
    entry.site = site;
    entry.function = function;
    return entry;
  }

  void count(const CallInstance& call, bool outside) {
    SiteAccuracy& entry = site(call.site, call.function);
    ++entry.all.calls;
    if (outside) ++entry.outside.calls;
  }

  bool is_on_a_peer_topology(const matrix::MatrixEntry& entry) const {
    return entry.source == entry.destination ||
           std::any_of(logical_.peer_topologies.begin(), logical_.peer_topologies.end(),
                       [&](const PeerTopology& peer_topology) {
                         return internal::direction_between(peer_topology, entry.source,
                                                            entry.destination);
                       });
  }

  void add_bytes() {
    for (const matrix::Layer& layer : matrix::layers_of(trace_).layers) {
      SiteAccuracy& entry = site(layer.site, layer.function);
      for (const matrix::MatrixEntry& pair : layer.entries) {
        entry.all.bytes += pair.bytes;
        if (!is_on_a_peer_topology(pair)) entry.outside.bytes += pair.bytes;
      }
    }
  }

  OffTopology result() const {
    OffTopology result;
    for (const auto& calls : seen_) {
      auto& left_out = result.left_out.emplace_back();
      for (const Seen& seen : calls) left_out.push_back(seen.outside && !seen.inside);
    }
    for (const auto& [key, entry] : sites_) result.sites.push_back(entry);
    sort_stably(result.sites.begin(), result.sites.end(), [](const auto& a, const auto& b) {
      return std::pair(a.outside.calls, a.outside.bytes) >
             std::pair(b.outside.calls, b.outside.bytes);
    });
    return result;
  }

  const trace::Trace& trace_;
  const LogicalProgram& logical_;
  const internal::UnseenCalls unseen_;
  std::vector<std::vector<Seen>> seen_; // by merged program and call
  std::map<std::pair<std::uint32_t, std::uint16_t>, SiteAccuracy> sites_;
};

} // namespace

bool is_little_off(const Accuracy& accuracy) {
  return accuracy.outside.calls <= accuracy.all.calls / 100;
}

bool leaves_out(const LogicalProgram& logical) {
  return logical.accuracy.outside.calls > 0 && is_little_off(logical.accuracy) &&
         !logical.is_by_flow;
}

OffTopology off_topology(const trace::Trace& trace, const LogicalProgram& logical) {
  return Player(logical.turned ? *logical.turned : trace, logical).run();
}

} // namespace rondo::logical
