// SPDX-License-Identifier: Apache-2.0
#include "convert/otf2/layout.hpp"

#include "trace/mpi_names.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace rondo::convert::internal {
namespace {

constexpr std::uint64_t kBytesOfOtf2Rank = 8192; // what a rank takes that has a few calls

const Otf2Group* mpi_locations(const Otf2Definitions& definitions) {
  for (const auto& [ref, group] : definitions.groups) {
    if (group.type == OTF2_GROUP_TYPE_COMM_LOCATIONS && group.paradigm == OTF2_PARADIGM_MPI)
      return &group;
  }
  return nullptr;
}

// Tools that do not say which locations are ranks: the first thread of each process.
std::vector<std::uint64_t> first_threads(const Otf2Definitions& definitions) {
  std::vector<std::uint64_t> firsts;
  std::set<OTF2_LocationGroupRef> seen;
  for (const auto& [ref, location] : definitions.locations) {
    if (location.type == OTF2_LOCATION_TYPE_CPU_THREAD && seen.insert(location.group).second)
      firsts.push_back(ref);
  }
  return firsts;
}

std::string no_mpi_sentence(const Otf2Definitions& definitions) {
  std::uint64_t threads = 0;
  std::uint64_t devices = 0;
  for (const auto& [ref, location] : definitions.locations) {
    threads += location.type == OTF2_LOCATION_TYPE_CPU_THREAD ? 1 : 0;
    devices += location.type == OTF2_LOCATION_TYPE_ACCELERATOR_STREAM ? 1 : 0;
  }
  return "is an OTF2 trace without MPI: " + std::to_string(threads) + " CPU threads and " +
         std::to_string(devices) +
         " accelerator streams, none of which is a rank of MPI, and no MPI function; Rondo reads "
         "what programs say to MPI, so that there is nothing to show";
}

void find_ranks(const Otf2Definitions& definitions, const std::vector<std::uint64_t>& locations,
                Otf2Layout& layout) {
  std::map<OTF2_LocationGroupRef, std::size_t> rank_of_process;
  std::set<OTF2_LocationRef> firsts;
  for (const std::uint64_t ref : locations) {
    const auto location = definitions.locations.find(ref);
    Otf2Rank rank;
    if (firsts.insert(ref).second) rank.threads.push_back(ref);
    if (location != definitions.locations.end()) {
      rank.process = location->second.group;
      rank_of_process.emplace(rank.process, layout.ranks.size());
    }
    layout.ranks.push_back(std::move(rank));
  }
  for (const auto& [ref, location] : definitions.locations) {
    if (firsts.contains(ref) || location.events == 0) continue;
    const auto rank = rank_of_process.find(location.group);
    const bool is_thread = location.type == OTF2_LOCATION_TYPE_CPU_THREAD;
    if (is_thread && rank != rank_of_process.end() &&
        layout.ranks[rank->second].threads.size() < trace::kMaxThreads) {
      layout.ranks[rank->second].threads.push_back(ref);
    } else {
      ++layout.locations_left_out;
    }
  }
}

bool are_all_in_order(const std::vector<std::int64_t>& members, std::size_t ranks) {
  if (members.size() != ranks) return false;
  for (std::size_t i = 0; i < members.size(); ++i) {
    if (members[i] != static_cast<std::int64_t>(i)) return false;
  }
  return true;
}

// Ranks of a group; none if it is none of MPI, or not one that can be.
std::vector<std::int64_t> ranks_of(const Otf2Definitions& definitions, OTF2_GroupRef ref,
                                   std::size_t ranks) {
  const auto group = definitions.groups.find(ref);
  if (group == definitions.groups.end()) return {};
  if (group->second.paradigm != OTF2_PARADIGM_MPI) return {};
  std::vector<std::int64_t> members;
  std::set<std::uint64_t> seen;
  for (const std::uint64_t member : group->second.members) {
    if (member >= ranks || !seen.insert(member).second) return {};
    members.push_back(static_cast<std::int64_t>(member));
  }
  return members;
}

class CommNumbering {
public:
  CommNumbering(const Otf2Definitions& definitions, Otf2Layout& layout)
      : definitions_(definitions), layout_(layout) {}

  void add(OTF2_CommRef ref, const Otf2CommDefinition& comm) {
    const auto group = definitions_.groups.find(comm.group);
    if (group == definitions_.groups.end()) return;
    if (group->second.type == OTF2_GROUP_TYPE_COMM_SELF) {
      layout_.comms[ref] = {trace::kSelfSlot, 1};
      return;
    }
    const auto members = ranks_of(definitions_, comm.group, layout_.ranks.size());
    if (members.empty()) return;
    const auto remote = ranks_of(definitions_, comm.remote, layout_.ranks.size());
    const auto size = static_cast<std::int64_t>(members.size());
    layout_.comms[ref] = {slot_of(comm, members, remote), size};
  }

private:
  std::int64_t slot_of(const Otf2CommDefinition& comm, const std::vector<std::int64_t>& members,
                       const std::vector<std::int64_t>& remote) {
    // Tools may leave MPI_COMM_WORLD without a name: then it is the first of all ranks in order.
    const bool is_all = remote.empty() && are_all_in_order(members, layout_.ranks.size());
    if (is_all && (comm.name == mpi::COMM_WORLD || (comm.name.empty() && !has_world_))) {
      has_world_ = true;
      return trace::kWorldSlot;
    }
    if (members.size() == 1 && remote.empty()) return trace::kSelfSlot;
    const std::int64_t slot = next_slot_++;
    define(slot, members, remote);
    if (!remote.empty()) define(slot, remote, members);
    return slot;
  }

  // What it is to its ranks: each group of an inter-communicator has the other as its remote one.
  void define(std::int64_t slot, const std::vector<std::int64_t>& members,
              const std::vector<std::int64_t>& remote) {
    std::vector<std::int64_t> holders = members;
    std::sort(holders.begin(), holders.end());
    layout_.comm_definitions.push_back({slot, trace::ranges_of(members), trace::ranges_of(remote),
                                        trace::RankSet::of(std::move(holders))});
    const std::size_t peers = remote.empty() ? members.size() : remote.size();
    for (std::size_t i = 0; i < members.size(); ++i) {
      layout_.places[static_cast<std::size_t>(members[i])].push_back(
          {slot, static_cast<std::int64_t>(i), static_cast<std::int64_t>(peers)});
    }
  }

  const Otf2Definitions& definitions_;
  Otf2Layout& layout_;
  bool has_world_ = false;
  std::int64_t next_slot_ = 0;
};

std::vector<trace::Host> hosts_of(const Otf2Definitions& definitions, const Otf2Layout& layout) {
  std::map<std::string, std::vector<std::int64_t>> ranks;
  for (std::size_t i = 0; i < layout.ranks.size(); ++i) {
    const std::string host = definitions.host_of(layout.ranks[i].process);
    if (!host.empty()) ranks[host].push_back(static_cast<std::int64_t>(i));
  }
  std::vector<trace::Host> hosts;
  for (auto& [name, members] : ranks)
    hosts.push_back({name, trace::RankSet::of(std::move(members))});
  return hosts;
}

} // namespace

Result<Otf2Layout> otf2_layout(const Otf2Definitions& definitions, Budget& budget) {
  const Otf2Group* const group = mpi_locations(definitions);
  const bool has_ranks = group != nullptr && !group->members.empty();
  if (!has_ranks && !definitions.has_mpi_regions())
    return fail(ErrorCode::kUnsupported, no_mpi_sentence(definitions));
  const std::vector<std::uint64_t> locations =
      has_ranks ? group->members : first_threads(definitions);
  if (locations.empty()) return fail(ErrorCode::kUnsupported, no_mpi_sentence(definitions));
  if (!budget.take_items(locations.size(), kBytesOfOtf2Rank))
    return tl::unexpected<Error>(budget.error(""));
  Otf2Layout layout;
  find_ranks(definitions, locations, layout);
  layout.places.resize(layout.ranks.size());
  CommNumbering numbering(definitions, layout);
  for (const auto& [ref, comm] : definitions.comms) {
    const auto members = definitions.groups.find(comm.group);
    const std::uint64_t size =
        members == definitions.groups.end() ? 0 : members->second.members.size();
    if (!budget.take_items(size, 64)) return tl::unexpected<Error>(budget.error(""));
    numbering.add(ref, comm);
  }
  layout.hosts = hosts_of(definitions, layout);
  return layout;
}

} // namespace rondo::convert::internal
