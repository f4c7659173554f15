// SPDX-License-Identifier: Apache-2.0
#include "rondo/fold/communicator_slots.hpp"

#include "rondo/trace/communicator_names.hpp"
#include "rondo/trace/communicators.hpp"
#include "tests/support/events.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>
#include <set>

namespace rondo::fold {
namespace {

using support::RankRecorder;
using trace::CommDefinition;
using trace::kWorldSlot;

using Members = std::vector<std::int64_t>;

// A communicator as MPI sees it: one for all of its members.
struct Made {
  std::size_t parent = 0; // index into what was made
  Members members;
  const char* by = "MPI_Comm_dup";
};

// A rank that makes communicators and numbers them in its order, as the recorder does.
class Maker {
public:
  Maker(std::int64_t rank, std::int64_t ranks) : calls_(rank, ranks), rank_(rank) {}

  void make(std::size_t which, const Made& made) {
    const auto slot = static_cast<std::int64_t>(rows_.size());
    const std::int64_t parent = made.parent == 0 ? kWorldSlot : slots_.at(made.parent);
    const std::int64_t ordinal = alike_[{parent, made.members}]++;
    rows_.push_back({slot,
                     trace::ranges_of(made.members),
                     {},
                     trace::RankSet::of({rank_}),
                     {parent, trace::kNothing, ordinal}});
    slots_[which] = slot;
    calls_.call(made.by, {{"comm", parent}, {"newcomm", slot}}, 1);
    calls_.call("MPI_Barrier", {{"comm", slot}}, 2);
  }

  RecordingPart part() {
    RecordingPart part = calls_.part();
    part.tables.comms = rows_;
    return part;
  }

private:
  RankRecorder calls_;
  std::int64_t rank_;
  std::vector<CommDefinition> rows_;
  std::map<std::size_t, std::int64_t> slots_;
  std::map<std::pair<std::int64_t, Members>, std::int64_t> alike_;
};

trace::Trace merged(std::vector<RecordingPart>&& parts, bool at_once) {
  std::vector<CommDefinition> rows;
  SlotAgreement agreement;
  const auto ranks = static_cast<std::int64_t>(parts.size());
  for (RecordingPart& part : parts) {
    const std::vector<CommDefinition> own = comm_rows(part);
    rows.insert(rows.end(), own.begin(), own.end());
  }
  const std::vector<CommDefinition> changes = agreed_slots(rows);
  RecordingPart whole;
  for (std::size_t rank = 0; rank < parts.size(); ++rank) {
    RecordingPart part = std::move(parts[rank]);
    const auto slots = agreement.add(comm_rows(part));
    EXPECT_EQ(slots, slots_of(changes, static_cast<std::int64_t>(rank)));
    rename_slots(part, at_once ? slots_of(changes, static_cast<std::int64_t>(rank)) : slots);
    if (rank == 0) {
      whole = std::move(part);
    } else {
      merge(whole, std::move(part));
    }
  }
  trace::Trace trace = resolve(std::move(whole));
  trace.run.ranks = ranks;
  return trace;
}

std::string name_at(const trace::Trace& trace, std::int64_t rank, std::size_t call) {
  const support::Event event = support::events_of(trace, rank).at(call);
  return trace::CommunicatorNames(trace).of(event.at(kEventHead));
}

// What each rank makes, in its order; the first of `made` is MPI_COMM_WORLD.
std::vector<RecordingPart> play(const std::vector<Made>& made,
                                const std::vector<std::vector<std::size_t>>& orders) {
  std::vector<RecordingPart> parts;
  for (std::size_t rank = 0; rank < orders.size(); ++rank) {
    Maker maker(static_cast<std::int64_t>(rank), static_cast<std::int64_t>(orders.size()));
    for (const std::size_t which : orders[rank]) maker.make(which, made[which]);
    parts.push_back(maker.part());
  }
  return parts;
}

// Names are of one communicator for each rank, and of the same for those that share it.
void expect_one_name_each(const trace::Trace& trace, const std::string& what) {
  const trace::Communicators comms(trace);
  const trace::CommunicatorNames names(trace);
  std::map<std::uint32_t, std::int64_t> slot_of;
  std::map<std::int64_t, std::map<std::int64_t, std::uint32_t>> members; // slot -> rank -> id
  for (const CommDefinition& row : trace.comms) {
    EXPECT_LT(row.origin.parent, row.slot) << what;
    for (const std::int64_t rank : row.holders.ranks()) {
      const std::uint32_t id = comms.of(rank, row.slot).id;
      EXPECT_EQ(slot_of.try_emplace(id, row.slot).first->second, row.slot) << what;
      for (const std::int64_t member : trace::sequence_of(row.members))
        EXPECT_EQ(members[row.slot].try_emplace(member, id).first->second, id) << what;
    }
    EXPECT_EQ(names.slot_of(names.of(row.slot)), row.slot) << what;
  }
}

TEST(CommunicatorSlots, CopiesThatRacedHaveOneSlotOnAllRanks) {
  const Members both{0, 1};
  const std::vector<Made> made{
      {0, both}, {0, both}, {0, both}, {1, both, "MPI_Comm_idup"}, {2, both, "MPI_Comm_idup"}};
  for (const bool at_once : {false, true}) {
    const trace::Trace trace = merged(play(made, {{1, 2, 3, 4}, {1, 2, 4, 3}}), at_once);
    EXPECT_EQ(name_at(trace, 0, 5), "idup#1");
    EXPECT_EQ(name_at(trace, 1, 7), "idup#1");
    EXPECT_EQ(name_at(trace, 1, 5), "idup#2");
    expect_one_name_each(trace, "two copies");
  }
}

TEST(CommunicatorSlots, WhatOnlySomeRanksMakeHasNoNameOfOthers) {
  const std::vector<Made> made{{0, {}},
                               {0, {0, 2}, "MPI_Comm_split"},
                               {0, {1, 3}, "MPI_Comm_split"},
                               {2, {1, 3}},
                               {0, {0, 1, 2, 3}}};
  const trace::Trace trace = merged(play(made, {{1, 4}, {2, 3, 4}, {1, 4}, {2, 3, 4}}), true);
  for (const std::int64_t rank : {0, 1, 2, 3}) EXPECT_EQ(name_at(trace, rank, 1), "split#1");
  EXPECT_EQ(name_at(trace, 0, 3), "dup#1");
  EXPECT_EQ(name_at(trace, 1, 5), "dup#1");
  EXPECT_EQ(name_at(trace, 1, 3), "dup#2");
  expect_one_name_each(trace, "some ranks");
}

TEST(CommunicatorSlots, PiecesMadeInOtherWaysHaveOtherNames) {
  const std::vector<Made> made{
      {0, {}}, {0, {0, 1}, "MPI_Comm_split"}, {0, {2, 3}, "MPI_Comm_create_group"}};
  const trace::Trace trace = merged(play(made, {{1}, {1}, {2}, {2}}), false);
  EXPECT_EQ(name_at(trace, 0, 1), "split#1");
  EXPECT_EQ(name_at(trace, 3, 1), "create_group#1");
}

TEST(CommunicatorSlots, OfOldRecordingsStayAsTheyAre) {
  RecordingPart part = play({{0, {}}, {0, {0}}}, {{1}}).front();
  part.tables.comms.front().origin = {};
  EXPECT_TRUE(SlotAgreement().add(comm_rows(part)).empty());
}

TEST(CommunicatorSlots, ThousandsOfCopiesTakeNoLonger) {
  std::vector<CommDefinition> rows;
  for (std::int64_t i = 0; i < 50'000; ++i)
    rows.push_back({i, {{0, 1, 2}}, {}, trace::RankSet::of({0, 1}), {kWorldSlot, 0, i}});
  SlotAgreement agreement;
  EXPECT_TRUE(agreement.add(rows).empty());
  std::swap(rows.front().slot, rows.back().slot);
  EXPECT_EQ(agreement.add(rows).size(), 2U);
}

// Pieces of any communicator, or copies of it, made by its members in any order in which a parent
// comes before what is made from it, and those of one parent and the same members follow one
// another.
TEST(CommunicatorSlots, NamesAreOfOneCommunicatorHoweverTheyWereMade) {
  constexpr int kPrograms = 300;
  for (unsigned seed = 0; seed < kPrograms; ++seed) {
    std::mt19937 random(seed);
    const auto below = [&](std::size_t n) { return std::size_t{random()} % n; };
    const std::size_t ranks = 2 + below(6);
    Members all;
    for (std::size_t rank = 0; rank < ranks; ++rank) all.push_back(static_cast<std::int64_t>(rank));
    std::vector<Made> made{{0, all}};
    for (std::size_t calls = 1 + below(6); calls > 0; --calls) {
      const std::size_t parent = below(made.size());
      const Members of = made[parent].members;
      const std::size_t colors = 1 + below(3);
      std::vector<Members> pieces(colors);
      for (const std::int64_t rank : of) pieces[colors == 1 ? 0 : below(colors)].push_back(rank);
      for (Members& piece : pieces) {
        if (!piece.empty() && below(5) != 0) // or MPI_UNDEFINED
          made.push_back(
              {parent, std::move(piece), colors == 1 ? "MPI_Comm_dup" : "MPI_Comm_split"});
      }
    }
    std::vector<std::vector<std::size_t>> orders(ranks);
    for (std::size_t rank = 0; rank < ranks; ++rank) {
      std::vector<std::size_t>& order = orders[rank];
      for (std::size_t i = 1; i < made.size(); ++i) {
        const auto& members = made[i].members;
        if (std::find(members.begin(), members.end(), static_cast<std::int64_t>(rank)) ==
            members.end())
          continue;
        // Not before its parent, nor before one that is like it.
        std::size_t first = 0;
        for (std::size_t at = 0; at < order.size(); ++at) {
          const Made& before = made[order[at]];
          if (order[at] == made[i].parent ||
              (before.parent == made[i].parent && before.members == members))
            first = at + 1;
        }
        const std::size_t place = first + below(order.size() - first + 1);
        order.insert(order.begin() + static_cast<std::ptrdiff_t>(place), i);
      }
    }
    const trace::Trace trace = merged(play(made, orders), seed % 2 == 0);
    expect_one_name_each(trace, "seed " + std::to_string(seed));
    std::size_t identities = 0;
    for (const Made& each : made) identities += &each != &made.front();
    EXPECT_EQ(trace::Communicators(trace).size(), identities + 2) << seed;
  }
}

} // namespace
} // namespace rondo::fold
