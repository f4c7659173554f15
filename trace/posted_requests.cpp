// SPDX-License-Identifier: Apache-2.0
// What becomes of the requests that a stream makes: persistent ones are started, wildcard receives
// complete with a status.
#include "trace/posted_calls.hpp"
#include "trace/posted_words.hpp"

#include <algorithm>

namespace rondo::trace::internal {

void PostedCalls::resolve(Posted& post, const RequestOutcome& outcome) {
  const bool is_wild = post.peer == kAnySource || post.tag == kAnyTag;
  post.state = Posted::State::kKnown;
  if (!is_wild) return;
  if (!outcome.has_status) {
    post.state = Posted::State::kUnknown;
    return;
  }
  post.peer = -1;
  if (!is_special(outcome.source)) {
    const Target& target =
        target_of({post.comm_slot, outcome.source, outcome.tag, 0}, post.end.symbol);
    post.peer = target.peer;
    post.channel = target.channel;
  }
  post.tag = outcome.tag;
  if (post.peer >= 0) return;
  post.state = Posted::State::kDropped;
  ++losses_.unknown_peers;
}

std::uint32_t PostedCalls::line_of(const PostLayout& layout, const Words& words) {
  const std::int64_t comm = word_or(words, layout.comm, kWorldSlot);
  if (layout.act == PostAct::kCollective) return ++lines_[{comm, 0, 0, 2}];
  if (!layout.is_partitioned) return 0;
  const bool is_send = layout.dest >= 0;
  return ++lines_[{comm, word_or(words, is_send ? layout.dest : layout.source, 0),
                   word_or(words, layout.send_tag, 0), is_send ? 1 : 0}];
}

void PostedCalls::make_request(const PostLayout& layout, const CallInstance& call) {
  slots_.add({&layout, call.function, call.words, line_of(layout, call.words)});
}

void PostedCalls::start(std::int64_t reference, std::uint32_t symbol) {
  const Request* request = slots_.find(reference);
  if (request == nullptr) {
    if (!is_special(reference)) ++losses_.unknown_requests;
    return;
  }
  if (request->layout->act == PostAct::kCollective) {
    collective(*request->layout, request->words, request->function->id, request->line, symbol);
  } else {
    const Key key = OpenRequests::Key{thread_, true, age_or_slot(reference)};
    transfer(*request->layout, request->words, key, request->line, symbol);
  }
}

void PostedCalls::free_request(std::int64_t reference) { slots_.free(reference); }

OpenRequests::Key PostedCalls::key_of(std::int64_t reference) const {
  if (is_foreign(reference)) {
    const ForeignRequest request = foreign_request(reference);
    return {request.thread, request.persistent, request.number};
  }
  const std::uint64_t n = age_or_slot(reference);
  return is_persistent(reference) ? OpenRequests::Key{thread_, true, n}
                                  : OpenRequests::Key{thread_, false, made_ - n};
}

const std::vector<std::int64_t>& PostedCalls::array_of(std::int64_t word) const {
  static const std::vector<std::int64_t> kNone;
  const auto& arrays = reader_.program().arrays;
  const bool is_index = !is_special(word) && static_cast<std::uint64_t>(word) < arrays.size();
  return is_index ? arrays[static_cast<std::size_t>(word)] : kNone;
}

void PostedCalls::complete(const PostLayout& layout, const Words& words) {
  if (layout.flag >= 0 && word_or(words, layout.flag, 0) != 1) return;
  if (layout.request >= 0) {
    complete_one(word_or(words, layout.request, kNull), status_of(words, layout.status));
  } else if (layout.index >= 0) {
    const std::int64_t index = word_or(words, layout.index, kUndefined);
    const auto& requests = array_of(word_or(words, layout.requests, kNothing));
    if (!is_special(index) && static_cast<std::uint64_t>(index) < requests.size())
      complete_one(requests[static_cast<std::size_t>(index)], status_of(words, layout.status));
  } else {
    complete_array(layout, words);
  }
}

// An array of statuses holds its length, then [index, source less this rank, tag, bytes] of those
// that say something; the index counts requests, or those that completed.
void PostedCalls::complete_array(const PostLayout& layout, const Words& words) {
  const auto& requests = array_of(word_or(words, layout.requests, kNothing));
  const std::int64_t status_word = word_or(words, layout.status, 0);
  const auto& statuses = status_word == 0 ? array_of(kNothing) : array_of(status_word);
  const bool some = layout.indices >= 0;
  const auto& indices = some ? array_of(word_or(words, layout.indices, kNothing)) : requests;
  std::size_t next = 1;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    RequestOutcome outcome;
    if (next + 3 < statuses.size() && statuses[next] == static_cast<std::int64_t>(i)) {
      const std::int64_t source = statuses[next + 1];
      outcome = {true, is_special(source) ? source : wrapping_sum(source, rank()),
                 statuses[next + 2]};
      next += 4;
    }
    const auto request = some ? static_cast<std::uint64_t>(indices[i]) : i;
    if (request < requests.size()) complete_one(requests[request], outcome);
  }
}

void PostedCalls::complete_one(std::int64_t reference, const RequestOutcome& outcome) {
  if (is_special(reference)) return;
  open_->complete(key_of(reference), outcome, is_foreign(reference));
}

void PostedCalls::drain_all() {
  for (auto& [key, queue] : queues_) drain(queue);
}

void PostedCalls::close() {
  for (auto& [key, queue] : queues_) {
    for (Posted& post : queue) {
      if (post.state == Posted::State::kPending) resolve(post, {});
    }
  }
  drain_all();
}

} // namespace rondo::trace::internal
