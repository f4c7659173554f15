// SPDX-License-Identifier: Apache-2.0
#include "simulate/live/live_spawns.hpp"

#include <algorithm>

namespace rondo::simulate::internal {

namespace live = trace::live;
using namespace std::chrono_literals;

namespace {

// Processes without the recorder never come: their parents are not kept waiting for ever, nor are
// other calls.
constexpr auto kPatience = 10s; // once the call is over
constexpr auto kPatienceBefore = 60s;

} // namespace

bool LiveSpawns::heard(std::int64_t rank, const live::Item& item) {
  const auto words = item.words;
  if (item.kind == live::ItemKind::kNoSpawn) {
    std::erase_if(spawns_, [&](const Spawn& spawn) {
      return spawn.root == rank && spawn.state == State::kHasLeave && spawn.first < 0;
    });
    return true;
  }
  if (item.kind != live::ItemKind::kSpawns && item.kind != live::ItemKind::kChildren) return false;
  if (words.size() != 2) return true;
  const trace::Communicators::View& view = run_.calls(rank)->comm(words[1]).view;
  const Of comm{view.id, view.world_rank(0)};
  if (item.kind == live::ItemKind::kChildren) {
    const std::uint64_t which = asked_[{rank, comm}]++;
    questions_.push_back({rank, words[0], comm, which});
    return true;
  }
  Spawn spawn;
  spawn.root = rank;
  spawn.thread = words[0];
  spawn.comm = comm;
  for (std::int64_t peer = 0; peer < view.peer_count; ++peer)
    spawn.parents.push_back(view.world_rank(peer));
  spawns_.push_back(std::move(spawn));
  return true;
}

std::optional<LiveSpawns::Place> LiveSpawns::come(std::int64_t rank, std::int64_t ranks,
                                                  std::int64_t most) {
  const auto spawn = std::find_if(spawns_.begin(), spawns_.end(),
                                  [](const Spawn& each) { return each.state == State::kHasLeave; });
  if (spawn == spawns_.end()) return std::nullopt;
  const bool is_first = spawn->first < 0;
  if (is_first && run_.ranks() + ranks > most) return std::nullopt;
  if (is_first) {
    spawn->first = run_.add_world(ranks, spawn->root);
    spawn->ranks = ranks;
  }
  if (ranks != spawn->ranks || run_.calls(spawn->first + rank) != nullptr) return std::nullopt;
  if (++spawn->come == ranks) spawn->state = State::kHasCome;
  Place place{spawn->first + rank, {spawn->first}, is_first};
  place.family.insert(place.family.end(), spawn->parents.begin(), spawn->parents.end());
  return place;
}

void LiveSpawns::give_up() {
  for (Spawn& spawn : spawns_) {
    const auto patience = spawn.is_asked_for ? kPatience : kPatienceBefore;
    const bool is_late = Clock::now() - spawn.since > patience;
    if (spawn.state == State::kHasLeave && is_late) spawn.state = State::kNobodyCame;
  }
}

// Its root and the thread of it that waits.
std::optional<std::pair<std::int64_t, std::int64_t>> LiveSpawns::next_with_leave() {
  Spawn* next = nullptr;
  for (Spawn& spawn : spawns_) {
    if (spawn.state == State::kHasLeave) return std::nullopt;
    if (spawn.state == State::kWaits && next == nullptr) next = &spawn;
  }
  if (next == nullptr) return std::nullopt;
  next->state = State::kHasLeave;
  next->since = Clock::now();
  return std::pair(next->root, next->thread);
}

// Thread and ranks: no ranks if they will not come, nothing if that is not known yet.
std::optional<LiveSpawns::Words> LiveSpawns::children(const Question& question) {
  std::uint64_t which = question.which;
  for (Spawn& spawn : spawns_) {
    if (spawn.comm != question.comm || which-- > 0) continue;
    if (spawn.state == State::kNobodyCame) break;
    if (spawn.state != State::kHasCome) {
      if (!std::exchange(spawn.is_asked_for, true)) spawn.since = Clock::now();
      return std::nullopt;
    }
    Words words{question.thread};
    for (std::int64_t i = 0; i < spawn.ranks; ++i) words.push_back(spawn.first + i);
    return words;
  }
  return Words{question.thread};
}

} // namespace rondo::simulate::internal
