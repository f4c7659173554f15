// SPDX-License-Identifier: Apache-2.0
#include "patterns/event_reader.hpp"

#include <algorithm>

namespace rondo::patterns::internal {
namespace {

using trace::kNothing;
using Words = std::vector<std::int64_t>;

int first_of(const trace::Function& function, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    for (const trace::Field& field : function.fields) {
      if (field.name == name && !field.is_array) return function.word_of(name);
    }
  }
  return -1;
}

EventLayout::Act act_of(const trace::Function& function) {
  using Act = EventLayout::Act;
  const bool is_later =
      function.mode == trace::Mode::kPersistent || function.mode == trace::Mode::kPartitioned;
  if (function.makes_request && is_later) return Act::kMakeRequest;
  if (function.name == "MPI_Request_free") return Act::kFreeRequest;
  if (function.name == "rondo_phase_begin") return Act::kBeginPhase;
  if (function.name == "rondo_phase_end") return Act::kEndPhase;
  if (function.role == trace::Role::kWin && function.comm_word() >= 0) return Act::kMakeWindow;
  if (!is_event(function)) return Act::kNothing;
  return function.role == trace::Role::kRequest ? Act::kStart : Act::kEvent;
}

EventLayout make_layout(const trace::Function& function) {
  EventLayout layout;
  layout.act = act_of(function);
  layout.comm = function.comm_word();
  layout.destination = first_of(function, {"dest", "target_rank"});
  layout.source = first_of(function, {"source"});
  layout.root = first_of(function, {"root"});
  if (layout.destination >= 0) layout.send_tag = first_of(function, {"sendtag", "tag"});
  if (layout.source >= 0) layout.receive_tag = first_of(function, {"recvtag", "tag"});
  layout.count = first_of(function, {"sendcount", "count", "recvcount", "origin_count"});
  layout.type = first_of(function, {"sendtype", "datatype", "recvtype", "origin_datatype"});
  layout.partitions = first_of(function, {"partitions"});
  layout.status = first_of(function, {"status"});
  if (function.role == trace::Role::kRequest)
    layout.request = std::max(function.word_of("request"), function.word_of("array_of_requests"));
  if (layout.act == EventLayout::Act::kFreeRequest) layout.request = function.word_of("request");
  if (function.role == trace::Role::kWin || function.role == trace::Role::kRma)
    layout.window = function.word_of("win");
  if (layout.act == EventLayout::Act::kBeginPhase) layout.name = function.word_of("name");
  return layout;
}

// Of this stream; a request that another thread made is not known here.
bool has_slot(std::int64_t request) {
  return !trace::is_special(request) && !trace::is_foreign(request) &&
         trace::is_persistent(request);
}

std::int64_t word_or(const Words& words, int index, std::int64_t otherwise) {
  return index < 0 ? otherwise : words[static_cast<std::size_t>(index)];
}

} // namespace

const EventLayout& event_layout_of(const trace::Function& function) {
  static const auto by_id = [] {
    std::vector<EventLayout> layouts;
    for (const trace::Function& f : trace::all_functions()) {
      if (f.id >= layouts.size()) layouts.resize(f.id + std::size_t{1});
      layouts[f.id] = make_layout(f);
    }
    return layouts;
  }();
  return by_id[function.id];
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

std::vector<int> EventMaker::words_of(const trace::Function& function, const Envelope& envelope) {
  const EventLayout& layout = event_layout_of(function);
  std::vector<int> words = {layout.comm,    layout.count,  layout.type, layout.partitions,
                            layout.request, layout.window, layout.name};
  if (envelope.peer) {
    words.insert(words.end(), {layout.destination, layout.source, layout.root, layout.status});
    if (layout.status >= 0) words.push_back(layout.status + 1);
  }
  if (envelope.tag) words.insert(words.end(), {layout.send_tag, layout.receive_tag});
  if (layout.act != EventLayout::Act::kNothing) {
    for (const int word : matrix::CallBytes::words_of(function)) words.push_back(word);
  }
  std::sort(words.begin(), words.end());
  words.erase(std::unique(words.begin(), words.end()), words.end());
  std::erase(words, -1);
  return words;
}

// One message or, of a collective, one block: what is the same on all ranks that take part.
std::int64_t EventMaker::block_of(const EventLayout& layout, const Words& words) const {
  const auto size = type_bytes_.find(word_or(words, layout.type, trace::kNull));
  const std::int64_t count = word_or(words, layout.count, 0);
  if (size == type_bytes_.end() || count < 0) return 0;
  return size->second * count * std::max<std::int64_t>(word_or(words, layout.partitions, 1), 0);
}

EventMaker::Message EventMaker::message(const trace::Function& function, const Words& words) const {
  const EventLayout& layout = event_layout_of(function);
  const Envelope& envelope = events_->envelope();
  std::int64_t comm = word_or(words, layout.comm, trace::kWorldSlot);
  if (layout.act == EventLayout::Act::kEvent && layout.window >= 0) {
    const auto made = comm_of_window_.find(word_or(words, layout.window, trace::kNull));
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
    event.destination = world(word_or(words, layout.destination, kNothing));
    event.source = world(word_or(words, layout.source, kNothing));
    event.root = world(word_or(words, layout.root, kNothing));
    const std::int64_t status = word_or(words, layout.status, kNothing);
    if (event.source == trace::kAnySource && !trace::is_special(status))
      event.source = world(status);
  }
  if (envelope.tag) {
    event.send_tag = word_or(words, layout.send_tag, kNothing);
    event.receive_tag = word_or(words, layout.receive_tag, kNothing);
  }
  if (envelope.size && layout.count >= 0) event.bytes = block_of(layout, words);
  return {event, bytes_.of(function, words)};
}

// A request's slot is the lowest free one, as the recorder has it.
void EventMaker::make_request(Message message) {
  const auto free = std::find(requests_.begin(), requests_.end(), std::nullopt);
  if (free == requests_.end()) {
    requests_.emplace_back(message);
  } else {
    *free = message;
  }
}

void EventMaker::free_request(std::int64_t request) {
  if (!has_slot(request)) return;
  const std::uint64_t slot = trace::age_or_slot(request);
  if (slot < requests_.size()) requests_[slot].reset();
}

void EventMaker::note(const trace::Function& function, const Words& words) {
  const EventLayout& layout = event_layout_of(function);
  switch (layout.act) {
  case EventLayout::Act::kMakeRequest:
    return make_request(message(function, words));
  case EventLayout::Act::kFreeRequest:
    return free_request(word_or(words, layout.request, trace::kNull));
  case EventLayout::Act::kMakeWindow:
    comm_of_window_[word_or(words, layout.window, trace::kNull)] =
        word_or(words, layout.comm, trace::kWorldSlot);
    return;
  case EventLayout::Act::kBeginPhase: {
    const auto text = static_cast<std::uint64_t>(word_or(words, layout.name, kNothing));
    phases_.push_back(events_->phase(text < program_->texts.size() ? program_->texts[text] : "?"));
    return;
  }
  case EventLayout::Act::kEndPhase:
    if (!phases_.empty()) phases_.pop_back();
    return;
  default:
    return;
  }
}

EventMaker::Message EventMaker::started(std::int64_t request, std::uint16_t function) const {
  Message message;
  if (has_slot(request)) {
    const std::uint64_t slot = trace::age_or_slot(request);
    if (slot < requests_.size() && requests_[slot]) message = *requests_[slot];
  }
  message.event.made_by = message.event.function;
  message.event.function = function;
  return message;
}

EventMaker::Message EventMaker::start(const trace::Function& function, const Words& words) {
  static const std::uint16_t kStart = trace::find_function("MPI_Start")->id;
  const std::int64_t request = word_or(words, event_layout_of(function).request, kNothing);
  if (function.id == kStart) return started(request, kStart);
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
  const bool is_start = event_layout_of(function).act == EventLayout::Act::kStart;
  Message made = is_start ? start(function, words) : message(function, words);
  if (made.event.source == trace::kAnySource) made.event.source = source;
  return {events_->number(made.event), made.bytes, inside_ns_[symbol], symbol, phase()};
}

} // namespace rondo::patterns::internal
