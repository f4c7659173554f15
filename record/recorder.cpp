// SPDX-License-Identifier: Apache-2.0
#include "record/recorder.hpp"

#include "record/by_hand.hpp"
#include "record/memory.hpp"
#include "record/mpi_library.hpp"
#include "record/predefined.hpp"
#include "record/processors.hpp"
#include "record/signals.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <unistd.h>
#include <utility>

namespace rondo::record {

Clock clock_;
Recorder* recorder = nullptr;

using trace::FieldKind;
using trace::kSelfSlot;
using trace::kWorldSlot;

namespace {

std::string text_of(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

int rank_in_world() {
  int rank = 0;
  PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

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

// Bytes of folded programs, about.
constexpr std::size_t kEndedTerm = 32;
constexpr std::size_t kEndedCall = 256;

} // namespace

Settings Settings::from_environment() {
  Settings settings;
  if (const std::string output = text_of("RONDO_OUTPUT"); !output.empty()) settings.output = output;
  if (char* here = settings.output.front() == '/' ? nullptr : ::getcwd(nullptr, 0);
      here != nullptr) {
    settings.output =
        std::string(here) + "/" + settings.output; // the program may change its directory
    std::free(here);
  }
  settings.force = text_of("RONDO_FORCE") == "1";
  settings.times = text_of("RONDO_TIMES") != "none";
  settings.all_times = text_of("RONDO_TIMES") == "full";
  settings.only = text_of("RONDO_ONLY");
  settings.skip = text_of("RONDO_SKIP");
  const std::uint64_t mib = std::strtoull(text_of("RONDO_MEMORY").c_str(), nullptr, 10);
  if (mib > 0) settings.memory_bytes = mib << 20;
  if (const std::string interval = text_of("RONDO_CHECKPOINT"); !interval.empty())
    settings.checkpoint_ns =
        static_cast<std::uint64_t>(std::strtod(interval.c_str(), nullptr) * 1e9);
  settings.callstack = std::strtoul(text_of("RONDO_CALLSTACK").c_str(), nullptr, 10);
  settings.budget = std::strtod(text_of("RONDO_BUDGET").c_str(), nullptr) / 100;
  settings.keeps = text_of("RONDO_KEEP") != "0";
  return settings;
}

Recorder::Recorder(Settings settings, int thread_level, const Before& before)
    : needs_lock(thread_level == MPI_THREAD_MULTIPLE),
      steering(settings.only, settings.skip, rank_in_world() == 0), sites(settings.callstack),
      settings_(std::move(settings)), thread_level_(thread_level), init_start_ns_(before.now_ns),
      cpu_before_ns_(before.cpu_ns), waited_before_ns_(before.waited_ns),
      parts_(settings_.output, rank_in_world()) {
  int size = 1;
  PMPI_Comm_size(MPI_COMM_WORLD, &size);
  PMPI_Comm_group(MPI_COMM_WORLD, &world_group_);
  MPI_Comm parent = MPI_COMM_NULL;
  PMPI_Comm_get_parent(&parent);
  is_spawned_ = parent != MPI_COMM_NULL;
  world_rank = rank_in_world();
  world_size_ = size;
  world_ = {.rank = world_rank, .size = size, .peers = size, .family = kWorldSlot};
  self_ = {.family = kSelfSlot};
  positions_ = {{kWorldSlot, world_}, {kSelfSlot, self_}};
  add_stream();
  add_predefined();
  describe_run();
}

void Recorder::set_origin(std::uint64_t ticks, std::uint64_t end_ticks) {
  origin_ticks_ = ticks;
  facts_.startup_ns = clock_.to_ns(end_ticks - ticks);
  if (settings_.times && settings_.keeps) common_clock_.begin(world_size_, ticks, origin_unix_ns_);
}

void Recorder::choose_way() {
  is_plain_ = clock_.uses_counter() && !live && !needs_lock && !stopped_ && settings_.times &&
              !settings_.all_times && sites.are_shallow() && steering.records_all();
  if (is_plain_) quiet = false;
}

void Recorder::end_of_start() {
  choose_way();
  apart_ticks_ = recorder_ticks_;
  facts_.recorder_start_ns = live ? 0 : clock_.to_ns(recorder_ticks_);
}

void Recorder::keep_safe() {
  if (settings_.keeps) watch_signals();
  if (settings_.keeps && settings_.checkpoint_ns > 0 &&
      !checkpoint_thread_.start([this] { return keep(); }))
    next_checkpoint_ticks_ = clock_.ticks() + clock_.to_ticks(settings_.checkpoint_ns);
  watch_memory(settings_.memory_bytes / kSealedShare, [] {
    if (recorder != nullptr) recorder->checkpoint_soon();
  });
}

void Recorder::add_predefined() {
  const auto add = [this](FieldKind kind, std::uint64_t handle, std::uint64_t null,
                          std::int64_t index) {
    HandleWords& words = kinds_[static_cast<std::size_t>(kind)].words;
    // Some names are aliases of one handle: the first in the table stands for all.
    if (handle != null && words.word_unseen(handle) == HandleWords::kUnknown)
      words.set(handle, -1 - index);
  };
  const auto add_null = [this](FieldKind kind, std::uint64_t null) {
    kinds_[static_cast<std::size_t>(kind)].words.set(null, trace::kNull);
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
std::int64_t Recorder::note_datatype(MPI_Datatype datatype) {
  HandleWords& words = kinds_[static_cast<std::size_t>(FieldKind::kDatatype)].words;
  const std::int64_t word = words.word_unseen(key_of(datatype));
  if (word == HandleWords::kUnknown) return word;
  if (word < 0 && !trace::is_special(word)) {
    const auto index = static_cast<std::size_t>(-1 - word);
    if (index >= datatype_noted_.size() || !datatype_noted_[index])
      note_named_datatype(datatype, word);
  }
  if (word != HandleWords::kFreed) words.see(key_of(datatype), word);
  return word;
}

bool Recorder::is_predefined(MPI_Datatype datatype) {
  const std::int64_t word = word_of(FieldKind::kDatatype, key_of(datatype));
  return is_reserved_slot(word) && !trace::is_special(word);
}

bool Recorder::is_made_with_data(MPI_Datatype datatype) {
  const std::int64_t word = datatype_word(datatype);
  return word >= 0 && datatype_has_data_[static_cast<std::size_t>(word)];
}

std::int64_t Recorder::note(FieldKind kind, std::uint64_t handle) {
  if (const std::int64_t word = word_of(kind, handle); word != HandleWords::kUnknown) return word;
  switch (kind) {
  case FieldKind::kComm:
    return note_comm(handle_of<MPI_Comm>(handle), {});
  case FieldKind::kGroup:
    return made_group(handle_of<MPI_Group>(handle));
  case FieldKind::kDatatype:
    return made_datatype(handle_of<MPI_Datatype>(handle));
  default:
    return made_plain(kind, handle, false);
  }
}

// Objects
// -----------------------------------------------------------------------------------------------

std::vector<std::int64_t> Recorder::world_ranks_of(MPI_Group group) const {
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

std::int64_t Recorder::made_group(MPI_Group group) {
  if (group == MPI_GROUP_NULL) return trace::kNull;
  Kind& kind = kinds_[static_cast<std::size_t>(FieldKind::kGroup)];
  if (group == MPI_GROUP_EMPTY) return kind.words.word_of(key_of(group));
  const std::vector<std::int64_t> members = world_ranks_of(group);
  const auto [slot, is_new] = kind.slots.take(key_text(members), quiet);
  kind.words.set(key_of(group), slot);
  if (is_new) {
    if (live) live->name_group(slot, live->ranks_of(group, world_group_));
    definitions_.groups.push_back(
        {slot, trace::ranges_of(members), trace::RankSet::of({world_rank})});
  }
  return slot;
}

std::int64_t Recorder::made_datatype(MPI_Datatype datatype) {
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
  Kind& kind = kinds_[static_cast<std::size_t>(FieldKind::kDatatype)];
  const auto [slot, is_new] = kind.slots.take({meaning, sizeof numbers + std::strlen(name)}, quiet);
  kind.words.set(key_of(datatype), slot);
  if (is_new) {
    datatype_has_data_.push_back(size > 0);
    definitions_.datatypes.push_back({slot, name, size, extent, trace::RankSet::of({world_rank})});
  }
  return slot;
}

void Recorder::note_named_datatype(MPI_Datatype datatype, std::int64_t word) {
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
  definitions_.datatypes.push_back({word, name, size, extent, trace::RankSet::of({world_rank})});
}

std::int64_t Recorder::made_op(MPI_Op op) {
  return made_plain(FieldKind::kOp, key_of(op), op == MPI_OP_NULL);
}

std::int64_t Recorder::made_plain(FieldKind kind, std::uint64_t handle, bool is_null) {
  if (is_null) return trace::kNull;
  Kind& known = kinds_[static_cast<std::size_t>(kind)];
  const std::int64_t slot = known.slots.take({}, quiet).slot;
  known.words.set(handle, slot);
  return slot;
}

void Recorder::freed(FieldKind kind, std::uint64_t handle) {
  Kind& known = kinds_[static_cast<std::size_t>(kind)];
  const std::int64_t word = known.words.word_unseen(handle);
  if (word == HandleWords::kUnknown || is_reserved_slot(word)) return;
  known.words.forget(handle);
  if (kind == FieldKind::kComm) return comm_slots_.release(word, {stream().thread, false, quiet});
  known.slots.release(word, quiet);
}

Comm& Recorder::comm_of(std::int64_t word) {
  if (word >= 0) return comms_[static_cast<std::size_t>(word)];
  if (word == kWorldSlot) return world_;
  return word == kSelfSlot ? self_ : none_;
}

const Comm& Recorder::comm_of(std::int64_t word) const {
  return const_cast<Recorder*>(this)->comm_of(word);
}

// Events
// ------------------------------------------------------------------------------------------------

// The place of the calling thread among the streams; only with MPI_THREAD_MULTIPLE.
thread_local Stream* own_stream [[gnu::tls_model("initial-exec")]] = nullptr;

std::uint32_t Recorder::thread_number() const {
  return needs_lock && own_stream != nullptr ? own_stream->thread : 0;
}

Stream& Recorder::stream_of_thread() {
  if (own_stream == nullptr) own_stream = &add_stream();
  return *own_stream;
}

Stream& Recorder::add_stream() {
  streams_.push_back(std::make_unique<Stream>());
  Stream& stream = *streams_.back();
  stream.thread = threads_++;
  start_program(stream);
  if (!needs_lock) only_stream_ = &stream;
  if (!needs_lock) return stream;
  own_stream = &stream;
  stream.open_call = &on_thread.call;
  stream.open_event = on_thread.event;
  return stream;
}

// Many threads may come and go: each leaves its folded program, and not the tables to fold more.
void Recorder::end_thread() {
  if (own_stream == nullptr || stopped_) return;
  if (live && !is_lost_) end_live_thread(own_stream->thread);
  Stream& stream = *std::exchange(own_stream, nullptr);
  stream.ended_calls = stream.program->calls();
  if (stream.ended_calls > 0)
    stream.ended = fold::class_of_stream(world_rank, stream.thread, stream.program->finish());
  stream.program.reset();
  stream.open_call = nullptr;
  stream.open_event = nullptr;
  stream.scratch = {};
  recorder_ticks_ += std::exchange(stream.before_ticks, 0);
}

std::size_t Stream::memory() const {
  std::size_t bytes = sizeof *this + stamps.memory();
  if (program) bytes += program->memory();
  if (!ended) return bytes;
  const trace::MergedProgram& folded = ended->program;
  bytes += folded.terms() * kEndedTerm + folded.calls.size() * kEndedCall +
           ended->times.size() * sizeof(trace::PlaceTimes);
  for (const auto& array : folded.arrays) bytes += array.size() * sizeof array[0] + sizeof array;
  return bytes;
}

void Recorder::start_program(Stream& stream) {
  stream.program.emplace(fold::ProgramOptions{.times = settings_.times});
  if (live) live->forget_arrays(stream.thread);
  for (const auto& [slot, comm] : positions_)
    stream.program->set_position(slot, comm.rank, comm.peers);
}

void Recorder::add(Stream& stream, const std::int64_t* event, std::size_t size,
                   trace::CallTime time) {
  stream.program->record(event, size, time.computation_ns, time.inside_ns);
  if (settings_.all_times) stream.stamps.add(time);
  stream.times.add(time.computation_ns, time.inside_ns);
  if (is_mark(event[0])) [[unlikely]]
    note_mark(stream, event);
}

void Recorder::note_mark(Stream& stream, const std::int64_t* event) {
  const std::string& name = stream.program->text_of(event[fold::kEventHead]);
  if (static_cast<std::uint16_t>(event[0]) == kPhaseBegin) {
    stream.times.begin_phase(name);
  } else {
    stream.times.end_phase(name);
  }
}

// The time before the first call of a thread is nobody's computation.
void Recorder::commit(Stream& stream, const std::int64_t* event, std::size_t size,
                      std::uint64_t start_ticks, std::uint64_t end_ticks) {
  if (live && !is_lost_) [[unlikely]]
    return commit_live(stream, event, size);
  if (needs_lock && stopped_) [[unlikely]]
    return; // a thread that comes back from a call when the recording has been written
  const std::uint64_t before = stream.last_end_ticks;
  const std::uint64_t computation_ns =
      start_ticks > before ? clock_.to_ns(start_ticks - before) : 0;
  add(stream, event, size,
      {settings_.all_times ? clock_.to_ns(start_ticks - origin_ticks_) : 0, computation_ns,
       clock_.to_ns(end_ticks - start_ticks)});
  if (end_ticks >= next_checkpoint_ticks_.load(std::memory_order_relaxed)) checkpoint();
  end_call(stream, end_ticks);
}

void Recorder::end_call(Stream& stream, std::uint64_t end_ticks) {
  if (shares_processors_) [[unlikely]]
    begin_computing(stream);
  stream.last_end_ticks = clock_.ticks();
  recorder_ticks_ += stream.last_end_ticks - end_ticks;
}

void Recorder::pass(Stream& stream, std::uint64_t start_ticks, std::uint64_t end_ticks) {
  if (shares_processors_) [[unlikely]]
    begin_computing(stream);
  const std::uint64_t now = clock_.ticks();
  if (stream.last_end_ticks != kNoTicks) stream.last_end_ticks += now - start_ticks;
  recorder_ticks_ += now - end_ticks;
}

void Recorder::end_pause() {
  steering.resume();
  choose_way();
  for (Kind& kind : kinds_) kind.slots.forget_quiet();
  comm_slots_.forget_quiet();
  for (const auto& stream : streams_)
    stream->last_end_ticks = kNoTicks; // the pause was no computation
}

void Recorder::stop(const char* reason) {
  if (stopped_) return;
  stopped_ = true;
  run_.complete = false;
  run_.notes = reason;
  choose_way();
  if (live) live->lose(reason);
}

} // namespace rondo::record
