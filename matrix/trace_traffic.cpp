// SPDX-License-Identifier: Apache-2.0
#include "rondo/matrix/trace_traffic.hpp"

#include "matrix/trace_layout.hpp"
#include "matrix/trace_rank.hpp"
#include "matrix/trace_tally.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace rondo::matrix {
namespace {

using internal::is_collective;
using internal::is_send;
using internal::TalliedCall;
using trace::Function;
using trace::Trace;

bool is_chosen(const TrafficOptions& options, const Function& function) {
  return options.calls.empty() || std::find(options.calls.begin(), options.calls.end(),
                                            function.name) != options.calls.end();
}

bool is_on_chosen_comm(const TrafficOptions& options, const TalliedCall& call) {
  const int word = internal::layout_of(*call.function).comm;
  return !options.comm ||
         (word >= 0 && call.words[static_cast<std::size_t>(word)].value == *options.comm);
}

std::string messages(std::uint64_t count) {
  return std::to_string(count) + (count == 1 ? " message" : " messages");
}

// Names of the functions by which the trace sends, for advice.
std::set<std::string_view> sends_of(const Trace& trace) {
  std::set<std::string_view> names;
  for (const trace::RankClass& c : trace.classes) {
    for (const trace::Call& call : c.program->calls) {
      const Function* function = trace::find_function(call.function);
      if (function != nullptr && is_send(*function)) names.insert(function->name);
    }
  }
  return names;
}

Status check_call(const Trace& trace, const std::string& name) {
  const Function* function = trace::find_function(name);
  if (function != nullptr && is_send(*function)) return {};
  std::string there;
  for (const std::string_view send : sends_of(trace)) {
    there += there.empty() ? "" : ", ";
    there += send;
  }
  return fail(ErrorCode::kUsage,
              name +
                  (function == nullptr ? " is no MPI function that Rondo knows"
                                       : " is no point-to-point send") +
                  (there.empty() ? "; this trace has none" : "; this trace sends by " + there));
}

Status check_comm(const Trace& trace, std::int64_t slot) {
  std::set<std::int64_t> slots;
  for (const trace::CommDefinition& comm : trace.comms) {
    if (comm.slot >= 0) slots.insert(comm.slot);
  }
  if (slot == -1 || slot == -2 || slots.contains(slot)) return {};
  const std::string what = "no communicator " + std::to_string(slot) + " in this trace; ";
  if (slots.empty()) return fail(ErrorCode::kUsage, what + "it uses predefined ones only");
  return fail(ErrorCode::kUsage,
              what + "those that the program made are 0 to " + std::to_string(*slots.rbegin()));
}

} // namespace

std::vector<std::string> TrafficLoss::sentences() const {
  std::vector<std::string> result;
  if (unknown_sizes > 0) {
    result.push_back(messages(unknown_sizes) +
                     " with a datatype that the trace does not define: counted with 0 B");
  }
  if (unknown_peers > 0) {
    result.push_back(messages(unknown_peers) + " to processes that were not recorded: left out");
  }
  if (unknown_requests > 0) {
    result.push_back(std::to_string(unknown_requests) +
                     " starts of persistent requests that another thread made: left out");
  }
  if (unknown_neighbors > 0) {
    result.push_back(std::to_string(unknown_neighbors) +
                     " calls to neighbours whose number is not known: counted with 0 B");
  }
  return result;
}

TrafficLoss visit_traffic(const Trace& trace, const TrafficOptions& options,
                          const TrafficVisitor& visitor) {
  TrafficLoss loss;
  const auto is_wanted = [&](const Function& function) {
    return (is_send(function) ? visitor.messages != nullptr : visitor.collectives != nullptr) &&
           is_chosen(options, function);
  };
  for (const trace::RankClass& c : trace.classes) {
    const internal::Tally tally = internal::tally_of(*c.program, is_wanted);
    for (const std::int64_t rank : c.ranks.ranks()) {
      if (options.senders && !options.senders->contains(rank)) continue;
      loss.unknown_requests += tally.unknown_starts;
      const internal::RankTraffic traffic(trace, *c.program, rank);
      for (const TalliedCall& call : tally.calls) {
        if (call.executions == 0 || !is_on_chosen_comm(options, call)) continue;
        if (is_collective(*call.function)) {
          visitor.collectives(traffic.collectives_of(call, loss));
        } else if (const auto sent = traffic.messages_of(call, loss)) {
          visitor.messages(*sent);
        }
      }
    }
  }
  return loss;
}

Status check_options(const Trace& trace, const TrafficOptions& options) {
  for (const std::string& name : options.calls) {
    if (auto good = check_call(trace, name); !good) return good;
  }
  if (options.comm) {
    if (auto good = check_comm(trace, *options.comm); !good) return good;
  }
  for (const std::int64_t rank : options.senders.value_or(trace::RankSet{}).ranks()) {
    if (rank >= 0 && rank < trace.run.ranks) continue;
    return fail(ErrorCode::kUsage, "no rank " + std::to_string(rank) +
                                       "; the trace has ranks 0 to " +
                                       std::to_string(trace.run.ranks - 1));
  }
  return {};
}

Result<TraceMatrix> matrix_of(const Trace& trace, const TrafficOptions& options) {
  if (auto good = check_options(trace, options); !good) return propagate(good);
  // One entry for each pair, not for each call: a class's ranks come one after the other.
  std::vector<MatrixEntry> entries;
  std::unordered_map<std::int64_t, std::size_t> of_source; // destination -> index in entries
  std::int64_t source = -1;
  TrafficVisitor visitor;
  visitor.messages = [&](const MessagesSent& sent) {
    if (sent.source != source) of_source.clear();
    source = sent.source;
    const auto [entry, is_new] = of_source.emplace(sent.destination, entries.size());
    if (is_new) entries.push_back({sent.source, sent.destination, 0, 0});
    entries[entry->second].messages += sent.messages;
    entries[entry->second].bytes += sent.messages * sent.bytes_each;
  };
  const TrafficLoss loss = visit_traffic(trace, options, visitor);
  return TraceMatrix{CommunicationMatrix::from_entries(trace.run.ranks, std::move(entries)), loss};
}

TraceStatistics statistics_of(const Trace& trace) {
  StatisticsBuilder builder(trace.run.ranks);
  std::map<std::pair<std::string_view, std::uint64_t>, std::uint64_t> collectives; // calls
  TrafficVisitor visitor;
  visitor.messages = [&](const MessagesSent& sent) {
    builder.add_point_to_point(sent.source, sent.destination, sent.messages, sent.bytes_each);
  };
  visitor.collectives = [&](const CollectiveCalls& c) {
    collectives[{c.function->name, c.bytes_each}] += c.calls;
  };
  const TrafficLoss loss = visit_traffic(trace, {}, visitor);
  for (const auto& [key, calls] : collectives) {
    builder.add_collective(key.first, calls, calls * key.second);
  }
  return {builder.build(), loss};
}

double seconds_of(const Trace& trace) {
  std::uint64_t longest = 0;
  for (const trace::RankFacts& facts : trace.ranks) longest = std::max(longest, facts.span_ns);
  return static_cast<double>(longest) * 1e-9;
}

} // namespace rondo::matrix
