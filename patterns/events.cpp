// SPDX-License-Identifier: Apache-2.0
#include "rondo/patterns/events.hpp"

#include "patterns/event_reader.hpp"
#include "rondo/base/mixed.hpp"
#include "rondo/trace/communicator_names.hpp"
#include "rondo/trace/short_name.hpp"

#include <fmt/core.h>

namespace rondo::patterns {
namespace {

using trace::kNothing;

std::string peer_text(std::int64_t peer, std::int64_t rank) {
  if (peer == trace::kAnySource) return "any";
  if (peer == trace::kProcNull) return "nobody";
  if (peer == -1) return "outside"; // a process that is no rank of MPI_COMM_WORLD
  if (rank < 0) return std::to_string(peer);
  return peer == rank ? "itself" : fmt::format("{:+}", peer - rank);
}

// Between two groups the root says that it is the root, and the others of its group that they take
// no part.
std::string root_text(std::int64_t root) {
  if (root == trace::kRootHere) return " root itself";
  if (root == trace::kProcNull) return " without part in it";
  return " root " + peer_text(root, -1);
}

} // namespace

bool is_event(const trace::Function& function) {
  const internal::StreamAct act = internal::stream_act_of(function);
  return act == internal::StreamAct::kEvent || act == internal::StreamAct::kStart;
}

std::size_t EventTable::Hash::operator()(const Event& event) const {
  std::uint64_t hash =
      event.function + (std::uint64_t{event.made_by} << 16) + (std::uint64_t{event.comm} << 32);
  for (const std::int64_t word : {event.destination, event.source, event.root, event.send_tag,
                                  event.receive_tag, event.bytes, std::int64_t{event.list}})
    hash = mixed(hash, static_cast<std::uint64_t>(word));
  return hash;
}

Symbol EventTable::number(const Event& event) {
  const auto [found, is_new] = numbers_.try_emplace(event, static_cast<Symbol>(events_.size()));
  if (is_new) events_.push_back(&found->first);
  return found->second;
}

std::uint32_t EventTable::list(const Word& started) {
  const auto next = static_cast<std::uint32_t>(lists_.size() + 1);
  const auto [found, is_new] = list_numbers_.try_emplace(started, next);
  if (is_new) lists_.push_back(&found->first);
  return found->second;
}

std::uint32_t EventTable::phase(const std::string& name) {
  const auto next = static_cast<std::uint32_t>(phases_.size() + 1);
  const auto [found, is_new] = phase_numbers_.try_emplace(name, next);
  if (is_new) phases_.push_back(&found->first);
  return found->second;
}

void EventTable::name_communicators(const trace::Trace& trace, const trace::Communicators& comms) {
  const trace::CommunicatorNames names(trace);
  for (std::int64_t rank = 0; rank < trace.run.ranks; ++rank) {
    for (const auto& [slot, name] : names.made())
      comm_names_.try_emplace(comms.of(rank, slot).id, name);
  }
}

std::string EventTable::text_of(Symbol symbol, std::int64_t rank) const {
  constexpr std::string_view kStart = "start ";
  const Event& event = *events_[symbol];
  if (event.list == 0) {
    const auto comm = comm_names_.find(event.comm);
    return patterns::text_of(event, rank, comm == comm_names_.end() ? "?" : comm->second);
  }
  std::string started;
  for (const Symbol each : list_of(event.list)) {
    const std::string text = text_of(each, rank);
    started += started.empty() ? "" : ", ";
    started += text.starts_with(kStart) ? text.substr(kStart.size()) : "unknown";
  }
  return trace::short_name(trace::find_function(event.function)->name) + " {" + started + "}";
}

std::string text_of(const Event& event, std::int64_t rank, std::string_view comm) {
  std::string text = trace::short_name(trace::find_function(event.function)->name);
  if (event.made_by != 0) {
    const std::string made = trace::short_name(trace::find_function(event.made_by)->name);
    text += " " + made.substr(0, made.rfind("_init"));
  }
  if (event.destination != kNothing) text += " " + peer_text(event.destination, rank);
  if (event.source != kNothing)
    text += (event.destination != kNothing ? " from " : " ") + peer_text(event.source, rank);
  if (event.root != kNothing) text += root_text(event.root);
  std::string rest;
  const auto add = [&](const std::string& more) { rest += (rest.empty() ? "" : ", ") + more; };
  if (event.bytes != kNothing) add(fmt::format("{} B", event.bytes));
  if (event.send_tag != kNothing) add(fmt::format("tag {}", event.send_tag));
  if (event.receive_tag != kNothing && event.receive_tag != event.send_tag)
    add(event.receive_tag == trace::kAnyTag ? "any tag" : fmt::format("tag {}", event.receive_tag));
  if (event.comm == trace::Communicators::kSelf) add("on itself alone");
  if (event.comm > trace::Communicators::kSelf && event.comm != trace::Communicators::kUnknown)
    add(fmt::format("on {}", comm));
  return rest.empty() ? text : text + " (" + rest + ")";
}

} // namespace rondo::patterns
