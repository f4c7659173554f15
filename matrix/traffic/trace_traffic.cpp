// SPDX-License-Identifier: Apache-2.0
#include "rondo/matrix/trace_traffic.hpp"

#include "matrix/traffic/call_traffic.hpp"
#include "matrix/traffic/trace_rank.hpp"
#include "matrix/traffic/trace_tally.hpp"
#include "rondo/base/units.hpp"
#include "rondo/trace/collective_steps.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_map>
#include <utility>

namespace rondo::matrix {
namespace {

using internal::is_collective;
using internal::is_one_sided;
using internal::is_send;
using internal::TalliedCall;
using trace::Function;
using trace::Trace;

bool is_chosen(const TrafficOptions& options, const Function& function) {
  return options.calls.empty() || std::find(options.calls.begin(), options.calls.end(),
                                            function.name) != options.calls.end();
}

bool is_of_chosen_layer(const TrafficOptions& options, const Function& function) {
  if (is_one_sided(function)) return options.one_sided;
  return is_send(function) && options.point_to_point;
}

bool is_on_chosen_comm(const TrafficOptions& options, const TalliedCall& call,
                       const internal::RankTraffic& traffic) {
  return !options.comm || traffic.comm_slot_of(call) == *options.comm;
}

bool has_one_sided(const internal::Tally& tally) {
  return std::any_of(tally.calls.begin(), tally.calls.end(),
                     [](const TalliedCall& call) { return is_one_sided(*call.function); });
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
      if (function != nullptr && (is_send(*function) || is_one_sided(*function)))
        names.insert(function->name);
    }
  }
  return names;
}

// Whether a collective's messages are counted.
bool is_counted(const Function& function, CollectiveCounting counting) {
  if (counting == CollectiveCounting::kNeighbors) return trace::is_neighborhood(function);
  return counting != CollectiveCounting::kNone && is_collective(function);
}

// Whether the run has such collectives.
bool are_counted(const Trace& trace, CollectiveCounting counting) {
  return std::any_of(trace.classes.begin(), trace.classes.end(), [&](const trace::RankClass& c) {
    const std::vector<trace::Call>& calls = c.program->calls;
    return std::any_of(calls.begin(), calls.end(), [&](const trace::Call& call) {
      return is_counted(*trace::find_function(call.function), counting);
    });
  });
}

Status check_call(const Trace& trace, const std::string& name, CollectiveCounting counting) {
  const Function* function = trace::find_function(name);
  const bool sends = function != nullptr && (is_send(*function) || is_one_sided(*function));
  if (sends || (function != nullptr && is_counted(*function, counting))) return {};
  std::string there;
  for (const std::string_view send : sends_of(trace)) {
    there += there.empty() ? "" : ", ";
    there += send;
  }
  return fail(ErrorCode::kUsage,
              name +
                  (function == nullptr ? " is no MPI function that Rondo knows"
                                       : " sends no messages that are counted here") +
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

constexpr std::pair<std::string_view, CollectiveCounting> kCountings[] = {
    {"none", CollectiveCounting::kNone},           {"neighbors", CollectiveCounting::kNeighbors},
    {"paper", CollectiveCounting::kThroughRoot},   {"pairs", CollectiveCounting::kPairs},
    {"algorithm", CollectiveCounting::kAlgorithm},
};

} // namespace

Result<CollectiveCounting> parse_collective_counting(std::string_view name) {
  for (const auto& [known, counting] : kCountings) {
    if (known == name) return counting;
  }
  return fail(ErrorCode::kUsage, "'" + std::string(name) +
                                     "' is no way to count collectives; choose none, neighbors, "
                                     "paper, pairs or algorithm");
}

std::string_view name_of(CollectiveCounting counting) {
  for (const auto& [name, known] : kCountings) {
    if (known == counting) return name;
  }
  return "";
}

TrafficLoss& TrafficLoss::operator+=(const TrafficLoss& more) {
  const auto& [sizes, peers, outside, bytes, requests, neighbors] = more; // all that there are
  unknown_sizes += sizes;
  unknown_peers += peers;
  outside_messages += outside;
  outside_bytes += bytes;
  unknown_requests += requests;
  unknown_neighbors += neighbors;
  return *this;
}

std::vector<std::string> TrafficLoss::sentences() const {
  std::vector<std::string> result;
  if (unknown_sizes > 0) {
    result.push_back(messages(unknown_sizes) +
                     " with a datatype that the trace does not define: counted with 0 B");
  }
  if (outside_messages > 0) {
    result.push_back(messages(outside_messages) + " (" +
                     human_bytes(static_cast<double>(outside_bytes)) +
                     ") with processes outside MPI_COMM_WORLD, which were spawned or connected: "
                     "in no pair of ranks");
  }
  if (unknown_peers > 0) {
    result.push_back(messages(unknown_peers) + " to processes that were not recorded: left out");
  }
  if (unknown_requests > 0) {
    result.push_back(std::to_string(unknown_requests) +
                     " starts of persistent requests that another thread made: left out");
  }
  if (unknown_neighbors > 0) {
    result.push_back(
        std::to_string(unknown_neighbors) +
        " calls to neighbours who are not known: counted with 0 B, and sending nothing");
  }
  return result;
}

namespace {

// A walk over the calls of a trace that a visitor wants to see.
class TrafficWalk {
public:
  TrafficWalk(const Trace& trace, const TrafficOptions& options, const TrafficVisitor& visitor)
      : trace_(trace), options_(options), visitor_(visitor), graphs_(trace),
        has_messages_of_collectives_(visitor.messages && are_counted(trace, options.collectives)) {}

  void visit(const trace::RankClass& c) {
    const internal::Tally tally = internal::tally_of(
        *c.program, [this](const Function& function) { return is_wanted(function); });
    const bool fetches = has_one_sided(tally);
    for (const std::int64_t rank : c.ranks.ranks()) {
      // What a root sends is found with those whom it sends to, and what is fetched with who does.
      if (!is_sender(rank) && !has_messages_of_collectives_ && !fetches) continue;
      if (is_sender(rank)) loss_.unknown_requests += tally.unknown_starts;
      const internal::RankTraffic traffic(trace_, *c.program, rank, graphs_);
      for (const TalliedCall& call : tally.calls) {
        const bool is_skipped = !is_sender(rank) && is_send(*call.function);
        if (call.executions == 0 || is_skipped || !is_on_chosen_comm(options_, call, traffic))
          continue;
        visit(call, traffic);
      }
    }
  }

  TrafficLoss loss() const {
    TrafficLoss loss = loss_;
    loss.unknown_sizes += std::max(of_calls_.unknown_sizes, of_messages_.unknown_sizes);
    loss.unknown_neighbors += std::max(of_calls_.unknown_neighbors, of_messages_.unknown_neighbors);
    loss.unknown_peers += of_messages_.unknown_peers;
    return loss;
  }

private:
  bool is_wanted(const Function& function) const {
    const bool is_asked_for = is_collective(function)
                                  ? visitor_.collectives || has_messages_of_collectives_
                                  : visitor_.messages && is_of_chosen_layer(options_, function);
    return is_asked_for && is_chosen(options_, function);
  }

  bool is_sender(std::int64_t rank) const {
    return !options_.senders || options_.senders->contains(rank);
  }

  void visit(const TalliedCall& call, const internal::RankTraffic& traffic) {
    if (is_one_sided(*call.function)) {
      show(traffic.one_sided_messages_of(call, loss_));
    } else if (!is_collective(*call.function)) {
      if (const auto sent = traffic.messages_of(call, loss_)) visitor_.messages(*sent);
    } else {
      if (visitor_.collectives && is_sender(traffic.rank()))
        visitor_.collectives(traffic.collectives_of(call, of_calls_));
      if (has_messages_of_collectives_)
        show(traffic.collective_messages_of(call, options_.collectives, of_messages_));
    }
  }

  void show(const std::vector<MessagesSent>& messages) const {
    for (const MessagesSent& sent : messages) {
      if (is_sender(sent.source)) visitor_.messages(sent);
    }
  }

  const Trace& trace_;
  const TrafficOptions& options_;
  const TrafficVisitor& visitor_;
  const internal::DistGraphs graphs_;
  bool has_messages_of_collectives_;
  TrafficLoss loss_;
  TrafficLoss of_calls_; // a collective may be looked at twice, for itself and for its messages
  TrafficLoss of_messages_;
};

} // namespace

TrafficLoss visit_traffic(const Trace& trace, const TrafficOptions& options,
                          const TrafficVisitor& visitor) {
  TrafficWalk walk(trace, options, visitor);
  for (const trace::RankClass& c : trace.classes) walk.visit(c);
  return walk.loss();
}

Status check_options(const Trace& trace, const TrafficOptions& options) {
  for (const std::string& name : options.calls) {
    if (auto good = check_call(trace, name, options.collectives); !good) return good;
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
  // One entry for each pair, not for each call: a class's ranks come one after the other, unless
  // collectives let others send.
  std::vector<MatrixEntry> entries;
  std::unordered_map<std::int64_t, std::size_t> of_pair; // -> index in entries
  std::int64_t source = -1;
  const bool others_send = are_counted(trace, options.collectives);
  TrafficVisitor visitor;
  visitor.messages = [&](const MessagesSent& sent) {
    if (sent.source != source && !others_send) of_pair.clear();
    source = sent.source;
    const std::int64_t pair = sent.source * trace.run.ranks + sent.destination;
    const auto [entry, is_new] = of_pair.emplace(pair, entries.size());
    if (is_new) entries.push_back({sent.source, sent.destination, 0, 0});
    entries[entry->second].messages += sent.messages;
    entries[entry->second].bytes += sent.messages * sent.bytes_each;
  };
  const TrafficLoss loss = visit_traffic(trace, options, visitor);
  return TraceMatrix{CommunicationMatrix::from_entries(trace.run.ranks, std::move(entries)), loss};
}

TraceStatistics statistics_of(const Trace& trace, CollectiveCounting counting) {
  StatisticsBuilder builder(trace.run.ranks);
  std::map<std::pair<std::string_view, std::uint64_t>, std::uint64_t> collectives; // calls
  TrafficVisitor visitor;
  visitor.messages = [&](const MessagesSent& sent) {
    if (is_one_sided(*sent.function)) {
      builder.add_one_sided(sent.source, sent.destination, sent.messages, sent.bytes_each);
    } else if (is_collective(*sent.function)) {
      builder.add_collective_messages(sent.source, sent.destination, sent.messages,
                                      sent.bytes_each);
    } else {
      builder.add_point_to_point(sent.source, sent.destination, sent.messages, sent.bytes_each);
    }
  };
  visitor.collectives = [&](const CollectiveCalls& c) {
    collectives[{c.function->name, c.bytes_each}] += c.calls;
  };
  TrafficOptions options;
  options.collectives = counting;
  const TrafficLoss loss = visit_traffic(trace, options, visitor);
  for (const auto& [key, calls] : collectives) {
    builder.add_collective(key.first, calls, calls * key.second);
  }
  TraceStatistics result{builder.build(), loss};
  result.statistics.collectives_as = name_of(counting);
  result.statistics.messages_to_others = loss.outside_messages;
  result.statistics.bytes_to_others = loss.outside_bytes;
  result.statistics.files = file_traffic_of(trace);
  result.statistics.others = other_traffic_of(trace);
  return result;
}

double seconds_of(const Trace& trace) {
  std::uint64_t longest = 0;
  for (const trace::RankFacts& facts : trace.ranks) longest = std::max(longest, facts.span_ns);
  return static_cast<double>(longest) * 1e-9;
}

} // namespace rondo::matrix
