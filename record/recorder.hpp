// SPDX-License-Identifier: Apache-2.0
// The recorder of one process: everything between the wrappers and the archive. It is made when
// MPI_Init returns and gives its recording away when MPI_Finalize begins. Whatever goes wrong, the
// program's MPI calls go through: recording stops, and that is said once.
//
// Thread rule: with MPI_THREAD_MULTIPLE the members are used under `lock` only; below that MPI
// itself demands that calls do not overlap.
#pragma once

#include "record/clock.hpp"
#include "record/objects.hpp"
#include "record/requests.hpp"
#include "record/sites.hpp"
#include "rondo/fold/merge.hpp"
#include "rondo/fold/program_builder.hpp"

#include <cstdint>
#include <mpi.h>
#include <mutex>
#include <string>
#include <vector>

namespace rondo::record {

/// Settings from the environment (docs/cli.md lists them).
struct Settings {
  std::string output = "trace.rondo"; // RONDO_OUTPUT
  bool force = false; // RONDO_FORCE=1: replace an existing output
  bool times = true; // RONDO_TIMES=none|histogram
  static Settings from_environment();
};

struct Comm { // what the wrappers need of a communicator
  std::int64_t rank = 0;
  std::int64_t peers = 1; // size, or the remote group's size
  bool is_inter = false;
  int sources = -1; // of its process topology; -1: not asked yet
  int destinations = -1;
};

class Recorder {
public:
  Recorder(Settings settings, int thread_level, std::uint64_t init_start_ns);

  // Words of handles; an object that was never seen before is noted first.
  std::int64_t comm_word(MPI_Comm comm);
  std::int64_t group_word(MPI_Group group);
  std::int64_t datatype_word(MPI_Datatype datatype);
  std::int64_t op_word(MPI_Op op);
  std::int64_t plain_word(trace::FieldKind kind, std::uint64_t handle, bool is_null);

  bool is_predefined(MPI_Datatype datatype);

  // Objects that a call made or freed. `members` of a communicator are those of `like` while MPI is
  // still making it (MPI_Comm_idup).
  std::int64_t made_comm(MPI_Comm comm, MPI_Comm like);
  std::int64_t made_group(MPI_Group group);
  std::int64_t made_datatype(MPI_Datatype datatype);
  std::int64_t made_op(MPI_Op op);
  std::int64_t made_plain(trace::FieldKind kind, std::uint64_t handle, bool is_null);
  void freed(trace::FieldKind kind, std::uint64_t handle);

  const Comm& comm_of(std::int64_t word) const;
  Comm& comm_of(std::int64_t word);

  /// Takes a finished event. `computation` is the time since the last call returned.
  void commit(const std::int64_t* event, std::size_t size, std::uint64_t start_ticks,
              std::uint64_t end_ticks);
  void stop(const char* reason);
  bool stopped() const { return stopped_; }

  /// Merges all ranks' recordings and writes the archive on rank 0. Collective over MPI_COMM_WORLD.
  void finish();

  fold::ProgramBuilder program;
  Requests requests;
  Sites sites;
  std::mutex lock;
  bool needs_lock = false;
  std::int64_t world_rank = 0;

private:
  struct Kind {
    HandleWords words;
    Slots slots;
  };
  void add_predefined();
  void note_named_datatype(MPI_Datatype datatype, std::int64_t slot);
  std::vector<std::int64_t> world_ranks_of(MPI_Group group) const;
  std::int64_t note_comm(MPI_Comm comm, MPI_Comm like);
  trace::RunFacts describe_run() const;
  fold::Part make_part();

  Settings settings_;
  int thread_level_;
  Kind kinds_[16];
  std::vector<Comm> comms_; // by slot
  Comm world_;
  Comm self_;
  std::int64_t world_size_ = 1;
  MPI_Group world_group_ = MPI_GROUP_NULL;
  std::vector<bool> datatype_noted_; // predefined ones, by index
  trace::Trace definitions_; // only its tables of objects are used
  trace::RankFacts facts_;
  std::uint64_t init_start_ns_;
  std::int64_t start_unix_ns_ = 0;
  std::uint64_t last_end_ticks_ = 0;
  std::uint64_t recorder_ticks_ = 0;
  bool stopped_ = false;
  std::string stop_reason_;
};

extern Clock clock_;
/// The recorder while MPI is up and recording is on, else nullptr.
extern Recorder* recorder;

} // namespace rondo::record
