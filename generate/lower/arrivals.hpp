// SPDX-License-Identifier: Apache-2.0
// What came for the receives and probes of one rank that asked for any source or any tag. Of a
// blocking call it is in its own status; of others in that of a later call that completed it, so
// the rank's calls are gone through once beforehand.
//
//   Arrivals arrivals(trace, rank_class, rank);
//   while (const CallInstance* call = reader.next())
//     for (const Arrival& came : arrivals.next(*call)) use(came.source, came.tag);
#pragma once

#include "generate/lower/completions.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <span>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rondo::generate {

struct Arrival {
  enum class State : std::uint8_t {
    kNever, // no status says: cancelled, never completed, or completed by another thread
    kOne, // source and tag
    kDiffering, // of a persistent request, its starts got different messages, or those of another
                // one that might have taken them: of a start what it got, nothing if no status says
  };
  State state = State::kNever;
  std::int64_t source = trace::kNothing; // rank of the call's communicator
  std::int64_t tag = trace::kNothing;
};

/// Whether the call asks for any source or any tag.
inline bool asks_for_any(const trace::CallInstance& call, const trace::CallMeaning& means) {
  return means.source >= 0 && (word_at(call, means.source) == trace::kAnySource ||
                               word_at(call, means.receive_tag) == trace::kAnyTag);
}

class Arrivals {
public:
  /// @complexity O(calls of the rank) if its program has wildcards that are completed later, else
  ///             O(size of the program); memory O(receives and starts with such wildcards)
  Arrivals(const trace::Trace& trace, const trace::RankClass& of, std::int64_t rank);

  /// One for a call that asks for any; for a start, one for each of its requests that was made by
  /// such a call. None for other calls. To be told of every call in order; valid until the next.
  std::span<const Arrival> next(const trace::CallInstance& call);

  /// Whether there is a persistent request whose starts got different messages.
  bool has_differing() const { return !differing_.empty(); }
  /// Source and tag of all that such starts got, ascending: which of them got what, and when, is
  /// chance.
  const std::vector<std::pair<std::int64_t, std::int64_t>>& differing() const { return differing_; }

private:
  void find_differing();
  void go_through(trace::CallReader reader);
  void open(std::uint64_t at, const trace::CallInstance& call);
  void start(std::uint64_t at, std::int64_t reference);
  void complete(const Completion& completion, bool for_good);

  struct Open { // indices into later_
    std::size_t made = 0;
    std::size_t started = 0; // that of `made` until there was a start
  };
  std::unordered_map<std::int64_t, Open> open_; // by number of the request
  RequestNumbers numbers_;

  std::vector<Arrival> later_; // in the order of calls
  std::vector<std::uint64_t> call_of_; // for each of later_: the number of its call
  std::vector<std::size_t> made_by_; // for each of later_: that of the call that made the request
  std::size_t next_ = 0;
  std::uint64_t call_ = 0;
  std::vector<std::pair<std::int64_t, std::int64_t>> differing_;
  Arrival own_;
};

} // namespace rondo::generate
