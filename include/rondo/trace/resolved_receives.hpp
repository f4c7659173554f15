// SPDX-License-Identifier: Apache-2.0
// Whom receives with wildcards got their message from: found once by matching, before anything is
// played.
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace rondo::trace {

struct Envelope {
  std::int64_t source = 0; // world rank
  std::int64_t tag = 0;
};

class ResolvedReceives {
public:
  /// @complexity O(program) if no receive needs it, else that of match_messages()
  explicit ResolvedReceives(const Trace& trace);

  /// Whether the receives of this rank must be looked up: MPI_Cancel may have taken them back.
  bool may_cancel(std::int64_t rank) const { return may_cancel_[static_cast<std::size_t>(rank)]; }
  /// Takes the envelope of the next receive that this call of the rank's posts; nothing if it never
  /// got a message.
  std::optional<Envelope> take(std::int64_t rank, std::uint64_t call);
  const std::vector<std::string>& remarks() const { return remarks_; }

private:
  void find(const Trace& trace);

  std::vector<bool> may_cancel_; // by rank
  std::vector<std::unordered_map<std::uint64_t, std::deque<Envelope>>> by_call_; // by rank
  std::vector<std::string> remarks_;
};

} // namespace rondo::trace
