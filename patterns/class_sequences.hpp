// SPDX-License-Identifier: Apache-2.0
// Which calls of two ranks belong together: messages of one channel, parts in the collectives of
// one communicator.
#pragma once

#include "patterns/call_runs.hpp"
#include "patterns/class_streams.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <vector>

namespace rondo::patterns::internal {

/// What one rank does on a channel or communicator.
struct CallsOfRank {
  std::int64_t rank = 0;
  bool is_collective = false;
  std::span<const RankCall> calls;
  const CallSequence* sequence = nullptr; // of them
  std::uint64_t bytes_of(std::uint32_t symbol) const;
};

class ClassSequences {
public:
  /// @param reading   outlives it
  /// @complexity      O(calls log calls) of all ranks' programs
  explicit ClassSequences(const ClassStreams& reading);

  /// Sender and receiver of a channel, whose messages are one for one; of a collective the first
  /// rank and each other one, if all come. `most` is how many there are that both took part in.
  using Use =
      std::function<void(const CallsOfRank& from, const CallsOfRank& to, std::uint64_t most)>;
  void each_pair(const Use& use);

private:
  CallsOfRank calls_of(std::span<const RankCall> calls);
  void pair_collectives(std::span<const RankCall> calls, const Use& use);

  const ClassStreams& reading_;
  std::vector<RankCall> calls_; // by channel, side and rank
  std::map<std::vector<std::size_t>, CallSequence> known_; // by layout and calls
};

} // namespace rondo::patterns::internal
