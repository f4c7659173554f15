// SPDX-License-Identifier: Apache-2.0
#include "trace/messages/posted_calls.hpp"

#include "rondo/base/mixed.hpp"

#include <algorithm>

namespace rondo::trace::internal {
namespace {

constexpr std::size_t kMostTargets = 1 << 16; // remembered; irregular programs have any number

// Whether the word may be `special`: it is that, or a column, which nobody looks into.
bool may_be(const Call& call, int index, std::int64_t special) {
  if (index < 0) return false;
  const Word& word = call.words[static_cast<std::size_t>(index)];
  return word.form != Word::Form::kConstant || word.value == special;
}

bool posts_messages(const CallMeaning& means) {
  return means.act == Act::kTransfer || means.act == Act::kMatchedProbe || means.act == Act::kStart;
}

} // namespace

std::size_t PostedCalls::HashChannelWords::operator()(const ChannelWords& words) const {
  std::uint64_t hash = words.side;
  for (const std::int64_t word : {words.comm, words.peer, words.tag})
    hash = mixed(hash, static_cast<std::uint64_t>(word));
  return hash;
}

PostedCalls::PostedCalls(const Trace& trace, const RankClass& rank_class, std::int64_t rank,
                         const Communicators& comms, OpenRequests& open, PostSink& sink)
    : reader_(trace, rank_class, rank), comms_(&comms), open_(&open), sink_(&sink),
      thread_(rank_class.thread), is_single_threaded_(trace.run.thread_level < 3) {
  for (const Call& call : rank_class.program->calls) {
    const CallMeaning& means = meaning_of(*find_function(call.function));
    meanings_.push_back(&means);
    last_used_by_.push_back(static_cast<std::uint32_t>(last_used_.size()));
    if (posts_messages(means)) last_used_.emplace_back();
    may_cancel_ = may_cancel_ || means.act == Act::kCancel;
    has_any_tag_ = has_any_tag_ || (means.receives() && may_be(call, means.receive_tag, kAnyTag));
  }
  for (const DatatypeDefinition& type : trace.datatypes) {
    if (type.holders.contains(rank))
      type_bytes_[type.slot] =
          static_cast<std::uint64_t>(std::max<std::int64_t>(type.size_bytes, 0));
  }
}

bool PostedCalls::step() {
  const CallInstance* call = reader_.next();
  if (call == nullptr) return false;
  ++calls_;
  if (call->error == 0) act({*meanings_[call->symbol], call->words}, *call);
  return true;
}

void PostedCalls::act(const CallView& call, const CallInstance& instance) {
  const std::uint32_t symbol = instance.symbol;
  const bool makes_request = instance.function->makes_request;
  if (makes_request && call.means().is_started_later) return make_request(call, instance);
  Key key;
  if (makes_request) key = {thread_, false, ++made_};
  switch (call.means().act) {
  case Act::kTransfer:
    return transfer(call, key, 0, symbol);
  case Act::kMatchedProbe:
    return matched_probe(call, symbol);
  case Act::kCollective:
    return collective(call, instance.function->id, 0, symbol);
  case Act::kStart:
    return start_all(call, symbol);
  case Act::kComplete:
    if (!open_->empty() || !is_single_threaded_) complete(call);
    return;
  case Act::kCancel:
    if (!is_special(call.request())) open_->cancel(key_of(call.request()));
    return;
  case Act::kFreeRequest:
    return free_request(call.request());
  case Act::kTakeMatched: // the probe has received
  case Act::kProbe:
  case Act::kAskPartition:
  case Act::kReady:
  case Act::kOwnRequest:
  case Act::kLocal:
  case Act::kInit:
  case Act::kFinalize:
  case Act::kAbort:
  case Act::kPhaseBegin:
  case Act::kPhaseEnd:
  case Act::kMakeComm: // those who make objects together are not matched
  case Act::kFreeComm:
  case Act::kDisconnect:
  case Act::kProcess:
  case Act::kMakeWindow:
  case Act::kFreeWindow:
  case Act::kAttach:
  case Act::kFence:
  case Act::kExpose:
  case Act::kEndExposure:
  case Act::kAccess:
  case Act::kEndAccess:
  case Act::kLock:
  case Act::kFlush:
  case Act::kOneSided:
  case Act::kFile:
  case Act::kFileAccess:
  case Act::kMakeObject:
  case Act::kAskObject:
  case Act::kNameObject:
  case Act::kFreeObject:
    return;
  }
}

// Posting
// ------------------------------------------------------------------------------------------------

void PostedCalls::transfer(const CallView& call, const Key& key, std::uint32_t line,
                           std::uint32_t symbol) {
  if (call.means().sends()) send(call, call.means().receives() ? Key() : key, line, symbol);
  if (call.means().receives()) receive(call, key, line, symbol);
}

void PostedCalls::send(const CallView& call, const Key& key, std::uint32_t line,
                       std::uint32_t symbol) {
  const std::int64_t dest = call.dest();
  if (is_special(dest)) return;
  const Target& target = target_of({call.comm(), dest, call.send_tag(), 1 + 2 * line}, symbol);
  if (target.channel == kNoChannel) {
    ++losses_.unknown_peers;
    return;
  }
  Posted post = posted(true, target, symbol);
  post.bytes = bytes_of(call, symbol);
  put(post, key);
}

void PostedCalls::receive(const CallView& call, const Key& key, std::uint32_t line,
                          std::uint32_t symbol) {
  std::int64_t source = call.source();
  std::int64_t tag = call.receive_tag();
  const bool is_wild = source == kAnySource || tag == kAnyTag;
  if (is_special(source) && source != kAnySource) return;
  bool is_known = !is_wild;
  if (is_wild && !key) { // the status stands here
    const StatusWords status = call.status();
    is_known = status.says_something;
    if (is_known) std::tie(source, tag) = std::pair{status.source, status.tag_asked_as(tag)};
    if (is_known && is_special(source)) return;
  }
  const std::int64_t comm = call.comm();
  if (is_known) {
    const Target& target = target_of({comm, source, tag, 2 * line}, symbol);
    if (target.channel == kNoChannel) {
      ++losses_.unknown_peers;
      return;
    }
    Posted post = posted(false, target, symbol);
    put(post, key);
    return;
  }
  const Communicators::View& view = comms_->of(rank(), comm);
  if (view.id == Communicators::kUnknown) {
    ++losses_.unknown_peers;
    return;
  }
  Target target;
  target.words = {comm, source, tag, 0};
  target.comm = view.id;
  target.peer = source == kAnySource ? kAnySource : view.world_rank(source);
  Posted post = posted(false, target, symbol);
  post.state = key ? Posted::State::kPending : Posted::State::kUnknown;
  put(post, key);
}

void PostedCalls::matched_probe(const CallView& call, std::uint32_t symbol) {
  if (!call.has_found()) return;
  const StatusWords status = call.status();
  if (!status.says_something || is_special(status.source)) return;
  const std::int64_t tag = status.tag_asked_as(call.receive_tag());
  const Target& target = target_of({call.comm(), status.source, tag, 0}, symbol);
  if (target.channel == kNoChannel) {
    ++losses_.unknown_peers;
    return;
  }
  Posted post = posted(false, target, symbol);
  put(post, std::nullopt);
}

void PostedCalls::collective(const CallView& call, std::uint16_t function, std::uint32_t line,
                             std::uint32_t symbol) {
  const Communicators::View& view = comms_->of(rank(), call.comm());
  if (view.id == Communicators::kUnknown) {
    ++losses_.unknown_peers;
    return;
  }
  sink_->collective(view.id, line, view.all, function, {rank(), calls_ - 1, thread_, symbol});
}

Posted PostedCalls::posted(bool is_send, const Target& target, std::uint32_t symbol) const {
  Posted post;
  post.is_send = is_send;
  post.comm = target.comm;
  post.channel = target.channel;
  post.comm_slot = target.words.comm;
  post.peer = target.peer;
  post.tag = target.words.tag;
  post.end = {rank(), calls_ - 1, thread_, symbol};
  return post;
}

const PostedCalls::Target& PostedCalls::target_of(const ChannelWords& words, std::uint32_t symbol) {
  const auto is_it = [&](const Target& target) {
    return target.words == words && target.comm != Communicators::kUnknown;
  };
  LastUsed& used = last_of(symbol);
  if (is_it(used.targets[used.newest])) return used.targets[used.newest]; // the same as ever
  used.newest = HashChannelWords()(words) / (~std::size_t{0} / kLastTargets + 1);
  Target& last = used.targets[used.newest];
  if (is_it(last)) return last;
  if (targets_.size() >= kMostTargets) targets_.clear();
  auto found = targets_.find(words);
  if (found == targets_.end()) found = targets_.emplace(words, new_target(words)).first;
  return last = found->second;
}

PostedCalls::Target PostedCalls::new_target(const ChannelWords& words) {
  const Communicators::View& view = comms_->of(rank(), words.comm);
  Target target;
  target.words = words;
  target.comm = view.id;
  target.peer = view.world_rank(words.peer);
  if (target.peer < 0) return target;
  const std::int64_t source = words.is_send() ? rank() : target.peer;
  const std::int64_t destination = words.is_send() ? target.peer : rank();
  target.channel = sink_->channel_of(view.id, source, destination, words.tag, words.side / 2);
  return target;
}

std::uint64_t PostedCalls::bytes_of(const CallView& call, std::uint32_t symbol) {
  LastUsed& last = last_of(symbol);
  const std::int64_t type = call.send_type();
  if (last.type != type) {
    const auto size = type_bytes_.find(type);
    last.type = type;
    last.type_bytes = size == type_bytes_.end() ? 0 : size->second;
  }
  const std::int64_t count = call.send_count();
  const std::int64_t partitions = call.partitions();
  if (count < 0 || partitions < 0) return 0;
  return last.type_bytes * static_cast<std::uint64_t>(count) *
         static_cast<std::uint64_t>(partitions);
}

PostingQueue& PostedCalls::queue_of(const Posted& post) {
  constexpr std::size_t kMostQueues = 4096; // before those of tags that came once are dropped
  const std::int64_t side = std::int64_t{post.comm} * 2 + (post.is_send ? 1 : 0);
  const QueueKey key{side, has_any_tag_ && !post.is_send ? 0 : post.tag};
  LastQueue& last = last_of(post.end.symbol).queues[post.is_send ? 1 : 0];
  if (last.queue != nullptr && last.key == key) return *last.queue;
  if (queues_.size() > kMostQueues && queues_.size() > held_ * 2) {
    std::erase_if(queues_, [](const auto& entry) { return entry.second.empty(); });
    for (LastUsed& used : last_used_) used.queues = {};
  }
  last = {key, &queues_[key]};
  return *last.queue;
}

void PostedCalls::put(Posted& post, const Key& key) {
  if (key && (may_cancel_ || open_->foresees_cancels())) post.state = Posted::State::kPending;
  if (held_ == 0 && post.state == Posted::State::kKnown) return sink_->post(post);
  PostingQueue& queue = queue_of(post);
  if (queue.empty() && post.state == Posted::State::kKnown) return sink_->post(post);
  queue.push_back(post);
  ++held_;
  if (post.state == Posted::State::kPending) {
    open_->add(*key, {&queue.back(), this, &queue, false});
  } else {
    drain(queue);
  }
}

void PostedCalls::drain(PostingQueue& queue) {
  while (!queue.empty()) {
    const Posted& front = queue.front();
    if (front.state == Posted::State::kPending) return;
    if (front.state == Posted::State::kUnknown && !sink_->take_unknown(front)) return;
    const Posted post = front;
    queue.pop_front();
    --held_;
    if (post.state == Posted::State::kKnown) sink_->post(post); // may come back here
  }
}

} // namespace rondo::trace::internal
