// SPDX-License-Identifier: Apache-2.0
#include "record/requests.hpp"

#include "rondo/trace/program.hpp"

namespace rondo::record {

Requests::Requests() : table_(256), shift_(64 - 8) {}

void Requests::add_nonblocking(std::uint64_t handle, bool wildcard, bool is_receive,
                               Stream& stream) {
  add(handle, {++stream.nonblocking_made, &stream, false, true, wildcard, true, is_receive});
}

void Requests::add_persistent(std::uint64_t handle, bool wildcard, bool is_receive,
                              Stream& stream) {
  add(handle, {stream.slots.take(), &stream, true, false, wildcard, true, is_receive});
}

void Requests::add_quiet(std::uint64_t handle, bool persistent, Stream& stream) {
  add(handle, {0, &stream, persistent, !persistent, false, false});
}

std::int64_t Requests::word_of(const Request& request, const Stream& stream) {
  if (!request.recorded) return trace::kUnrecorded;
  if (request.stream != &stream)
    return trace::request_of_thread({request.stream->thread, request.persistent, request.number});
  return request.persistent ? trace::request_by_slot(request.number)
                            : trace::request_by_age(stream.nonblocking_made - request.number);
}

std::size_t Requests::place_of(std::uint64_t handle) const {
  std::size_t place = home_of(handle);
  while (table_[place].oldest != kNone && table_[place].handle != handle)
    place = (place + 1) & (table_.size() - 1);
  return place;
}

// The first node from this one on that is the stream's own, else this one.
std::uint32_t Requests::first_of(std::uint32_t node, const Stream& stream) const {
  std::uint32_t own = node;
  while (own != kNone && nodes_[own].request.stream != &stream) own = nodes_[own].next;
  return own == kNone ? node : own;
}

RequestId Requests::find(std::uint64_t handle, const Stream& stream) const {
  return id_of(first_of(table_[place_of(handle)].oldest, stream));
}

const Request* Requests::find_in_array(std::uint64_t handle, const Stream& stream, RequestId& id) {
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

Request* Requests::get(RequestId id) {
  if (id.node == kNone || nodes_[id.node].generation != id.generation) return nullptr;
  return &nodes_[id.node].request;
}

void Requests::add(std::uint64_t handle, const Request& request) {
  ++request.stream->requests;
  std::uint32_t node = free_node_;
  if (node == kNone) {
    node = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
  } else {
    free_node_ = nodes_[node].next;
  }
  if (2 * (used_ + 1) > table_.size()) grow();
  Entry& entry = table_[place_of(handle)];
  const std::uint32_t previous = entry.oldest == kNone ? kNone : entry.newest;
  nodes_[node] = {request, handle, kNone, previous, nodes_[node].generation};
  if (previous == kNone) {
    entry = {handle, node, node};
    ++used_;
  } else {
    nodes_[previous].next = node;
    entry.newest = node;
  }
}

void Requests::remove(RequestId id, bool quietly) {
  if (get(id) == nullptr) return;
  Node& node = nodes_[id.node];
  const std::size_t place = place_of(node.handle);
  Entry& entry = table_[place];
  (node.previous == kNone ? entry.oldest : nodes_[node.previous].next) = node.next;
  (node.next == kNone ? entry.newest : nodes_[node.next].previous) = node.previous;
  if (node.request.persistent && node.request.recorded && !quietly)
    node.request.stream->slots.release(node.request.number);
  --node.request.stream->requests;
  ++node.generation;
  node.next = free_node_;
  free_node_ = id.node;
  if (entry.oldest == kNone) erase_place(place);
}

// Moves later entries of the probe sequence up, so that no tombstones are needed.
void Requests::erase_place(std::size_t place) {
  --used_;
  const std::size_t mask = table_.size() - 1;
  std::size_t hole = place;
  for (std::size_t next = (hole + 1) & mask; table_[next].oldest != kNone;
       next = (next + 1) & mask) {
    const std::size_t home = home_of(table_[next].handle);
    if (((next - home) & mask) >= ((next - hole) & mask)) {
      table_[hole] = table_[next];
      hole = next;
    }
  }
  table_[hole] = {};
}

void Requests::grow() {
  std::vector<Entry> old(table_.size() * 2);
  old.swap(table_);
  --shift_;
  for (const Entry& entry : old) {
    if (entry.oldest != kNone) table_[place_of(entry.handle)] = entry;
  }
}

} // namespace rondo::record
