// SPDX-License-Identifier: Apache-2.0
// Plays one rank's calls: turns their words into arguments and hands them to MPI. What each
// function takes is generated from record/mpi_calls.toml (tools/generate_replay.py); what completes
// requests, polls, or begins and ends is written by hand.
//
// Whatever the replay needs for itself it calls as PMPI_..., so that a recorder does not see it.
#pragma once

#include "generate/lower/arrivals.hpp"
#include "generate/replay/memory.hpp"
#include "generate/replay/objects.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <map>
#include <mpi.h>
#include <span>
#include <string>
#include <vector>

namespace rondo::generate {

class Player {
public:
  /// After MPI_Init; `reader` must outlive the player.
  /// @param scratch   an existing folder for the files that the program opens
  Player(const trace::CallReader& reader, std::string scratch);

  /// Whether this MPI has the function, and a replay can call it.
  static bool has(const trace::Function& function);

  /// Plays a call of the reader; `call` may have other words than the reader gave.
  /// @return  false for a function that has() does not know
  bool play(const trace::CallInstance& call);

  /// Takes back what the replay made for itself; before MPI_Finalize.
  void finish();

  // ---- For generated code: arguments from words ----

  template <class T = int> static T integer(std::int64_t word) {
    if (word == trace::kUndefined) return static_cast<T>(MPI_UNDEFINED);
    return trace::is_special(word) ? T{0} : static_cast<T>(word);
  }
  static int rank(std::int64_t word);
  static int tag(std::int64_t word) { return word == trace::kAnyTag ? MPI_ANY_TAG : integer(word); }
  MPI_Comm comm(std::int64_t word) const;
  MPI_Group group(std::int64_t word) const;
  MPI_Datatype datatype(std::int64_t word) const;
  MPI_Op op(std::int64_t word) const;
  MPI_Win win(std::int64_t word) const;
  MPI_File file(std::int64_t word) const;
  MPI_Message message(std::int64_t word) const;
  MPI_Request* request(std::int64_t word) { return requests_.of(word); }

  // Where a call writes the object that it makes.
  MPI_Comm* new_comm(std::int64_t word) { return place(comms_, word, no_comm_); }
  MPI_Group* new_group(std::int64_t word) { return place(groups_, word, no_group_); }
  MPI_Datatype* new_datatype(std::int64_t word) { return place(datatypes_, word, no_datatype_); }
  MPI_Op* new_op(std::int64_t word) { return place(ops_, word, no_op_); }
  MPI_Win* new_win(std::int64_t word) { return place(wins_, word, no_win_); }
  MPI_File* new_file(std::int64_t word) { return place(files_, word, no_file_); }
  MPI_Message* new_message(std::int64_t word) { return place(messages_, word, no_message_); }
  MPI_Request* new_request(bool is_persistent) { return requests_.add(is_persistent); }

  const void* send_buffer(std::int64_t word) const { return buffer(word, sending_); }
  void* receive_buffer(std::int64_t word) const { return buffer(word, receiving_); }

  const std::vector<std::int64_t>& elements(std::int64_t word) const {
    return word == 0 ? none_ : elements_of(reader_->program(), word);
  }
  template <class T = int> std::vector<T> integers(std::int64_t word) const {
    std::vector<T> values;
    for (const std::int64_t element : elements(word)) values.push_back(integer<T>(element));
    return values;
  }
  /// Of blocks in a buffer; one behind the other if the trace does not say.
  template <class T>
  std::vector<T> displacements(std::int64_t word, std::int64_t counts_word) const {
    if (word != trace::kNothing) return integers<T>(word);
    std::vector<T> values;
    T end = 0;
    for (const T count : integers<T>(counts_word)) {
      values.push_back(end);
      end = static_cast<T>(end + count);
    }
    return values;
  }
  template <class Value> std::vector<int> choices(std::int64_t word, Value value) const {
    std::vector<int> values;
    for (const std::int64_t element : elements(word)) values.push_back(value(element));
    return values;
  }
  std::vector<int> ranks(std::int64_t word) const;
  std::vector<MPI_Datatype> some_datatypes(std::int64_t word) const;
  /// Weights stand for themselves, in `values`, or for one of MPI's two special arrays.
  const int* weights(std::int64_t word, std::vector<int>& values) const;
  std::string text(std::int64_t word) const;
  /// The file in the scratch folder that stands for the program's.
  std::string file_name(std::int64_t word) const { return file_of(text(word)); }
  std::string file_of(const std::string& name) const;

  /// Ends the run if MPI says that the call failed.
  void check(int result, const char* function) const;

private:
  template <class Handle>
  static Handle* place(Handles<Handle>& handles, std::int64_t word, Handle& none) {
    return trace::is_special(word) || word < 0 ? &none : handles.place(word);
  }
  void* buffer(std::int64_t word, const ReservedMemory& memory) const;

  bool play_generated(const trace::CallInstance& call);
  bool play_by_hand(const trace::CallInstance& call); // false if it is none of those
  bool play_memory_call(const trace::CallInstance& call);
  bool play_marker(const trace::CallInstance& call);
  void complete(const trace::CallInstance& call, const trace::CallMeaning& means);
  void complete_array(const trace::CallInstance& call, const trace::CallMeaning& means);
  void poll_in_vain(const trace::CallInstance& call, const trace::CallMeaning& means);
  void probe(const trace::CallInstance& call, bool finds);
  void wait_unseen(MPI_Request request) const;

  const trace::CallReader* reader_;
  std::string scratch_;
  std::vector<std::int64_t> none_;
  ReservedMemory sending_;
  ReservedMemory receiving_;
  MPI_Comm private_ = MPI_COMM_NULL; // of this rank alone: nothing is ever said there
  MPI_Request never_ = MPI_REQUEST_NULL; // a receive there
  MPI_Op unknown_op_ = MPI_OP_NULL; // for reductions of which nothing says the operation
  PlayedRequests requests_;
  Handles<MPI_Comm> comms_;
  Handles<MPI_Group> groups_;
  Handles<MPI_Datatype> datatypes_;
  Handles<MPI_Op> ops_;
  Handles<MPI_Win> wins_;
  Handles<MPI_File> files_;
  Handles<MPI_Message> messages_;
  MPI_Comm no_comm_ = MPI_COMM_NULL; // where a call writes that gave nothing back
  MPI_Group no_group_ = MPI_GROUP_NULL;
  MPI_Datatype no_datatype_ = MPI_DATATYPE_NULL;
  MPI_Op no_op_ = MPI_OP_NULL;
  MPI_Win no_win_ = MPI_WIN_NULL;
  MPI_File no_file_ = MPI_FILE_NULL;
  MPI_Message no_message_ = MPI_MESSAGE_NULL;
  std::vector<MPI_Datatype> predefined_datatypes_; // by -1 - word; null where this MPI has none
  std::vector<MPI_Op> predefined_ops_;
  std::map<std::int64_t, ReservedMemory> window_memory_; // by slot of the window
  std::vector<ReservedMemory> attached_; // buffers for MPI_Bsend, and of windows that are gone
};

std::vector<MPI_Datatype> predefined_datatypes(); // generated
std::vector<MPI_Op> predefined_ops(); // generated
int value_of_thread_level(std::int64_t word); // generated

// What a program's own functions are in a replay.
void do_nothing(void* in, void* inout, int* length, MPI_Datatype* datatype);
int answer_nothing(void* state, MPI_Status* status);
int free_nothing(void* state);
int cancel_nothing(void* state, int complete);

} // namespace rondo::generate
