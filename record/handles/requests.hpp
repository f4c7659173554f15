// SPDX-License-Identifier: Apache-2.0
// The program's requests, by handle. MPI libraries may use one handle for several requests at a
// time (all sends that are complete at once, for instance); a handle then means the oldest of those
// that the calling thread made, and entries of one array mean different ones.
#pragma once

#include "record/handles/request_id.hpp"
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
  static constexpr std::uint8_t kOfStatus = kWildcard | kCancelled; // with these it may say more
  static bool wants_status(std::uint8_t traits) {
    return (traits & kOfStatus) != 0 && (traits & kActive) != 0;
  }
};

class alignas(64) Requests {
public:
  Requests();

  /// @param traits   kWildcard, kReceive or neither
  void add_nonblocking(std::uint64_t handle, std::uint8_t traits, Stream& stream) {
    add(handle, ++stream.nonblocking_made, traits | Request::kActive, stream);
  }
  void add_persistent(std::uint64_t handle, std::uint8_t traits, Stream& stream);
  /// One that the trace does not know.
  void add_quiet(std::uint64_t handle, bool persistent, Stream& stream);

  /// The oldest request with this handle, of the stream's own if there is one; none if get() of it
  /// is nullptr.
  /// @complexity O(1), plus how many of other streams with the same handle are older
  RequestId find(std::uint64_t handle, const Stream& stream) const {
    const std::uint32_t oldest = same_from(buckets_[bucket_of(handle)].oldest, handle);
    return id_of(own_from(oldest, handle, stream));
  }
  /// Between begin_array() calls, one handle means its requests in turn, the oldest first.
  void begin_array() { ++array_; }
  /// @param id   becomes that of the request
  /// @return     nullptr if there is none
  const Request* find_in_array(std::uint64_t handle, const Stream& stream, RequestId& id) {
    id = {};
    const std::uint32_t oldest = same_from(buckets_[bucket_of(handle)].oldest, handle);
    if (oldest == kNone) return nullptr;
    Node& first = nodes_[oldest];
    std::uint32_t found = oldest;
    if (first.array == array_) found = same_from(first.in_array, handle);
    found = own_from(found, handle, stream);
    first.array = array_;
    first.in_array = kNone;
    if (found == kNone) return nullptr;
    const Node& node = nodes_[found];
    first.in_array = node.next;
    id = {found, node.generation};
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
    if (known->has(Request::kOfStatus) && !known->has(Request::kWildcard)) --with_status_;
    known->traits &= static_cast<std::uint8_t>(~(Request::kActive | Request::kCancelled));
  }
  /// @param quietly   by a call that is not recorded: a reader still sees the slot in use
  void remove(RequestId id, bool quietly = false);
  /// MPI_Cancel was called for it.
  void note_cancelled(Request& request) {
    if (!request.has(Request::kOfStatus)) ++with_status_;
    request.traits |= Request::kCancelled;
  }
  /// Whether there are any whose status may be worth keeping.
  bool may_have_statuses() const { return with_status_ != 0; }

  /// The word for a request (trace/program.hpp) in a call of the stream's thread.
  static std::int64_t word_of(const Request& request, const Stream& stream) {
    if (request.stream != &stream || request.has(Request::kPersistent | Request::kQuiet))
      return other_word_of(request, stream);
    return trace::request_by_age(stream.nonblocking_made - request.number);
  }

private:
  static constexpr std::uint32_t kNone = 0xffffffff;
  struct alignas(64) Node { // a line of the cache
    Request request;
    std::uint64_t handle = 0;
    std::uint32_t next = kNone; // of the same bucket, younger; of a free node: the next free one
    std::uint32_t previous = kNone;
    std::uint32_t generation = 0;
    std::uint32_t in_array = kNone; // where the handle's next one is to be sought,
    std::uint64_t array = 0; // in the array in which find_in_array() last came here
    std::uint32_t bucket = 0; // it is in
  };
  struct Bucket { // a list, by age: those of one handle in turn are their order in it
    std::uint32_t oldest = kNone;
    std::uint32_t newest = kNone;
  };

  // Part of what folds the call, as that is called at each one that makes a request.
  [[gnu::always_inline]] void add(std::uint64_t handle, std::uint64_t number, std::uint8_t traits,
                                  Stream& stream) {
    const std::uint32_t taken = free_node_;
    if (taken == kNone) [[unlikely]]
      return add_with_room(handle, number, traits, stream);
    Node& node = nodes_[taken];
    free_node_ = node.next;
    node.request.number = number;
    node.request.stream = &stream;
    node.request.traits = traits;
    node.handle = handle;
    ++stream.requests;
    if ((traits & Request::kOfStatus) != 0) [[unlikely]]
      ++with_status_;
    append(taken);
  }
  void add_with_room(std::uint64_t handle, std::uint64_t number, std::uint8_t traits,
                     Stream& stream);
  void append(std::uint32_t number) {
    Node& node = nodes_[number];
    node.bucket = bucket_of(node.handle);
    Bucket& bucket = buckets_[node.bucket];
    node.next = kNone;
    node.previous = bucket.newest;
    (node.previous == kNone ? bucket.oldest : nodes_[node.previous].next) = number;
    bucket.newest = number;
  }
  void take_out(std::uint32_t number) {
    Node& node = nodes_[number];
    --node.request.stream->requests;
    if (node.request.has(Request::kOfStatus)) --with_status_;
    ++node.generation;
    Bucket& bucket = buckets_[node.bucket];
    (node.previous == kNone ? bucket.oldest : nodes_[node.previous].next) = node.next;
    (node.next == kNone ? bucket.newest : nodes_[node.next].previous) = node.previous;
    node.next = free_node_;
    free_node_ = number;
  }
  static std::int64_t other_word_of(const Request& request, const Stream& stream);
  // The first node from this one on with the handle.
  std::uint32_t same_from(std::uint32_t node, std::uint64_t handle) const {
    while (node != kNone && nodes_[node].handle != handle) node = nodes_[node].next;
    return node;
  }
  // The first from this one on that is the stream's own, too, else this one.
  std::uint32_t own_from(std::uint32_t node, std::uint64_t handle, const Stream& stream) const {
    if (node == kNone || nodes_[node].request.stream == &stream) return node;
    std::uint32_t own = node;
    while (own != kNone && nodes_[own].request.stream != &stream)
      own = same_from(nodes_[own].next, handle);
    return own == kNone ? node : own;
  }
  RequestId id_of(std::uint32_t node) const {
    return {node, node == kNone ? 0 : nodes_[node].generation};
  }
  std::uint32_t bucket_of(std::uint64_t handle) const {
    return static_cast<std::uint32_t>((handle * 0x9e3779b97f4a7c15u) >> shift_);
  }

  // What all calls look at, together.
  std::vector<Bucket> buckets_; // more than nodes
  std::vector<Node> nodes_;
  int shift_;
  std::uint32_t free_node_ = kNone;
  std::uint64_t array_ = 0;
  std::size_t with_status_ = 0; // requests with a trait of kOfStatus
};

} // namespace rondo::record
