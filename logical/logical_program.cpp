// SPDX-License-Identifier: Apache-2.0
#include "rondo/logical/logical_program.hpp"

#include "logical/folding/small_dimensions.hpp"
#include "logical/folding/source_order.hpp"
#include "logical/places/call_places.hpp"
#include "logical/places/comm_ranks.hpp"
#include "logical/places/comm_roles.hpp"
#include "logical/places/names.hpp"
#include "logical/places/open_directions.hpp"
#include "logical/places/peer_topologies.hpp"
#include "logical/places/peer_words.hpp"
#include "logical/places/rank_values.hpp"
#include "logical/places/run_facts.hpp"
#include "logical/text/amounts_in_bytes.hpp"
#include "logical/text/local_calls.hpp"
#include "logical/text/messages_to_nobody.hpp"
#include "rondo/base/sort_stably.hpp"
#include "rondo/fold/recast.hpp"
#include "rondo/matrix/layers.hpp"
#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/communicator_names.hpp"
#include "rondo/trace/ran_programs.hpp"

#include <algorithm>
#include <future>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>

namespace rondo::logical {
namespace {

using internal::comm_of;
using internal::direction_between;
using internal::world_rank;
using trace::Trace;

constexpr std::int64_t kMostDirections = std::int64_t{1} << 24; // of a peer topology
constexpr std::int64_t kOutsideBase = std::int64_t{1} << 48;
constexpr std::int64_t kUnknownBase = std::int64_t{1} << 52;
constexpr std::int64_t kMostUnknown = std::int64_t{1} << 50; // ranks of MPI are below 2^31

// Ranks in the order of the first peer topology's copies and cells, those outside of it last.
std::vector<std::int64_t> number_cells(const std::vector<PeerTopology>& peer_topologies,
                                       const std::vector<std::int64_t>& numbers) {
  std::vector<std::int64_t> order(numbers.size());
  for (std::size_t rank = 0; rank < order.size(); ++rank)
    order[static_cast<std::size_t>(numbers[rank])] = static_cast<std::int64_t>(rank);
  if (!peer_topologies.empty()) {
    const PeerTopology& peer_topology = peer_topologies.front();
    const auto place = [&](std::int64_t rank) {
      const auto i = static_cast<std::size_t>(rank);
      const topology::Vertex copy = peer_topology.copy_of.empty() ? 0 : peer_topology.copy_of[i];
      return std::tuple{peer_topology.cells[i] < 0, copy, peer_topology.cells[i]};
    };
    sort_stably(order.begin(), order.end(),
                [&](std::int64_t a, std::int64_t b) { return place(a) < place(b); });
  }
  std::vector<std::int64_t> cell_of_rank(order.size());
  for (std::size_t cell = 0; cell < order.size(); ++cell)
    cell_of_rank[static_cast<std::size_t>(order[cell])] = static_cast<std::int64_t>(cell);
  return cell_of_rank;
}

// The partner in a bit of the cell is a bit of the rank, if it is one for all ranks: then it is
// called by that.
void name_bits(PeerTopology& peer_topology) {
  constexpr std::string_view kRow = "row^";
  std::map<std::pair<topology::Vertex, topology::Vertex>, std::size_t> rank_at; // by copy and cell
  const auto copy_of = [&](std::size_t rank) {
    return peer_topology.copy_of.empty() ? 0 : peer_topology.copy_of[rank];
  };
  for (std::size_t rank = 0; rank < peer_topology.cells.size(); ++rank)
    rank_at[{copy_of(rank), peer_topology.cells[rank]}] = rank;
  for (std::size_t d = 0; d < peer_topology.directions.size(); ++d) {
    if (!peer_topology.directions.name(d).starts_with(kRow)) continue;
    std::set<std::size_t> bits;
    for (std::size_t rank = 0; rank < peer_topology.cells.size(); ++rank) {
      if (peer_topology.cells[rank] < 0) continue;
      const auto to = peer_topology.directions.target(peer_topology.cells[rank], d);
      if (to) bits.insert(rank ^ rank_at.at({copy_of(rank), *to}));
    }
    const std::string bit = peer_topology.directions.name(d).substr(kRow.size());
    peer_topology.directions.rename(d, bits.size() == 1
                                           ? std::string(kRow) + std::to_string(*bits.begin())
                                           : "row partner " + bit);
  }
}

// How far calls that differ in few words become one call with varying words: as when runs without
// call sites are read in, and sooner.
const fold::ProgramOptions kUsual{.soften_after = 12, .keeps_frequent = true};
const fold::ProgramOptions kSofter{.soften_after = 4};

class Logicalizer {
public:
  Logicalizer(const Trace& trace, const LogicalizeOptions& options, internal::RunFacts& facts,
              DirectionOptions directions, const fold::ProgramOptions& folding)
      : trace_(trace), options_(options), folding_(folding), facts_(facts),
        peer_topology_of_(facts.topologies(directions).of_calls), unseen_(trace, options.unseen),
        to_nobody_(trace) {
    result_.peer_topologies = facts.topologies(directions).all;
    result_.cell_of_rank = number_cells(result_.peer_topologies, facts.numbers());
    result_.name = trace::program_name(trace);
    result_.programs = trace::ran_programs(trace);
    result_.says_cells = options.says_cells;
    result_.is_by_flow = !options.by_flow.empty();
    result_.is_in_source_order = options.in_source_order;
    result_.unseen = options.unseen;
    if (options.unseen == Unseen::kTypes) amounts_ = internal::AmountsInBytes(trace);
    result_.bytes_of_types = amounts_.slot();
    if (!options.says_cells) {
      for (PeerTopology& peer_topology : result_.peer_topologies) name_bits(peer_topology);
    }
    result_.accuracy.outside_of_ranks.resize(static_cast<std::size_t>(trace.run.ranks));
    calls_of_rank_.resize(static_cast<std::size_t>(trace.run.ranks));
  }

  LogicalProgram run() {
    fold::Recasting recasting;
    recasting.new_rank = result_.cell_of_rank;
    recasting.drops_sites = options_.drops_sites;
    recasting.by_flow = options_.by_flow;
    if (options_.directions_apart) {
      recasting.site = [&](const trace::RankClass& of, std::int64_t rank,
                           const trace::CallInstance& call) { return site_of(of, rank, call); };
    }
    if (options_.in_source_order) put_in_source_order(recasting);
    if (options_.by_roles) roles_ = facts_.roles();
    if (roles_.is_renaming()) recasting.comms = roles_.definitions(trace_.run.ranks);
    recasting.leaves_out = [&](const auto& of, std::int64_t rank, const auto& call) {
      return leaves_out(of, rank, call);
    };
    recasting.words = [&](const trace::RankClass& of, std::int64_t rank,
                          const trace::CallInstance& call,
                          std::span<std::int64_t> words) { change(of, rank, call, words); };
    recasting.array = [&](const trace::RankClass& of, std::int64_t rank,
                          const trace::CallInstance& call, const trace::Field& field,
                          std::span<std::int64_t> values) {
      change_array(of, rank, call, field, values);
    };
    if (options_.for_text || options_.plays_alike_once) {
      recasting.likeness = [&](const auto& of, std::int64_t rank) { return likeness(of, rank); };
      recasting.not_played = [&](std::int64_t rank, std::int64_t played) {
        count_calls(rank, calls_of_rank_[static_cast<std::size_t>(played)]);
        const auto polls = idle_polls_.find(played);
        if (polls != idle_polls_.end()) idle_polls_[rank] = polls->second;
      };
    }
    if (has_own_numbers()) {
      recasting.own_numbers = [&](const trace::RankClass& of, std::int64_t rank, std::int64_t n) {
        const auto value = values_.at(&of).own_number(
            n / kMostWords, static_cast<std::size_t>(n % kMostWords), rank, positions_of(rank));
        return value.value_or(fold::Recasting::own_number(n)); // a word of the trace, then
      };
      recasting.again = [&](std::int64_t rank) { forget_calls(rank); };
    }
    recasting.memory = {
        .keep = [&](std::int64_t rank) { keep(rank); },
        .is_as_kept = [&](std::int64_t rank) { return is_as_kept(rank); },
        .repeat = [&](std::int64_t rank, std::uint64_t times) { repeat(rank, times); }};
    result_.cells = fold::recast(trace_, recasting, folding_, options_.progress).trace;
    if (options_.unseen != Unseen::kNothing) result_.local = unseen_.count(all_idle_polls());
    if (amounts_.slot() >= 0) result_.cells.datatypes.push_back(amounts_.definition());
    result_.communicators =
        std::make_shared<const trace::CommunicatorNames>(trace_, roles_.made_besides());
    result_.comms_of_all_ranks = roles_.kept(internal::comms_of_all_ranks(trace_));
    result_.crossed = topology::crossed_families(options_.says_cells ? result_.cells : trace_);
    count_bytes();
    const bool has_places = options_.for_text && !options_.in_source_order && !trace_.sites.empty();
    if (has_places)
      result_.places = internal::places_of_calls(trace_, result_, facts_.order_of_sites());
    return std::move(result_);
  }

private:
  struct Calls { // point to point
    std::uint64_t all = 0;
    std::uint64_t outside = 0;
  };

  void put_in_source_order(fold::Recasting& recasting) const {
    recasting.site = [](const trace::RankClass&, std::int64_t, const trace::CallInstance& call) {
      return internal::site_in_source_order(call.site);
    };
    recasting.place_in_source = [order = internal::SourceOrder(trace_)](
                                    const trace::RankClass&, const trace::CallInstance& call) {
      return order.place_of(*call.function, call.site);
    };
  }

  void change(const trace::RankClass& of, std::int64_t rank, const trace::CallInstance& call,
              std::span<std::int64_t> words) {
    const std::int64_t comm = comm_of(call);
    const trace::Positions& positions = positions_of(rank);
    const std::int64_t own = comm == trace::kWorldSlot || roles_.is_renaming()
                                 ? result_.cell_of_rank[static_cast<std::size_t>(rank)]
                                 : positions.of(comm).rank;
    bool is_outside = false;
    internal::for_each_rank_word(*call.function, [&](std::size_t word, const trace::Field& field) {
      if (trace::is_special(words[word])) return;
      if (field.kind == trace::FieldKind::kRoot) {
        const auto root = world_rank(positions, rank, comm, words[word]);
        if (root && comm == trace::kWorldSlot)
          words[word] = result_.cell_of_rank[static_cast<std::size_t>(*root)];
        return;
      }
      Peer found = peer_of_word(of, rank, call.symbol, comm, words[word]);
      if (options_.for_text && is_leaf(found)) found.direction = Peer::kAnyLeaf;
      const bool is_kept = !options_.for_text || field.kind != trace::FieldKind::kStatus;
      is_outside = is_outside || (is_kept && found.form == Peer::Form::kOutside);
      words[word] = own + code_of(found);
    });
    amounts_.change(*call.function, rank, words);
    if (roles_.is_renaming()) roles_.change(call, words);
    if (options_.for_text) {
      internal::blank_said_by_root(*call.function, words);
      to_nobody_.change(*call.function, words);
      internal::blank_unsaid(*call.function, words);
    }
    if (options_.detail == Detail::kPaper) internal::blank_for_paper(*call.function, words);
    if (has_own_numbers()) leave_own_numbers(of, call, words);
    if (!internal::is_point_to_point(*call.function)) return;
    count_calls(rank, {1, is_outside ? 1U : 0U});
  }

  static constexpr std::int64_t kMostWords = 256; // of a call

  // By the flow of control all words of a place in the source vary.
  bool has_own_numbers() const { return options_.for_text && options_.by_flow.empty(); }

  // What only tells ranks apart that do the same is filled in for all of them at once.
  void leave_own_numbers(const trace::RankClass& of, const trace::CallInstance& call,
                         std::span<std::int64_t> words) const {
    const auto known = values_.find(&of);
    if (of.ranks.size() < 2 || known == values_.end() || !known->second.is_complete()) return;
    for (const std::size_t word : known->second.own_numbers(call.symbol)) {
      if (words[word] == call.words[word] && !trace::is_special(words[word]))
        words[word] =
            fold::Recasting::own_number(call.symbol * kMostWords + static_cast<std::int64_t>(word));
    }
  }

  // A rank is played anew.
  void forget_calls(std::int64_t rank) {
    Calls& calls = calls_of_rank_[static_cast<std::size_t>(rank)];
    result_.accuracy.all.calls -= calls.all;
    result_.accuracy.outside.calls -= calls.outside;
    result_.accuracy.outside_of_ranks[static_cast<std::size_t>(rank)].calls -= calls.outside;
    calls = {};
    idle_polls_.erase(rank);
    positions_.reset();
    requests_.forget();
  }

  // A number of its own for each place in the source and each choice of directions.
  std::int64_t site_of(const trace::RankClass& of, std::int64_t rank,
                       const trace::CallInstance& call) {
    std::vector<std::int64_t> key{options_.drops_sites ? 0 : call.site};
    internal::for_each_rank_word(*call.function, [&](std::size_t word, const trace::Field& field) {
      const bool is_peer = field.kind == trace::FieldKind::kRank && !field.is_outcome;
      if (!is_peer || trace::is_special(call.words[word])) return;
      Peer peer = peer_of_word(of, rank, call.symbol, comm_of(call), call.words[word]);
      if (is_leaf(peer)) peer.direction = Peer::kAnyLeaf;
      key.push_back(code_of(peer));
    });
    if (const auto made = request_of(rank, call)) key.push_back(*made);
    if (makes_ageing_request(call)) requests_.add(key.back());
    const auto next = static_cast<std::int64_t>(sites_.size()) + 1;
    return sites_.try_emplace(std::move(key), next).first->second;
  }

  static bool makes_ageing_request(const trace::CallInstance& call) {
    return call.function->makes_request && !trace::meaning_of(*call.function).is_started_later;
  }

  // Who waits for one request does so in its direction.
  std::optional<std::int64_t> request_of(std::int64_t rank, const trace::CallInstance& call) {
    requests_.read(rank);
    const trace::CallView view(trace::meaning_of(*call.function), call.words);
    if (view.means().completes != trace::Completes::kOne) return std::nullopt;
    const std::int64_t request = view.request();
    if (trace::is_special(request) || trace::is_foreign(request) || trace::is_persistent(request))
      return std::nullopt;
    return requests_.of_age(trace::age_or_slot(request));
  }

  // Passes of loops that come again ---------------------------------------------------------------

  void keep(std::int64_t rank) {
    kept_.calls = calls_of_rank_[static_cast<std::size_t>(rank)];
    kept_.idle_polls = idle_polls_[rank];
    kept_.roles = roles_;
    kept_.sites = sites_.size();
    requests_.keep();
  }

  bool is_as_kept(std::int64_t rank) {
    return kept_.sites == sites_.size() && idle_polls_[rank].size() == kept_.idle_polls.size() &&
           kept_.roles == roles_ && requests_.are_as_kept();
  }

  void repeat(std::int64_t rank, std::uint64_t times) {
    const Calls now = calls_of_rank_[static_cast<std::size_t>(rank)];
    count_calls(rank,
                {times * (now.all - kept_.calls.all), times * (now.outside - kept_.calls.outside)});
    for (auto& [function, calls] : idle_polls_[rank])
      calls += times * (calls - kept_.idle_polls.at(function));
    requests_.repeat(times);
  }

  // What is not seen can make communicators that are.
  bool leaves_out(const trace::RankClass& of, std::int64_t rank, const trace::CallInstance& call) {
    if (!unseen_.contains(of, call)) return false;
    if (!unseen_.contains(of, call.symbol)) ++idle_polls_[rank][call.function];
    if (roles_.is_renaming() && internal::CommRoles::follows(*call.function)) {
      positions_of(rank);
      std::vector<std::int64_t> words = call.words;
      roles_.change(call, words);
    }
    return true;
  }

  internal::CallsOf all_idle_polls() const {
    internal::CallsOf all;
    for (const auto& [rank, polls] : idle_polls_) {
      for (const auto& [function, calls] : polls) all[function] += calls;
    }
    return all;
  }

  void count_calls(std::int64_t rank, Calls calls) {
    const auto at = static_cast<std::size_t>(rank);
    calls_of_rank_[at].all += calls.all;
    calls_of_rank_[at].outside += calls.outside;
    result_.accuracy.all.calls += calls.all;
    result_.accuracy.outside.calls += calls.outside;
    result_.accuracy.outside_of_ranks[at].calls += calls.outside;
  }

  // What `change` makes of the words that depend on the rank, as far as the text says them, peers
  // less where the rank stands; nothing where only the calls tell.
  std::optional<std::vector<std::int64_t>> likeness(const trace::RankClass& of, std::int64_t rank) {
    const auto [known, is_new] = values_.try_emplace(&of, of, !options_.for_text);
    const internal::RankValues& values = known->second;
    if (of.ranks.size() < 2 || !values.is_complete()) return std::nullopt;
    using Kind = internal::RankValues::Value::Kind;
    const trace::Positions& positions = positions_of(rank);
    std::vector<std::int64_t> result = amounts_.sizes(rank);
    values.each(rank, positions, [&](const internal::RankValues::Value& one) {
      if (unseen_.contains(of, one.symbol)) return;
      if (one.is_own_number && has_own_numbers() && !trace::is_special(one.value)) return;
      if (one.kind != Kind::kPeer || trace::is_special(one.value)) {
        result.push_back(one.value);
        return;
      }
      Peer peer = peer_of_word(of, rank, one.symbol, one.comm, one.value);
      if (options_.for_text && is_leaf(peer)) peer.direction = Peer::kAnyLeaf;
      result.push_back(code_of(peer));
    });
    return result;
  }

  bool is_leaf(const Peer& peer) const {
    return peer.form == Peer::Form::kDirection &&
           internal::is_leaf(result_.peer_topologies[peer.peer_topology], peer.direction);
  }

  void change_array(const trace::RankClass& of, std::int64_t rank, const trace::CallInstance& call,
                    const trace::Field& field, std::span<std::int64_t> values) {
    const std::int64_t comm = comm_of(call);
    internal::for_each_rank_in_array(field, values, [&](std::int64_t& value) {
      if (!trace::is_special(value))
        value = code_of(peer_of_word(of, rank, call.symbol, comm, value + rank));
    });
  }

  std::size_t index_of(const trace::RankClass& of) const {
    return static_cast<std::size_t>(&of - trace_.classes.data());
  }

  Peer peer_of_word(const trace::RankClass& of, std::int64_t rank, std::uint32_t symbol,
                    std::int64_t comm, std::int64_t value) {
    const auto peer = world_rank(positions_of(rank), rank, comm, value);
    if (!peer) return {Peer::Form::kUnknown, 0, 0, value};
    const std::size_t peer_topology =
        peer_topology_of_.empty() ? 0 : peer_topology_of_[index_of(of)][symbol];
    return peer_between(rank, *peer, peer_topology);
  }

  // By the peer topology that the call follows, or else by any.
  Peer peer_between(std::int64_t from, std::int64_t to, std::size_t preferred) const {
    const auto& peer_topologies = result_.peer_topologies;
    for (std::size_t i = 0; i < peer_topologies.size(); ++i) {
      const std::size_t g = (preferred + i) % peer_topologies.size();
      if (const auto direction = direction_between(peer_topologies[g], from, to))
        return {Peer::Form::kDirection, g, *direction, 0};
    }
    if (from == to) return {};
    return {Peer::Form::kOutside, 0, 0,
            result_.cell_of_rank[static_cast<std::size_t>(to)] -
                result_.cell_of_rank[static_cast<std::size_t>(from)]};
  }

  const trace::Positions& positions_of(std::int64_t rank) {
    if (!positions_ || positions_rank_ != rank) {
      roles_.begin();
      positions_.emplace(trace_, rank);
      positions_rank_ = rank;
    }
    return *positions_;
  }

  void count_bytes() {
    for (const matrix::Layer& layer : facts_.traffic().layers) {
      for (const matrix::MatrixEntry& entry : layer.entries) {
        result_.accuracy.all.bytes += entry.bytes;
        if (peer_between(entry.source, entry.destination, 0).form != Peer::Form::kOutside) continue;
        result_.accuracy.outside.bytes += entry.bytes;
        result_.accuracy.outside_of_ranks[static_cast<std::size_t>(entry.source)].bytes +=
            entry.bytes;
      }
    }
  }

  const Trace& trace_;
  const LogicalizeOptions& options_;
  fold::ProgramOptions folding_;
  internal::RunFacts& facts_;
  const std::vector<std::vector<std::size_t>>& peer_topology_of_; // by class and symbol
  internal::UnseenCalls unseen_;
  internal::MessagesToNobody to_nobody_;
  LogicalProgram result_;
  internal::AmountsInBytes amounts_; // changes nothing unless asked to
  internal::CommRoles roles_; // changes nothing unless asked to
  std::vector<Calls> calls_of_rank_;
  std::map<std::int64_t, internal::CallsOf> idle_polls_; // by rank, of those that have any
  std::map<std::vector<std::int64_t>, std::int64_t> sites_; // of site_of()
  internal::OpenDirections requests_; // likewise
  struct Kept { // at the beginning of passes that may come again
    Calls calls;
    internal::CallsOf idle_polls;
    internal::CommRoles roles;
    std::size_t sites = 0;
  };
  Kept kept_;
  std::map<const trace::RankClass*, internal::RankValues> values_;
  std::optional<trace::Positions> positions_;
  std::int64_t positions_rank_ = -1;
};

} // namespace

std::int64_t code_of(const Peer& peer) {
  switch (peer.form) {
  case Peer::Form::kSelf:
    return 0;
  case Peer::Form::kDirection:
    return 1 + static_cast<std::int64_t>(peer.peer_topology) * kMostDirections +
           static_cast<std::int64_t>(peer.direction);
  case Peer::Form::kOutside:
    return kOutsideBase + peer.distance;
  case Peer::Form::kUnknown:
    return kUnknownBase + std::clamp(peer.distance, -kMostUnknown, kMostUnknown);
  }
  return 0;
}

Peer peer_of(std::int64_t code) {
  if (code == 0) return {};
  if (code >= kUnknownBase / 2) return {Peer::Form::kUnknown, 0, 0, code - kUnknownBase};
  if (code >= kOutsideBase / 2) return {Peer::Form::kOutside, 0, 0, code - kOutsideBase};
  return {Peer::Form::kDirection, static_cast<std::size_t>((code - 1) / kMostDirections),
          static_cast<std::size_t>((code - 1) % kMostDirections), 0};
}

LogicalProgram logicalize(const Trace& trace, const LogicalizeOptions& options) {
  internal::RunFacts facts(trace, options.by_rank_numbers);
  return internal::logicalize(trace, options, facts);
}

LogicalProgram internal::logicalize(const Trace& trace, const LogicalizeOptions& options,
                                    RunFacts& facts) {
  const auto with = [&](DirectionOptions directions, bool is_soft) {
    if (auto known = facts.known_program(options, directions, is_soft)) return std::move(*known);
    LogicalProgram made =
        Logicalizer(trace, options, facts, directions, is_soft ? kSofter : kUsual).run();
    facts.keep_program(options, directions, is_soft, made);
    return made;
  };
  // Two ranks in an open dimension are a swap in some programs and two borders in others: the
  // plainer text says which. Of equally plain ones, borders are what larger runs have.
  DirectionOptions directions{.across_twos = true, .lies_as_numbered = options.by_rank_numbers};
  const std::vector<PeerTopology>& swaps = facts.topologies(directions).all;
  const bool is_square = has_square(swaps);
  const bool is_doubtful = is_square || has_open_twos(swaps);
  const DirectionOptions borders{.across_twos = false,
                                 .square_is_grid = is_square,
                                 .lies_as_numbered = options.by_rank_numbers};
  if (is_doubtful && options.has_borders) directions = borders;
  LogicalProgram best;
  if (is_doubtful && !options.has_borders) {
    // Side by side, as each takes long; what both need is found before.
    facts.find_all(options, {directions, borders});
    auto with_borders = std::async(options.progress ? std::launch::deferred : std::launch::async,
                                   [&] { return with(borders, false); });
    best = with(directions, false);
    LogicalProgram other = with_borders.get();
    if (is_plainer(other, best)) {
      best = std::move(other);
      directions = borders;
    } else {
      best.could_have_borders = true;
    }
  } else {
    best = with(directions, false);
  }
  if (!options.shortest) return best;
  LogicalProgram softer = with(directions, true);
  return 3 * terms_of(softer) <= 2 * terms_of(best) ? std::move(softer) : std::move(best);
}

} // namespace rondo::logical
