// SPDX-License-Identifier: Apache-2.0
// The global definitions of an OTF2 archive, as far as its events need them.
#pragma once

#include "convert/calls/rank_program.hpp"
#include "rondo/base/budget.hpp"
#include "rondo/base/result.hpp"

#include <cstdint>
#include <map>
#include <otf2/otf2.h>
#include <string>
#include <unordered_map>
#include <vector>

namespace rondo::convert::internal {

struct Otf2Region {
  std::string name;
  std::string file;
  NamedCall call; // of an MPI function
  OTF2_RegionRef first = 0; // of those that say the same: tools define regions for each process
  bool is_mpi() const { return !call.canonical.empty(); }
};

struct Otf2Location {
  OTF2_LocationRef ref = 0;
  OTF2_LocationType type = OTF2_LOCATION_TYPE_UNKNOWN;
  OTF2_LocationGroupRef group = 0;
  std::uint64_t events = 0;
};

struct Otf2Group {
  OTF2_GroupType type = OTF2_GROUP_TYPE_UNKNOWN;
  OTF2_Paradigm paradigm = OTF2_PARADIGM_UNKNOWN;
  std::vector<std::uint64_t> members;
};

struct Otf2CommDefinition {
  std::string name;
  OTF2_GroupRef group = OTF2_UNDEFINED_GROUP;
  OTF2_GroupRef remote = OTF2_UNDEFINED_GROUP; // of inter-communicators
  OTF2_CommRef parent = OTF2_UNDEFINED_COMM;
};

/// The grid of a communicator.
struct Otf2Grid {
  std::vector<std::int64_t> dims{};
  std::vector<std::int64_t> periods{}; // whether a dimension is a ring
};

/// What a process calls a file that it has opened.
struct Otf2FileHandle {
  std::string file;
  OTF2_CommRef comm = OTF2_UNDEFINED_COMM;
  bool is_of_mpi = false; // else of the libraries above or below it, whose calls are none of MPI
};

struct Otf2Definitions {
  struct Node {
    std::string name;
    std::string kind;
    OTF2_SystemTreeNodeRef parent = OTF2_UNDEFINED_SYSTEM_TREE_NODE;
  };
  struct Process {
    OTF2_LocationGroupType type = OTF2_LOCATION_GROUP_TYPE_UNKNOWN;
    OTF2_SystemTreeNodeRef node = OTF2_UNDEFINED_SYSTEM_TREE_NODE;
  };
  std::unordered_map<OTF2_StringRef, std::string> strings;
  std::unordered_map<OTF2_RegionRef, Otf2Region> regions;
  std::unordered_map<OTF2_CallingContextRef, OTF2_RegionRef> contexts;
  std::map<OTF2_LocationRef, Otf2Location> locations;
  std::map<OTF2_LocationGroupRef, Process> processes;
  std::unordered_map<OTF2_SystemTreeNodeRef, Node> nodes;
  std::unordered_map<OTF2_GroupRef, Otf2Group> groups;
  std::map<OTF2_CommRef, Otf2CommDefinition> comms;
  std::unordered_map<OTF2_CommRef, Otf2Grid> grids;
  std::unordered_map<OTF2_RmaWinRef, OTF2_CommRef> windows;
  std::unordered_map<OTF2_IoHandleRef, Otf2FileHandle> files;
  std::uint64_t ticks_per_second = 0;
  std::uint64_t first_tick = 0;
  std::uint64_t ticks = 0; // of the whole trace
  std::uint64_t end_tick() const { return ticks > 0 ? first_tick + ticks : 0; } // 0: not said
  std::int64_t start_unix_ns = 0; // 0 unknown
  bool has_ends = false; // MPI_Init or MPI_Finalize is among the regions; EZTrace records neither

  std::string text(OTF2_StringRef ref) const {
    const auto found = strings.find(ref);
    return found == strings.end() ? "" : found->second;
  }
  bool has_mpi_regions() const;
  /// Ticks of the archive as ns since its start.
  std::uint64_t time_ns(std::uint64_t tick) const;
  /// Where a process runs: the nearest node of the system tree that is a host.
  std::string host_of(OTF2_LocationGroupRef process) const;
};

/// @param budget   pays for what is kept
/// @error  kDamaged without a place; kUnsupported
Result<Otf2Definitions> read_otf2_definitions(OTF2_Reader* reader, Budget& budget);

} // namespace rondo::convert::internal
