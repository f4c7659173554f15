// SPDX-License-Identifier: Apache-2.0
#include "simulate/transport/gatherings.hpp"

#include <algorithm>
#include <bit>

namespace rondo::simulate::internal {
namespace {

// Ranks whose rounds with each other are played before those with others: what they need of each
// other stays in the caches.
constexpr std::int64_t kBlock = 256;

// Whom a rank hears and tells in a round, as trace::steps_of() has it; -1: nobody.
struct Peers {
  std::int64_t from = -1;
  std::int64_t to = -1;
};

class Rounds {
public:
  explicit Rounds(std::vector<RoundSide>& sides)
      : sides_(sides), n_(static_cast<std::int64_t>(sides.size())) {}

  void dissemination() {
    for (std::int64_t distance = 1; distance < n_; distance *= 2) {
      play(0, n_, [&](std::int64_t i) {
        return Peers{i < distance ? i - distance + n_ : i - distance, (i + distance) % n_};
      });
    }
  }

  // Ranks that are too many for a power of two lend their data to a neighbour.
  void recursive_doubling() {
    const auto power = static_cast<std::int64_t>(std::bit_floor(static_cast<std::uint64_t>(n_)));
    const std::int64_t extra = n_ - power;
    play(0, 2 * extra, [](std::int64_t i) {
      return i % 2 == 0 ? Peers{-1, i + 1} : Peers{i - 1, -1};
    });
    const auto member = [extra](std::int64_t i) { return i < extra ? i * 2 + 1 : i + extra; };
    const auto exchange = [&](std::int64_t begin, std::int64_t end, std::int64_t mask) {
      play(
          begin, end,
          [&](std::int64_t i) {
            return Peers{member(i ^ mask), member(i ^ mask)};
          },
          member);
    };
    const std::int64_t block = std::min(kBlock, power);
    for (std::int64_t begin = 0; begin < power; begin += block) {
      for (std::int64_t mask = 1; mask < block; mask *= 2) exchange(begin, begin + block, mask);
    }
    for (std::int64_t mask = block; mask < power; mask *= 2) exchange(0, power, mask);
    play(0, 2 * extra, [](std::int64_t i) {
      return i % 2 == 0 ? Peers{i + 1, -1} : Peers{-1, i - 1};
    });
  }

private:
  RoundSide& side(std::int64_t rank) { return sides_[static_cast<std::size_t>(rank)]; }

  template <class PeersOf> void play(std::int64_t begin, std::int64_t end, PeersOf peers_of) {
    play(begin, end, peers_of, [](std::int64_t i) { return i; });
  }
  // All send before anybody receives.
  template <class PeersOf, class RankOf>
  void play(std::int64_t begin, std::int64_t end, PeersOf peers_of, RankOf rank_of) {
    for (std::int64_t i = begin; i < end; ++i) {
      RoundSide& own = side(rank_of(i));
      own.activity->begin_round(own, peers_of(i).to >= 0);
    }
    for (std::int64_t i = begin; i < end; ++i) {
      RoundSide& own = side(rank_of(i));
      const Peers peers = peers_of(i);
      own.activity->end_round(own, peers.from >= 0 ? &side(peers.from) : nullptr, peers.to >= 0);
    }
  }

  std::vector<RoundSide>& sides_;
  std::int64_t n_;
};

} // namespace

void Gatherings::come(std::uint32_t comm, const CollectivePart& part, Activity& activity,
                      Transport& transport) {
  Gathering& gathering = gatherings_[comm];
  const auto ranks = static_cast<std::size_t>(part.members.size());
  const auto rank = static_cast<std::size_t>(part.rank);
  // Archives may say anything: that a rank comes twice, too.
  if (gathering.come > 0 &&
      (gathering.sides.size() != ranks || gathering.sides[rank].activity != nullptr))
    go_by_messages(comm, gathering);
  if (gathering.come == 0) {
    gathering.is_uneven = false;
    gathering.members = part.members;
    gathering.sides.resize(ranks);
  }
  RoundSide& side = gathering.sides[rank];
  side.activity = &activity;
  side.operation = part.operation;
  side.bytes = part.operation == Operation::kBarrier ? 0 : part.block;
  gathering.is_uneven |= !transport.is_step_eager(side.bytes);
  if (++gathering.come < ranks) {
    ++waiting_;
    return activity.stay();
  }
  const auto is_other = [&](const RoundSide& each) { return each.operation != part.operation; };
  if (gathering.is_uneven || std::ranges::any_of(gathering.sides, is_other))
    return go_by_messages(comm, gathering, &activity);
  Rounds rounds(gathering.sides);
  if (part.operation == Operation::kBarrier) {
    rounds.dissemination();
  } else {
    rounds.recursive_doubling();
  }
  // Who is woken first comes behind those woken after it.
  for (std::size_t i = ranks; i-- > 0;) {
    if (gathering.sides[i].activity != &activity) gathering.sides[i].activity->leave();
  }
  end(gathering);
}

// @param last  has come, but does not wait
void Gatherings::go_by_messages(std::uint32_t comm, Gathering& gathering, const Activity* last) {
  for (std::size_t i = 0; i < gathering.sides.size(); ++i) {
    const RoundSide& side = gathering.sides[i];
    if (side.activity == nullptr) continue;
    const CollectivePart part{.operation = side.operation,
                              .rank = static_cast<std::int64_t>(i),
                              .members = gathering.members,
                              .block = side.bytes};
    side.activity->play(steps_of(part), comm, kCollectiveTag);
    if (side.activity != last) side.activity->leave();
  }
  end(gathering);
}

void Gatherings::end(Gathering& gathering) {
  waiting_ -= std::min(gathering.come, gathering.sides.size() - 1); // the last one does not wait
  gathering.come = 0;
  for (RoundSide& side : gathering.sides) side.activity = nullptr;
}

bool Gatherings::give_up() {
  if (is_empty()) return false;
  for (auto& [comm, gathering] : gatherings_) {
    if (gathering.come > 0) go_by_messages(comm, gathering);
  }
  return true;
}

} // namespace rondo::simulate::internal
