// SPDX-License-Identifier: Apache-2.0
// Ranks are taken one after the other, and what the first ones have is not changed for the later
// ones, so that a part can be renumbered as soon as it is read. That always works out: of a slot's
// communicators a rank is a member of one at most, so that no two of its own are to have one slot.
#include "rondo/fold/communicator_slots.hpp"

#include "rondo/base/sort_stably.hpp"
#include "rondo/trace/functions.hpp"

#include <algorithm>
#include <set>
#include <unordered_map>

namespace rondo::fold {

using trace::CommDefinition;

namespace {

// Calls visit(word, field) for each word that names a communicator.
template <class Visit> void for_each_comm_word(const trace::Function& function, Visit visit) {
  std::size_t word = 0;
  for (const trace::Field& field : function.fields) {
    if (field.kind == trace::FieldKind::kComm && !field.is_array) visit(word, field);
    word += field.kind == trace::FieldKind::kStatus && !field.is_array ? 3 : 1;
  }
}

std::int64_t with_function(std::int64_t tag, std::uint16_t function) {
  const std::int64_t known = trace::is_special(tag) ? 0 : tag + 1; // tags are below 2^31
  return known << 16 | function;
}

std::vector<std::int64_t> members_of(const CommDefinition& row) {
  std::vector<std::int64_t> members = trace::sequence_of(row.members);
  const std::vector<std::int64_t> remote = trace::sequence_of(row.remote);
  members.insert(members.end(), remote.begin(), remote.end());
  std::erase_if(members, [](std::int64_t rank) { return rank < 0; }); // of another MPI_COMM_WORLD
  return members;
}

} // namespace

std::vector<CommDefinition> comm_rows(const RecordingPart& part) {
  std::unordered_map<std::int64_t, std::uint16_t> made_by;
  for (const PartClass& c : part.classes) {
    for (const trace::MergedCall& call : c.program.calls) {
      for_each_comm_word(*trace::find_function(call.call.function),
                         [&](std::size_t word, const trace::Field& field) {
                           if (field.is_outcome)
                             made_by.emplace(call.call.words[word].value, call.call.function);
                         });
    }
  }
  std::vector<CommDefinition> rows = part.tables.comms;
  for (CommDefinition& row : rows) {
    const auto found = made_by.find(row.slot);
    row.origin.tag = with_function(row.origin.tag, found == made_by.end() ? 0 : found->second);
  }
  return rows;
}

struct SlotAgreement::Own {
  std::set<std::int64_t> taken; // slots
  std::map<Kind, std::size_t> tried; // of those alike: the first ones, which are all taken
};

struct SlotAgreement::Choice {
  const CommDefinition* row = nullptr;
  std::uint32_t number = 0;
  std::int64_t parent = 0; // slot that all agree on
  Own* own = nullptr;
  Kind kind() const { return {parent, row->origin.tag}; }
};

// Of both sides of an inter-communicator, and however the groups are written down.
std::uint32_t SlotAgreement::number_of(const CommDefinition& row) {
  const auto ranges = [](const std::vector<trace::RankRange>& of) {
    Ranges result;
    for (const trace::RankRange& range : of)
      result.emplace_back(range.start, range.stride, range.count);
    return result;
  };
  Groups groups{ranges(row.members), ranges(row.remote)};
  if (groups.second < groups.first) std::swap(groups.first, groups.second);
  return groups_.try_emplace(std::move(groups), static_cast<std::uint32_t>(groups_.size()))
      .first->second;
}

bool SlotAgreement::fits(std::int64_t slot, const Choice& choice,
                         const std::vector<std::int64_t>& members) const {
  if (slot <= choice.parent || choice.own->taken.contains(slot)) return false;
  const Family& family = families_.at(slot);
  if (family.parent != choice.parent || family.tag != choice.row->origin.tag) return false;
  return std::none_of(members.begin(), members.end(), [&](std::int64_t rank) {
    const auto bits = family.members.find(rank / 64);
    return bits != family.members.end() && (bits->second >> (rank % 64) & 1) != 0;
  });
}

// The first that fits; -1 for none. A rank may have thousands that were made alike: their slots are
// not looked at again, and few others are.
std::int64_t SlotAgreement::slot_of_alike(const Choice& choice,
                                          const std::vector<std::int64_t>& members) {
  const auto alike = alike_.find(choice.kind());
  if (alike == alike_.end()) return -1;
  const std::vector<std::int64_t>& slots = alike->second;
  std::size_t& first = choice.own->tried[choice.kind()];
  while (first < slots.size() && choice.own->taken.contains(slots[first])) ++first;
  const std::size_t last = std::min(slots.size(), first + kMostTried);
  for (std::size_t i = first; i < last; ++i) {
    if (fits(slots[i], choice, members)) return slots[i];
  }
  return -1;
}

// The rank's own number where others that were made so have it; else that of any others that were;
// else its own, if nobody has it.
std::int64_t SlotAgreement::slot_for(const Choice& choice,
                                     const std::vector<std::int64_t>& members) {
  const std::int64_t own = choice.row->slot;
  const bool is_used = families_.contains(own);
  if (is_used && fits(own, choice, members)) return own;
  const std::int64_t alike = slot_of_alike(choice, members);
  if (alike >= 0) return alike;
  const bool is_free = !is_used && own > choice.parent;
  return is_free ? own : families_.rbegin()->first + 1;
}

void SlotAgreement::decide(Choice& choice) {
  const std::vector<std::int64_t> members = members_of(*choice.row);
  const std::int64_t slot = slot_for(choice, members);
  slots_[choice.number] = slot;
  const auto [place, is_new] = families_.try_emplace(slot);
  Family& family = place->second;
  if (is_new) {
    family.parent = choice.parent;
    family.tag = choice.row->origin.tag;
    alike_[choice.kind()].push_back(slot);
  }
  for (const std::int64_t rank : members)
    family.members[rank / 64] |= std::uint64_t{1} << (rank % 64);
}

SlotAgreement::Slots SlotAgreement::add(Rows rows) {
  std::erase_if(rows, [](const CommDefinition* row) { return row->slot < 0; });
  constexpr std::int64_t kMost = std::int64_t{1} << 40; // beyond what any program makes
  const bool is_known = std::all_of(rows.begin(), rows.end(), [](const CommDefinition* row) {
    return row->origin.ordinal >= 0 && row->slot < kMost;
  });
  if (!is_known) return {};
  sort_stably(rows.begin(), rows.end(),
              [](const CommDefinition* a, const CommDefinition* b) { return a->slot < b->slot; });
  std::unordered_map<std::int64_t, std::uint32_t> number; // of the rank's slots
  Own own;
  std::vector<Choice> open;
  const auto parent_of = [&](const CommDefinition& row) -> std::int64_t {
    if (row.origin.parent < 0) return row.origin.parent; // predefined, or none
    const auto parent = number.find(row.origin.parent);
    return parent == number.end() ? trace::kNothing : std::int64_t{parent->second};
  };
  for (const CommDefinition* row : rows) {
    const Identity identity{parent_of(*row), row->origin.tag, row->origin.ordinal, number_of(*row)};
    const auto [place, is_new] =
        numbers_.try_emplace(identity, static_cast<std::uint32_t>(slots_.size()));
    if (is_new) slots_.push_back(-1);
    number.emplace(row->slot, place->second);
    const std::int64_t slot = slots_[place->second];
    if (slot >= 0) own.taken.insert(slot);
    if (slot < 0) open.push_back({row, place->second, 0, &own});
  }
  for (Choice& choice : open) {
    const std::int64_t parent = parent_of(*choice.row);
    choice.parent = parent < 0 ? parent : slots_[static_cast<std::size_t>(parent)];
    decide(choice);
    own.taken.insert(slots_[choice.number]);
  }
  Slots changed;
  for (const auto& [slot, of] : number) {
    if (slots_[of] != slot) changed.emplace(slot, slots_[of]);
  }
  return changed;
}

SlotAgreement::Slots SlotAgreement::add(const std::vector<CommDefinition>& rows) {
  Rows held;
  for (const CommDefinition& row : rows) held.push_back(&row);
  return add(std::move(held));
}

std::vector<CommDefinition> agreed_slots(const std::vector<CommDefinition>& rows) {
  std::map<std::int64_t, SlotAgreement::Rows> of_rank;
  for (const CommDefinition& row : rows) {
    for (const std::int64_t rank : row.holders.ranks()) of_rank[rank].push_back(&row);
  }
  SlotAgreement agreement;
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<std::int64_t>> changes;
  for (auto& [rank, own] : of_rank) {
    for (const auto& change : agreement.add(std::move(own))) changes[change].push_back(rank);
  }
  std::vector<CommDefinition> result;
  for (auto& [change, ranks] : changes) {
    const trace::CommOrigin origin{trace::kNothing, trace::kNothing, change.second};
    result.push_back({change.first, {}, {}, trace::RankSet::of(std::move(ranks)), origin});
  }
  return result;
}

SlotAgreement::Slots slots_of(const std::vector<CommDefinition>& changes, std::int64_t rank) {
  SlotAgreement::Slots slots;
  for (const CommDefinition& row : changes) {
    if (row.holders.contains(rank)) slots.emplace(row.slot, row.origin.ordinal);
  }
  return slots;
}

void rename_slots(RecordingPart& part, const SlotAgreement::Slots& slots) {
  if (slots.empty()) return;
  const auto rename = [&](std::int64_t& slot) {
    const auto found = slots.find(slot);
    if (found != slots.end()) slot = found->second;
  };
  for (PartClass& c : part.classes) {
    for (trace::MergedCall& call : c.program.calls) {
      // Communicators of one rank are constants: they tell calls apart, and never vary.
      for_each_comm_word(
          *trace::find_function(call.call.function),
          [&](std::size_t word, const trace::Field&) { rename(call.call.words[word].value); });
    }
  }
  for (CommDefinition& row : part.tables.comms) {
    rename(row.slot);
    rename(row.origin.parent);
  }
  for (auto& [rank, facts] : part.ranks) {
    const trace::Function* function = trace::find_function(facts.ending->function);
    if (function == nullptr) continue;
    std::vector<std::int64_t>& words = facts.ending.edit().words;
    for_each_comm_word(*function, [&](std::size_t word, const trace::Field&) {
      if (word < words.size()) rename(words[word]);
    });
  }
}

} // namespace rondo::fold
