// SPDX-License-Identifier: Apache-2.0
#include "convert/paraver/prv_queue.hpp"

#include <algorithm>
#include <charconv>
#include <iterator>

namespace rondo::convert::internal {

void append_number(std::string& text, std::int64_t number) {
  char digits[24];
  const auto end = std::to_chars(std::begin(digits), std::end(digits), number);
  text.append(std::begin(digits), end.ptr);
}

std::string& PrvQueue::text() {
  if (chunks_.empty()) return file_.text();
  if (chunks_.back().id != 0) chunks_.emplace_back();
  return chunks_.back().text;
}

void PrvQueue::send(std::uint64_t id, const Sent& sent) {
  if (const auto early = early_.find(id); early != early_.end()) {
    const Received received = early->second;
    early_.erase(early);
    if (!sent.is_wanted || !received.is_wanted) return;
    if (chunks_.empty()) return put(sent, received);
    Chunk& chunk = chunks_.emplace_back();
    chunk.id = id;
    chunk.sent = sent;
    chunk.received = received;
    return;
  }
  if (sent.is_wanted) {
    if (!chunks_.empty()) bytes_ += chunks_.back().id == 0 ? chunks_.back().text.size() : 0;
    bytes_ += sizeof(Chunk);
    Chunk& chunk = chunks_.emplace_back();
    chunk.id = id;
    chunk.is_open = true;
    chunk.sent = sent;
  }
  sent_[id] = {first_ + chunks_.size() - (sent.is_wanted ? 1 : 0), sent};
}

void PrvQueue::receive(std::uint64_t id, const Received& received) {
  const auto found = sent_.find(id);
  if (found == sent_.end()) {
    early_[id] = received;
    return;
  }
  const Waiting waiting = found->second;
  sent_.erase(found);
  if (!waiting.sent.is_wanted) return;
  const bool is_late = waiting.chunk < first_;
  if (is_late && received.is_wanted) {
    ++late_;
    Chunk& chunk = chunks_.emplace_back();
    chunk.id = id;
    chunk.sent = waiting.sent;
    chunk.received = received;
  }
  if (is_late) return;
  Chunk& chunk = chunks_[static_cast<std::size_t>(waiting.chunk - first_)];
  chunk.is_open = false;
  chunk.received = received;
}

void PrvQueue::put(const Sent& sent, const Received& received) {
  std::string& out = file_.text();
  out += "3:";
  out += sent.prefix;
  append_number(out, static_cast<std::int64_t>(sent.begin_ns));
  out += ':';
  append_number(out, static_cast<std::int64_t>(sent.begin_ns));
  out += ':';
  out += received.prefix;
  append_number(out, static_cast<std::int64_t>(received.posted_ns));
  out += ':';
  append_number(out, static_cast<std::int64_t>(received.end_ns));
  out += ':';
  append_number(out, static_cast<std::int64_t>(sent.bytes));
  out += ':';
  append_number(out, sent.tag);
  out += '\n';
  ++written_;
}

void PrvQueue::release(bool by_force) {
  while (!chunks_.empty()) {
    Chunk& chunk = chunks_.front();
    const bool is_late = chunk.is_open; // its receive will find the chunk gone
    if (is_late && !by_force) return;
    if (chunk.id == 0) {
      if (chunks_.size() > 1) bytes_ -= std::min(bytes_, chunk.text.size());
      file_.text() += chunk.text;
    } else {
      bytes_ -= std::min(bytes_, sizeof(Chunk));
      if (!is_late && chunk.received.is_wanted) put(chunk.sent, chunk.received);
    }
    chunks_.pop_front();
    ++first_;
    if (is_late && bytes_ < most_bytes_ / 2) by_force = false;
  }
  bytes_ = 0;
}

Status PrvQueue::spill() {
  release(bytes_ > most_bytes_);
  return file_.spill();
}

Status PrvQueue::finish() {
  for (const auto& [id, waiting] : sent_) lost_ += waiting.sent.is_wanted ? 1 : 0;
  for (const auto& [id, received] : early_) lost_ += received.is_wanted ? 1 : 0;
  while (!chunks_.empty()) {
    release(true);
    if (auto written = file_.spill(); !written) return written;
  }
  return file_.finish();
}

} // namespace rondo::convert::internal
