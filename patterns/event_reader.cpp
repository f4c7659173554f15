// SPDX-License-Identifier: Apache-2.0
#include "patterns/event_reader.hpp"

#include "trace/mpi_names.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <utility>

namespace rondo::patterns::internal {
namespace {

using trace::Act;
using trace::CallMeaning;
using trace::kNothing;
using trace::word_or;
using Words = std::vector<std::int64_t>;

// The words of the one block that all who take part have alike; lists of blocks have none.
std::pair<int, int> block_words_of(const CallMeaning& means) {
  const bool has_sent = means.send_count >= 0 && !means.has_send_counts;
  const bool has_received = means.receive_count >= 0 && !means.has_receive_counts;
  const bool has_sent_type = means.send_type >= 0 && !means.has_send_types;
  const bool has_received_type = means.receive_type >= 0 && !means.has_receive_types;
  return {has_sent       ? means.send_count
          : has_received ? means.receive_count
                         : CallMeaning::kNoWord,
          has_sent_type       ? means.send_type
          : has_received_type ? means.receive_type
                              : CallMeaning::kNoWord};
}

int destination_of(const CallMeaning& means) { return std::max(means.dest, means.target); }
int request_of(const CallMeaning& means) { return std::max(means.request, means.requests); }

} // namespace

StreamAct stream_act_of(const trace::Function& function) {
  const CallMeaning& means = trace::meaning_of(function);
  if (function.makes_request && means.is_started_later) return StreamAct::kMakeRequest;
  switch (means.act) {
  case Act::kTransfer:
  case Act::kCollective:
  case Act::kOneSided:
  case Act::kMatchedProbe: // receives, where it finds something
    return StreamAct::kEvent;
  case Act::kStart:
    return StreamAct::kStart;
  case Act::kFreeRequest:
    return StreamAct::kFreeRequest;
  case Act::kMakeWindow:
    return StreamAct::kMakeWindow;
  case Act::kPhaseBegin:
    return StreamAct::kBeginPhase;
  case Act::kPhaseEnd:
    return StreamAct::kEndPhase;
  case Act::kLocal:
  case Act::kInit:
  case Act::kFinalize:
  case Act::kAbort:
  case Act::kTakeMatched: // only ends what its probe has found
  case Act::kProbe:
  case Act::kComplete:
  case Act::kAskPartition:
  case Act::kReady:
  case Act::kCancel:
  case Act::kOwnRequest:
  case Act::kMakeComm:
  case Act::kFreeComm:
  case Act::kDisconnect:
  case Act::kProcess:
  case Act::kFreeWindow:
  case Act::kAttach:
  case Act::kFence:
  case Act::kExpose:
  case Act::kEndExposure:
  case Act::kAccess:
  case Act::kEndAccess:
  case Act::kLock:
  case Act::kFlush:
  case Act::kFile:
  case Act::kFileAccess:
  case Act::kMakeObject:
  case Act::kAskObject:
  case Act::kNameObject:
  case Act::kFreeObject:
    return StreamAct::kNothing;
  }
  return StreamAct::kNothing;
}

bool found_nothing(const trace::Function& function, std::span<const std::int64_t> words) {
  const CallMeaning& means = trace::meaning_of(function);
  return means.act == Act::kMatchedProbe && !trace::CallView(means, words).has_found();
}

EventMaker::EventMaker(const trace::Trace& trace, const trace::Program& program, std::int64_t rank,
                       const trace::Communicators& comms, EventTable& events)
    : rank_(rank), program_(&program), comms_(&comms), events_(&events),
      bytes_(trace, program, rank), inside_ns_(program.calls.size()) {
  std::vector<trace::Durations> inside(program.calls.size());
  for (const trace::PlaceTimes& place : program.times) {
    if (place.call < inside.size()) inside[place.call].add(place.inside);
  }
  for (std::size_t i = 0; i < inside.size(); ++i)
    inside_ns_[i] = static_cast<std::uint64_t>(inside[i].mean_ns());
  for (const trace::DatatypeDefinition& type : trace.datatypes) {
    if (type.holders.contains(rank)) type_bytes_[type.slot] = type.size_bytes;
  }
}

// Who was first is another one in the next run.
void EventMaker::leaves_senders_open() {
  const auto place_of = [](const trace::Call& call) { return std::pair(call.site, call.function); };
  std::map<std::pair<std::uint32_t, std::uint16_t>, std::set<std::int64_t>> heard;
  constexpr std::int64_t kSeveral = std::numeric_limits<std::int64_t>::min();
  for (const trace::Call& call : program_->calls) {
    const int status = trace::meaning_of(*trace::find_function(call.function)).status;
    if (status < 0) continue;
    const trace::Word& word = call.words[static_cast<std::size_t>(status)];
    if (trace::is_column(word)) heard[place_of(call)].insert(kSeveral);
    heard[place_of(call)].insert(word.value);
  }
  has_senders_.resize(program_->calls.size());
  for (std::size_t i = 0; i < has_senders_.size(); ++i) {
    const auto found = heard.find(place_of(program_->calls[i]));
    has_senders_[i] = found != heard.end() && found->second.size() > 1;
  }
}

std::vector<int> EventMaker::words_of(const trace::Function& function, const Envelope& envelope) {
  const CallMeaning& means = trace::meaning_of(function);
  const auto [count, type] = block_words_of(means);
  std::vector<int> words = {means.comm, count, type, means.partitions, means.window};
  if (means.act == Act::kMatchedProbe) words.push_back(means.flag);
  const StreamAct act = stream_act_of(function);
  if (act == StreamAct::kStart || act == StreamAct::kFreeRequest)
    words.push_back(request_of(means));
  if (act == StreamAct::kBeginPhase) words.push_back(means.name);
  if (envelope.peer) {
    words.insert(words.end(), {destination_of(means), means.source, means.root, means.status});
    if (means.status >= 0) words.push_back(means.status + 1);
  }
  if (envelope.tag) words.insert(words.end(), {means.send_tag, means.receive_tag});
  if (act != StreamAct::kNothing) {
    for (const int word : matrix::CallBytes::words_of(function)) words.push_back(word);
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  std::erase(words, -1);
  return words;
}

// One message or, of a collective, one block: what is the same on all ranks that take part.
std::int64_t EventMaker::block_of(int count_word, int type_word,
                                  const trace::CallView& call) const {
  const auto size = type_bytes_.find(word_or(call.words(), type_word, trace::kNull));
  const std::int64_t count = word_or(call.words(), count_word, 0);
  if (size == type_bytes_.end() || count < 0) return 0;
  return size->second * count * std::max<std::int64_t>(call.partitions(), 0);
}

EventMaker::Message EventMaker::message(const trace::Function& function, const Words& words) const {
  const CallMeaning& means = trace::meaning_of(function);
  const trace::CallView call(means, words);
  const Envelope& envelope = events_->envelope();
  std::int64_t comm = call.comm();
  if (means.act == Act::kOneSided) {
    const auto made = comm_of_window_.find(call.window());
    comm = made == comm_of_window_.end() ? trace::kWorldSlot : made->second;
  }
  const auto& view = comms_->of(rank_, comm);
  const auto world = [&](std::int64_t peer) {
    return trace::is_special(peer) ? peer : view.world_rank(peer);
  };
  Event event;
  event.function = function.id;
  event.comm = view.id;
  if (envelope.peer) {
    event.destination = world(word_or(words, destination_of(means), kNothing));
    event.source = world(word_or(words, means.source, kNothing));
    const bool is_alone = view.all == 1; // then the root says which rank this is
    if (!is_alone) event.root = world(word_or(words, means.root, kNothing));
    const std::int64_t status = call.status().source;
    if (event.source == trace::kAnySource && !trace::is_special(status))
      event.source = world(status);
  }
  if (envelope.tag) {
    event.send_tag = word_or(words, means.send_tag, kNothing);
    event.receive_tag = word_or(words, means.receive_tag, kNothing);
  }
  const auto [count, type] = block_words_of(means);
  if (envelope.size && count >= 0) event.bytes = block_of(count, type, call);
  return {event, bytes_.of(function, words)};
}

void EventMaker::note(const trace::Function& function, const Words& words) {
  const trace::CallView call(trace::meaning_of(function), words);
  switch (stream_act_of(function)) {
  case StreamAct::kMakeRequest:
    return requests_.add(message(function, words));
  case StreamAct::kFreeRequest:
    requests_.free(call.request());
    return;
  case StreamAct::kMakeWindow:
    comm_of_window_[call.window()] = call.comm();
    return;
  case StreamAct::kBeginPhase: {
    const auto text = static_cast<std::uint64_t>(word_or(words, call.means().name, kNothing));
    phases_.push_back(events_->phase(text < program_->texts.size() ? program_->texts[text] : "?"));
    return;
  }
  case StreamAct::kEndPhase:
    if (!phases_.empty()) phases_.pop_back();
    return;
  case StreamAct::kNothing:
  case StreamAct::kEvent:
  case StreamAct::kStart:
    return;
  }
}

EventMaker::Message EventMaker::started(std::int64_t request, std::uint16_t function) {
  const Message* made = requests_.find(request);
  Message message = made == nullptr ? Message() : *made;
  message.event.made_by = message.event.function;
  message.event.function = function;
  return message;
}

EventMaker::Message EventMaker::start(const trace::Function& function, const Words& words) {
  static const std::uint16_t kStart = trace::find_function(mpi::Start)->id;
  const CallMeaning& means = trace::meaning_of(function);
  const std::int64_t request = word_or(words, request_of(means), kNothing);
  if (means.request >= 0) return started(request, kStart);
  Message all;
  all.event.function = function.id;
  const auto array = static_cast<std::uint64_t>(request);
  if (array >= program_->arrays.size()) return all;
  Word list;
  for (const std::int64_t each : program_->arrays[array]) {
    const Message message = started(each, kStart);
    list.push_back(events_->number(message.event));
    all.bytes += message.bytes;
  }
  all.event.list = events_->list(list);
  return all;
}

StreamEvent EventMaker::event(const trace::Function& function, const Words& words,
                              std::uint32_t symbol, std::int64_t source) {
  const bool is_start = stream_act_of(function) == StreamAct::kStart;
  Message made = is_start ? start(function, words) : message(function, words);
  if (made.event.source == trace::kAnySource) made.event.source = source;
  if (workers_ != nullptr) {
    for (std::int64_t* const peer : {&made.event.source, &made.event.destination}) {
      if (workers_->contains(*peer)) *peer = trace::kAnySource;
    }
  }
  const bool is_from_any =
      word_or(words, trace::meaning_of(function).source, kNothing) == trace::kAnySource;
  if (senders_ != nullptr && is_from_any && senders_->contains(made.event.source))
    made.event.source = trace::kAnySource;
  if (is_from_any && symbol < has_senders_.size() && has_senders_[symbol])
    made.event.source = trace::kAnySource;
  return {events_->number(made.event), made.bytes, inside_ns_[symbol], symbol, phase()};
}

} // namespace rondo::patterns::internal
