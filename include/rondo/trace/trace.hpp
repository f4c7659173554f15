// SPDX-License-Identifier: Apache-2.0
// A recorded run: what was called, by whom, in which loops, with which times. This is the one data
// model that every command works on. Ranks that do the same share one program; everything else is a
// table.
//
// Thread rule: a Trace is not changed after it was read, and any number of threads may read it.
#pragma once

#include "rondo/base/seldom.hpp"
#include "rondo/trace/merged_program.hpp"
#include "rondo/trace/program.hpp"
#include "rondo/trace/rank_clock.hpp"
#include "rondo/trace/rank_set.hpp"
#include "rondo/trace/time_stamps.hpp"
#include "rondo/trace/time_sums.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rondo::trace {

/// What makes a communicator, as its members agree on it however their calls raced: which one it is
/// of those made from one parent with the same members and tag.
struct CommOrigin {
  /// The slot of the communicator that it was made from, kNothing if that is none, or not the same
  /// on all members.
  std::int64_t parent = kNothing;
  std::int64_t tag = kNothing; // of calls that have one
  std::int64_t ordinal = -1; // among those with the same origin and members; -1: not known
  friend bool operator==(const CommOrigin&, const CommOrigin&) = default;
};

/// What is worth knowing of an MPI object that some ranks made. A slot's object may be freed and an
/// equal one made in its place, so a slot always stands for the same members, size and so on.
struct CommDefinition {
  std::int64_t slot = 0; // >= 0, or -1 - index of a predefined communicator
  std::vector<RankRange> members; // world ranks in communicator order
  std::vector<RankRange> remote; // of an inter-communicator: the other group
  RankSet holders; // the ranks for which the slot has this meaning
  CommOrigin origin{}; // of the first communicator with this slot
};

struct GroupDefinition {
  std::int64_t slot = 0;
  std::vector<RankRange>
      members; // world ranks in group order; -1 for a process outside MPI_COMM_WORLD
  RankSet holders;
};

struct DatatypeDefinition {
  std::int64_t slot = 0; // >= 0, or -1 - index of a predefined datatype
  std::string name; // as MPI_Type_get_name gives it, empty if none
  std::int64_t size_bytes = 0;
  std::int64_t extent_bytes = 0;
  RankSet holders;
};

/// Where a call stands in the program's files. Sites with callers form a tree: one site for each
/// way on which the program came to a call.
struct CallSite {
  std::string module; // path of the executable or library
  std::uint64_t offset = 0; // of the return address in the module
  /// 1 + the index of the site that called the function this one stands in; 0 if that was not
  /// recorded. A caller stands before the sites that it calls.
  std::uint32_t caller = 0;
  friend bool operator==(const CallSite&, const CallSite&) = default;
};

/// What the source calls a site, as it was looked up where the program's files were. Empty or 0
/// means unknown.
struct SiteName {
  std::string function; // without parameters; the innermost inlined one
  std::string inlined_in; // the function whose code it became part of, if it was inlined
  std::string file; // as the compiler was told
  std::uint64_t line = 0; // of the call
  std::uint64_t function_offset = 0; // of the return address from the function's start
  bool is_known() const { return !function.empty() || line != 0; }
  friend bool operator==(const SiteName&, const SiteName&) = default;
};

/// How the recording of a rank ended.
enum class Ending : std::uint8_t {
  kFinalized, // in MPI_Finalize
  kUnknown, // the process was killed, or its last words are lost: the recording just stops
  kSignal, // detail: its number
  kAborted, // the rank called MPI_Abort; detail: the error code
  kExited, // without MPI_Finalize
  kUnheard, // there is nothing of this rank
  kFatalError, // MPI ended the process; detail: the class of its last call's error, 0: of no call
};

struct RankEnding {
  Ending kind = Ending::kFinalized;
  std::int64_t detail = 0;
  std::uint16_t function = 0; // the MPI call that it was in, 0 between calls
  std::uint32_t site = 0; // of that call
  std::uint64_t in_call_ns = 0; // since when
  /// What that call was given: its words as far as outcomes begin, kNothing for arrays and texts.
  /// Empty if it was not recorded.
  std::vector<std::int64_t> words{};
  friend bool operator==(const RankEnding&, const RankEnding&) = default;
};

/// A file that call sites stand in, as it was when the program ran.
struct Module {
  std::string path; // CallSite::module
  std::string build_id; // in hexadecimal, empty if the file had none
  friend bool operator==(const Module&, const Module&) = default;
};

struct RankFacts {
  std::uint64_t calls = 0;
  std::uint64_t computation_ns = 0; // between calls
  std::uint64_t inside_ns = 0; // inside MPI
  std::uint64_t span_ns = 0; // from the start of MPI_Init to the start of MPI_Finalize
  std::uint64_t recorder_ns =
      0; // spent recording; the part before MPI gets a call is measured in samples
  std::uint64_t recorder_bytes = 0; // memory of the recorder at the end
  // Recorded since archives have `usage`; 0 in older ones.
  std::uint64_t startup_ns = 0; // of inside_ns: in MPI_Init
  std::uint64_t recorder_apart_ns = 0; // of recorder_ns: to begin, and to write along the way
  std::uint64_t cpu_ns = 0; // CPU time of the process from the start of MPI_Init, all threads
  std::uint64_t waited_ns = 0; // ready to run, without a processor: the first thread
  /// Between calls, but neither computing nor asleep; only where computation is CPU time.
  std::uint64_t displaced_ns = 0;
  // Parts of recorder_apart_ns and behind it; 0 in older archives.
  std::uint64_t recorder_start_ns = 0; // to begin, in MPI_Init
  std::uint64_t recorder_end_ns = 0; // in MPI_Finalize, up to where the archive is written
  /// What computation_ns and inside_ns went into; empty in older archives.
  TimeSums sums;
  Seldom<RankClock> clock;
  Seldom<RankEnding> ending;
};

/// The processors of its host that a rank's process could run on.
struct Affinity {
  RankSet processors; // by the host's numbers
  std::int64_t usable = 0; // of all that the launcher had there; a quota may allow fewer
  bool computation_is_cpu_time = false; // as ranks were more than processors when the run began
  RankSet ranks;
};

struct RunFacts {
  std::string command; // of rank 0, arguments separated by blanks
  std::string mpi; // library and version, one line
  std::string recorder; // version of Rondo that made the trace
  std::int64_t ranks = 0;
  std::int64_t start_unix_ns = 0;
  bool complete = false; // every rank reached MPI_Finalize
  std::int32_t thread_level = 0; // as provided, or taken: 0 single to 3 multiple
  std::string notes; // why recording stopped early, if it did
  std::string choice; // "only collective", "without io": what was recorded; empty: all calls
};

/// Ranks with one program. `thread` counts a rank's streams: 0 for the thread that called MPI_Init.
struct RankClass {
  RankSet ranks;
  std::uint32_t thread = 0;
  std::shared_ptr<const Program> program;
  std::size_t merged = 0; // index into Trace::programs
  std::vector<std::uint32_t> calls{}; // symbol of the program -> index into the merged one's calls
};

struct Host {
  std::string name;
  RankSet ranks;
};

struct Trace {
  RunFacts run;
  /// All ranks' programs as few merged ones: what a file keeps. No rank and thread is in two.
  std::vector<std::shared_ptr<const MergedProgram>> programs;
  /// The same by ranks that execute the same, with times: what most analyses want; sorted by first
  /// rank.
  std::vector<RankClass> classes;
  std::vector<RankFacts> ranks; // by world rank
  std::vector<Host> hosts;
  std::vector<Affinity> affinities; // each rank is in one; empty if it was not recorded
  std::vector<CommDefinition> comms;
  std::vector<GroupDefinition> groups;
  std::vector<DatatypeDefinition> datatypes;
  std::vector<CallSite> sites;
  std::vector<SiteName> names; // of each site; empty if the archive has none
  std::vector<Module> modules; // one path twice if ranks ran different files; empty if unknown
  std::vector<TimeStamps> stamps; // sorted by rank and thread; empty unless all times were kept

  /// The class of a rank, or nullptr for a rank that is not in the trace.
  const RankClass* class_of(std::int64_t rank, std::uint32_t thread = 0) const;
  /// Likewise, of every call; nullptr if they were not kept.
  const TimeStamps* stamps_of(std::int64_t rank, std::uint32_t thread = 0) const;
};

/// Drops what is known of times but for the run as a whole: each rank gets the mean of all ranks'
/// computation, time in MPI and cost of recording, and the longest span.
void drop_times(Trace& trace);

/// Puts the classes in their order.
void sort_classes(Trace& trace);

} // namespace rondo::trace
