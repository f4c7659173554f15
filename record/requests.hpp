// SPDX-License-Identifier: Apache-2.0
// The program's requests, by handle. MPI libraries may use one handle for several requests at a time (all sends
// that are complete at once, for instance); a handle then means the oldest of them.
#pragma once

#include <cstdint>
#include <vector>

namespace rondo::record {

struct Request {
  std::uint64_t number = 0; // nonblocking: how many were made up to it; persistent: its slot
  bool persistent = false;
  bool active = true;         // persistent: started and not completed since
  bool wildcard = false;      // a receive with MPI_ANY_SOURCE or MPI_ANY_TAG: its status says what came
};

class Requests {
public:
  Requests();

  void add_nonblocking(std::uint64_t handle, bool wildcard);
  void add_persistent(std::uint64_t handle, bool wildcard);

  /// The oldest request with this handle, or nullptr. The pointer holds until the next change.
  Request* find(std::uint64_t handle);
  /// Forgets the oldest request with this handle.
  void remove(std::uint64_t handle);

  /// The word for a request (trace/program.hpp).
  std::int64_t word_of(const Request& request) const;

private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  struct Node {
    Request request;
    std::uint32_t next = kNone;
  };
  struct Entry { // of an open-addressing table with linear probing
    std::uint64_t handle = 0;
    std::uint32_t oldest = kNone; // kNone: the place is free
    std::uint32_t newest = kNone;
  };

  void add(std::uint64_t handle, const Request& request);
  std::size_t place_of(std::uint64_t handle) const; // of the handle, or of the free place where it belongs
  void erase_place(std::size_t place);
  void grow();
  std::size_t home_of(std::uint64_t handle) const { return (handle * 0x9e3779b97f4a7c15u) >> shift_; }

  std::vector<Entry> table_;
  int shift_;
  std::size_t used_ = 0;
  std::vector<Node> nodes_;
  std::uint32_t free_node_ = kNone;
  std::uint64_t nonblocking_made_ = 0;
  std::vector<bool> slot_in_use_;
};

} // namespace rondo::record
