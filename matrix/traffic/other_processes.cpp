// SPDX-License-Identifier: Apache-2.0
#include "rondo/matrix/other_processes.hpp"

#include "matrix/traffic/call_traffic.hpp"
#include "matrix/traffic/trace_rank.hpp"
#include "matrix/traffic/trace_tally.hpp"
#include "rondo/trace/communicator_names.hpp"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace rondo::matrix {
namespace {

using internal::TalliedCall;

// Processes that are no ranks of MPI_COMM_WORLD, among the first so many of a group.
std::int64_t outsiders_of(const std::vector<trace::RankRange>& group, std::int64_t first_ones) {
  std::int64_t count = 0;
  for (const trace::RankRange& range : group) {
    const std::int64_t looked_at = std::min(range.count, first_ones);
    first_ones -= looked_at;
    if (range.start >= 0 && range.stride >= 0) continue; // else few, as processes are all -1
    for (std::int64_t i = 0; i < looked_at; ++i) count += range.start + i * range.stride < 0;
  }
  return count;
}

std::int64_t outsiders_of(const trace::CommDefinition& comm) {
  constexpr auto kAll = std::numeric_limits<std::int64_t>::max();
  return outsiders_of(comm.members, kAll) + outsiders_of(comm.remote, kAll);
}

// The number among them of the process that has this rank in the communicator. Behind a merge
// ranks count those of this recording, too.
std::int64_t process_number(const trace::CommDefinition& comm, std::int64_t rank) {
  return outsiders_of(comm.remote.empty() ? comm.members : comm.remote, rank);
}

// By slot, which is all that names know.
struct OtherComm {
  std::int64_t parent = trace::kNothing;
  std::int64_t processes = 0;
};

OtherKind kind_made_by(std::string_view way) {
  if (way.starts_with("spawn")) return OtherKind::kSpawned;
  if (way == "parent") return OtherKind::kParents;
  const bool meets = way == "accept" || way == "connect" || way == "join";
  return meets ? OtherKind::kConnected : OtherKind::kUnknown;
}

OtherKind kind_of(std::int64_t slot, const std::map<std::int64_t, OtherComm>& comms,
                  const trace::CommunicatorNames& names) {
  // Each was made from one that was there before; the bound is for damaged archives.
  for (std::size_t i = 0; i <= comms.size(); ++i) {
    const OtherKind kind = kind_made_by(names.how_made(slot));
    const auto comm = comms.find(slot);
    if (kind != OtherKind::kUnknown || comm == comms.end()) return kind;
    slot = comm->second.parent;
  }
  return OtherKind::kUnknown;
}

class OtherCollector {
public:
  OtherCollector(const trace::Trace& trace, const std::map<std::int64_t, OtherComm>& comms)
      : trace_(trace), graphs_(trace) {
    result_.ranks = trace.run.ranks;
    const trace::CommunicatorNames names(trace);
    for (const auto& [slot, comm] : comms) {
      layer_of_.emplace(slot, result_.layers.size());
      result_.layers.push_back(
          {kind_of(slot, comms, names), names.of(slot), comm.processes, {}, 0, 0});
    }
    entries_.resize(result_.layers.size());
  }

  OtherTraffic run() {
    for (const trace::RankClass& c : trace_.classes) {
      const internal::Tally tally =
          internal::tally_of(*c.program, [](const trace::Function& function) {
            return !internal::is_file_access(function);
          });
      for (const std::int64_t rank : c.ranks.ranks()) {
        const internal::RankTraffic traffic(trace_, *c.program, rank, graphs_);
        for (const TalliedCall& call : tally.calls) {
          if (call.executions > 0) add(call, traffic);
        }
      }
    }
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      for (const auto& [pair, entry] : entries_[i]) result_.layers[i].entries.push_back(entry);
    }
    return std::move(result_);
  }

private:
  void add(const TalliedCall& call, const internal::RankTraffic& traffic) {
    const auto* comm = traffic.comm_of(call);
    if (comm == nullptr || outsiders_of(*comm) == 0) return;
    const std::size_t layer = layer_of_.at(comm->slot);
    TrafficLoss loss; // is said where all messages are counted
    if (internal::is_collective(*call.function)) {
      const CollectiveCalls made = traffic.collectives_of(call, loss);
      result_.layers[layer].collective_calls += made.calls;
      result_.layers[layer].collective_bytes += made.calls * made.bytes_each;
    } else if (const auto rank_in_comm = traffic.outsider_of(call)) {
      const std::int64_t process = process_number(*comm, *rank_in_comm);
      OtherEntry& entry = entries_[layer][{traffic.rank(), process}];
      entry.rank = traffic.rank();
      entry.process = process;
      entry.messages += call.executions;
      entry.bytes += call.executions * traffic.bytes_moved_by(call);
    }
  }

  const trace::Trace& trace_;
  internal::DistGraphs graphs_;
  OtherTraffic result_;
  std::map<std::int64_t, std::size_t> layer_of_; // by slot
  std::vector<std::map<std::pair<std::int64_t, std::int64_t>, OtherEntry>> entries_; // by layer
};

} // namespace

std::string_view name_of(OtherKind kind) {
  switch (kind) {
  case OtherKind::kSpawned:
    return "spawned";
  case OtherKind::kParents:
    return "parents";
  case OtherKind::kConnected:
    return "connected";
  case OtherKind::kUnknown:
    return "others";
  }
  return "";
}

std::uint64_t OtherLayer::messages() const {
  std::uint64_t sum = 0;
  for (const OtherEntry& entry : entries) sum += entry.messages;
  return sum;
}

std::uint64_t OtherLayer::bytes() const {
  std::uint64_t sum = 0;
  for (const OtherEntry& entry : entries) sum += entry.bytes;
  return sum;
}

std::string OtherLayer::name() const { return std::string(name_of(kind)) + " (comm " + comm + ")"; }

OtherTraffic other_traffic_of(const trace::Trace& trace) {
  std::map<std::int64_t, OtherComm> comms;
  for (const trace::CommDefinition& comm : trace.comms) {
    const std::int64_t processes = outsiders_of(comm);
    if (processes == 0) continue;
    OtherComm& known = comms[comm.slot];
    known = {comm.origin.parent, std::max(known.processes, processes)};
  }
  if (comms.empty()) return {};
  return OtherCollector(trace, comms).run();
}

} // namespace rondo::matrix
