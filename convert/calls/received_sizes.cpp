// SPDX-License-Identifier: Apache-2.0
#include "convert/calls/received_sizes.hpp"

#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/functions.hpp"
#include "rondo/trace/matching.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace rondo::convert::internal {
namespace {

// The bytes that such a count and type always are, on all ranks; nothing if they vary.
std::optional<std::uint64_t> bytes_of(const trace::Trace& trace, const trace::Call& call,
                                      std::int8_t count_word, std::int8_t type_word) {
  constexpr auto kConstant = trace::Word::Form::kConstant;
  if (count_word < 0 || type_word < 0) return std::nullopt;
  const trace::Word& count = call.words[static_cast<std::size_t>(count_word)];
  const trace::Word& type = call.words[static_cast<std::size_t>(type_word)];
  if (count.form != kConstant || type.form != kConstant || count.value < 0) return std::nullopt;
  std::optional<std::uint64_t> size; // a type that the program made may be another on each rank
  for (const trace::DatatypeDefinition& one : trace.datatypes) {
    if (one.slot != type.value) continue;
    const auto bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(one.size_bytes, 0));
    if (size && *size != bytes) return std::nullopt;
    size = bytes;
  }
  if (!size) return std::nullopt;
  return *size * static_cast<std::uint64_t>(count.value);
}

const trace::CallMeaning& meaning_of_call(const trace::Call& call) {
  return trace::meaning_of(*trace::find_function(call.function));
}

// The bytes that a receive always has room for; nothing if they vary.
std::optional<std::uint64_t> room_of(const trace::Trace& trace, const trace::Call& call) {
  const trace::CallMeaning& means = meaning_of_call(call);
  return bytes_of(trace, call, means.receive_count, means.receive_type);
}

// Notes that messages with this tag have such a size; false if that is not said, or another than
// before.
bool is_the_same(std::map<std::int64_t, std::uint64_t>& by_tag, const trace::Call& call,
                 std::int8_t tag_word, std::optional<std::uint64_t> bytes) {
  if (!bytes || tag_word < 0) return false;
  const trace::Word& tag = call.words[static_cast<std::size_t>(tag_word)];
  if (tag.form != trace::Word::Form::kConstant || trace::is_special(tag.value)) return false;
  return by_tag.try_emplace(tag.value, *bytes).first->second == *bytes;
}

// Whether every message fills the room of its receive, as its tag alone tells.
bool fill_their_rooms(const trace::Trace& trace) {
  std::map<std::int64_t, std::uint64_t> by_tag;
  for (const trace::RankClass& c : trace.classes) {
    for (const trace::Call& call : c.program->calls) {
      const trace::CallMeaning& means = meaning_of_call(call);
      if (means.act == trace::Act::kTakeMatched || means.is_partitioned) return false;
      if (means.sends() && !is_the_same(by_tag, call, means.send_tag,
                                        bytes_of(trace, call, means.send_count, means.send_type)))
        return false;
      if (means.receives() && !is_the_same(by_tag, call, means.receive_tag, room_of(trace, call)))
        return false;
    }
  }
  return true;
}

} // namespace

ReceivedSizes::ReceivedSizes(const trace::Trace& trace) {
  if (fill_their_rooms(trace)) return;
  std::unordered_map<const trace::RankClass*, std::vector<std::optional<std::uint64_t>>> rooms;
  for (const trace::RankClass& c : trace.classes) {
    for (const trace::Call& call : c.program->calls) rooms[&c].push_back(room_of(trace, call));
  }
  trace::MatchVisitor visitor;
  visitor.message = [&](const trace::Message& message) {
    const trace::MessageEnd& end = message.receive;
    const auto room = rooms[trace.class_of(end.rank, end.thread)][end.symbol];
    if (room == message.bytes) return;
    const Receive receive{end.rank, end.thread, end.call, message.send.rank, message.tag};
    sizes_[{end.rank, end.thread}][receive].push_back(message.bytes);
  };
  trace::match_messages(trace, visitor);
}

std::optional<std::uint64_t> ReceivedSizes::take(const Receive& receive) {
  const auto stream = sizes_.find({receive.rank, receive.thread});
  if (stream == sizes_.end()) return std::nullopt;
  const auto found = stream->second.find(receive);
  if (found == stream->second.end()) return std::nullopt;
  const std::uint64_t bytes = found->second.front();
  found->second.pop_front();
  if (found->second.empty()) stream->second.erase(found);
  return bytes;
}

} // namespace rondo::convert::internal
