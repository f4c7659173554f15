// SPDX-License-Identifier: Apache-2.0
// Whom receives with wildcards got their message from: found once by matching, before anything is
// played.
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace rondo::trace {

struct Envelope {
  std::int64_t source = 0; // world rank
  std::int64_t tag = 0;
};

/// Nothing changes once they are found: several may read them at once.
class ResolvedReceives {
public:
  /// @complexity O(program) if no receive needs it, else that of match_messages()
  explicit ResolvedReceives(const Trace& trace);

  /// Whether the receives of this rank must be looked up: MPI_Cancel may have taken them back.
  bool may_cancel(std::int64_t rank) const { return may_cancel_[static_cast<std::size_t>(rank)]; }
  const std::vector<std::string>& remarks() const { return remarks_; }

private:
  friend class EnvelopeReader;
  struct Found {
    std::uint64_t call = 0; // that posted the receive
    Envelope envelope;
  };
  void find(const Trace& trace);

  std::vector<bool> may_cancel_; // by rank
  std::map<std::pair<std::int64_t, std::uint32_t>, std::vector<Found>>
      by_stream_; // by rank and thread; in the order of calls
  std::vector<std::string> remarks_;
};

/// Goes along one stream's calls.
class EnvelopeReader {
public:
  /// @param receives  must outlive the object
  EnvelopeReader(const ResolvedReceives& receives, std::int64_t rank, std::uint32_t thread);
  /// The envelope of the next receive that this call posts; nothing if it never got a message.
  /// @param call  no earlier one than before
  std::optional<Envelope> take(std::uint64_t call);
  /// How often in a row the envelopes of the next `calls` calls come, up to `most`.
  /// @param from  the next call
  /// @complexity O(envelopes)
  std::uint64_t repeats(std::uint64_t from, std::uint64_t calls, std::uint64_t most) const;

private:
  std::span<const ResolvedReceives::Found> left_;
};

} // namespace rondo::trace
