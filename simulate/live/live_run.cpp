// SPDX-License-Identifier: Apache-2.0
#include "simulate/live/live_run.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <limits>

namespace rondo::simulate::internal {

LiveRun::LiveRun(const NetworkModel& model, const SimulateOptions& options, std::int64_t ranks)
    : options_(options), stage_(model, options_, ranks), world_{.ranks = ranks},
      calls_(static_cast<std::size_t>(ranks)), players_(static_cast<std::size_t>(ranks)) {
  if (options_.orders_receives) stage_.transport.keep_pending();
}

void LiveRun::add(std::int64_t rank, bool wants_times) {
  const auto index = static_cast<std::size_t>(rank);
  const Spawned* spawned = spawned_with(rank);
  const LiveWorld& world = spawned == nullptr ? world_ : spawned->world;
  calls_[index] = std::make_unique<LiveCalls>(comms_, rank, world, wants_times);
  if (spawned != nullptr) {
    if (spawned->start_s) begin(rank, *spawned->start_s);
    return;
  }
  LiveThread& first = calls_[index]->first();
  players_[index].push_back({0, &first, std::make_unique<RankProgram>(stage_, first, rank)});
  stage_.transport.make_ready(*players_[index].front().program);
}

// Spawned processes ------------------------------------------------------------------------------

std::int64_t LiveRun::add_world(std::int64_t ranks, std::int64_t parent) {
  const std::int64_t first = this->ranks();
  const auto all = static_cast<std::size_t>(first + ranks);
  spawned_.push_back({{comms_.new_id(), first, ranks}, parent, std::nullopt});
  calls_.resize(all);
  players_.resize(all);
  stage_.transport.grow(all);
  stage_.ledger.ranks.resize(all);
  return first;
}

const LiveRun::Spawned* LiveRun::spawned_with(std::int64_t rank) const {
  const auto found = std::find_if(spawned_.begin(), spawned_.end(), [&](const Spawned& each) {
    return rank >= each.world.first && rank < each.world.first + each.world.ranks;
  });
  return found == spawned_.end() ? nullptr : &*found;
}

void LiveRun::begin(std::int64_t rank, double start_s) {
  LiveThread& first = calls(rank)->first();
  first.begin_at(start_s);
  auto program = std::make_unique<RankProgram>(stage_, first, rank, start_s);
  stage_.transport.make_ready(*program);
  players_[static_cast<std::size_t>(rank)].push_back({0, &first, std::move(program)});
}

// Those whose parents' call has been played. True if there are any.
bool LiveRun::begin_spawned() {
  bool have_begun = false;
  for (std::size_t i = 0; i < calls_.size() && !spawned_.empty(); ++i) {
    if (calls_[i] == nullptr) continue;
    for (const LiveCalls::Started& started : calls_[i]->take_started()) {
      const auto found = std::find_if(spawned_.begin(), spawned_.end(), [&](const Spawned& each) {
        return each.world.first == started.first && !each.start_s;
      });
      if (found == spawned_.end()) continue;
      found->start_s = started.at_s;
      for (std::int64_t rank = started.first; rank < started.first + found->world.ranks; ++rank) {
        if (calls(rank) != nullptr) begin(rank, started.at_s);
        have_begun = have_begun || calls(rank) != nullptr;
      }
    }
  }
  return have_begun;
}

// Threads ----------------------------------------------------------------------------------------

void LiveRun::add_threads(std::int64_t rank) {
  std::vector<Player>& players = players_[static_cast<std::size_t>(rank)];
  const auto& threads = calls_[static_cast<std::size_t>(rank)]->threads();
  if (players.size() == threads.size()) return;
  for (const auto& [number, thread] : threads) {
    const bool is_known =
        std::any_of(players.begin(), players.end(),
                    [number = number](const Player& player) { return player.thread == number; });
    if (is_known) continue;
    ++further_threads_;
    if (!no_threads_.empty()) ++stage_.unsupported["calls of a second thread, " + no_threads_];
    players.push_back({number, thread.get(),
                       std::make_unique<RankProgram>(stage_, *thread, *players.front().program)});
    stage_.transport.make_ready(*players.back().program);
  }
}

void LiveRun::set_carrier(Carrier* carrier) {
  carrier_ = carrier;
  stage_.transport.set_carrier(carrier);
}

// A thread of whom nothing was heard yet begins behind what the others had done, so these count for
// it.
double LiveRun::horizon_s() {
  double earliest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < players_.size(); ++i) {
    if (players_[i].empty() && spawned_with(static_cast<std::int64_t>(i)) != nullptr)
      continue; // it begins no sooner than its parents may speak
    if (players_[i].empty()) return 0; // it has not come yet
    for (Player& player : players_[i]) {
      if (!player.may_speak() || is_silent(static_cast<std::int64_t>(i), player)) continue;
      earliest = std::min(earliest, player.calls->end_s());
    }
  }
  return earliest;
}

bool LiveRun::is_silent(std::int64_t rank, Player& player) const {
  const bool wakes = player.is_asleep && !still_sleeps_(rank, player.thread);
  if (wakes) player.is_silent = player.is_asleep = false;
  return player.is_silent;
}

void LiveRun::expect_silence() {
  for (std::int64_t rank = 0; rank < ranks(); ++rank) {
    for (Player& player : players_[static_cast<std::size_t>(rank)]) {
      player.is_silent = player.program->is_idle();
      player.is_asleep = player.is_silent && still_sleeps_ && still_sleeps_(rank, player.thread);
    }
  }
}

void LiveRun::expect_words() {
  for (std::vector<Player>& threads : players_) {
    for (Player& player : threads) player.is_silent = player.is_asleep;
  }
}

void LiveRun::has_spoken(std::int64_t rank, std::int64_t thread) {
  for (Player& player : players_[static_cast<std::size_t>(rank)]) {
    if (player.thread == thread) player.is_silent = player.is_asleep = false;
  }
}

void LiveRun::may_wake(std::int64_t rank) {
  for (Player& player : players_[static_cast<std::size_t>(rank)]) {
    if (player.is_asleep) player.is_silent = player.is_asleep = false;
  }
}

bool LiveRun::expects_silence() const {
  return any_of([](const Player& player) { return player.is_silent; });
}

// Threads of a rank wait for each other's calls, too: what one has played may let others go on.
void LiveRun::play() {
  for (std::int64_t rank = 0; rank < ranks(); ++rank) {
    if (calls(rank) != nullptr && has_begun(rank)) add_threads(rank);
  }
  for (bool goes_on = true; goes_on && !is_refused();) {
    const std::uint64_t before = played();
    for (const std::vector<Player>& threads : players_) {
      for (const Player& player : threads) {
        const bool has_more = !player.calls->is_empty() || player.calls->has_ended();
        if (player.program->is_idle() && has_more) stage_.transport.make_ready(*player.program);
      }
    }
    stage_.play([] {});
    goes_on = begin_spawned() || (further_threads_ > 0 && played() > before);
  }
}

std::uint64_t LiveRun::played() const {
  std::uint64_t calls = 0;
  if (further_threads_ == 0) return calls;
  for (const std::vector<Player>& threads : players_) {
    for (const Player& player : threads) calls += player.program->calls();
  }
  return calls;
}

bool LiveRun::is_played(std::int64_t rank, std::int64_t thread) const {
  if (!has_begun(rank)) return false;
  for (const Player& player : players_[static_cast<std::size_t>(rank)]) {
    if (player.thread == thread) return player.program->is_over() || player.has_said_all();
  }
  return true; // it has made no call
}

bool LiveRun::knows_pending(std::int64_t rank) const {
  if (!has_begun(rank)) return false;
  const Player& first = players_[static_cast<std::size_t>(rank)].front();
  return first.has_said_all() && !first.program->has_unknown();
}

bool LiveRun::has_waiting() const {
  return any_of([](const Player& player) { return player.is_waiting(); });
}

bool LiveRun::is_stuck() const {
  const bool have_come = std::none_of(calls_.begin(), calls_.end(),
                                      [](const auto& calls) { return calls == nullptr; });
  return have_come && has_waiting() &&
         !any_of([](const Player& player) { return player.may_speak(); });
}

bool LiveRun::let_go() {
  const std::size_t sends = stage_.transport.let_go_sends();
  sends_let_go_ += sends;
  if (sends > 0) return true;
  std::size_t waits = 0;
  for (const auto& activity : stage_.background) waits += activity->let_go();
  for (const std::vector<Player>& threads : players_) {
    for (const Player& player : threads) {
      if (waits == 0) waits = player.program->let_go();
    }
  }
  for (const std::vector<Player>& threads : players_) {
    for (const Player& player : threads) {
      if (waits == 0 && player.program->is_idle() && player.calls->let_go()) waits = 1;
    }
  }
  waits_let_go_ += waits;
  return waits > 0;
}

bool LiveRun::is_refused() const { return !stage_.unsupported.empty(); }

// A rank's row is that of its first thread, up to where the last of them ends.
void LiveRun::add_further_threads(Prediction& result) const {
  std::size_t ranks = 0;
  for (std::size_t i = 0; i < players_.size(); ++i) {
    ranks += players_[i].size() > 1 ? 1 : 0;
    for (std::size_t k = 1; k < players_[i].size(); ++k) {
      const RankPrediction& thread = players_[i][k].program->beside();
      RankPrediction& rank = result.ranks[i];
      rank.calls += thread.calls;
      rank.end_s = std::max(rank.end_s, thread.end_s);
      result.seconds = std::max(result.seconds, rank.end_s);
    }
  }
  if (ranks == 0) return;
  result.remarks.push_back(fmt::format(
      "{} {} had calls of {} further {}: where their time went is said of their first threads, and "
      "what threads wait for in each other is taken from when they slept",
      ranks, ranks == 1 ? "rank" : "ranks", further_threads_,
      further_threads_ == 1 ? "thread" : "threads"));
}

Result<Prediction> LiveRun::prediction() const {
  if (is_refused()) return list_unsupported(stage_);
  Prediction result = stage_.prediction();
  for (const Spawned& each : spawned_) {
    result.spawned.push_back(
        {each.world.first, each.world.ranks, each.parent, each.start_s.value_or(0)});
  }
  result.remarks.insert(result.remarks.end(), remarks_.begin(), remarks_.end());
  add_further_threads(result);
  if (sends_let_go_ > 0) {
    const std::uint64_t eager_bytes = stage_.transport.model().eager_bytes;
    const bool asks = eager_bytes < std::numeric_limits<std::uint64_t>::max();
    result.remarks.push_back(fmt::format(
        "{} sends {} went without waiting for their receivers: the program relies on more "
        "buffering than this network has",
        sends_let_go_, asks ? fmt::format("above {} bytes", eager_bytes) : "that are synchronous"));
  }
  if (carrier_ != nullptr && carrier_->late() > 0) {
    result.remarks.push_back(
        fmt::format("{} messages left later than they should have: their senders were in calls of "
                    "MPI while another rank asked for the time",
                    carrier_->late()));
  }
  if (waits_let_go_ > 0) {
    result.remarks.push_back(
        fmt::format("{} waits were given up in which the model stood still and the program did not",
                    waits_let_go_));
  }
  return result;
}

} // namespace rondo::simulate::internal
