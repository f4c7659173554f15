// SPDX-License-Identifier: Apache-2.0
#include "logical/folding/turned_ranks.hpp"

#include "logical/places/peer_words.hpp"
#include "rondo/fold/merge.hpp"
#include "rondo/fold/refold.hpp"
#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/call_reader.hpp"
#include "rondo/trace/program_text.hpp"
#include "rondo/trace/trace_size.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace rondo::logical::internal {
namespace {

constexpr std::uint64_t kMostCalls = std::uint64_t{1} << 17;
constexpr std::size_t kMostFailures = 64; // to find a round
constexpr std::size_t kFewestRounds = 3;
constexpr std::int64_t kFewestRanks = 3;
constexpr std::int64_t kMostRanks = 512; // each may have to be tried as the leader

enum class Kind : std::uint8_t {
  kSend,
  kReceive,
  kBefore, // a probe: belongs to the message behind it
  kBehind, // a wait: belongs to the message in front of it
  kOther, // collectives, and messages that are in no round
};

struct Item {
  trace::CallInstance call;
  Kind kind = Kind::kOther;
  std::int64_t peer = -1;
};

Item item_of(const trace::CallInstance& call) {
  const trace::CallView view(trace::meaning_of(*call.function), call.words);
  const trace::CallMeaning& means = view.means();
  const auto message = [&](Kind kind, std::int64_t peer) {
    if (peer == trace::kAnySource) peer = view.status().source;
    if (view.comm() != trace::kWorldSlot) return Item{call, Kind::kOther, -1};
    return trace::is_special(peer) ? Item{call, Kind::kBehind, -1} : Item{call, kind, peer};
  };
  using trace::Act;
  if (call.error != 0 || means.is_started_later) return {call};
  if (means.act == Act::kTransfer && means.sends() != means.receives())
    return means.sends() ? message(Kind::kSend, view.dest())
                         : message(Kind::kReceive, view.source());
  if (means.act == Act::kMatchedProbe && view.has_found())
    return message(Kind::kReceive, view.source());
  if (means.act == Act::kMatchedProbe || means.act == Act::kProbe) return {call, Kind::kBefore};
  const bool is_behind =
      means.act == Act::kComplete || means.act == Act::kTakeMatched || means.act == Act::kLocal;
  return {call, is_behind ? Kind::kBehind : Kind::kOther};
}

struct ItemRange { // of a rank's items
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct Round {
  std::int64_t leader = 0;
  bool has_leader = false; // else ranks are themselves
  std::vector<ItemRange> of_rank;
};

// Goes through the calls of all ranks side by side, as their messages allow.
class LedRounds {
public:
  explicit LedRounds(const std::vector<std::vector<Item>>& items)
      : items_(items), at_(items.size(), 0) {}

  /// Whether most messages are in rounds, and there are several leaders.
  bool find() {
    take_others();
    std::size_t failures = 0;
    while (!are_at_end()) {
      if (take_round()) {
        take_others();
      } else if (++failures > kMostFailures || !take_message()) {
        return false;
      }
    }
    std::set<std::int64_t> leaders;
    std::size_t rounds = 0;
    for (const Round& round : rounds_) {
      if (!round.has_leader) continue;
      leaders.insert(round.leader);
      ++rounds;
    }
    // A token goes round and round: there are no rounds of its messages.
    return rounds >= kFewestRounds && leaders.size() > 1 && 2 * continued_ < rounds &&
           rounds * (items_.size() - 1) >= messages_outside_;
  }

  const std::vector<Round>& all() const { return rounds_; }

private:
  using Places = std::vector<std::size_t>; // by rank: its next item

  const std::vector<Item>& items(std::int64_t rank) const {
    return items_[static_cast<std::size_t>(rank)];
  }

  // Of the next message, which probes may stand in front of; the number of items if there is none.
  std::size_t message_at(const Places& at, std::int64_t rank) const {
    const std::vector<Item>& own = items(rank);
    std::size_t i = at[static_cast<std::size_t>(rank)];
    while (i < own.size() && own[i].kind == Kind::kBefore) ++i;
    const bool is_message =
        i < own.size() && (own[i].kind == Kind::kSend || own[i].kind == Kind::kReceive);
    return is_message ? i : own.size();
  }

  // Whom it goes to or comes from, if it is of this kind and that one comes to it next, too.
  std::int64_t ready_peer(const Places& at, std::int64_t rank, Kind kind) const {
    const std::size_t own = message_at(at, rank);
    if (own == items(rank).size() || items(rank)[own].kind != kind) return -1;
    const std::int64_t peer = items(rank)[own].peer;
    const std::size_t other = message_at(at, peer);
    const bool is_ready = other < items(peer).size() && items(peer)[other].peer == rank &&
                          items(peer)[other].kind != kind;
    return is_ready ? peer : -1;
  }

  void step(Places& at, std::int64_t rank) const {
    std::size_t next = message_at(at, rank) + 1;
    while (next < items(rank).size() && items(rank)[next].kind == Kind::kBehind) ++next;
    at[static_cast<std::size_t>(rank)] = next;
  }

  bool are_at_end() const {
    for (std::size_t rank = 0; rank < at_.size(); ++rank)
      if (at_[rank] < items_[rank].size()) return false;
    return true;
  }

  // Each rank but the root receives once.
  /// @return  the rank that receives last; -1 if there is none
  std::int64_t last_of_broadcast(std::int64_t root, Places& at) const {
    std::vector<bool> has(items_.size(), false);
    std::vector<std::int64_t> open{root};
    has[static_cast<std::size_t>(root)] = true;
    std::size_t messages = 0;
    std::int64_t last = -1;
    while (!open.empty()) {
      const std::int64_t from = open.back();
      open.pop_back();
      for (std::int64_t to = ready_peer(at, from, Kind::kSend);
           to >= 0 && !has[static_cast<std::size_t>(to)]; to = ready_peer(at, from, Kind::kSend)) {
        step(at, from);
        step(at, to);
        has[static_cast<std::size_t>(to)] = true;
        open.push_back(to);
        last = to;
        ++messages;
      }
    }
    return messages + 1 == items_.size() ? last : -1;
  }

  // Each rank but the root sends once.
  std::int64_t root_of_reduction(Places& at) const {
    std::vector<bool> has_sent(items_.size(), false);
    std::vector<std::int64_t> open;
    for (std::size_t rank = 0; rank < items_.size(); ++rank)
      open.push_back(static_cast<std::int64_t>(rank));
    std::size_t messages = 0;
    while (!open.empty()) {
      const std::int64_t to = open.back();
      open.pop_back();
      if (has_sent[static_cast<std::size_t>(to)]) continue;
      for (std::int64_t from = ready_peer(at, to, Kind::kReceive);
           from >= 0 && !has_sent[static_cast<std::size_t>(from)];
           from = ready_peer(at, to, Kind::kReceive)) {
        step(at, from);
        step(at, to);
        has_sent[static_cast<std::size_t>(from)] = true;
        ++messages;
      }
      const std::int64_t next = ready_peer(at, to, Kind::kSend);
      if (next >= 0) open.push_back(next);
    }
    if (messages + 1 != items_.size()) return -1;
    return std::find(has_sent.begin(), has_sent.end(), false) - has_sent.begin();
  }

  bool take_round() {
    const auto ranks = static_cast<std::int64_t>(items_.size());
    for (std::int64_t i = 0; i < ranks; ++i) {
      const std::int64_t root = (last_leader_ + i) % ranks; // it may lead for some rounds
      if (ready_peer(at_, root, Kind::kSend) < 0) continue;
      Places at = at_;
      const std::int64_t last = last_of_broadcast(root, at);
      if (last < 0) continue;
      continued_ += root == last_ ? 1 : 0;
      last_ = last;
      add_round(root, std::move(at));
      return true;
    }
    Places at = at_;
    const std::int64_t root = root_of_reduction(at);
    if (root < 0) return false;
    last_ = -1;
    add_round(root, std::move(at));
    return true;
  }

  void add_round(std::int64_t leader, Places&& at) {
    Round round{leader, true, {}};
    for (std::size_t rank = 0; rank < at.size(); ++rank)
      round.of_rank.push_back({at_[rank], at[rank]});
    at_ = std::move(at);
    last_leader_ = leader;
    rounds_.push_back(std::move(round));
  }

  void take_outside(std::int64_t rank, std::size_t end) {
    if (rounds_.empty() || rounds_.back().has_leader)
      rounds_.push_back({0, false, std::vector<ItemRange>(items_.size())});
    std::size_t& at = at_[static_cast<std::size_t>(rank)];
    ItemRange& stretch = rounds_.back().of_rank[static_cast<std::size_t>(rank)];
    if (stretch.begin == stretch.end) stretch = {at, at};
    stretch.end = at = end;
  }

  // All that is no message, up to the next one.
  void take_others() {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const auto rank = static_cast<std::int64_t>(i);
      std::size_t end = at_[i];
      for (std::size_t next = end; next < items_[i].size(); ++next) {
        const Kind kind = items_[i][next].kind;
        if (kind == Kind::kSend || kind == Kind::kReceive) break;
        if (kind != Kind::kBefore || next + 1 == items_[i].size()) end = next + 1;
      }
      if (end > at_[i]) take_outside(rank, end);
    }
  }

  // One message that is in no round.
  bool take_message() {
    for (std::size_t i = 0; i < items_.size(); ++i) {
      const auto from = static_cast<std::int64_t>(i);
      const std::int64_t to = ready_peer(at_, from, Kind::kSend);
      if (to < 0) continue;
      Places at = at_;
      for (const std::int64_t rank : {from, to}) {
        step(at, rank);
        take_outside(rank, at[static_cast<std::size_t>(rank)]);
      }
      ++messages_outside_;
      take_others();
      return true;
    }
    return false;
  }

  const std::vector<std::vector<Item>>& items_;
  Places at_;
  std::vector<Round> rounds_;
  std::int64_t last_leader_ = 0;
  std::int64_t last_ = -1; // of the last round, if it was a broadcast
  std::size_t continued_ = 0; // rounds that begin where the one before ended
  std::size_t messages_outside_ = 0;
};

// Plays the ranks of all rounds as those that stand where they do from the leader.
class Turning {
public:
  explicit Turning(const trace::Trace& trace)
      : trace_(trace), ranks_(trace.run.ranks), items_(static_cast<std::size_t>(ranks_)) {}

  std::optional<TurnedRanks> run() {
    for (const trace::RankClass& of : trace_.classes) {
      if (of.thread != 0) return std::nullopt;
      for (const std::int64_t rank : of.ranks.ranks()) {
        trace::CallReader reader(trace_, of, rank);
        while (const trace::CallInstance* call = reader.next()) {
          Item item = item_of(*call);
          const bool is_message = item.kind == Kind::kSend || item.kind == Kind::kReceive;
          if (is_message && !is_rank(item.peer)) return std::nullopt;
          items_[static_cast<std::size_t>(rank)].push_back(std::move(item));
        }
      }
    }
    LedRounds rounds(items_);
    if (!rounds.find()) return std::nullopt;
    for (const Round& round : rounds.all()) {
      for (std::size_t rank = 0; rank < items_.size(); ++rank)
        if (leaves_requests_open(static_cast<std::int64_t>(rank), round.of_rank[rank]))
          return std::nullopt;
    }
    fold::RecordingPart all = part_of(0, rounds.all());
    for (std::int64_t rank = 1; rank < ranks_; ++rank)
      fold::merge(all, part_of(rank, rounds.all()));
    trace::Trace folded = fold::resolve(std::move(all));
    TurnedRanks result{trace_, led_by(rounds.all())};
    result.trace.programs = std::move(folded.programs);
    result.trace.classes = std::move(folded.classes);
    result.trace.stamps.clear();
    return result;
  }

private:
  const trace::RankClass& class_of(std::int64_t rank) const { return *trace_.class_of(rank, 0); }

  bool leaves_requests_open(std::int64_t rank, const ItemRange& stretch) const {
    const auto& arrays = class_of(rank).program->arrays;
    std::int64_t open = 0;
    for (std::size_t i = stretch.begin; i < stretch.end; ++i) {
      const trace::CallInstance& call = items_[static_cast<std::size_t>(rank)][i].call;
      const trace::CallView view(trace::meaning_of(*call.function), call.words);
      open += call.function->makes_request ? 1 : 0;
      if (view.means().completes == trace::Completes::kNone) continue;
      if (view.means().completes == trace::Completes::kOne) {
        open -= trace::is_special(view.request()) ? 0 : 1;
      } else if (view.means().completes == trace::Completes::kAll && view.requests() >= 0) {
        const auto& requests = arrays[static_cast<std::size_t>(view.requests())];
        open -= std::count_if(requests.begin(), requests.end(),
                              [](std::int64_t request) { return !trace::is_special(request); });
      } else {
        return true;
      }
    }
    return open != 0;
  }

  bool is_rank(std::int64_t value) const { return value >= 0 && value < ranks_; }

  std::int64_t turned(std::int64_t rank, const Round& round) const {
    return (rank - round.leader + ranks_) % ranks_;
  }

  fold::RecordingPart part_of(std::int64_t place, const std::vector<Round>& rounds) {
    fold::ProgramBuilder builder;
    fold::set_positions(builder, trace_, place);
    for (const Round& round : rounds) {
      const std::int64_t rank = (place + round.leader) % ranks_;
      const ItemRange& stretch = round.of_rank[static_cast<std::size_t>(rank)];
      for (std::size_t i = stretch.begin; i < stretch.end; ++i) record(rank, i, round, builder);
    }
    fold::RecordingPart part;
    part.tables.sites = trace_.sites;
    part.run.complete = true;
    part.classes.push_back(fold::class_of_stream(place, 0, builder.finish()));
    return part;
  }

  void record(std::int64_t rank, std::size_t i, const Round& round, fold::ProgramBuilder& to) {
    const trace::CallInstance& call = items_[static_cast<std::size_t>(rank)][i].call;
    const trace::Program& program = *class_of(rank).program;
    std::vector<std::int64_t> event{fold::header_word(call.function->id, call.error),
                                    static_cast<std::int64_t>(call.site)};
    event.insert(event.end(), call.words.begin(), call.words.end());
    std::size_t word = fold::kEventHead;
    for (const trace::Field& field : call.function->fields) {
      const bool is_status = field.kind == trace::FieldKind::kStatus && !field.is_array;
      std::int64_t& value = event[std::exchange(word, word + (is_status ? 3 : 1))];
      if (trace::is_special(value)) continue;
      if (field.is_array) {
        std::vector<std::int64_t> values = program.arrays[static_cast<std::size_t>(value)];
        for_each_rank_in_array(field, values, [&](std::int64_t& far) {
          const bool is_near = far > -ranks_ && far < ranks_;
          if (is_near && is_rank(rank + far)) far = turned(rank + far, round) - turned(rank, round);
        });
        value = to.array(values.data(), values.size());
      } else if (field.kind == trace::FieldKind::kText) {
        value = to.text(program.texts[static_cast<std::size_t>(value)]);
      }
    }
    if (comm_of(call) == trace::kWorldSlot) {
      for_each_rank_word(*call.function, [&](std::size_t at, const trace::Field&) {
        std::int64_t& peer = event[fold::kEventHead + at];
        if (is_rank(peer)) peer = turned(peer, round);
      });
    }
    const auto [computation_ns, inside_ns] = means_of(rank, call.symbol);
    to.record(event.data(), event.size(), computation_ns, inside_ns);
  }

  using Means = std::pair<std::uint64_t, std::uint64_t>; // computation and inside, in ns

  Means means_of(std::int64_t rank, std::uint32_t symbol) {
    const trace::RankClass& of = class_of(rank);
    std::vector<Means>& means = means_[&of];
    if (means.empty()) {
      std::vector<trace::Durations> computation(of.program->calls.size());
      std::vector<trace::Durations> inside(of.program->calls.size());
      for (const trace::PlaceTimes& times : of.program->times) {
        computation[times.call].add(times.computation);
        inside[times.call].add(times.inside);
      }
      for (std::size_t i = 0; i < computation.size(); ++i)
        means.emplace_back(static_cast<std::uint64_t>(computation[i].mean_ns()),
                           static_cast<std::uint64_t>(inside[i].mean_ns()));
    }
    return means[symbol];
  }

  std::string led_by(const std::vector<Round>& rounds) const {
    std::vector<std::int64_t> leaders; // as they come, each once until the next one
    std::vector<std::int64_t> order; // as they come first
    for (const Round& round : rounds) {
      if (!round.has_leader || (!leaders.empty() && leaders.back() == round.leader)) continue;
      leaders.push_back(round.leader);
      if (std::find(order.begin(), order.end(), round.leader) == order.end())
        order.push_back(round.leader);
    }
    bool is_in_turn = true;
    for (std::size_t i = 0; i < leaders.size(); ++i)
      is_in_turn = is_in_turn && leaders[i] == order[i % order.size()];
    const bool is_ascending = std::is_sorted(order.begin(), order.end());
    const bool is_descending = std::is_sorted(order.rbegin(), order.rend());
    const auto ranks = trace::RankSet::of(order);
    const std::string who = order.size() == items_.size() ? "all ranks" : trace::guard_text(ranks);
    if (!is_in_turn || !(is_ascending || is_descending)) return "by one or another of " + who;
    return "in turn by " + who + (is_ascending ? "" : ", the last one first");
  }

  const trace::Trace& trace_;
  std::int64_t ranks_;
  std::vector<std::vector<Item>> items_; // by rank
  std::map<const trace::RankClass*, std::vector<Means>> means_; // by symbol
};

} // namespace

std::optional<TurnedRanks> with_turned_ranks(const trace::Trace& trace) {
  if (trace.run.ranks < kFewestRanks || trace.run.ranks > kMostRanks ||
      trace::calls_in(trace) > kMostCalls)
    return std::nullopt;
  return Turning(trace).run();
}

} // namespace rondo::logical::internal
