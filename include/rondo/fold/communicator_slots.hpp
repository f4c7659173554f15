// SPDX-License-Identifier: Apache-2.0
// Slots of communicators as numbers that all ranks mean alike. Each rank numbers for itself what it
// makes, and may make more than others, or in another order. Before ranks are merged, slots are
// renumbered so that
//
// - a communicator has one slot on all of its members;
// - communicators with one slot have no member in common, and were made alike: by one function from
//   what has one slot, as the pieces of MPI_Comm_split;
// - a communicator's slot is above that of what it was made from.
//
// So a slot can have a name, and ranks that do the same have the same words. Communicators are told
// apart by their trace::CommOrigin, and by their groups.
//
//   SlotAgreement slots;                               // rank after rank, or
//   for (RecordingPart& rank : ranks) rename_slots(rank, slots.add(comm_rows(rank)));
//   for (const auto& c : agreed_slots(rows_of_all)) use(c); // all at once
#pragma once

#include "rondo/fold/merge.hpp"

#include <cstdint>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rondo::fold {

/// The communicators of a part, with nothing else in it: their origins' tags say the function that
/// made them, too, since others do not see the programs.
std::vector<trace::CommDefinition> comm_rows(const RecordingPart& part);

class SlotAgreement {
public:
  using Slots = std::map<std::int64_t, std::int64_t>; // one that a rank had -> the one for all
  using Rows = std::vector<const trace::CommDefinition*>;

  /// The slots of the next rank that change.
  /// @param rows   of comm_rows(), those that this rank holds. Nothing changes where it is not
  ///               known which communicator is which, as in parts of old recorders
  /// @complexity   O(rows log communicators), and O(members * kMostTried) for each communicator the
  ///               first time
  Slots add(Rows rows);
  Slots add(const std::vector<trace::CommDefinition>& rows);

private:
  using Ranges = std::vector<std::tuple<std::int64_t, std::int64_t, std::int64_t>>;
  using Groups = std::pair<Ranges, Ranges>;
  // What it was made from (below 0 for what is predefined), tag, ordinal, groups.
  using Identity = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::uint32_t>;
  struct Family { // communicators with one slot
    std::int64_t parent = 0; // its slot
    std::int64_t tag = 0;
    std::unordered_map<std::int64_t, std::uint64_t> members; // of all: bits of 64 ranks each
  };
  using Kind = std::pair<std::int64_t, std::int64_t>; // slot of what it was made from, tag
  struct Own; // what is known of the rank that is added
  struct Choice; // of one of its communicators
  static constexpr int kMostTried = 64; // slots of communicators that were made alike

  std::uint32_t number_of(const trace::CommDefinition& row);
  bool fits(std::int64_t slot, const Choice& choice,
            const std::vector<std::int64_t>& members) const;
  std::int64_t slot_for(const Choice& choice, const std::vector<std::int64_t>& members);
  std::int64_t slot_of_alike(const Choice& choice, const std::vector<std::int64_t>& members);
  void decide(Choice& choice);

  std::map<Groups, std::uint32_t> groups_;
  std::map<Identity, std::uint32_t> numbers_;
  std::vector<std::int64_t> slots_; // by number; -1: not decided yet
  std::map<std::int64_t, Family> families_; // by slot
  std::map<Kind, std::vector<std::int64_t>> alike_; // slots
};

/// The same for all ranks at once: rows with the slot that changes, the new one as the ordinal of
/// their origin, and for whom.
std::vector<trace::CommDefinition> agreed_slots(const std::vector<trace::CommDefinition>& rows);
/// What such rows say of one rank.
SlotAgreement::Slots slots_of(const std::vector<trace::CommDefinition>& changes, std::int64_t rank);

/// Gives the communicators of a part other slots, wherever it names them.
void rename_slots(RecordingPart& part, const SlotAgreement::Slots& slots);

} // namespace rondo::fold
