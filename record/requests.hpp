// SPDX-License-Identifier: Apache-2.0
// The program's requests, by handle. MPI libraries may use one handle for several requests at a
// time (all sends that are complete at once, for instance); a handle then means the oldest of those
// that the calling thread made, and entries of one array mean different ones.
#pragma once

#include "record/request_id.hpp"
#include "record/stream.hpp"

#include <cstdint>
#include <vector>

namespace rondo::record {

struct Request {
  std::uint64_t number = 0; // nonblocking: how many its thread made up to it; persistent: its slot
  Stream* stream = nullptr; // of the thread that made it
  bool persistent = false;
  bool active = true; // persistent: started and not completed since
  bool wildcard = false; // a receive with MPI_ANY_SOURCE or MPI_ANY_TAG: its status says what came
  bool recorded = true; // the call that made it
  bool is_receive = false; // of a message
  bool cancelled = false; // MPI_Cancel was called: its status says whether that succeeded
};

class Requests {
public:
  Requests();

  void add_nonblocking(std::uint64_t handle, bool wildcard, bool is_receive, Stream& stream);
  void add_persistent(std::uint64_t handle, bool wildcard, bool is_receive, Stream& stream);
  /// One that the trace does not know.
  void add_quiet(std::uint64_t handle, bool persistent, Stream& stream);

  /// The oldest request with this handle, of the stream's own if there is one; none if get() of it
  /// is nullptr.
  RequestId find(std::uint64_t handle, const Stream& stream) const;
  /// Between begin_array() calls, one handle means its requests in turn, the oldest first.
  void begin_array() { ++array_; }
  /// @param id   becomes that of the request
  /// @return     nullptr if there is none
  const Request* find_in_array(std::uint64_t handle, const Stream& stream, RequestId& id);

  /// nullptr if there is none, or it has been removed. The pointer holds until the next change.
  Request* get(RequestId id);
  /// @param quietly   by a call that is not recorded: a reader still sees the slot in use
  void remove(RequestId id, bool quietly = false);

  /// The word for a request (trace/program.hpp) in a call of the stream's thread.
  static std::int64_t word_of(const Request& request, const Stream& stream);

private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  struct Node {
    Request request;
    std::uint64_t handle = 0;
    std::uint32_t next = kNone; // of the same handle, younger; of a free node: the next free one
    std::uint32_t previous = kNone;
    std::uint32_t generation = 0;
  };
  struct Entry { // of an open-addressing table with linear probing
    std::uint64_t handle = 0;
    std::uint32_t oldest = kNone; // kNone: the place is free
    std::uint32_t newest = kNone;
    std::uint64_t array = 0; // in which find_in_array() last saw the handle,
    std::uint32_t in_array = kNone; // and what the next one will be there
  };

  void add(std::uint64_t handle, const Request& request);
  std::uint32_t first_of(std::uint32_t node, const Stream& stream) const;
  RequestId id_of(std::uint32_t node) const {
    return {node, node == kNone ? 0 : nodes_[node].generation};
  }
  std::size_t
  place_of(std::uint64_t handle) const; // of the handle, or of the free place where it belongs
  void erase_place(std::size_t place);
  void grow();
  std::size_t home_of(std::uint64_t handle) const {
    return (handle * 0x9e3779b97f4a7c15u) >> shift_;
  }

  std::vector<Entry> table_;
  int shift_;
  std::size_t used_ = 0;
  std::vector<Node> nodes_;
  std::uint32_t free_node_ = kNone;
  std::uint64_t array_ = 0;
};

} // namespace rondo::record
