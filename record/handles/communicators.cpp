// SPDX-License-Identifier: Apache-2.0
// What is noted of a communicator: its members, and what made it.
#include "record/handles/program_objects.hpp"

#include <algorithm>
#include <optional>

namespace rondo::record {

using trace::FieldKind;

namespace {

// Processes of another MPI_COMM_WORLD.
bool has_others(const std::vector<std::int64_t>& ranks) {
  return std::find(ranks.begin(), ranks.end(), -1) != ranks.end();
}

} // namespace

// Which of those made from the same parent, with the same tag and members, it is.
CommSlots::Taken ProgramObjects::take_comm_slot(Comm& known, const Making& making,
                                                const std::string& groups,
                                                trace::CommOrigin& origin, const Caller& caller) {
  constexpr int kGenerations = 8;
  const std::int64_t parent = making.parent == MPI_COMM_NULL
                                  ? trace::kNull
                                  : note(FieldKind::kComm, key_of(making.parent), caller);
  if (parent != trace::kNull) {
    const Comm& from = comm_of(parent);
    origin.parent = from.family;
    known.generation = from.generation + 1;
  }
  origin.tag = making.tag;
  const auto taken = comm_slots_.take(key_text({origin.parent, origin.tag}) + groups,
                                      {caller.thread, making.is_nonblocking, caller.is_quiet});
  origin.ordinal = taken.ordinal;
  known.family = known.generation < kGenerations ? taken.slot : origin.parent;
  return taken;
}

std::int64_t ProgramObjects::note_comm(MPI_Comm comm, const Making& making, const Caller& caller) {
  const MPI_Comm described = making.is_nonblocking ? making.parent : comm;
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_group(described, &group);
  const std::vector<std::int64_t> members = world_ranks_of(group);
  Comm known;
  int rank = 0;
  int is_inter = 0;
  PMPI_Group_rank(group, &rank);
  PMPI_Group_free(&group);
  PMPI_Comm_test_inter(described, &is_inter);
  known.rank = rank;
  known.size = known.peers = static_cast<std::int64_t>(members.size());
  known.is_inter = is_inter != 0;
  std::vector<std::int64_t> remote;
  if (known.is_inter) {
    PMPI_Comm_remote_group(described, &group);
    remote = world_ranks_of(group);
    PMPI_Group_free(&group);
    known.peers = static_cast<std::int64_t>(remote.size());
  }
  // In a live run it is known which processes these are: others are others.
  std::optional<LiveLink::Members> named;
  std::string groups = key_text(members) + "|" + key_text(remote);
  if (live_ != nullptr && (has_others(members) || has_others(remote))) {
    named = live_members(described, making, caller);
    groups += "|" + key_text(named->local) + "|" + key_text(named->remote);
  }
  trace::CommOrigin origin;
  const auto [slot, ordinal, is_new] = take_comm_slot(known, making, groups, origin, caller);
  of(FieldKind::kComm).words.set(key_of(comm), slot);
  if (static_cast<std::size_t>(slot) >= comms_.size())
    comms_.resize(static_cast<std::size_t>(slot) + 1);
  comms_[static_cast<std::size_t>(slot)] = known;
  noted_(slot, known);
  if (is_new) {
    if (named) live_->name_members(slot, *named);
    positions_.emplace_back(slot, known);
    definitions_.comms.push_back({slot, trace::ranges_of(members), trace::ranges_of(remote),
                                  trace::RankSet::of({world_.rank}), origin});
  }
  return slot;
}

std::int64_t ProgramObjects::made_comm(MPI_Comm comm, const Making& making, const Caller& caller) {
  return comm == MPI_COMM_NULL ? trace::kNull : note_comm(comm, making, caller);
}

} // namespace rondo::record
