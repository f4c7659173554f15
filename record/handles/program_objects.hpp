// SPDX-License-Identifier: Apache-2.0
// What the recorder knows of the program's MPI objects: the words of their handles (objects.hpp),
// and what readers of the trace need of communicators, groups and datatypes, asked of MPI when a
// call makes an object, or uses one that no call was seen to make.
#pragma once

#include "record/handles/comm_slots.hpp"
#include "record/handles/objects.hpp"
#include "record/live/live_link.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <functional>
#include <mpi.h>
#include <string>
#include <utility>
#include <vector>

namespace rondo::record {

struct Comm { // what the wrappers need of a communicator
  std::int64_t rank = 0;
  std::int64_t size = 1; // of the own group; 0: not a communicator
  std::int64_t peers = 1; // size, or the remote group's size
  bool is_inter = false;
  int sources = -1; // of its process topology; -1: not asked yet
  int destinations = -1;
  // What is made from it has the origin `family`: itself, or of descendants that are too far from
  // the first one an ancestor, so that a program that goes on copying copies is finite.
  std::int64_t family = trace::kNothing;
  int generation = 0;
};

struct Making { // how a communicator came about
  MPI_Comm parent = MPI_COMM_NULL; // unless its members made it from different ones
  std::int64_t tag = trace::kNothing; // that all of them gave
  bool is_nonblocking = false; // it is still being made; its members are the parent's
};

class ProgramObjects {
public:
  struct Caller { // whose call makes, uses or frees an object
    std::uint32_t thread = 0;
    bool is_quiet = false; // the call is not recorded: what it makes stays unseen
  };
  /// A communicator that was noted, by its slot: folded programs have to know the rank in it.
  using Noted = std::function<void(std::int64_t slot, const Comm& comm)>;

  /// @param definitions  what readers need is added here
  ProgramObjects(trace::Trace& definitions, Noted noted);

  /// Processes of a live run have names in it; before any but the predefined objects are noted.
  void go_live(LiveLink& live);

  std::int64_t world_rank() const { return world_.rank; }
  std::int64_t world_size() const { return world_.size; }
  MPI_Group world_group() const { return world_group_; }
  /// MPI is not asked about objects any more.
  void free_world_group() { PMPI_Group_free(&world_group_); }
  /// Whether another program's ranks started this one's.
  bool is_spawned() const { return is_spawned_; }

  // Words of handles; HandleWords::kUnknown of one that no call has given to the program. A named
  // datatype is noted when it is first used.
  std::int64_t word_of(trace::FieldKind kind, std::uint64_t handle) {
    HandleWords& words = of(kind).words;
    return kind == trace::FieldKind::kDatatype ? words.word_unseen(handle) : words.word_of(handle);
  }
  std::int64_t datatype_word(MPI_Datatype datatype) {
    const std::int64_t* const known = noted_datatype_word(datatype);
    return known != nullptr ? *known : note_datatype(datatype);
  }
  /// The same without asking MPI: also kUnknown if it would have to be.
  std::int64_t known_datatype_word(MPI_Datatype datatype);
  // The same for handles that were used not long ago; else nullptr.
  const std::int64_t* recent_word_of(trace::FieldKind kind, std::uint64_t handle) const {
    return kinds_[place_of(kind)].words.recent(handle);
  }
  const std::int64_t* noted_datatype_word(MPI_Datatype datatype) const {
    return recent_word_of(trace::FieldKind::kDatatype, key_of(datatype));
  }
  /// Asks MPI what an unknown handle is, which must be valid, and gives its word.
  std::int64_t note(trace::FieldKind kind, std::uint64_t handle, const Caller& caller);

  bool is_predefined(MPI_Datatype datatype);
  /// Whether the program made the datatype, and it has data.
  bool is_made_with_data(MPI_Datatype datatype);

  const Comm& comm_of(std::int64_t word) const;
  Comm& comm_of(std::int64_t word);
  /// By slot, all that were noted.
  const std::vector<std::pair<std::int64_t, Comm>>& positions() const { return positions_; }

  // Objects that a call made or freed.
  std::int64_t made_comm(MPI_Comm comm, const Making& making, const Caller& caller);
  std::int64_t made_group(MPI_Group group, const Caller& caller);
  std::int64_t made_datatype(MPI_Datatype datatype, const Caller& caller);
  std::int64_t made_op(MPI_Op op, const Caller& caller);
  std::int64_t made_plain(trace::FieldKind kind, std::uint64_t handle, bool is_null,
                          const Caller& caller);
  /// @param word  of the handle before the call
  void freed(trace::FieldKind kind, std::uint64_t handle, std::int64_t word, const Caller& caller);
  /// From now on, what quiet calls made may have been seen.
  void forget_quiet();

private:
  struct Kind {
    HandleWords words;
    Slots slots;
  };
  Kind& of(trace::FieldKind kind) { return kinds_[place_of(kind)]; }
  // Kinds that many calls have come first, where the rest is that all calls look at.
  static std::size_t place_of(trace::FieldKind kind) {
    constexpr auto kFirst = static_cast<std::size_t>(trace::FieldKind::kComm);
    return (static_cast<std::size_t>(kind) - kFirst) % kKinds;
  }
  void add_predefined();
  std::int64_t note_datatype(MPI_Datatype datatype);
  bool is_unnoted(std::int64_t datatype) const;
  void note_named_datatype(MPI_Datatype datatype, std::int64_t slot);
  std::vector<std::int64_t> world_ranks_of(MPI_Group group) const;
  std::int64_t note_comm(MPI_Comm comm, const Making& making, const Caller& caller);
  CommSlots::Taken take_comm_slot(Comm& known, const Making& making, const std::string& groups,
                                  trace::CommOrigin& origin, const Caller& caller);
  void meet_parents();
  LiveLink::Members live_members(MPI_Comm comm, const Making& making, const Caller& caller);

  static constexpr std::size_t kKinds = 16; // and some that are none
  Kind kinds_[kKinds];
  std::vector<Comm> comms_; // by slot
  CommSlots comm_slots_;
  Comm world_;
  Comm self_;
  Comm none_ = {-100, 0, 0}; // of a null handle: nobody is its root
  bool is_spawned_ = false; // asked at the beginning: later the parent may be disconnected
  MPI_Group world_group_ = MPI_GROUP_NULL;
  std::vector<bool> datatype_noted_; // predefined ones, by index
  std::vector<bool> datatype_has_data_; // those that the program made, by slot
  std::vector<std::pair<std::int64_t, Comm>> positions_;
  trace::Trace& definitions_;
  Noted noted_;
  LiveLink* live_ = nullptr; // of a live run
};

} // namespace rondo::record
