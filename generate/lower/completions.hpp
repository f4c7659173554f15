// SPDX-License-Identifier: Apache-2.0
// Requests of a stream of calls: their numbers for good, and what completes them.
#pragma once

#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/call_reader.hpp"
#include "rondo/trace/idle_polls.hpp"
#include "rondo/trace/persistent_slots.hpp"

#include <cstdint>
#include <vector>

namespace rondo::generate {

inline std::int64_t word_at(const trace::CallInstance& call, int word) {
  return word < 0 ? trace::kNothing : call.words[static_cast<std::size_t>(word)];
}

/// A request that a call completed, with what its status says; source kNothing if it says nothing.
struct Completion {
  std::int64_t request = trace::kNull;
  std::int64_t source = trace::kNothing; // rank of the request's communicator
  std::int64_t tag = trace::kNothing;
};

/// The elements of an array word; none for a special one.
const std::vector<std::int64_t>& elements_of(const trace::Program& program, std::int64_t word);

/// What the call completed, in the order of its array or of its indices; replaces `out`.
void completions_of(const trace::CallReader& reader, const trace::CallInstance& call,
                    const trace::CallMeaning& means, std::vector<Completion>& out);

/// Counts a thread's requests as they are made, so that each has one number for good.
class RequestNumbers {
public:
  /// Before the words of the call are looked at.
  void count(const trace::CallInstance& call);
  /// After that: slots that the call gave free.
  void release(const trace::CallInstance& call, const trace::CallMeaning& means);

  /// Even for nonblocking, odd for persistent requests; references that are no request of this
  /// thread stand for themselves.
  std::int64_t of(std::int64_t reference) const;
  /// Of the request that the call just counted made.
  std::int64_t newest() const { return newest_; }

private:
  std::uint64_t nonblocking_ = 0;
  std::uint64_t persistent_ = 0;
  std::int64_t newest_ = 0;
  trace::PersistentSlots<std::uint64_t> slots_; // their numbers
};

} // namespace rondo::generate
