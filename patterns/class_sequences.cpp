// SPDX-License-Identifier: Apache-2.0
#include "patterns/class_sequences.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

namespace rondo::patterns::internal {
namespace {

// As a collective is none of messages, its communicator is no channel.
auto channel_of(const RankCall& call) {
  return std::tuple{call.side == RankCall::Side::kCollective, call.comm, call.source,
                    call.destination, call.tag};
}

// The calls at the front that have the same key.
template <class Key> std::span<const RankCall> front(std::span<const RankCall> calls, Key key) {
  const auto end = std::find_if(calls.begin(), calls.end(), [&](const RankCall& call) {
    return key(call) != key(calls.front());
  });
  return calls.first(static_cast<std::size_t>(end - calls.begin()));
}

} // namespace

std::uint64_t CallsOfRank::bytes_of(std::uint32_t symbol) const {
  return std::find_if(calls.begin(), calls.end(),
                      [&](const RankCall& call) { return call.symbol == symbol; })
      ->bytes;
}

ClassSequences::ClassSequences(const ClassStreams& reading)
    : reading_(reading), calls_(reading.calls) {
  std::sort(calls_.begin(), calls_.end(), [](const RankCall& a, const RankCall& b) {
    return std::tuple{channel_of(a), a.side, a.stream, a.symbol} <
           std::tuple{channel_of(b), b.side, b.stream, b.symbol};
  });
}

CallsOfRank ClassSequences::calls_of(std::span<const RankCall> calls) {
  const std::int64_t rank = calls.front().rank;
  const std::size_t layout = reading_.layout_of[static_cast<std::size_t>(rank)];
  std::vector<std::size_t> key{layout};
  std::vector<std::uint32_t> symbols;
  for (const RankCall& call : calls) {
    key.push_back(call.symbol);
    symbols.push_back(call.symbol);
  }
  const auto [known, is_new] = known_.try_emplace(std::move(key));
  if (is_new) known->second = *sequence_of(reading_.layouts[layout], symbols);
  return {rank, calls.front().side == RankCall::Side::kCollective, calls, &known->second};
}

void ClassSequences::each_pair(const Use& use) {
  std::span<const RankCall> left(calls_);
  while (!left.empty()) {
    const auto channel = front(left, channel_of);
    left = left.subspan(channel.size());
    const auto sends = front(channel, [](const RankCall& call) { return call.side; });
    if (channel.front().side == RankCall::Side::kCollective) {
      pair_collectives(channel, use);
    } else if (sends.size() < channel.size()) {
      use(calls_of(sends), calls_of(channel.subspan(sends.size())),
          std::numeric_limits<std::uint64_t>::max());
    }
  }
}

void ClassSequences::pair_collectives(std::span<const RankCall> calls, const Use& use) {
  std::vector<CallsOfRank> ranks;
  std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  const std::int64_t all = calls.front().all;
  while (!calls.empty()) {
    const auto own = front(calls, [](const RankCall& call) { return call.rank; });
    calls = calls.subspan(own.size());
    ranks.push_back(calls_of(own));
    most = std::min(most, length_of(*ranks.back().sequence));
  }
  if (static_cast<std::int64_t>(ranks.size()) < all) return;
  for (std::size_t i = 1; i < ranks.size(); ++i) use(ranks.front(), ranks[i], most);
}

} // namespace rondo::patterns::internal
