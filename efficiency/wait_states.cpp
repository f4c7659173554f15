// SPDX-License-Identifier: Apache-2.0
#include "rondo/efficiency/wait_states.hpp"
#include "rondo/base/sort_stably.hpp"

#include "efficiency/ideal_play.hpp"
#include "efficiency/part_clock.hpp"
#include "efficiency/polls.hpp"
#include "efficiency/timeline.hpp"
#include "efficiency/wait_kinds.hpp"
#include "efficiency/window_locks.hpp"
#include "rondo/efficiency/factors.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <unordered_map>

namespace rondo::efficiency {
namespace {

using internal::SpotNumbers;
using internal::Timeline;
using internal::Waited;
using simulate::Met;

constexpr std::uint32_t kMostPoints = 32'000'000; // 16 bytes each
// Calls of a run that is played whole for its graph, which takes a fraction of a second: of passes
// that are counted there is none.
constexpr std::uint64_t kMostPlayedWhole = 500'000;

// Writes down who waited for whom while the run is played.
class Listener : public internal::PartClock {
public:
  Listener(const trace::Trace& trace, PartNumbers* parts, std::uint64_t eager_bytes)
      : PartClock(trace, parts), timeline_(actors()), eager_bytes_(eager_bytes), calls_(actors()),
        polls_(actors()), computed_s_(actors()) {}

  /// Of a run that is played at recorded times: a model has no locks.
  void look_for_locks(const trace::Trace& trace) {
    if (!internal::WindowLocks::are_in(trace)) return;
    locks_.emplace(trace, calls_.size());
    timeline_.expect_later();
  }
  void find_lock_waits() {
    if (locks_) timeline_.add_later(locks_->waits(timeline_));
  }

  void comes_to(std::int64_t rank, const trace::CallInstance& call) override {
    PartClock::comes_to(rank, call);
    polls_.comes_to(rank, call);
    if (locks_) locks_->comes_to(rank, rank_of(rank), call);
  }

  void computed(std::int64_t rank, CallPlace place, double from_s, double to_s) override {
    PartClock::computed(rank, place, from_s, to_s);
    polls_.computed(rank, to_s - from_s);
    const std::uint32_t number = spots_.of({place, part(rank)});
    timeline_.computed(rank, number, from_s, to_s - from_s);
    auto& sums = computed_s_[static_cast<std::size_t>(rank)];
    if (number >= sums.size()) sums.resize(std::size_t{number} + 1);
    sums[number] += to_s - from_s;
  }

  void met(const Met& met) override {
    PartClock::met(met);
    const double from_s = polls_.since(met.rank, met.from_s);
    // The other side may have come before the poll that found it began.
    const bool waits = met.until_s > met.from_s;
    const double until_s = waits ? met.until_s : std::min(met.other_s, met.from_s);
    if (until_s <= from_s) return;
    const WaitKind kind = internal::kind_of(*trace::find_function(met.place.function), met.what);
    remember(kind, met.rank, spot_of(met.rank, met.place), from_s, until_s, met.other_rank,
             met.other_s);
    if (kind == WaitKind::kLateSender) {
      Late& late = late_[pair_of(met.rank, met.other_rank)];
      late.until_s = until_s;
      late.waits.push_back(static_cast<std::uint32_t>(timeline_.waits().size() - 1));
    }
    call(met.rank).waited_until_s = until_s;
    polls_.waited(met.rank, until_s);
  }

  void completed_send(std::int64_t rank, double sent_s, std::uint64_t bytes) override {
    if (bytes > eager_bytes_) call(rank).sends.push_back(sent_s);
  }

  void called(std::int64_t rank, CallPlace place, double from_s, double to_s) override {
    PartClock::called(rank, place, from_s, to_s);
    if (locks_) locks_->called(rank, spot_of(rank, place), from_s, to_s);
    Call& mine = call(rank);
    for (const double sent_s : mine.sends) {
      Send send;
      send.together = mine.sends.size();
      send.spot = spot_of(rank, place);
      send.from_s = std::max(polls_.since(rank, from_s), mine.waited_until_s);
      send.to_s = to_s;
      join(rank, sent_s, send);
    }
    mine.sends.clear();
    mine.waited_until_s = 0;
    polls_.called(rank, from_s, to_s);
  }

  void received(const simulate::Received& message) override {
    find_disorder(message);
    if (message.waits || message.bytes <= eager_bytes_) return;
    Send send;
    send.receiver = message.receiver;
    send.posted_s = message.posted_s;
    join(message.sender, message.sent_s, send);
  }

  void period_begins() override {
    PartClock::period_begins();
    timeline_.period_begins();
    computed_before_ = computed_s_;
    late_.clear(); // no message of before is under way
  }
  bool repeats_itself() override { return timeline_.repeats_itself(); }
  void repeated(std::uint64_t times, const std::vector<double>& period_s) override {
    PartClock::repeated(times, period_s);
    timeline_.repeated(times, period_s);
    for (std::size_t rank = 0; rank < computed_s_.size(); ++rank)
      repeat(computed_s_[rank], computed_before_[rank], times);
    late_.clear();
    polls_.forget();
  }

  const Timeline& timeline() const { return timeline_; }
  const SpotNumbers& spots() const { return spots_; }
  /// What was computed there, by actor.
  std::vector<double> computed_s(const std::vector<std::uint32_t>& spots) const {
    std::vector<double> result(computed_s_.size());
    for (std::size_t actor = 0; actor < result.size(); ++actor) {
      const auto& sums = computed_s_[actor];
      for (const std::uint32_t spot : spots) result[actor] += spot < sums.size() ? sums[spot] : 0;
    }
    return result;
  }

private:
  struct Late { // sender, as long as no message is known that was there instead
    std::vector<std::uint32_t> waits; // indices into the timeline's; ascending, also in time
    double until_s = 0; // the last one
  };
  struct Call { // under way
    std::vector<double> sends; // that it completed: when they were posted
    double waited_until_s = 0;
  };
  struct Send { // its completion, or its receive, whichever came first
    std::uint32_t spot = 0;
    double from_s = 0; // of the call that completed it: what it did not wait otherwise
    double to_s = 0;
    std::size_t together = 1; // that the same call completed
    std::int64_t receiver = -1; // unset: not received yet
    double posted_s = 0;
  };
  struct Several { // sends that one call completed
    std::size_t joined = 0; // with their receives
    double waited_until_s = 0;
  };

  std::uint32_t spot_of(std::int64_t rank, CallPlace place) {
    return spots_.of({place, part(rank)});
  }
  Call& call(std::int64_t rank) { return calls_[static_cast<std::size_t>(rank)]; }

  void remember(WaitKind kind, std::int64_t rank, std::uint32_t spot, double from_s, double until_s,
                std::int64_t other, double other_s) {
    Waited wait;
    wait.kind = kind;
    wait.spot = spot;
    wait.rank = static_cast<std::int32_t>(rank);
    wait.other = static_cast<std::int32_t>(other);
    wait.from_s = from_s;
    wait.until_s = until_s;
    timeline_.wait(wait, other_s);
  }

  static std::uint64_t pair_of(std::int64_t rank, std::int64_t other) {
    return static_cast<std::uint64_t>(rank) << 32 | static_cast<std::uint64_t>(other);
  }

  // Waits during which this message of the same sender was there already, but was not asked for.
  void find_disorder(const simulate::Received& message) {
    if (message.posted_s <= message.sent_s) return; // it came when it was asked for
    const auto found = late_.find(pair_of(message.receiver, message.sender));
    if (found == late_.end()) return;
    Late& late = found->second;
    if (late.until_s <= message.sent_s) return; // most often
    const auto after = [&](double time) {
      return internal::count_before(
          late.waits, [&](std::uint32_t wait) { return timeline_.waits()[wait].until_s <= time; });
    };
    const std::uint32_t first = after(message.sent_s);
    const std::uint32_t last = after(message.posted_s);
    if (first >= last) return;
    for (std::uint32_t i = first; i < last; ++i)
      timeline_.set_kind(late.waits[i], WaitKind::kWrongOrder);
    late.waits.erase(late.waits.begin() + first, late.waits.begin() + last);
  }

  // The completion of a send and its receive have come together.
  void join(std::int64_t rank, double sent_s, const Send& half) {
    const auto [found, is_first] =
        sends_.try_emplace({rank, std::bit_cast<std::uint64_t>(sent_s)}, half);
    if (is_first) return;
    Send whole = found->second;
    if (whole.receiver >= 0 && half.receiver >= 0) return; // two at one time: the first counts
    sends_.erase(found);
    const Send& receive = half.receiver >= 0 ? half : whole;
    const Send& send = half.receiver >= 0 ? whole : half;
    const double until_s = receive.posted_s;
    const double from_s = send.together == 1 ? send.from_s : since(rank, send, until_s);
    if (until_s <= from_s || until_s > send.to_s) return; // it was over before, or in vain
    const auto& function = *trace::find_function(spots_.spot(send.spot).place.function);
    remember(internal::kind_of(function, Met::For::kReceiver), rank, send.spot, from_s, until_s,
             receive.receiver, until_s);
  }

  // A call waits for the receivers of all its sends at once: no time counts twice.
  double since(std::int64_t rank, const Send& send, double until_s) {
    const auto several =
        several_.try_emplace({rank, std::bit_cast<std::uint64_t>(send.to_s)}).first;
    Several& known = several->second;
    const double from_s = std::max(send.from_s, known.waited_until_s);
    if (until_s <= send.to_s) known.waited_until_s = std::max(known.waited_until_s, until_s);
    if (++known.joined == send.together) several_.erase(several);
    return from_s;
  }

  Timeline timeline_;
  SpotNumbers spots_;
  std::optional<internal::WindowLocks> locks_;
  std::uint64_t eager_bytes_;
  std::vector<Call> calls_; // by rank
  internal::Polls polls_;
  std::unordered_map<std::uint64_t, Late> late_; // by receiver and sender
  std::vector<std::vector<double>> computed_s_; // by rank and spot
  std::vector<std::vector<double>> computed_before_; // the period
  std::map<std::pair<std::int64_t, std::uint64_t>, Send> sends_; // by sender and time
  std::map<std::pair<std::int64_t, std::uint64_t>, Several> several_; // by rank and end
};

// Of one kind at one place.
struct Gathered {
  std::uint64_t waits = 0;
  std::vector<double> by_rank;
};

WaitState state_of(WaitKind kind, CallPlace place, Gathered&& gathered) {
  WaitState state;
  state.kind = kind;
  state.place = place;
  state.waits = gathered.waits;
  for (std::size_t rank = 0; rank < gathered.by_rank.size(); ++rank) {
    const double seconds = gathered.by_rank[rank];
    state.seconds += seconds;
    if (seconds <= state.worst_s) continue;
    state.worst_rank = static_cast<std::int64_t>(rank);
    state.worst_s = seconds;
  }
  state.by_rank = std::move(gathered.by_rank);
  return state;
}

// States and sums of all waits.
void sum_up(const Listener& listener, WaitStates& result) {
  std::map<std::tuple<WaitKind, CallPlace>, Gathered> states;
  std::vector<Gathered*> known(listener.spots().size() * kWaitKinds); // by spot and kind
  auto repeat = listener.timeline().repeats().begin();
  const auto last_repeat = listener.timeline().repeats().end();
  const auto& waits = listener.timeline().waits();
  for (std::size_t i = 0; i < waits.size(); ++i) {
    const Waited wait = waits[i];
    while (repeat != last_repeat && repeat->waits_to <= i) ++repeat;
    const bool is_repeated = repeat != last_repeat && i >= repeat->waits_from;
    const std::uint64_t times = is_repeated ? repeat->times + 1 : 1;
    const double seconds = wait.seconds() * static_cast<double>(times);
    const auto kind = static_cast<std::size_t>(wait.kind);
    const auto rank = static_cast<std::size_t>(listener.rank_of(wait.rank));
    result.seconds += seconds;
    result.by_kind[kind] += seconds;
    result.by_rank[rank] += seconds;
    result.by_rank_and_kind[rank][kind] += seconds;
    Gathered*& state = known[wait.spot * kWaitKinds + kind];
    const internal::Spot spot = listener.spots().spot(wait.spot);
    if (state == nullptr) state = &states[{wait.kind, spot.place}];
    if (rank >= state->by_rank.size()) state->by_rank.resize(rank + 1);
    state->by_rank[rank] += seconds;
    state->waits += times;
    if (result.parts.empty()) continue;
    PartWaits& part = result.parts[spot.part];
    part.seconds += seconds;
    part.by_kind[kind] += seconds;
  }
  for (auto& [key, gathered] : states)
    result.states.push_back(state_of(std::get<0>(key), std::get<1>(key), std::move(gathered)));
  sort_stably(result.states.begin(), result.states.end(),
              [](const WaitState& a, const WaitState& b) { return a.seconds > b.seconds; });
}

// Causes are told apart by part, too, but listed by place.
void find_causes(const Listener& listener, WaitStates& result) {
  std::map<std::tuple<Cause::What, CallPlace, std::int64_t, std::uint32_t>, Cause> sums;
  for (const internal::SpotCause& each :
       internal::causes_of(listener.timeline(), listener.spots().size())) {
    const internal::Spot spot = listener.spots().spot(each.spot);
    const std::int64_t rank = listener.rank_of(each.rank);
    const std::uint32_t thread = listener.thread_of(each.rank);
    Cause& cause = sums[{each.what, spot.place, rank, thread}];
    cause.what = each.what;
    cause.place = spot.place;
    cause.rank = rank;
    cause.thread = thread;
    cause.seconds += each.seconds;
    cause.direct_s += each.direct_s;
    if (!result.parts.empty()) result.parts[spot.part].blamed_s += each.seconds;
  }
  for (const auto& [key, cause] : sums) result.causes.push_back(cause);
  sort_stably(result.causes.begin(), result.causes.end(),
              [](const Cause& a, const Cause& b) { return a.seconds > b.seconds; });
}

// Threads of one rank that have something there, at most.
std::size_t most_threads(const Listener& listener, std::size_t ranks,
                         const std::vector<double>& by_actor) {
  if (by_actor.size() == ranks) return 1;
  std::vector<std::size_t> threads(ranks);
  for (std::size_t actor = 0; actor < by_actor.size(); ++actor) {
    if (by_actor[actor] > 0)
      ++threads[static_cast<std::size_t>(listener.rank_of(static_cast<std::int64_t>(actor)))];
  }
  return std::max<std::size_t>(*std::max_element(threads.begin(), threads.end()), 1);
}

// Of each computation that is blamed.
void find_imbalances(const Listener& listener, std::size_t ranks, WaitStates& result) {
  std::map<CallPlace, double> blamed;
  std::map<CallPlace, std::vector<std::uint32_t>> spots; // of a place: one for each part
  for (std::uint32_t i = 0; i < listener.spots().size(); ++i)
    spots[listener.spots().spot(i).place].push_back(i);
  for (const Cause& cause : result.causes) {
    if (cause.what == Cause::What::kComputation) blamed[cause.place] += cause.seconds;
  }
  for (const auto& [place, seconds] : blamed) {
    Imbalance imbalance;
    imbalance.place = place;
    imbalance.blamed_s = seconds;
    imbalance.by_actor = listener.computed_s(spots[place]);
    const std::size_t threads = most_threads(listener, ranks, imbalance.by_actor);
    imbalance.is_of_threads = threads > 1;
    for (std::size_t actor = 0; actor < imbalance.by_actor.size(); ++actor) {
      const double own = imbalance.by_actor[actor];
      imbalance.mean_s += own / static_cast<double>(ranks * threads);
      if (own <= imbalance.most_s) continue;
      imbalance.most_s = own;
      imbalance.most_rank = listener.rank_of(static_cast<std::int64_t>(actor));
      imbalance.most_thread = listener.thread_of(static_cast<std::int64_t>(actor));
    }
    result.imbalances.push_back(std::move(imbalance));
  }
  sort_stably(result.imbalances.begin(), result.imbalances.end(),
              [](const Imbalance& a, const Imbalance& b) { return a.blamed_s > b.blamed_s; });
}

std::uint64_t calls_of(const trace::Trace& trace) {
  std::uint64_t calls = 0;
  for (const trace::RankFacts& rank : trace.ranks) calls += rank.calls;
  return calls;
}

bool has_all_times(const trace::Trace& trace) {
  std::vector<std::uint64_t> kept(trace.ranks.size()); // calls, of all threads
  for (const trace::TimeStamps& stamps : trace.stamps)
    kept[static_cast<std::size_t>(stamps.rank)] += stamps.calls;
  for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank) {
    if (trace.class_of(static_cast<std::int64_t>(rank)) == nullptr) continue;
    if (kept[rank] == 0 || kept[rank] < trace.ranks[rank].calls) return false;
  }
  return true;
}

} // namespace

// Calls that take no time wait for nobody at theirs.
bool can_measure_waits(const trace::Trace& trace, const Factors& factors) {
  return has_all_times(trace) && !factors.has_no_inside;
}

Result<WaitStates> wait_states(const trace::Trace& trace, const WaitOptions& options) {
  const auto ranks = static_cast<std::size_t>(trace.run.ranks);
  const Factors factors = factors_of(trace);
  WaitStates result;
  result.is_measured = !options.is_played && can_measure_waits(trace, factors);
  result.by_rank.resize(ranks);
  result.by_rank_and_kind.resize(ranks);
  std::optional<Listener> listener;
  std::shared_ptr<simulate::RunGraph> graph;
  const auto begin = [&](simulate::SimulateOptions& playing) -> Listener& {
    listener.emplace(trace, options.parts,
                     result.is_measured ? options.eager_bytes.value_or(internal::kLeastEager)
                                        : ~std::uint64_t{0});
    if (result.is_measured) listener->look_for_locks(trace);
    if (options.keeps_graph) graph = std::make_shared<simulate::RunGraph>(kMostPoints);
    playing.observer = &*listener;
    playing.graph = graph.get();
    return *listener;
  };
  simulate::SimulateOptions playing;
  playing.at_recorded_times = result.is_measured;
  playing.counts_repeats =
      options.counts_repeats && !(options.keeps_graph && calls_of(trace) <= kMostPlayedWhole);
  playing.may_stop = !trace.run.complete;
  playing.progress = options.progress;
  playing.receives = options.receives;
  playing.graph_has_calls = !factors.has_no_inside;
  if (result.is_measured) {
    begin(playing);
    const auto played = simulate::simulate(trace, ideal_network(), playing);
    if (!played) return propagate(played);
    result.run_s = factors.runtime_s * static_cast<double>(listener->actors());
    listener->find_lock_waits();
  } else {
    const auto played = internal::play_ideally(trace, playing, options.eager_bytes, begin);
    if (!played) return propagate(played);
    result.run_s = played->prediction.seconds * static_cast<double>(listener->actors());
    result.ideal = internal::ideal_run(played->prediction, played->eager_bytes, *listener);
  }
  if (graph && graph->is_whole()) result.graph = graph;
  if (options.parts != nullptr) result.parts.resize(options.parts->names().size());
  sum_up(*listener, result);
  find_causes(*listener, result);
  find_imbalances(*listener, ranks, result);
  return result;
}

} // namespace rondo::efficiency
