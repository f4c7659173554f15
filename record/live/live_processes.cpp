// SPDX-License-Identifier: Apache-2.0
// Processes that a live run starts: they are ranks of the run, behind those that it began with, in
// whatever order the MPI_COMM_WORLDs came. A rank says them by these numbers. Which process of
// another MPI_COMM_WORLD is which it knows from the communicator that came of starting them, or of
// being started.
#include "record/by_hand.hpp"
#include "record/recorder.hpp"
#include "rondo/fold/program_builder.hpp"
#include "trace/mpi_names.hpp"

#include <algorithm>
#include <utility>

namespace rondo::record {

namespace live_wire = trace::live;

namespace {

bool starts_processes(const trace::Function* function) {
  return function != nullptr &&
         (function->name == mpi::Comm_spawn || function->name == mpi::Comm_spawn_multiple);
}

const trace::Function* function_of(const std::int64_t* event) {
  return trace::find_function(static_cast<std::uint16_t>(event[0] & 0xffff));
}

std::int64_t argument_of(const trace::Function& function, const std::int64_t* event,
                         const char* name) {
  return event[fold::kEventHead + static_cast<std::size_t>(function.word_of(name))];
}

std::vector<int> translated(MPI_Group from, MPI_Group to) {
  int size = 0;
  PMPI_Group_size(from, &size);
  std::vector<int> all(static_cast<std::size_t>(size));
  std::vector<int> result(all.size());
  for (int i = 0; i < size; ++i) all[static_cast<std::size_t>(i)] = i;
  PMPI_Group_translate_ranks(from, size, all.data(), to, result.data());
  return result;
}

} // namespace

void LiveLink::ask_leave(std::uint32_t thread, std::int64_t comm) {
  if (socket_ < 0) return;
  outbox_.put(live_wire::ItemKind::kSpawns, {thread, comm});
  wait_for_answer(thread);
}

void LiveLink::say_no_spawn() {
  if (socket_ < 0) return;
  outbox_.put(live_wire::ItemKind::kNoSpawn, {});
  send_all();
}

std::vector<std::int64_t> LiveLink::children_of(std::uint32_t thread, std::int64_t comm) {
  if (socket_ < 0) return {};
  outbox_.put(live_wire::ItemKind::kChildren, {thread, comm});
  wait_for_answer(thread);
  return std::exchange(children_, {});
}

std::vector<std::int64_t> LiveLink::ranks_of(MPI_Group group, MPI_Group world) const {
  const std::vector<int> own = translated(group, world);
  std::vector<std::int64_t> ranks(own.begin(), own.end());
  for (std::int64_t& rank : ranks) rank = rank == MPI_UNDEFINED ? -1 : rank + first_rank_;
  for (const Relatives& relatives : relatives_) {
    const std::vector<int> theirs = translated(group, relatives.group);
    for (std::size_t i = 0; i < ranks.size(); ++i) {
      if (ranks[i] < 0 && theirs[i] != MPI_UNDEFINED)
        ranks[i] = relatives.ranks[static_cast<std::size_t>(theirs[i])];
    }
  }
  return ranks;
}

std::vector<trace::RankRange> LiveLink::in_run(const std::vector<trace::RankRange>& ranges) const {
  if (first_rank_ == 0) return ranges;
  std::vector<std::int64_t> ranks = trace::sequence_of(ranges);
  for (std::int64_t& rank : ranks) rank += rank < 0 ? 0 : first_rank_;
  return trace::ranges_of(ranks);
}

void Recorder::enter_live(const Stream& stream, std::uint16_t function, std::size_t size) {
  const trace::Function* const what = trace::find_function(function);
  if (starts_processes(what)) {
    const std::int64_t comm = argument_of(*what, on_thread.event, "comm");
    const bool is_root = argument_of(*what, on_thread.event, "root") == objects.comm_of(comm).rank;
    live->say_new(definitions_);
    if (is_root && !trace::is_special(comm)) live->ask_leave(stream.thread, comm);
  }
  if (live->late().are_open()) {
    const auto words = live->envelope(on_thread.event, size);
    live->late().before(function, words.empty()
                                      ? LateReceives::Envelope{}
                                      : LateReceives::Envelope{words[0], words[1], words[2]});
  }
  live->enter(stream.thread, function, on_thread.event, size);
}

void Recorder::say_if_no_spawn(const std::int64_t* event) {
  const bool has_failed = (event[0] >> 16 & 0xffff) != 0;
  if (has_failed && starts_processes(function_of(event))) live->say_no_spawn();
}

void ProgramObjects::go_live(LiveLink& live) {
  live_ = &live;
  meet_parents();
}

// Before MPI knows any other processes of the run.
void ProgramObjects::meet_parents() {
  if (!is_spawned_ || live_->parents().empty()) return;
  MPI_Comm parent = MPI_COMM_NULL;
  MPI_Group group = MPI_GROUP_NULL;
  PMPI_Comm_get_parent(&parent);
  PMPI_Comm_remote_group(parent, &group);
  live_->meet(group, live_->parents());
}

LiveLink::Members ProgramObjects::live_members(MPI_Comm comm, const Making& making,
                                               const Caller& caller) {
  LiveLink::Members result;
  MPI_Group group = MPI_GROUP_NULL;
  int is_inter = 0;
  PMPI_Comm_test_inter(comm, &is_inter);
  PMPI_Comm_group(comm, &group);
  result.local = live_->ranks_of(group, world_group_);
  PMPI_Group_free(&group);
  if (is_inter != 0) {
    PMPI_Comm_remote_group(comm, &group);
    if (starts_processes(function_of(on_thread.event)) && making.parent != MPI_COMM_NULL) {
      const std::int64_t parent = note(trace::FieldKind::kComm, key_of(making.parent), caller);
      int size = 0;
      PMPI_Group_size(group, &size);
      const auto children = live_->children_of(caller.thread, parent);
      result.have_met = children.size() == static_cast<std::size_t>(size);
      if (result.have_met) live_->meet(group, children);
    } else if (is_spawned_) {
      MPI_Comm parent = MPI_COMM_NULL;
      PMPI_Comm_get_parent(&parent);
      result.have_met = key_of(parent) == key_of(comm);
    }
    result.remote = live_->ranks_of(group, world_group_);
    if (!result.have_met) PMPI_Group_free(&group);
  }
  return result;
}

} // namespace rondo::record
