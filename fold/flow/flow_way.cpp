// SPDX-License-Identifier: Apache-2.0
#include "fold/flow/flow_way.hpp"

#include <algorithm>
#include <utility>

namespace rondo::fold {
namespace {

std::uint64_t scattered(std::uint64_t round) {
  constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15U;
  round = (round + 1) * kFactor;
  round = (round ^ (round >> 32)) * kFactor;
  return round ^ (round >> 29);
}

} // namespace

void Presence::add(std::int64_t count, std::uint64_t times) {
  if (times == 0) return;
  (count > 0 ? came : was_left_out) = true;
  rounds += times;
  if (!counts.empty() && counts.back().value == count) {
    counts.back().count += times;
  } else {
    counts.push_back({count, times});
  }
}

void Presence::come(std::int64_t count, std::uint64_t round) {
  add(0, round - rounds);
  add(count, 1);
  hash += scattered(round);
}

std::uint64_t Presence::step() const {
  std::uint64_t step = 0;
  std::uint64_t round = 0;
  std::uint64_t last = 0;
  std::uint64_t first = 0;
  for (const trace::Run& run : counts) {
    if (run.value == 0) {
      round += run.count;
      continue;
    }
    if (run.count != 1) return 0;
    ++round;
    if (first == 0) {
      first = round;
    } else if (step == 0) {
      step = round - last;
    } else if (round - last != step) {
      return 0;
    }
    last = round;
  }
  return first <= step && round < last + step ? step : 0;
}

Way::Way(const std::vector<FlowItem>& items)
    : items_(items), presence_(items.size()), current_(items.size(), 0), position_(items.size(), 0),
      rounds_(items.size(), 0), came_(items.size()) {
  for (std::uint32_t item = 0; item < items.size(); ++item) {
    std::vector<std::uint32_t>& path = paths_.emplace_back(1, item);
    while (path.back() != 0) path.push_back(items[path.back()].loop);
    std::reverse(path.begin(), path.end());
  }
  open_.push_back(0);
}

bool Way::go_to(std::uint32_t item) {
  const std::vector<std::uint32_t>& path = paths_[item];
  std::size_t level = 0;
  while (level + 1 < open_.size() && level + 2 < path.size() && open_[level + 1] == path[level + 1])
    ++level;
  while (open_.size() > level + 1) close();
  const std::uint32_t loop = open_.back();
  const std::uint32_t position = items_[path[level + 1]].position + 1;
  if (position <= position_[loop]) {
    if (loop == 0) return false;
    end_round(loop);
    ++current_[loop];
  }
  position_[loop] = position;
  for (++level; level + 1 < path.size(); ++level) {
    open_.push_back(path[level]);
    come(path[level]);
    position_[path[level]] = items_[path[level + 1]].position + 1;
  }
  come(item);
  return true;
}

std::vector<Presence> Way::end() {
  while (open_.size() > 1) close();
  end_round(0);
  for (std::size_t item = 0; item < items_.size(); ++item) {
    Presence& presence = presence_[item];
    presence.add(0, rounds_[items_[item].loop] - presence.rounds);
  }
  return std::move(presence_);
}

void Way::come(std::uint32_t item) {
  current_[item] = 1;
  came_[items_[item].loop].push_back(item);
}

void Way::close() {
  end_round(open_.back());
  open_.pop_back();
}

void Way::end_round(std::uint32_t loop) {
  for (const std::uint32_t item : came_[loop]) presence_[item].come(current_[item], rounds_[loop]);
  came_[loop].clear();
  ++rounds_[loop];
  position_[loop] = 0;
}

} // namespace rondo::fold
