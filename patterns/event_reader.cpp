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

EventLayout make_layout(const trace::Function& function) {
  EventLayout layout;
  layout.is_event = is_event(function);
  layout.comm = function.comm_word();
  layout.destination = first_of(function, {"dest"});
  layout.source = first_of(function, {"source"});
  layout.root = first_of(function, {"root"});
  if (layout.destination >= 0) layout.send_tag = first_of(function, {"sendtag", "tag"});
  if (layout.source >= 0) layout.receive_tag = first_of(function, {"recvtag", "tag"});
  layout.count = first_of(function, {"sendcount", "count", "recvcount"});
  layout.type = first_of(function, {"sendtype", "datatype", "recvtype"});
  layout.partitions = first_of(function, {"partitions"});
  layout.status = first_of(function, {"status"});
  if (function.role == trace::Role::kRequest)
    layout.request = std::max(function.word_of("request"), function.word_of("array_of_requests"));
  return layout;
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
    : rank_(rank), comms_(&comms), events_(&events), inside_ns_(program.calls.size()) {
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

std::vector<int> EventMaker::words_of(const EventLayout& layout, const Envelope& envelope) {
  std::vector<int> words = {layout.comm, layout.count, layout.type, layout.partitions,
                            layout.request};
  if (envelope.peer) {
    words.insert(words.end(), {layout.destination, layout.source, layout.root, layout.status});
    if (layout.status >= 0) words.push_back(layout.status + 1);
  }
  if (envelope.tag) words.insert(words.end(), {layout.send_tag, layout.receive_tag});
  std::erase(words, -1);
  return words;
}

std::int64_t EventMaker::bytes_of(const EventLayout& layout, const Words& words) const {
  const auto size = type_bytes_.find(word_or(words, layout.type, trace::kNull));
  const std::int64_t count = word_or(words, layout.count, 0);
  if (size == type_bytes_.end() || count < 0) return 0;
  return size->second * count * std::max<std::int64_t>(word_or(words, layout.partitions, 1), 0);
}

StreamEvent EventMaker::event(const trace::Function& function, const Words& words,
                              std::uint32_t symbol) {
  const EventLayout& layout = event_layout_of(function);
  const Envelope& envelope = events_->envelope();
  const auto& view = comms_->of(rank_, word_or(words, layout.comm, trace::kWorldSlot));
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
  // A start says which requests it starts; there is no other envelope.
  if (layout.request >= 0) event.send_tag = word_or(words, layout.request, kNothing);
  const std::int64_t bytes = bytes_of(layout, words);
  if (envelope.size && layout.count >= 0) event.bytes = bytes;
  const bool hands_over = layout.destination >= 0 || layout.source < 0;
  return {events_->number(event), hands_over ? static_cast<std::uint64_t>(bytes) : 0,
          inside_ns_[symbol], symbol};
}

} // namespace rondo::patterns::internal
