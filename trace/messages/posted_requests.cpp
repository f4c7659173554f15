// SPDX-License-Identifier: Apache-2.0
// What becomes of the requests that a stream makes: persistent ones are started, wildcard receives
// complete with a status.
#include "trace/messages/posted_calls.hpp"

#include <algorithm>

namespace rondo::trace::internal {

void PostedCalls::resolve(Posted& post, const StatusWords& outcome) {
  const bool is_wild = post.peer == kAnySource || post.tag == kAnyTag;
  post.state = Posted::State::kKnown;
  if (!is_wild) return;
  if (!outcome.says_something) {
    post.state = Posted::State::kUnknown;
    return;
  }
  post.peer = -1;
  post.tag = outcome.tag_asked_as(post.tag);
  if (!is_special(outcome.source)) {
    const Target& target =
        target_of({post.comm_slot, outcome.source, post.tag, 0}, post.end.symbol);
    post.peer = target.peer;
    post.channel = target.channel;
  }
  if (post.peer >= 0) return;
  post.state = Posted::State::kDropped;
  ++losses_.unknown_peers;
}

std::uint32_t PostedCalls::line_of(const CallView& call) {
  if (call.means().act == Act::kCollective) return ++lines_[{call.comm(), 0, 0, 2}];
  if (!call.means().is_partitioned) return 0;
  if (call.means().sends()) return ++lines_[{call.comm(), call.dest(), call.send_tag(), 1}];
  return ++lines_[{call.comm(), call.source(), call.receive_tag(), 0}];
}

void PostedCalls::make_request(const CallView& call, const CallInstance& instance) {
  slots_.add({&call.means(), instance.function, instance.words, line_of(call)});
}

void PostedCalls::start_all(const CallView& call, std::uint32_t symbol) {
  if (call.means().request >= 0) return start(call.request(), symbol);
  for (const std::int64_t request : array_of(call.requests())) start(request, symbol);
}

void PostedCalls::start(std::int64_t reference, std::uint32_t symbol) {
  const Request* request = slots_.find(reference);
  if (request == nullptr) {
    if (!is_special(reference)) ++losses_.unknown_requests;
    return;
  }
  const CallView call(*request->means, request->words);
  if (call.means().act == Act::kCollective) {
    collective(call, request->function->id, request->line, symbol);
  } else {
    const Key key = OpenRequests::Key{thread_, true, age_or_slot(reference)};
    transfer(call, key, request->line, symbol);
  }
}

void PostedCalls::free_request(std::int64_t reference) {
  if (!is_special(reference)) open_->give_up(key_of(reference));
  slots_.free(reference);
}

void foresee_cancels(const Trace& trace, const RankClass& rank_class, std::int64_t rank,
                     OpenRequests& open) {
  CallReader reader(trace, rank_class, rank);
  while (const CallInstance* call = reader.next()) {
    const CallView view(meaning_of(*call->function), call->words);
    const bool cancels = view.means().act == Act::kCancel && call->error == 0;
    if (!cancels || is_special(view.request()) || !is_foreign(view.request())) continue;
    const ForeignRequest request = foreign_request(view.request());
    if (!request.persistent) open.foresee_cancel({request.thread, false, request.number});
  }
}

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

void PostedCalls::complete(const CallView& call) {
  if (!call.has_found()) return;
  switch (call.means().completes) {
  case Completes::kNone:
    return;
  case Completes::kOne:
    return complete_one(call.request(), call.status());
  case Completes::kAny: {
    const auto& requests = array_of(call.requests());
    if (!is_special(call.index()) && static_cast<std::uint64_t>(call.index()) < requests.size())
      complete_one(requests[static_cast<std::size_t>(call.index())], call.status());
    return;
  }
  case Completes::kAll:
  case Completes::kSome:
    return complete_array(call);
  }
}

// An array of statuses holds its length, then [index, source less this rank, tag, bytes] of those
// that say something; the index counts requests, or those that completed.
void PostedCalls::complete_array(const CallView& call) {
  const auto& requests = array_of(call.requests());
  const std::int64_t status_word = word_or(call.words(), call.means().statuses, 0);
  const auto& statuses = status_word == 0 ? array_of(kNothing) : array_of(status_word);
  const bool some = call.means().completes == Completes::kSome;
  const auto& indices = some ? array_of(call.indices()) : requests;
  std::size_t next = 1;
  for (std::size_t i = 0; i < indices.size(); ++i) {
    StatusWords outcome;
    if (next + 3 < statuses.size() && statuses[next] == static_cast<std::int64_t>(i)) {
      const std::int64_t source = statuses[next + 1];
      outcome = {true, is_special(source) ? source : wrapping_sum(source, rank()),
                 statuses[next + 2], statuses[next + 3]};
      next += 4;
    }
    const auto request = some ? static_cast<std::uint64_t>(indices[i]) : i;
    if (request < requests.size()) complete_one(requests[request], outcome);
  }
}

void PostedCalls::complete_one(std::int64_t reference, const StatusWords& outcome) {
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
