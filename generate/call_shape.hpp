// SPDX-License-Identifier: Apache-2.0
// Where in a call's words its requests, statuses and wildcards stand, looked up once per function.
#pragma once

#include "rondo/trace/call_reader.hpp"

#include <cstdint>
#include <vector>

namespace rondo::generate {

struct CallShape {
  enum class Completes : std::uint8_t { kNone, kOne, kAll, kAny, kSome };
  Completes completes = Completes::kNone;
  bool is_poll = false; // comes back at once, with or without having found something
  bool receives = false; // has a source and a tag that may be wildcards
  // Words, -1 if there is none.
  int request = -1;
  int requests = -1; // the array
  int flag = -1;
  int outcount = -1;
  int index = -1;
  int indices = -1;
  int status = -1; // first of three
  int statuses = -1;
  int source = -1;
  int tag = -1;
};

/// @complexity O(1)
const CallShape& shape_of(const trace::Function& function);

inline std::int64_t word_at(const trace::CallInstance& call, int word) {
  return word < 0 ? trace::kNothing : call.words[static_cast<std::size_t>(word)];
}

/// A poll that found nothing: how often it is made depends on timing, not on the program.
bool is_idle_poll(const trace::CallInstance& call, const CallShape& shape);

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
                    const CallShape& shape, std::vector<Completion>& out);

/// Counts a thread's requests as they are made, so that each has one number for good.
class RequestNumbers {
public:
  /// Before the words of the call are looked at.
  void count(const trace::CallInstance& call);
  /// After that: slots that the call gave free.
  void release(const trace::CallInstance& call, const CallShape& shape);

  /// Even for nonblocking, odd for persistent requests; references that are no request of this
  /// thread stand for themselves.
  std::int64_t of(std::int64_t reference) const;
  /// Of the request that the call just counted made.
  std::int64_t newest() const { return newest_; }

private:
  std::uint64_t nonblocking_ = 0;
  std::uint64_t persistent_ = 0;
  std::int64_t newest_ = 0;
  std::vector<std::uint64_t> by_slot_; // number of the persistent request
  std::vector<bool> in_use_;
};

} // namespace rondo::generate
