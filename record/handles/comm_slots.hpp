// SPDX-License-Identifier: Apache-2.0
// Slots of communicators. All members of a communicator must be able to say which of theirs it is,
// although each rank counts for itself: so a communicator is known by what it was made from, and
// by how many like it were made from that before. MPI has calls on one parent follow one another in
// the same order on all of its members; of frees it says that only where one thread makes the
// calls and none of them is nonblocking. A slot is used again only where all members decide alike:
//
// - by a blocking call, the lowest slot that the same thread freed;
// - else the slot of the communicator that was made so many before, if it is free. Members would
//   have to be that far apart in what they make and free to decide otherwise.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace rondo::record {

class CommSlots {
public:
  static constexpr std::int64_t kBehindNonblocking = 8; // of those that the same thread freed
  static constexpr std::int64_t kBehindThreads = 4096;

  struct Taken {
    std::int64_t slot;
    std::int64_t ordinal; // of the communicator among those with the same meaning
    bool is_new; // the slot; its meaning has to be noted
  };
  struct By { // who takes or releases
    std::uint32_t thread = 0;
    bool is_nonblocking = false;
    bool quietly = false; // by a call that is not recorded, as in Slots
  };
  /// @param meaning  parent, tag and members
  /// @complexity     O(log of the slots)
  Taken take(const std::string& meaning, const By& by);
  void release(std::int64_t slot, const By& by);
  /// From now on, what was taken quietly may have been seen.
  void forget_quiet() { quiet_.clear(); }

private:
  struct Alike { // communicators with one meaning
    std::int64_t made = 0;
    std::map<std::uint32_t, std::set<std::int64_t>> free; // by the thread that freed them
    std::deque<std::int64_t> latest; // slots of the last kBehindThreads
  };
  struct Slot {
    Alike* alike = nullptr;
    std::int64_t ordinal = 0; // of its latest communicator
  };

  std::int64_t free_slot(Alike& alike, const By& by);
  bool take_behind(Alike& alike, std::int64_t behind, std::set<std::int64_t>& free,
                   std::int64_t& slot);

  std::map<std::string, Alike> alike_; // nodes stay where they are
  std::vector<Slot> slots_;
  std::set<std::int64_t> quiet_;
};

} // namespace rondo::record
