// SPDX-License-Identifier: Apache-2.0
#include "convert/calls/received_sizes.hpp"

#include "rondo/trace/functions.hpp"
#include "rondo/trace/matching.hpp"

#include <algorithm>
#include <unordered_map>
#include <vector>

namespace rondo::convert::internal {
namespace {

const trace::Word* word_of_receive(const trace::Call& call,
                                   std::initializer_list<const char*> names) {
  const trace::Function& function = *trace::find_function(call.function);
  for (const char* const name : names) {
    const int index = function.word_of(name);
    if (index >= 0) return &call.words[static_cast<std::size_t>(index)];
  }
  return nullptr;
}

// The bytes that a call always has room for, on all ranks; nothing if they vary.
std::optional<std::uint64_t> room_of(const trace::Trace& trace, const trace::Call& call) {
  constexpr auto kConstant = trace::Word::Form::kConstant;
  const trace::Word* const count = word_of_receive(call, {"recvcount", "count"});
  const trace::Word* const type = word_of_receive(call, {"recvtype", "datatype"});
  if (count == nullptr || type == nullptr) return std::nullopt;
  if (count->form != kConstant || type->form != kConstant || count->value < 0) return std::nullopt;
  std::optional<std::uint64_t> size; // a type that the program made may be another on each rank
  for (const trace::DatatypeDefinition& one : trace.datatypes) {
    if (one.slot != type->value) continue;
    const auto bytes = static_cast<std::uint64_t>(std::max<std::int64_t>(one.size_bytes, 0));
    if (size && *size != bytes) return std::nullopt;
    size = bytes;
  }
  if (!size) return std::nullopt;
  return *size * static_cast<std::uint64_t>(count->value);
}

} // namespace

ReceivedSizes::ReceivedSizes(const trace::Trace& trace) {
  std::unordered_map<const trace::RankClass*, std::vector<std::optional<std::uint64_t>>> rooms;
  for (const trace::RankClass& c : trace.classes) {
    for (const trace::Call& call : c.program->calls) rooms[&c].push_back(room_of(trace, call));
  }
  trace::MatchVisitor visitor;
  visitor.message = [&](const trace::Message& message) {
    const trace::MessageEnd& end = message.receive;
    const auto room = rooms[trace.class_of(end.rank, end.thread)][end.symbol];
    if (room == message.bytes) return;
    sizes_[{end.rank, end.thread, end.call, message.send.rank, message.tag}].push_back(
        message.bytes);
  };
  trace::match_messages(trace, visitor);
}

std::optional<std::uint64_t> ReceivedSizes::take(const Receive& receive) {
  const auto found = sizes_.find(receive);
  if (found == sizes_.end()) return std::nullopt;
  const std::uint64_t bytes = found->second.front();
  found->second.pop_front();
  if (found->second.empty()) sizes_.erase(found);
  return bytes;
}

} // namespace rondo::convert::internal
