// SPDX-License-Identifier: Apache-2.0
// A replay's MPI objects under the names that a trace's words have for them.
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <deque>
#include <mpi.h>
#include <unordered_map>

namespace rondo::generate {

/// The handles of one kind by slot. Where a handle stands does not change: MPI may write it later.
template <class Handle> class Handles {
public:
  Handle* place(std::int64_t slot) { return &handles_[slot]; }
  /// Handle{} for a slot that nothing was put into.
  Handle of(std::int64_t slot) const {
    const auto found = handles_.find(slot);
    return found == handles_.end() ? Handle{} : found->second;
  }
  bool has(std::int64_t slot) const { return handles_.contains(slot); }

private:
  std::unordered_map<std::int64_t, Handle> handles_;
};

/// Requests by age and by slot, as trace/program.hpp says.
class PlayedRequests {
public:
  /// Where a new request is to be written.
  MPI_Request* add(bool is_persistent) {
    if (!is_persistent) {
      while (!nonblocking_.empty() && nonblocking_.front() == MPI_REQUEST_NULL) {
        nonblocking_.pop_front();
      }
      nonblocking_.push_back(MPI_REQUEST_NULL);
      return &nonblocking_.back();
    }
    std::size_t slot = 0;
    while (slot < persistent_.size() && persistent_[slot] != MPI_REQUEST_NULL) ++slot;
    if (slot == persistent_.size()) persistent_.push_back(MPI_REQUEST_NULL);
    return &persistent_[slot];
  }

  /// The request's own place, or one that holds MPI_REQUEST_NULL if there is none.
  MPI_Request* of(std::int64_t reference) {
    null_ = MPI_REQUEST_NULL;
    if (trace::is_special(reference) || trace::is_foreign(reference)) return &null_;
    const std::uint64_t n = trace::age_or_slot(reference);
    if (trace::is_persistent(reference)) return n < persistent_.size() ? &persistent_[n] : &null_;
    return n < nonblocking_.size() ? &nonblocking_[nonblocking_.size() - 1 - n] : &null_;
  }

private:
  std::deque<MPI_Request> nonblocking_; // the oldest first; those before the first are done
  std::deque<MPI_Request> persistent_; // by slot
  MPI_Request null_ = MPI_REQUEST_NULL;
};

} // namespace rondo::generate
