// SPDX-License-Identifier: Apache-2.0
#include "record/handles/requests.hpp"

#include <algorithm>
#include <utility>

namespace rondo::record {

Requests::Requests() : buckets_(256), shift_(64 - 8) {}

// Twice as many nodes, and buckets.
[[gnu::noinline]] void Requests::add_with_room(std::uint64_t handle, std::uint64_t number,
                                               std::uint8_t traits, Stream& stream) {
  const std::size_t used = nodes_.size();
  nodes_.resize(std::max<std::size_t>(buckets_.size() / 4, 2 * used));
  for (std::size_t i = nodes_.size(); i-- > used;)
    nodes_[i].next = std::exchange(free_node_, static_cast<std::uint32_t>(i));
  if (2 * nodes_.size() > buckets_.size()) {
    std::vector<Bucket> old(2 * buckets_.size());
    old.swap(buckets_);
    --shift_;
    for (const Bucket& from : old) {
      for (std::uint32_t i = from.oldest; i != kNone;) {
        const std::uint32_t next = nodes_[i].next;
        append(i);
        i = next;
      }
    }
  }
  add(handle, number, traits, stream);
}

void Requests::add_persistent(std::uint64_t handle, std::uint8_t traits, Stream& stream) {
  add(handle, stream.slots.take(), traits | Request::kPersistent, stream);
}

void Requests::add_quiet(std::uint64_t handle, bool persistent, Stream& stream) {
  const auto kind = persistent ? Request::kPersistent : Request::kActive;
  add(handle, 0, static_cast<std::uint8_t>(Request::kQuiet | kind), stream);
}

std::int64_t Requests::other_word_of(const Request& request, const Stream& stream) {
  if (request.has(Request::kQuiet)) return trace::kUnrecorded;
  const bool persistent = request.has(Request::kPersistent);
  if (request.stream != &stream)
    return trace::request_of_thread({request.stream->thread, persistent, request.number});
  return trace::request_by_slot(request.number);
}

void Requests::remove(RequestId id, bool quietly) {
  const Request* const known = get(id);
  if (known == nullptr) return;
  if (known->has(Request::kPersistent) && !known->has(Request::kQuiet) && !quietly)
    known->stream->slots.release(known->number);
  take_out(id.node);
}

} // namespace rondo::record
