// SPDX-License-Identifier: Apache-2.0
#include "tests/support/spmd.hpp"

namespace rondo::support {

void send(RankRecorder& me, std::int64_t to, std::int64_t count, std::int64_t tag,
          std::uint32_t site) {
  me.call("MPI_Send", {{"count", count}, {"dest", to}, {"tag", tag}}, site);
}

void receive(RankRecorder& me, std::int64_t from, std::int64_t count, std::int64_t tag,
             std::uint32_t site) {
  me.call("MPI_Recv", {{"count", count}, {"source", from}, {"tag", tag}}, site);
}

namespace {

void ring_round(RankRecorder& me, std::int64_t ranks) {
  send(me, (me.rank() + 1) % ranks, 100, 1, 1);
  receive(me, (me.rank() + ranks - 1) % ranks, 100, 1, 2);
  me.call("MPI_Allreduce", {{"count", 1}}, 3);
}

void chain_round(RankRecorder& me, std::int64_t ranks) {
  if (me.rank() > 0) receive(me, me.rank() - 1, 10, 2, 1);
  if (me.rank() + 1 < ranks) send(me, me.rank() + 1, 10, 2, 2);
}

std::int64_t rows_of(std::int64_t ranks) {
  std::int64_t rows = 1;
  for (std::int64_t r = 2; r * r <= ranks; ++r) {
    if (ranks % r == 0) rows = r;
  }
  return rows;
}

void halo_round(RankRecorder& me, std::int64_t ranks) {
  const std::int64_t rows = rows_of(ranks);
  const std::int64_t columns = ranks / rows;
  const std::int64_t row = me.rank() / columns;
  const std::int64_t column = me.rank() % columns;
  const auto neighbour = [&](std::int64_t down, std::int64_t right) {
    const bool is_inside =
        row + down >= 0 && row + down < rows && column + right >= 0 && column + right < columns;
    return is_inside ? me.rank() + down * columns + right : trace::kProcNull;
  };
  std::uint32_t site = 1;
  for (const auto& [down, right] :
       {std::pair{-1, 0}, std::pair{1, 0}, std::pair{0, -1}, std::pair{0, 1}}) {
    send(me, neighbour(down, right), right == 0 ? 64 : 32, 4, site++);
    receive(me, neighbour(down, right), right == 0 ? 64 : 32, 4, site++);
  }
}

void butterfly_round(RankRecorder& me, std::int64_t ranks) {
  for (std::int64_t bit = 1; bit < ranks; bit *= 2) {
    if ((me.rank() ^ bit) >= ranks) continue;
    send(me, me.rank() ^ bit, 8 * bit, 5, 1);
    receive(me, me.rank() ^ bit, 8 * bit, 5, 2);
  }
}

void master_round(RankRecorder& me, std::int64_t ranks, int round) {
  if (me.rank() != 0) {
    send(me, 0, 3, 6, 1);
    receive(me, 0, 30, 7, 2);
    return;
  }
  for (std::int64_t i = 1; i < ranks; ++i) {
    receive(me, trace::kAnySource, 3, 6, 3);
    send(me, 1 + (i * 7 + round) % (ranks - 1), 30, 7, 4);
  }
}

} // namespace

std::string name_of(Pattern pattern) {
  constexpr const char* kNames[] = {"Ring", "OpenChain", "Halo", "Butterfly", "Master", "Uneven"};
  return kNames[static_cast<std::size_t>(pattern)];
}

Ranks run(Pattern pattern, std::int64_t ranks, int rounds) {
  Ranks all;
  for (std::int64_t rank = 0; rank < ranks; ++rank) {
    RankRecorder& me = *all.emplace_back(std::make_unique<RankRecorder>(rank, ranks));
    me.call("MPI_Init");
    const int mine = pattern == Pattern::kUneven ? rounds + static_cast<int>(rank % 3) : rounds;
    for (int round = 0; round < mine; ++round) {
      switch (pattern) {
      case Pattern::kRing:
        ring_round(me, ranks);
        break;
      case Pattern::kOpenChain:
        chain_round(me, ranks);
        break;
      case Pattern::kHalo:
        halo_round(me, ranks);
        break;
      case Pattern::kButterfly:
        butterfly_round(me, ranks);
        break;
      case Pattern::kMaster:
        master_round(me, ranks, round);
        break;
      case Pattern::kUneven:
        send(me, (me.rank() + 1) % ranks, 100 + me.rank() * round, round, 1);
        break;
      }
    }
    me.call("MPI_Bcast", {{"count", 4}, {"root", ranks / 2}}, 9);
    me.call("MPI_Finalize");
  }
  return all;
}

fold::RecordingPart merged(std::vector<fold::RecordingPart>&& parts,
                           const std::vector<std::size_t>& order) {
  fold::RecordingPart all = std::move(parts[order.front()]);
  for (std::size_t i = 1; i < order.size(); ++i) fold::merge(all, std::move(parts[order[i]]));
  return all;
}

} // namespace rondo::support
