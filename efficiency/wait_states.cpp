// SPDX-License-Identifier: Apache-2.0
#include "rondo/efficiency/wait_states.hpp"

#include "efficiency/timeline.hpp"
#include "rondo/efficiency/factors.hpp"
#include "rondo/trace/collective_steps.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <tuple>
#include <unordered_map>

namespace rondo::efficiency {
namespace {

using internal::PlaceNumbers;
using internal::Timeline;
using internal::Waited;
using simulate::Met;
using trace::CollectiveKind;

WaitKind kind_of(CollectiveKind operation) {
  switch (operation) {
  case CollectiveKind::kBarrier:
    return WaitKind::kBarrier;
  case CollectiveKind::kBcast:
  case CollectiveKind::kScatter:
  case CollectiveKind::kScatterv:
    return WaitKind::kLateBroadcast;
  case CollectiveKind::kGather:
  case CollectiveKind::kGatherv:
  case CollectiveKind::kReduce:
    return WaitKind::kEarlyReduce;
  case CollectiveKind::kScan:
  case CollectiveKind::kExscan:
    return WaitKind::kEarlyScan;
  case CollectiveKind::kNeighborAllgather:
  case CollectiveKind::kNeighborAlltoall:
    return WaitKind::kNeighbours;
  default:
    return WaitKind::kAllToAll;
  }
}

WaitKind kind_of(const trace::Function& function, Met::For what) {
  if (function.role == trace::Role::kWin || function.role == trace::Role::kRma)
    return WaitKind::kWindow;
  if (const auto operation = trace::collective_kind_of(function)) return kind_of(*operation);
  if (function.role == trace::Role::kComm || function.role == trace::Role::kTopo)
    return WaitKind::kAllToAll; // all members agree on a communicator
  if (what == Met::For::kReceiver) return WaitKind::kLateReceiver;
  return what == Met::For::kMessage ? WaitKind::kLateSender : WaitKind::kCompletion;
}

// Writes down who waited for whom while the run is played.
class Listener : public simulate::Observer {
public:
  Listener(std::size_t ranks, std::uint64_t eager_bytes)
      : timeline_(ranks), eager_bytes_(eager_bytes), calls_(ranks), computed_s_(ranks) {}

  void computed(std::int64_t rank, CallPlace place, double from_s, double to_s) override {
    const std::uint32_t number = places_.of(place);
    timeline_.computed(rank, number, from_s, to_s - from_s);
    auto& sums = computed_s_[static_cast<std::size_t>(rank)];
    if (number >= sums.size()) sums.resize(std::size_t{number} + 1);
    sums[number] += to_s - from_s;
  }

  void met(const Met& met) override {
    if (met.until_s <= met.from_s) return;
    const WaitKind kind = kind_of(*trace::find_function(met.place.function), met.what);
    remember(kind, met.rank, met.place, met.from_s, met.until_s, met.other_rank, met.other_s);
    call(met.rank).waited_until_s = met.until_s;
  }

  void completed_send(std::int64_t rank, double sent_s, std::uint64_t bytes) override {
    if (bytes > eager_bytes_) call(rank).sends.push_back(sent_s);
  }

  void called(std::int64_t rank, CallPlace place, double from_s, double to_s) override {
    Call& mine = call(rank);
    for (const double sent_s : mine.sends) {
      Send send;
      send.place = place;
      send.from_s = std::max(from_s, mine.waited_until_s);
      send.to_s = to_s;
      join(rank, sent_s, send);
    }
    mine.sends.clear();
    mine.waited_until_s = 0;
  }

  void received(const simulate::Received& message) override {
    if (message.bytes <= eager_bytes_) return;
    Send send;
    send.receiver = message.receiver;
    send.posted_s = message.posted_s;
    join(message.sender, message.sent_s, send);
  }

  const Timeline& timeline() const { return timeline_; }
  const PlaceNumbers& places() const { return places_; }
  double computed_s(std::int64_t rank, std::uint32_t place) const {
    const auto& sums = computed_s_[static_cast<std::size_t>(rank)];
    return place < sums.size() ? sums[place] : 0;
  }

private:
  struct Call { // under way
    std::vector<double> sends; // that it completed: when they were posted
    double waited_until_s = 0;
  };
  struct Send { // its completion, or its receive, whichever came first
    CallPlace place;
    double from_s = 0; // of the call that completed it: what it did not wait otherwise
    double to_s = 0;
    std::int64_t receiver = -1; // unset: not received yet
    double posted_s = 0;
  };

  Call& call(std::int64_t rank) { return calls_[static_cast<std::size_t>(rank)]; }

  void remember(WaitKind kind, std::int64_t rank, CallPlace place, double from_s, double until_s,
                std::int64_t other, double other_s) {
    Waited wait;
    wait.kind = kind;
    wait.place = places_.of(place);
    wait.rank = static_cast<std::int32_t>(rank);
    wait.other = static_cast<std::int32_t>(other);
    wait.from_s = from_s;
    wait.until_s = until_s;
    timeline_.wait(wait, other_s);
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
    if (until_s <= send.from_s || until_s > send.to_s) return; // it was over before, or in vain
    remember(WaitKind::kLateReceiver, rank, send.place, send.from_s, until_s, receive.receiver,
             until_s);
  }

  Timeline timeline_;
  PlaceNumbers places_;
  std::uint64_t eager_bytes_;
  std::vector<Call> calls_; // by rank
  std::vector<std::vector<double>> computed_s_; // by rank and place
  std::map<std::pair<std::int64_t, std::uint64_t>, Send> sends_; // by sender and time
};

// States and sums of all waits.
void sum_up(const Listener& listener, WaitStates& result) {
  std::map<std::tuple<WaitKind, std::uint32_t>, std::map<std::int64_t, double>> by_rank;
  std::map<std::tuple<WaitKind, std::uint32_t>, std::uint64_t> counts;
  for (const Waited& wait : listener.timeline().waits()) {
    const double seconds = wait.seconds();
    result.seconds += seconds;
    result.by_kind[static_cast<std::size_t>(wait.kind)] += seconds;
    result.by_rank[static_cast<std::size_t>(wait.rank)] += seconds;
    by_rank[{wait.kind, wait.place}][wait.rank] += seconds;
    ++counts[{wait.kind, wait.place}];
  }
  for (const auto& [key, ranks] : by_rank) {
    WaitState state;
    state.kind = std::get<0>(key);
    state.place = listener.places().place(std::get<1>(key));
    state.waits = counts[key];
    for (const auto& [rank, seconds] : ranks) {
      state.seconds += seconds;
      if (seconds > state.worst_s) {
        state.worst_rank = rank;
        state.worst_s = seconds;
      }
    }
    result.states.push_back(state);
  }
  std::stable_sort(result.states.begin(), result.states.end(),
                   [](const WaitState& a, const WaitState& b) { return a.seconds > b.seconds; });
}

// Of each computation that is blamed.
void find_imbalances(const Listener& listener, std::int64_t ranks, WaitStates& result) {
  std::map<CallPlace, double> blamed;
  for (const Cause& cause : result.causes) {
    if (cause.what == Cause::What::kComputation) blamed[cause.place] += cause.seconds;
  }
  PlaceNumbers places = listener.places();
  for (const auto& [place, seconds] : blamed) {
    Imbalance imbalance;
    imbalance.place = place;
    imbalance.blamed_s = seconds;
    for (std::int64_t rank = 0; rank < ranks; ++rank) {
      const double own = listener.computed_s(rank, places.of(place));
      imbalance.mean_s += own / static_cast<double>(ranks);
      if (own <= imbalance.most_s) continue;
      imbalance.most_s = own;
      imbalance.most_rank = rank;
    }
    result.imbalances.push_back(imbalance);
  }
  std::stable_sort(result.imbalances.begin(), result.imbalances.end(),
                   [](const Imbalance& a, const Imbalance& b) { return a.blamed_s > b.blamed_s; });
}

bool has_all_times(const trace::Trace& trace) {
  for (std::size_t rank = 0; rank < trace.ranks.size(); ++rank) {
    const trace::TimeStamps* stamps = trace.stamps_of(static_cast<std::int64_t>(rank));
    if (trace.class_of(static_cast<std::int64_t>(rank)) == nullptr) continue;
    if (stamps == nullptr || stamps->calls < trace.ranks[rank].calls) return false;
  }
  return true;
}

} // namespace

std::string_view text(WaitKind kind) {
  switch (kind) {
  case WaitKind::kLateSender:
    return "late sender";
  case WaitKind::kLateReceiver:
    return "late receiver";
  case WaitKind::kBarrier:
    return "wait at barrier";
  case WaitKind::kAllToAll:
    return "wait at all-to-all";
  case WaitKind::kLateBroadcast:
    return "late broadcast";
  case WaitKind::kEarlyReduce:
    return "early reduce";
  case WaitKind::kEarlyScan:
    return "early scan";
  case WaitKind::kNeighbours:
    return "wait for neighbours";
  case WaitKind::kCompletion:
    return "wait for completion";
  case WaitKind::kWindow:
    return "wait at window";
  }
  return "";
}

Result<WaitStates> wait_states(const trace::Trace& trace, const WaitOptions& options) {
  const auto ranks = static_cast<std::size_t>(trace.run.ranks);
  WaitStates result;
  result.is_measured = has_all_times(trace);
  result.by_rank.resize(ranks);
  Listener listener(ranks, result.is_measured ? options.eager_bytes : ~std::uint64_t{0});
  simulate::SimulateOptions playing;
  playing.at_recorded_times = result.is_measured;
  playing.observer = &listener;
  playing.may_stop = !trace.run.complete;
  playing.progress = options.progress;
  const auto played = simulate::simulate(trace, ideal_network(), playing);
  if (!played) return propagate(played);
  result.run_s = (result.is_measured ? factors_of(trace).runtime_s : played->seconds) *
                 static_cast<double>(ranks);
  sum_up(listener, result);
  result.causes = internal::causes_of(listener.timeline(), listener.places());
  find_imbalances(listener, trace.run.ranks, result);
  return result;
}

} // namespace rondo::efficiency
