// SPDX-License-Identifier: Apache-2.0
#include "record/handles/program_objects.hpp"

#include "record/handles/predefined.hpp"
#include "record/process/mpi_library.hpp"

#include <cstring>
#include <utility>

namespace rondo::record {

using trace::FieldKind;
using trace::kSelfSlot;
using trace::kWorldSlot;

namespace {

// MPI_Type_get_envelope fails for a type that was made with large counts.
int combiner_of(MPI_Datatype datatype) {
  int combiner = MPI_COMBINER_NAMED;
#if MPI_VERSION >= 4
  if (has_large_counts()) {
    MPI_Count large[4];
    PMPI_Type_get_envelope_c(datatype, &large[0], &large[1], &large[2], &large[3], &combiner);
    return combiner;
  }
#endif
  int counts[3];
  PMPI_Type_get_envelope(datatype, &counts[0], &counts[1], &counts[2], &combiner);
  return combiner;
}

bool is_reserved_slot(std::int64_t word) { return word < 0; }

} // namespace

ProgramObjects::ProgramObjects(trace::Trace& definitions, Noted noted)
    : definitions_(definitions), noted_(std::move(noted)) {
  int rank = 0;
  int size = 1;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  PMPI_Comm_group(MPI_COMM_WORLD, &world_group_);
  MPI_Comm parent = MPI_COMM_NULL;
  PMPI_Comm_get_parent(&parent);
  is_spawned_ = parent != MPI_COMM_NULL;
  world_ = {.rank = rank, .size = size, .peers = size, .family = kWorldSlot};
  self_ = {.family = kSelfSlot};
  positions_ = {{kWorldSlot, world_}, {kSelfSlot, self_}};
  add_predefined();
}

void ProgramObjects::add_predefined() {
  const auto add = [this](FieldKind kind, std::uint64_t handle, std::uint64_t null,
                          std::int64_t index) {
    HandleWords& words = of(kind).words;
    // Some names are aliases of one handle: the first in the table stands for all.
    if (handle != null && words.word_unseen(handle) == HandleWords::kUnknown)
      words.set(handle, -1 - index);
  };
  const auto add_null = [this](FieldKind kind, std::uint64_t null) {
    of(kind).words.set(null, trace::kNull);
  };
  add_null(FieldKind::kComm, key_of(MPI_COMM_NULL));
  add_null(FieldKind::kGroup, key_of(MPI_GROUP_NULL));
  add_null(FieldKind::kDatatype, key_of(MPI_DATATYPE_NULL));
  add_null(FieldKind::kOp, key_of(MPI_OP_NULL));
  add(FieldKind::kComm, key_of(MPI_COMM_WORLD), key_of(MPI_COMM_NULL), 0);
  add(FieldKind::kComm, key_of(MPI_COMM_SELF), key_of(MPI_COMM_NULL), 1);
  add(FieldKind::kGroup, key_of(MPI_GROUP_EMPTY), key_of(MPI_GROUP_NULL), 0);
  for (const auto& [index, datatype] : predefined_datatypes()) {
    add(FieldKind::kDatatype, key_of(datatype), key_of(MPI_DATATYPE_NULL), index);
  }
  for (const auto& [index, op] : predefined_ops())
    add(FieldKind::kOp, key_of(op), key_of(MPI_OP_NULL), index);
}

// Words
// -------------------------------------------------------------------------------------------------

// Words of datatypes are seen only where they have been noted.
std::int64_t ProgramObjects::note_datatype(MPI_Datatype datatype) {
  HandleWords& words = of(FieldKind::kDatatype).words;
  const std::int64_t word = words.word_unseen(key_of(datatype));
  if (word == HandleWords::kUnknown) return word;
  if (is_unnoted(word)) note_named_datatype(datatype, word);
  if (word != HandleWords::kFreed) words.see(key_of(datatype), word);
  return word;
}

std::int64_t ProgramObjects::known_datatype_word(MPI_Datatype datatype) {
  const std::int64_t word = of(FieldKind::kDatatype).words.word_unseen(key_of(datatype));
  return is_unnoted(word) ? HandleWords::kUnknown : word;
}

bool ProgramObjects::is_unnoted(std::int64_t datatype) const {
  if (datatype >= 0 || trace::is_special(datatype)) return false;
  const auto index = static_cast<std::size_t>(-1 - datatype);
  return index >= datatype_noted_.size() || !datatype_noted_[index];
}

bool ProgramObjects::is_predefined(MPI_Datatype datatype) {
  const std::int64_t word = word_of(FieldKind::kDatatype, key_of(datatype));
  return is_reserved_slot(word) && !trace::is_special(word);
}

bool ProgramObjects::is_made_with_data(MPI_Datatype datatype) {
  const std::int64_t word = datatype_word(datatype);
  return word >= 0 && datatype_has_data_[static_cast<std::size_t>(word)];
}

std::int64_t ProgramObjects::note(FieldKind kind, std::uint64_t handle, const Caller& caller) {
  if (const std::int64_t word = word_of(kind, handle); word != HandleWords::kUnknown) return word;
  switch (kind) {
  case FieldKind::kComm:
    return note_comm(handle_of<MPI_Comm>(handle), {}, caller);
  case FieldKind::kGroup:
    return made_group(handle_of<MPI_Group>(handle), caller);
  case FieldKind::kDatatype:
    return made_datatype(handle_of<MPI_Datatype>(handle), caller);
  default:
    return made_plain(kind, handle, false, caller);
  }
}

// Objects
// -----------------------------------------------------------------------------------------------

std::vector<std::int64_t> ProgramObjects::world_ranks_of(MPI_Group group) const {
  int size = 0;
  PMPI_Group_size(group, &size);
  std::vector<int> ranks(static_cast<std::size_t>(size));
  std::vector<int> world(static_cast<std::size_t>(size));
  for (int i = 0; i < size; ++i) ranks[static_cast<std::size_t>(i)] = i;
  PMPI_Group_translate_ranks(group, size, ranks.data(), world_group_, world.data());
  std::vector<std::int64_t> result(world.begin(), world.end());
  for (std::int64_t& rank : result) {
    if (rank == MPI_UNDEFINED) rank = -1; // a process of another MPI_COMM_WORLD
  }
  return result;
}

std::int64_t ProgramObjects::made_group(MPI_Group group, const Caller& caller) {
  if (group == MPI_GROUP_NULL) return trace::kNull;
  Kind& kind = of(FieldKind::kGroup);
  if (group == MPI_GROUP_EMPTY) return kind.words.word_of(key_of(group));
  const std::vector<std::int64_t> members = world_ranks_of(group);
  const auto [slot, is_new] = kind.slots.take(key_text(members), caller.is_quiet);
  kind.words.set(key_of(group), slot);
  if (is_new) {
    if (live_ != nullptr) live_->name_group(slot, live_->ranks_of(group, world_group_));
    definitions_.groups.push_back(
        {slot, trace::ranges_of(members), trace::RankSet::of({world_.rank})});
  }
  return slot;
}

std::int64_t ProgramObjects::made_datatype(MPI_Datatype datatype, const Caller& caller) {
  if (datatype == MPI_DATATYPE_NULL) return trace::kNull;
  MPI_Count size = 0;
  MPI_Count lower = 0;
  MPI_Count extent = 0;
  PMPI_Type_size_x(datatype, &size);
  PMPI_Type_get_extent_x(datatype, &lower, &extent);
  const int combiner = combiner_of(datatype);
  char meaning[3 * sizeof(std::int64_t) + MPI_MAX_OBJECT_NAME] = {};
  const std::int64_t numbers[] = {size, extent, combiner};
  std::memcpy(meaning, numbers, sizeof numbers);
  char* const name = meaning + sizeof numbers;
  int length = 0;
  if (combiner == MPI_COMBINER_NAMED) PMPI_Type_get_name(datatype, name, &length);
  Kind& kind = of(FieldKind::kDatatype);
  const auto [slot, is_new] =
      kind.slots.take({meaning, sizeof numbers + std::strlen(name)}, caller.is_quiet);
  kind.words.set(key_of(datatype), slot);
  if (is_new) {
    datatype_has_data_.push_back(size > 0);
    definitions_.datatypes.push_back({slot, name, size, extent, trace::RankSet::of({world_.rank})});
  }
  return slot;
}

void ProgramObjects::note_named_datatype(MPI_Datatype datatype, std::int64_t word) {
  const auto index = static_cast<std::size_t>(-1 - word);
  if (index >= datatype_noted_.size()) datatype_noted_.resize(index + 1);
  datatype_noted_[index] = true;
  MPI_Count size = 0;
  MPI_Count lower = 0;
  MPI_Count extent = 0;
  PMPI_Type_size_x(datatype, &size);
  PMPI_Type_get_extent_x(datatype, &lower, &extent);
  char name[MPI_MAX_OBJECT_NAME] = {};
  int length = 0;
  PMPI_Type_get_name(datatype, name, &length);
  definitions_.datatypes.push_back({word, name, size, extent, trace::RankSet::of({world_.rank})});
}

std::int64_t ProgramObjects::made_op(MPI_Op op, const Caller& caller) {
  return made_plain(FieldKind::kOp, key_of(op), op == MPI_OP_NULL, caller);
}

std::int64_t ProgramObjects::made_plain(FieldKind kind, std::uint64_t handle, bool is_null,
                                        const Caller& caller) {
  if (is_null) return trace::kNull;
  Kind& known = of(kind);
  const std::int64_t slot = known.slots.take({}, caller.is_quiet).slot;
  known.words.set(handle, slot);
  return slot;
}

void ProgramObjects::freed(FieldKind kind, std::uint64_t handle, std::int64_t word,
                           const Caller& caller) {
  Kind& known = of(kind);
  if (word == HandleWords::kUnknown) word = known.words.word_unseen(handle); // noted since
  if (word == HandleWords::kUnknown || is_reserved_slot(word)) return;
  known.words.forget(handle, word);
  if (kind == FieldKind::kComm)
    return comm_slots_.release(word, {caller.thread, false, caller.is_quiet});
  known.slots.release(word, caller.is_quiet);
}

Comm& ProgramObjects::comm_of(std::int64_t word) {
  if (word >= 0) return comms_[static_cast<std::size_t>(word)];
  if (word == kWorldSlot) return world_;
  return word == kSelfSlot ? self_ : none_;
}

const Comm& ProgramObjects::comm_of(std::int64_t word) const {
  return const_cast<ProgramObjects*>(this)->comm_of(word);
}

void ProgramObjects::forget_quiet() {
  for (Kind& kind : kinds_) kind.slots.forget_quiet();
  comm_slots_.forget_quiet();
}

} // namespace rondo::record
