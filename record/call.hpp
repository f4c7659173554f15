// SPDX-License-Identifier: Apache-2.0
// One call on its way through a wrapper. The generated wrappers use it like this:
//
//   Call call(kMpiBcast, site);
//   if (!call.is_recorded()) return real(...);
//   call.integer(count); call.datatype(datatype); call.root(root); call.comm(comm);   // what goes
//   in call.enter(); const int result = real(...); call.leave(result); call.commit(); // after what
//   came out
//
// Calls that MPI or another tool makes inside a call are not recorded: only the outermost is the
// program's.
//
// A call need not return: an error handler may throw, jump out or end the thread. So nothing here
// has a destructor (a wrapper's frame is passed by as if it were not there), and what the wrapper
// opened is closed by the thread's next call or its end (record/open_call.hpp).
#pragma once

#include "record/open_call.hpp"
#include "record/polling.hpp"
#include "record/process/signals.hpp"
#include "record/recorder.hpp"

#include <cstddef>
#include <mpi.h>
#include <string_view>
#include <type_traits>
#include <vector>

namespace rondo::record {

class Call {
public:
  /// Stands in the wrapper's own frame, whose address the open call is known by: that of the object
  /// would keep it in memory, where it is a few registers otherwise.
  /// @param resumes   the call ends a pause of the recording
  [[gnu::always_inline]] Call(std::uint16_t function, const void* return_address,
                              bool resumes = false)
      : function_(function) {
    const void* const frame = __builtin_frame_address(0);
    const Begun begun = resumes ? begin_otherwise(function, return_address, frame, true)
                                : begin(function, return_address, frame);
    recorder_ = begun.recorder;
    stream_ = begun.stream;
  }
  /// One that is in the log, to be folded. Its words follow as in a wrapper; between those that go
  /// in and what comes out stands goes_on(), and behind them ends().
  Call(Folding& folding, std::uint16_t function, const std::int64_t* entry)
      : recorder_(&folding.recorder), stream_(&folding.stream), function_(function) {
    on_thread.event[0] = function;
    const auto* const site = reinterpret_cast<const void*>(entry[kSite]);
    const std::uint32_t* const index = recorder_->sites.find(site);
    on_thread.event[1] = index != nullptr ? *index : recorder_->sites.index_of(site);
  }
  bool goes_on(Folding& folding) {
    folding.size = size_;
    if (!scratch().unknown.empty()) [[unlikely]]
      settle(folding);
    return folding.is_over();
  }
  void ends(Folding& folding) const { folding.size = size_; }
  Call(const Call&) = delete;
  Call& operator=(const Call&) = delete;

  bool is_recorded() const { return recorder_ != nullptr; }

  void enter() { enter(*recorder_, *stream_, {function_, static_cast<std::uint16_t>(size_)}); }
  /// A receive from any source of a live run: the source and the tag that it is to have instead.
  void choose(int& source, int& tag, MPI_Comm comm) {
    if (recorder_->live && !is_quiet() && source == MPI_ANY_SOURCE) [[unlikely]]
      recorder_->live->choose(function_, on_thread.event, comm, source, tag);
  }
  /// Receives of a live run that MPI has not got yet, if there are any.
  LateReceives* late() {
    if (recorder_->live) [[unlikely]]
      return recorder_->live->late().are_open() ? &recorder_->live->late() : nullptr;
    return nullptr;
  }
  /// MPI_Irecv and sends, in whose place others may be called.
  bool is_held(int source) {
    return recorder_->live && !is_quiet() && recorder_->live->holds(source);
  }
  int hold(void* buffer, int count, MPI_Datatype datatype, int tag, MPI_Comm comm,
           MPI_Request* request) {
    const auto words = recorder_->live->envelope(on_thread.event, size_);
    return recorder_->live->late().hold({words[0], words[1], words[2]}, buffer, count, datatype,
                                        tag, comm, request);
  }
  /// A send or collective operation of a live run, which is known before it is made.
  void say_ahead() {
    if (recorder_->live && !is_quiet() && scratch().unknown.empty()) [[unlikely]]
      recorder_->say_ahead(*stream_, on_thread.event, size_);
  }
  void leave(int result) { end_ = leave(*recorder_, *stream_, result); }
  /// Between leave() and commit(), of a poll.
  /// @param goes_on  goes_on_polling(), before the call began
  void polled(bool goes_on, bool found) {
    if (recorder_->live) return; // its times are virtual
    stream_->open_ticks =
        start_of_poll(on_thread, goes_on, found, stream_->open_ticks, stream_->last_end_ticks);
  }
  [[gnu::always_inline]] void commit() {
    commit(*recorder_, *stream_, size_, end_, __builtin_frame_address(0));
  }
  /// commit() of a call that may be a mark of a phase.
  [[gnu::always_inline]] void commit_mark() {
    commit_otherwise(*recorder_, *stream_, size_, end_, __builtin_frame_address(0));
  }
  /// Between leave() and commit(): calls after this one are not recorded.
  void pause_behind() { recorder_->pause_recording(); }

  // Words, in the order of the function's fields.
  void word(std::int64_t value) { on_thread.event[size_++] = value; }
  void nothing() { word(trace::kNothing); }
  void no_status() {
    nothing();
    nothing();
    nothing();
  }
  void integer(std::int64_t value) { word(value == MPI_UNDEFINED ? trace::kUndefined : value); }
  /// @param has_data   says whether the call has data there, asked only of a null pointer: that is
  ///                   MPI_BOTTOM then, and otherwise the address of a message without data
  template <class HasData> void buffer(const void* address, HasData has_data) {
    if (address == MPI_IN_PLACE) return word(trace::kInPlace);
    word(address == MPI_BOTTOM && has_data() ? trace::kBottom : 0);
  }
  /// Whether there may be data at MPI_BOTTOM: only a datatype that the program made says where.
  bool has_data(std::int64_t count, MPI_Datatype datatype) {
    return count > 0 && recorder_->objects.is_made_with_data(datatype);
  }
  template <class Integer>
  bool have_data(const Integer* counts, std::int64_t n, MPI_Datatype datatype) {
    for (std::int64_t i = 0; counts != nullptr && i < n; ++i) {
      if (has_data(counts[i], datatype)) return true;
    }
    return false;
  }
  template <class Integer>
  bool have_data(const Integer* counts, std::int64_t n, const MPI_Datatype* datatypes) {
    for (std::int64_t i = 0; counts != nullptr && i < n; ++i) {
      if (counts[i] > 0 && has_data(counts[i], datatypes[i])) return true;
    }
    return false;
  }
  void rank(int rank) { word(rank_word(rank)); }
  void root(int rank) { word(rank_word(rank)); }
  void tag(int tag) { word(tag == MPI_ANY_TAG ? trace::kAnyTag : tag); }
  void color(int color) { integer(color); }
  void comm(MPI_Comm comm) { known(trace::FieldKind::kComm, key_of(comm)); }
  void group(MPI_Group group) { known(trace::FieldKind::kGroup, key_of(group)); }
  void datatype(MPI_Datatype datatype) {
    const std::int64_t* const known = recorder_->objects.noted_datatype_word(datatype);
    word(known != nullptr ? *known : look_up(*recorder_, *stream_, size_, datatype));
  }
  void op(MPI_Op op) { known(trace::FieldKind::kOp, key_of(op)); }
  void plain(trace::FieldKind kind, std::uint64_t handle, bool is_null) {
    is_null ? word(trace::kNull) : known(kind, handle);
  }
  void made_plain(trace::FieldKind kind, std::uint64_t handle, bool is_null) {
    word(recorder_->objects.made_plain(kind, handle, is_null, caller()));
  }
  void message(MPI_Message message);
  void request(MPI_Request request) { word(request_word(request)); }
  void text(const char* text) {
    word(is_quiet() ? 0 : program().text(text == nullptr ? "" : text));
  }
  /// An array of words; one of a call that is not recorded is not kept.
  void array_of(const std::int64_t* words, std::size_t size) {
    word(array_word(*recorder_, *stream_, words, size, size_));
  }
  void status(const MPI_Status& status) {
    rank(status.MPI_SOURCE);
    tag(status.MPI_TAG);
    word(bytes_of(status));
  }
  /// Of a send, whose status says no more than that it was not cancelled.
  void status_of_send() {
    word(trace::kUndefined);
    word(trace::kUndefined);
    word(0);
  }
  /// Arrays; in an erroneous call `n` may be negative or the array missing: then it is empty.
  template <class Integer> void integers(const Integer* values, std::int64_t n) {
    array(values, n, [](Integer v) { return static_cast<std::int64_t>(v); });
  }
  template <class Convert> void choices(const int* values, std::int64_t n, Convert convert) {
    array(values, n, convert);
  }
  void weights(const int* values, std::int64_t n);
  void ranks(const int* values, std::int64_t n);
  void datatypes(const MPI_Datatype* values, std::int64_t n);
  void request_array(const MPI_Request* values, std::int64_t n);
  /// Adds the status of one of several requests: index, source, tag, bytes.
  static void append_status(const Recorder& recorder, std::vector<std::int64_t>& entries,
                            std::int64_t index, bool is_send, const MPI_Status& status);

  // Objects that the call made; null handles are fine.
  void made_comm(MPI_Comm comm, const Making& making) {
    word(recorder_->objects.made_comm(comm, making, caller()));
  }
  /// The tag that a text is, for calls that have one in place of a tag.
  static std::int64_t tag_of(const char* text);
  void made_group(MPI_Group group) { word(recorder_->objects.made_group(group, caller())); }
  void made_datatype(MPI_Datatype datatype) {
    word(recorder_->objects.made_datatype(datatype, caller()));
  }
  void made_or_predefined(MPI_Datatype datatype) { word(made_or_predefined_word(datatype)); }
  void made_datatypes(const MPI_Datatype* values, std::int64_t n); // predefined ones are not made
  void made_op(MPI_Op op) { word(recorder_->objects.made_op(op, caller())); }
  void made_message(MPI_Message message);
  void made_request(MPI_Request request, bool persistent, bool wildcard, bool is_receive) {
    const auto traits = static_cast<std::uint8_t>((wildcard ? Request::kWildcard : 0) |
                                                  (is_receive ? Request::kReceive : 0));
    if (is_quiet()) [[unlikely]] {
      recorder_->requests.add_quiet(key_of(request), persistent, *stream_);
    } else if (persistent) {
      recorder_->requests.add_persistent(key_of(request), traits, *stream_);
    } else {
      recorder_->requests.add_nonblocking(key_of(request), traits, *stream_);
    }
    if (wildcard) [[unlikely]]
      recorder_->note_statuses();
  }
  void started(MPI_Request request);
  void cancelled(MPI_Request request);
  /// Of a handle that the call frees; once it has, MPI may give it to another thread.
  std::int64_t word_before(trace::FieldKind kind, std::uint64_t handle) {
    return recorder_->objects.word_of(kind, handle);
  }
  void freed(trace::FieldKind kind, std::uint64_t handle, std::int64_t word) {
    recorder_->objects.freed(kind, handle, word, caller());
  }
  void freed(std::uint64_t request); // by its handle before the call

  // What MPI's rules on significant arguments need to know.
  bool is_root(MPI_Comm comm, int root);
  bool is_leaf(MPI_Comm comm, int root);
  bool is_active(MPI_Comm comm, int root);
  bool leads_group(MPI_Group group, int leader);
  std::int64_t comm_size(MPI_Comm comm); // of the remote group on an inter-communicator
  std::int64_t local_size(MPI_Comm comm);
  std::int64_t cart_dims(MPI_Comm comm);
  std::int64_t sources(MPI_Comm comm);
  std::int64_t destinations(MPI_Comm comm);
  struct Contents {
    MPI_Count integers = 0;
    MPI_Count addresses = 0;
    MPI_Count large_counts = 0;
    MPI_Count datatypes = 0;
  };
  static Contents contents(MPI_Datatype datatype);

  static std::int64_t sum(const int* values, std::int64_t n);
  static std::int64_t last(const int* values, std::int64_t n) {
    return n > 0 && values != nullptr ? values[n - 1] : 0;
  }

  Recorder& state() { return *recorder_; }
  ProgramObjects::Caller caller() const { return {stream_->thread, recorder_->quiet}; }
  const Stream& stream() const { return *stream_; }
  Scratch& scratch() { return stream_->scratch; }
  fold::ProgramBuilder& program() { return *stream_->program; }
  std::int64_t word_of(const Request& request) const {
    return Requests::word_of(request, *stream_);
  }

private:
  struct Begun { // in two registers
    Recorder* recorder = nullptr;
    Stream* stream = nullptr;
  };
  static Begun begin(std::uint16_t function, const void* return_address, const void* frame);
  static Begun begin_otherwise(std::uint16_t function, const void* return_address,
                               const void* frame, bool resumes);
  static void enter(Recorder& recorder, Stream& stream, Stream::Open open);
  static void enter_otherwise(Recorder& recorder, Stream& stream, Stream::Open open);
  static void begin_sample(Stream& stream, std::uint64_t now);
  static void start(Stream& stream, std::uint64_t now);
  static void deliver_and_start(Stream& stream);
  static std::uint64_t leave(Recorder& recorder, Stream& stream, int result);
  static std::uint64_t leave_otherwise(Recorder& recorder, Stream& stream, int result,
                                       std::uint64_t end);
  static void commit(Recorder& recorder, Stream& stream, std::uint32_t size, std::uint64_t end,
                     const void* frame);
  static void commit_round(Recorder& recorder, Stream& stream, std::uint32_t size,
                           std::uint64_t end);
  static void commit_unexpected(Recorder& recorder, Stream& stream, std::uint32_t size,
                                std::uint64_t end);
  static void close(Recorder& recorder, Stream& stream, std::uint64_t end);
  static void deliver_and_close();
  static void end_otherwise(Recorder& recorder, Stream& stream, std::uint64_t end);
  static void commit_otherwise(Recorder& recorder, Stream& stream, std::uint32_t size,
                               std::uint64_t end, const void* frame);
  static std::int64_t look_up(Recorder& recorder, Stream& stream, std::size_t place,
                              trace::FieldKind kind, std::uint64_t handle);
  static std::int64_t look_up(Recorder& recorder, Stream& stream, std::size_t place,
                              MPI_Datatype datatype);
  static std::int64_t array_word(Recorder& recorder, Stream& stream, const std::int64_t* words,
                                 std::size_t size, std::size_t place);
  static std::int64_t array_word_otherwise(Recorder& recorder, Stream& stream,
                                           const std::int64_t* words, std::size_t size,
                                           std::size_t place);
  static std::int64_t bytes_of(const MPI_Status& status);
  static bool is_quiet() { return on_thread.call.is_quiet != 0; }
  /// The word of a handle that goes in. MPI is asked about one that was never seen, which may be a
  /// mistake of the program's, when the call has succeeded.
  void known(trace::FieldKind kind, std::uint64_t handle) {
    const std::int64_t* const known = recorder_->objects.recent_word_of(kind, handle);
    word(known != nullptr ? *known : look_up(*recorder_, *stream_, size_, kind, handle));
  }
  static bool is_unseen(std::int64_t word) { // that MPI must not be asked about now, or never
    static_assert(HandleWords::kFreed < HandleWords::kUnknown);
    return word <= HandleWords::kUnknown; // no other word is as low
  }
  /// @return   kNothing, until it is known
  static std::int64_t note_later(Stream& stream, std::size_t place, std::int64_t word,
                                 trace::FieldKind kind, std::uint64_t handle);
  static void note_unknown(Recorder& recorder, Stream& stream, bool succeeded);
  static void settle(Folding& folding);
  const Comm& comm_of(MPI_Comm comm) {
    return recorder_->objects.comm_of(
        recorder_->objects.word_of(trace::FieldKind::kComm, key_of(comm)));
  }
  std::int64_t made_or_predefined_word(MPI_Datatype datatype);
  std::int64_t request_word(MPI_Request request);
  static std::int64_t rank_word(int rank) {
    if (rank >= 0) return rank;
    if (rank == MPI_PROC_NULL) return trace::kProcNull;
    if (rank == MPI_ANY_SOURCE) return trace::kAnySource;
    return rank == MPI_ROOT ? trace::kRootHere : rank;
  }
  template <class Value, class Convert>
  void array(const Value* values, std::int64_t n, Convert convert) {
    std::vector<std::int64_t>& words = scratch().words;
    words.clear();
    if (values == nullptr) n = 0;
    for (std::int64_t i = 0; i < n; ++i) words.push_back(convert(values[i]));
    array_of(words.data(), words.size());
  }
  void count_neighbors(MPI_Comm comm, Comm& known);
  static void note_error(int result);

  Recorder* recorder_ = nullptr;
  Stream* stream_ = nullptr;
  std::uint16_t function_ = 0;
  std::uint32_t size_ = fold::kEventHead; // no type that a word could be: it stays in a register
  std::uint64_t end_ = 0;
};
static_assert(std::is_trivially_destructible_v<Call>);

} // namespace rondo::record
