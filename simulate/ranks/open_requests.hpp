// SPDX-License-Identifier: Apache-2.0
// What a rank has begun and nobody has completed.
//
//   OpenRequests open;
//   open.add(transport.send(...)); // what MPI_Isend gives back
//   if (Request* begun = open.find(reference)) wait_for(begun);
//   open.close(reference);
#pragma once

#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/persistent_slots.hpp"
#include "simulate/transport/transport.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

namespace rondo::simulate::internal {

/// Requests as words of calls name them: by age (0 for the one made last), persistent ones by slot.
class OpenRequests {
public:
  struct Slot { // of a persistent request
    const trace::Function* function = nullptr; // that made it
    std::vector<std::int64_t> words;
    std::uint32_t line = 0;
    Request* active = nullptr;
    std::int64_t partitions_left = 0;
    trace::CallView view() const { return {trace::meaning_of(*function), words}; }
  };

  void add(Request* request);
  void add(Slot slot) { slots_.add(std::move(slot)); }

  /// What is under way under this reference, or nullptr.
  Request* find(std::int64_t reference) const;
  /// nullptr if it names no persistent request of this rank.
  Slot* slot(std::int64_t reference) { return slots_.find(reference); }
  /// It was completed: a persistent one can be started again.
  void close(std::int64_t reference);
  /// It was freed.
  void free(std::int64_t reference);
  bool is_empty() const;

private:
  std::optional<std::size_t> place_of(std::int64_t reference) const; // in open_

  std::uint64_t made_ = 0; // requests that have ages
  std::uint64_t first_ = 1; // number of open_'s first
  std::deque<Request*> open_; // those that were completed or freed are null
  trace::PersistentSlots<Slot> slots_;
};

} // namespace rondo::simulate::internal
