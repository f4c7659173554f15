// SPDX-License-Identifier: Apache-2.0
// The only source that includes what protoc makes: its headers take long to compile.
#include "convert/perfetto/slices.hpp"
#include "convert/perfetto/track_event.pb.h"
#include "rondo/convert/timeline.hpp"

#include <map>

namespace rondo::convert {
namespace internal {
namespace {

namespace pb = ::rondo::perfetto;

constexpr std::uint64_t kRootTrack = 1;
constexpr std::uint64_t kFirstTrack = 2;
constexpr std::uint32_t kStateCleared = 1;
constexpr std::uint32_t kNeedsState = 2;

// Each track is a sequence of packets with interned names of its own.
class PerfettoSink : public TimelineSink {
public:
  void begin(const std::string& title, bool are_reconstructed, std::string& out) override {
    pb::TracePacket& packet = next_packet();
    pb::TrackDescriptor& root = *packet.mutable_track_descriptor();
    root.set_uuid(kRootTrack);
    root.set_name(title);
    root.set_child_ordering(pb::TrackDescriptor::EXPLICIT);
    put(out);
    if (!are_reconstructed) return;
    pb::TracePacket& note = next_packet();
    note.set_timestamp(0);
    note.mutable_track_event()->set_type(pb::TrackEvent::TYPE_INSTANT);
    note.mutable_track_event()->set_track_uuid(kRootTrack);
    note.mutable_track_event()->set_name("times are reconstructed from means, not measured");
    put(out);
  }

  void track(const TimelineTrack& track, std::string& out) override {
    ++sequence_;
    const std::uint64_t uuid = kFirstTrack + sequence_;
    names_.clear();
    categories_.clear();
    keys_.clear();
    sites_.clear();
    pb::TracePacket& packet = next_packet();
    packet.set_sequence_flags(kStateCleared);
    packet.mutable_trace_packet_defaults()->mutable_track_event_defaults()->set_track_uuid(uuid);
    pb::TrackDescriptor& made = *packet.mutable_track_descriptor();
    made.set_uuid(uuid);
    made.set_parent_uuid(kRootTrack);
    std::string name = "rank " + std::to_string(track.rank);
    if (track.thread > 0) name += " thread " + std::to_string(track.thread);
    if (!track.host.empty()) name += " on " + track.host;
    made.set_name(name);
    made.set_sibling_order_rank(static_cast<std::int32_t>(sequence_));
    put(out);
  }

  void slice(const TimelineSlice& slice, std::string& out) override {
    pb::TracePacket& packet = next_packet();
    packet.set_timestamp(slice.begin_ns);
    packet.set_sequence_flags(kNeedsState);
    pb::TrackEvent& event = *packet.mutable_track_event();
    event.set_type(pb::TrackEvent::TYPE_SLICE_BEGIN);
    event.set_name_iid(interned(names_, slice.name, &pb::InternedData::add_event_names));
    event.add_category_iids(
        interned(categories_, slice.category, &pb::InternedData::add_event_categories));
    for (const auto& [key, value] : slice.numbers) annotation(event, key).set_int_value(value);
    for (const auto& [key, value] : slice.texts) annotation(event, key).set_string_value(value);
    for (const TimelineFlow& flow : slice.flows) {
      if (flow.begins)
        event.add_flow_ids(flow.id);
      else
        event.add_terminating_flow_ids(flow.id);
    }
    if (slice.site != 0) event.set_source_location_iid(location(slice));
    put(out);
    pb::TracePacket& last = next_packet();
    last.set_timestamp(slice.end_ns);
    last.set_sequence_flags(kNeedsState);
    last.mutable_track_event()->set_type(pb::TrackEvent::TYPE_SLICE_END);
    put(out);
  }

  void end(std::string&) override {}

private:
  using Numbers = std::map<std::string, std::uint64_t, std::less<>>;

  pb::TracePacket& next_packet() {
    trace_.Clear();
    pb::TracePacket& packet = *trace_.add_packet();
    packet.set_trusted_packet_sequence_id(sequence_ + 1); // that of the whole is the first
    return packet;
  }
  void put(std::string& out) { trace_.AppendToString(&out); } // traces one after another are one

  // A name is said in the packet that first needs it.
  template <class Named>
  std::uint64_t interned(Numbers& known, std::string_view name, Named* (pb::InternedData::*add)()) {
    const auto found = known.find(name);
    if (found != known.end()) return found->second;
    const std::uint64_t number = known.size() + 1;
    known.emplace(name, number);
    Named& made = *(trace_.mutable_packet(0)->mutable_interned_data()->*add)();
    made.set_iid(number);
    made.set_name(std::string(name));
    return number;
  }

  pb::DebugAnnotation& annotation(pb::TrackEvent& event, std::string_view key) {
    const std::uint64_t number =
        interned(keys_, key, &pb::InternedData::add_debug_annotation_names);
    pb::DebugAnnotation& made = *event.add_debug_annotations();
    made.set_name_iid(number);
    return made;
  }

  std::uint64_t location(const TimelineSlice& slice) {
    const auto [found, is_new] = sites_.try_emplace(slice.site, sites_.size() + 1);
    if (!is_new) return found->second;
    pb::SourceLocation& made =
        *trace_.mutable_packet(0)->mutable_interned_data()->add_source_locations();
    made.set_iid(found->second);
    made.set_file_name(std::string(slice.file));
    made.set_function_name(std::string(slice.function));
    made.set_line_number(static_cast<std::uint32_t>(slice.line));
    return found->second;
  }

  pb::Trace trace_; // of one packet
  std::uint32_t sequence_ = 0;
  Numbers names_, categories_, keys_;
  std::map<std::uint32_t, std::uint64_t> sites_;
};

} // namespace

std::unique_ptr<TimelineSink> perfetto_sink() { return std::make_unique<PerfettoSink>(); }

} // namespace internal

bool has_perfetto() { return true; }

} // namespace rondo::convert
