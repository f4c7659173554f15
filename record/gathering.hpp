// SPDX-License-Identifier: Apache-2.0
// What becomes of all ranks' recordings in MPI_Finalize: parts are merged along a binomial tree,
// and rank 0 writes the archive. Parts that do not fit into one rank's memory, or come to a disk
// that takes no archive, stay on disk, with rank 0 where it does not see the others' file system.
// All messages go over a communicator of our own, by PMPI.
#pragma once

#include "record/parts.hpp"
#include "rondo/fold/merge.hpp"

#include <cstdint>
#include <mpi.h>
#include <string>
#include <utility>

namespace rondo::record {

class Gathering {
public:
  struct Settings {
    std::string output;
    bool is_spawned = false; // another program's ranks started this one's: beside their archive
    std::string force; // as the recorder's settings have it
    std::uint64_t most_stamp_bytes = 0; // that rank 0 takes in memory, of all ranks
  };
  struct Own { // what this rank brings
    std::int64_t rank = 0;
    std::int64_t ranks = 1;
    std::uint64_t calls = 0;
    std::string& encoded; // its part, which goes on being what is written should the process end
    Parts& parts;
  };
  Gathering(Settings settings, const Own& own) : settings_(std::move(settings)), own_(own) {}
  Gathering(const Gathering&) = delete;
  Gathering& operator=(const Gathering&) = delete;

  /// Waits for the other ranks. False if they do not come, minutes later.
  /// @param world  the group of MPI_COMM_WORLD
  bool meet(MPI_Group world);
  /// Brings the parts together, in one way or the other.
  /// @param spent_ns  what recording has cost the rank in MPI_Finalize before; -1: not to be noted
  void deliver(fold::RecordingPart&& part, std::int64_t spent_ns);

private:
  bool fit_into_one(const fold::RecordingPart& part) const;
  void agree_on_slots(fold::RecordingPart& part);
  void merge_to_root(fold::RecordingPart& part, const std::string& encoded) const;
  bool write_merged(fold::RecordingPart&& part, std::int64_t spent_ns);
  void leave_part() const;
  void say_what_is_lost() const;
  void give_parts() const;
  void take_parts(int rank) const;
  void hand_over_parts() const;

  Settings settings_;
  Own own_;
  MPI_Comm comm_ = MPI_COMM_NULL; // our own
};

} // namespace rondo::record
