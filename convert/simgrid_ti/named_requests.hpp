// SPDX-License-Identifier: Apache-2.0
// Requests of one rank, by age or slot as calls name them, and what actions name them by: the ends
// and the tag of their messages.
#pragma once

#include "rondo/trace/functions.hpp"
#include "rondo/trace/persistent_slots.hpp"

#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

namespace rondo::convert::internal {

struct RequestKey {
  std::int64_t source = 0, dest = 0, tag = 0;
  std::uint64_t operation = 0; // or the number of a collective operation that is yet to be played
  friend bool operator==(const RequestKey&, const RequestKey&) = default;
};
using RequestKeys = std::vector<RequestKey>; // of one request

struct RequestSlot { // of a persistent one
  const trace::Function* function = nullptr;
  std::vector<std::int64_t> words;
  RequestKeys active;
};

class NamedRequests {
public:
  void add(RequestKeys keys);
  void add_slot(RequestSlot slot) { slots_.add(std::move(slot)); }
  RequestSlot* slot(std::int64_t reference) { return slots_.find(reference); }

  /// Of a request that is still to be waited for; nullptr for none.
  RequestKeys* keys_of(std::int64_t reference);
  /// The request is over: what an action would wait for.
  RequestKeys take(std::int64_t reference);
  void free(std::int64_t reference) { slots_.free(reference); }

private:
  std::uint64_t made_ = 0; // requests that have ages
  std::uint64_t first_open_ = 1; // number of open_'s first
  std::deque<std::optional<RequestKeys>> open_; // empty: completed
  trace::PersistentSlots<RequestSlot> slots_;
};

} // namespace rondo::convert::internal
