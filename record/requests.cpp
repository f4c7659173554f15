// SPDX-License-Identifier: Apache-2.0
#include "record/requests.hpp"

namespace rondo::record {

Requests::Requests()
    : table_(256), mask_(table_.size() - 1), shift_(64 - 8), room_(table_.size() / 2) {}

void Requests::add_nonblocking(std::uint64_t handle, std::uint8_t traits, Stream& stream) {
  add(handle, ++stream.nonblocking_made, traits | Request::kActive, stream);
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

RequestId Requests::find(std::uint64_t handle, const Stream& stream) const {
  return id_of(first_of(table_[place_of(handle)].oldest, stream));
}

void Requests::add(std::uint64_t handle, std::uint64_t number, std::uint8_t traits,
                   Stream& stream) {
  if (free_node_ == kNone || room_ == 0) [[unlikely]]
    make_room();
  const std::uint32_t taken = free_node_;
  Node& node = nodes_[taken];
  free_node_ = node.next;
  node.request.number = number;
  node.request.stream = &stream;
  node.request.traits = traits;
  node.handle = handle;
  node.next = kNone;
  ++stream.requests;
  Entry& entry = table_[place_of(handle)];
  if (entry.oldest == kNone) {
    node.previous = kNone;
    entry.handle = handle;
    entry.oldest = taken;
    --room_;
  } else {
    node.previous = entry.newest;
    nodes_[entry.newest].next = taken;
  }
  entry.newest = taken;
}

// A free node, and a free place.
[[gnu::noinline]] void Requests::make_room() {
  if (free_node_ == kNone) {
    free_node_ = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
  }
  if (room_ == 0) grow();
}

void Requests::remove(RequestId id, bool quietly) {
  const Request* const known = get(id);
  if (known == nullptr) return;
  if (known->has(Request::kPersistent) && !known->has(Request::kQuiet) && !quietly)
    known->stream->slots.release(known->number);
  take_out(id.node);
}

void Requests::take_out(std::uint32_t number) {
  Node& node = nodes_[number];
  --node.request.stream->requests;
  ++node.generation;
  const std::size_t place = place_of(node.handle);
  Entry& entry = table_[place];
  (node.previous == kNone ? entry.oldest : nodes_[node.previous].next) = node.next;
  (node.next == kNone ? entry.newest : nodes_[node.next].previous) = node.previous;
  node.next = free_node_;
  free_node_ = number;
  if (entry.oldest != kNone) return;
  ++room_;
  if (table_[(place + 1) & mask_].oldest != kNone) [[unlikely]]
    close_gap(place);
}

// Moves later entries of the probe sequence up, so that no tombstones are needed.
[[gnu::noinline]] void Requests::close_gap(std::size_t hole) {
  for (std::size_t next = (hole + 1) & mask_; table_[next].oldest != kNone;
       next = (next + 1) & mask_) {
    const std::size_t home = home_of(table_[next].handle);
    if (((next - home) & mask_) >= ((next - hole) & mask_)) {
      table_[hole] = table_[next];
      hole = next;
    }
  }
  table_[hole] = {};
}

void Requests::grow() {
  std::vector<Entry> old(table_.size() * 2);
  old.swap(table_);
  mask_ = table_.size() - 1;
  room_ += old.size() / 2;
  --shift_;
  for (const Entry& entry : old) {
    if (entry.oldest != kNone) table_[place_of(entry.handle)] = entry;
  }
}

} // namespace rondo::record
