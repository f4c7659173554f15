// SPDX-License-Identifier: Apache-2.0
#include "rondo/matrix/arrivals.hpp"

#include "rondo/matrix/trace_traffic.hpp"
#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/matching.hpp"
#include "rondo/trace/trace_size.hpp"

#include <algorithm>
#include <iterator>
#include <vector>

namespace rondo::matrix {
namespace {

constexpr std::size_t kMostAmounts = 4;
constexpr std::uint64_t kMostCalls = std::uint64_t{1} << 21; // all of which are gone through

// By slot; of those that are not the same on all ranks the smallest.
std::map<std::int64_t, std::int64_t> sizes_of_types(const trace::Trace& trace) {
  std::map<std::int64_t, std::int64_t> sizes;
  for (const trace::DatatypeDefinition& type : trace.datatypes) {
    auto& size = sizes.emplace(type.slot, type.size_bytes).first->second;
    size = std::min(size, type.size_bytes);
  }
  return sizes;
}

// Bytes that a receive has room for, if that is as much each time; else 0.
std::int64_t room_of(const trace::Call& call, const std::map<std::int64_t, std::int64_t>& sizes) {
  using Form = trace::Word::Form;
  const trace::CallMeaning& means = trace::meaning_of(*trace::find_function(call.function));
  if (means.source < 0 || means.receive_count < 0) return 0;
  const trace::Word& count = call.words[static_cast<std::size_t>(means.receive_count)];
  const trace::Word& type = call.words[static_cast<std::size_t>(means.receive_type)];
  const auto size = sizes.find(type.value);
  const bool is_same = count.form == Form::kConstant && type.form == Form::kConstant;
  return is_same && size != sizes.end() ? count.value * size->second : 0;
}

bool has_room_to_spare(const trace::Trace& trace) {
  const auto sizes = sizes_of_types(trace);
  std::set<std::int64_t> rooms;
  for (const trace::RankClass& c : trace.classes) {
    for (const trace::Call& call : c.program->calls)
      if (const std::int64_t room = room_of(call, sizes); room > 0) rooms.insert(room);
  }
  TrafficVisitor visitor;
  visitor.messages = [&](const MessagesSent& sent) {
    rooms.erase(static_cast<std::int64_t>(sent.bytes_each));
  };
  if (!rooms.empty()) visit_traffic(trace, {}, visitor);
  return !rooms.empty();
}

void add(std::set<std::int64_t>& amounts, std::int64_t bytes) {
  amounts.insert(bytes);
  if (amounts.size() > kMostAmounts) amounts.erase(std::next(amounts.begin(), 2));
}

} // namespace

Arrivals arrivals_of(const trace::Trace& trace) {
  if (trace.sites.empty() || trace::calls_in(trace) > kMostCalls || !has_room_to_spare(trace))
    return {};
  Arrivals arrivals;
  std::set<std::uint32_t> unknown;
  trace::MatchVisitor visitor;
  visitor.message = [&](const trace::Message& message) {
    const trace::RankClass& c = *trace.class_of(message.receive.rank, message.receive.thread);
    const std::uint32_t site = c.program->calls[message.receive.symbol].site;
    if (message.is_inferred) unknown.insert(site);
    add(arrivals[site], static_cast<std::int64_t>(message.bytes));
  };
  trace::match_messages(trace, visitor);
  std::erase_if(arrivals, [&](const auto& at) { return unknown.contains(at.first); });
  return arrivals;
}

std::optional<std::pair<std::int64_t, std::int64_t>>
arrived_at(const trace::Trace& trace, const Arrivals& arrivals, const trace::Call& call) {
  const auto at = arrivals.find(call.site);
  if (at == arrivals.end() || *at->second.rbegin() >= room_of(call, sizes_of_types(trace)))
    return std::nullopt;
  return std::pair(*at->second.begin(), *at->second.rbegin());
}

} // namespace rondo::matrix
