// SPDX-License-Identifier: Apache-2.0
// The program's requests, by handle. MPI libraries may use one handle for several requests at a
// time (all sends that are complete at once, for instance); a handle then means the oldest of those
// that the calling thread made, and entries of one array mean different ones.
#pragma once

#include "record/request_id.hpp"
#include "record/stream.hpp"
#include "rondo/trace/program.hpp"

#include <cstdint>
#include <vector>

namespace rondo::record {

struct Request {
  std::uint64_t number = 0; // nonblocking: how many its thread made up to it; persistent: its slot
  Stream* stream = nullptr; // of the thread that made it
  enum Traits : std::uint8_t {
    kPersistent = 1,
    kActive = 2, // persistent: started and not completed since
    kWildcard = 4, // a receive with MPI_ANY_SOURCE or MPI_ANY_TAG: its status says what came
    kQuiet = 8, // the call that made it was not recorded
    kReceive = 16, // of a message
    kCancelled = 32, // MPI_Cancel was called: its status says whether that succeeded
  };
  std::uint8_t traits = 0;

  bool has(std::uint8_t trait) const { return (traits & trait) != 0; }
  bool wants_status() const { return has(kWildcard | kCancelled) && has(kActive); }
};

class Requests {
public:
  Requests();

  /// @param traits   kWildcard, kReceive or neither
  void add_nonblocking(std::uint64_t handle, std::uint8_t traits, Stream& stream);
  void add_persistent(std::uint64_t handle, std::uint8_t traits, Stream& stream);
  /// One that the trace does not know.
  void add_quiet(std::uint64_t handle, bool persistent, Stream& stream);

  /// The oldest request with this handle, of the stream's own if there is one; none if get() of it
  /// is nullptr.
  RequestId find(std::uint64_t handle, const Stream& stream) const;
  /// Between begin_array() calls, one handle means its requests in turn, the oldest first.
  void begin_array() { ++array_; }
  /// @param id   becomes that of the request
  /// @return     nullptr if there is none
  const Request* find_in_array(std::uint64_t handle, const Stream& stream, RequestId& id) {
    id = {};
    Entry& entry = table_[place_of(handle)];
    if (entry.oldest == kNone) return nullptr;
    const std::uint32_t number =
        first_of(entry.array == array_ ? entry.in_array : entry.oldest, stream);
    entry.array = array_;
    entry.in_array = kNone;
    if (number == kNone) return nullptr;
    const Node& node = nodes_[number];
    entry.in_array = node.next;
    id = {number, node.generation};
    return &node.request;
  }

  /// nullptr if there is none, or it has been removed. The pointer holds until the next change.
  Request* get(RequestId id) {
    if (id.node == kNone || nodes_[id.node].generation != id.generation) return nullptr;
    return &nodes_[id.node].request;
  }
  /// The request is complete: gone, unless it is persistent and becomes inactive.
  void complete(RequestId id) {
    Request* const known = get(id);
    if (known == nullptr) return;
    if (!known->has(Request::kPersistent)) return take_out(id.node);
    known->traits &= static_cast<std::uint8_t>(~(Request::kActive | Request::kCancelled));
  }
  /// @param quietly   by a call that is not recorded: a reader still sees the slot in use
  void remove(RequestId id, bool quietly = false);

  /// The word for a request (trace/program.hpp) in a call of the stream's thread.
  static std::int64_t word_of(const Request& request, const Stream& stream) {
    if (request.stream != &stream || request.has(Request::kPersistent | Request::kQuiet))
      return other_word_of(request, stream);
    return trace::request_by_age(stream.nonblocking_made - request.number);
  }

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

  void add(std::uint64_t handle, std::uint64_t number, std::uint8_t traits, Stream& stream);
  void make_room();
  void take_out(std::uint32_t node);
  static std::int64_t other_word_of(const Request& request, const Stream& stream);
  // The first node from this one on that is the stream's own, else this one.
  std::uint32_t first_of(std::uint32_t node, const Stream& stream) const {
    std::uint32_t own = node;
    while (own != kNone && nodes_[own].request.stream != &stream) own = nodes_[own].next;
    return own == kNone ? node : own;
  }
  RequestId id_of(std::uint32_t node) const {
    return {node, node == kNone ? 0 : nodes_[node].generation};
  }
  // Of the handle, or of the free place where it belongs.
  std::size_t place_of(std::uint64_t handle) const {
    std::size_t place = home_of(handle);
    while (table_[place].handle != handle && table_[place].oldest != kNone)
      place = (place + 1) & mask_;
    return place;
  }
  void close_gap(std::size_t place);
  void grow();
  std::size_t home_of(std::uint64_t handle) const {
    return (handle * 0x9e3779b97f4a7c15u) >> shift_;
  }

  std::vector<Entry> table_;
  std::size_t mask_; // its size less 1
  int shift_;
  std::size_t room_; // for so many more handles, before it grows
  std::vector<Node> nodes_;
  std::uint32_t free_node_ = kNone;
  std::uint64_t array_ = 0;
};

} // namespace rondo::record
