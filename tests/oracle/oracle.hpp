// SPDX-License-Identifier: Apache-2.0
// The words in which the oracle writes one block per MPI function: CALL defines the wrappers of a
// function, Line collects the text of one call, and the small functions below turn one value into
// text. Rules and grammar: docs/formats/call-lines.md. Nothing here is shared with the recorder.
#pragma once

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <dlfcn.h>
#include <mpi.h>

#include <string>
#include <vector>

namespace oracle {

// ---- Who calls -------------------------------------------------------------------------------

/// Where a call came from, told by its return address.
enum class Caller { kProgram, kFortranLayer, kMpiItself };
Caller caller_of(void* return_address);

/// True for calls of the program that are to be written. `entry` is "MPI_..." or "PMPI_...".
bool is_program_call(const char* entry, void* return_address);

/// While one stands on a thread's stack, that thread's MPI calls belong to MPI itself or to the
/// oracle.
struct Inside {
  explicit Inside(void* return_address);
  ~Inside();
  Inside(const Inside&) = delete;
};

template <class Function> Function* real_function(const char* pmpi_name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, pmpi_name));
}

#define STRIP(...) __VA_ARGS__

/// Defines MPI_Name and PMPI_Name; the block that follows is what a call of the program does. In
/// it, REAL(Name) is the MPI library's function.
#define CALL(Name, Params, Args) CALL_OF(Name, Params, Args)
#define CALL_OF(Name, Params, Args)                                                                \
  static int program_calls_##Name Params;                                                          \
  static auto* const real_##Name = oracle::real_function<decltype(PMPI_##Name)>("PMPI_" #Name);    \
  ENTRY(MPI_##Name, Name, Params, Args)                                                            \
  ENTRY(PMPI_##Name, Name, Params, Args)                                                           \
  static int program_calls_##Name Params
#define ENTRY(Entry, Name, Params, Args)                                                           \
  extern "C" __attribute__((visibility("default"))) int Entry Params {                             \
    void* from = __builtin_return_address(0);                                                      \
    if (!oracle::is_program_call(#Entry, from)) return real_##Name Args;                           \
    oracle::Inside inside(from);                                                                   \
    return program_calls_##Name Args;                                                              \
  }
#define REAL(Name) REAL_OF(Name)
#define REAL_OF(Name) real_##Name

/// MPI-4 has most calls with counts a second time, as MPI_Name_c with wider types: large_counts.cpp
/// defines LARGE_COUNTS and reads the blocks of those calls once more.
#if defined LARGE_COUNTS && MPI_VERSION >= 4
#define SIZED(Name) Name##_c
#define SUFFIX "_c"
using Count = MPI_Count;
using Displacement = MPI_Aint;
using TypeDisplacement = MPI_Count; // in bytes, in constructors of datatypes
using UserFunction = MPI_User_function_c;
#else
#define SIZED(Name) Name
#define SUFFIX ""
using Count = int;
using Displacement = int;
using TypeDisplacement = MPI_Aint;
using UserFunction = MPI_User_function;
#endif

// ---- One line --------------------------------------------------------------------------------

class Line {
public:
  explicit Line(std::string function);
  Line& in(const std::string& name, const std::string& value);
  Line& out(const std::string& name, const std::string& value);
  /// A buffer says something only if it is MPI_IN_PLACE or MPI_BOTTOM.
  Line& buffer(const std::string& name, const void* address);
  /// Writes the line; a call that failed gave back nothing but its error. Returns `result`.
  int write(int result);

private:
  std::string text_;
  bool has_inputs_ = false;
  std::string outcomes_;
};

// ---- Values ----------------------------------------------------------------------------------

std::string integer(long long value);
std::string logical(int value);
std::string rank(int value); // MPI_ANY_SOURCE, MPI_PROC_NULL, MPI_ROOT by name
std::string tag(int value); // MPI_ANY_TAG by name
std::string integer_or_undefined(int value); // MPI_UNDEFINED by name
std::string text(const char* characters);
/// The names of the bits that are set, joined by "|"; "0" if none is.
struct Bit {
  int value;
  const char* name;
};
std::string bits(int value, const std::vector<Bit>& names);
std::string status_text(const MPI_Status& status);

/// "[1 2 3]"; nothing stands in an array that the program does not have.
template <class Value, class Format>
std::string array(const Value* values, long long length, Format format) {
  std::string all = "[";
  if (!values) length = 0;
  for (long long i = 0; i < length; ++i) all += (i ? " " : "") + format(values[i]);
  return all + "]";
}
template <class Value> std::string integers(const Value* values, long long length) {
  return array(values, length, [](Value value) { return integer(value); });
}

// ---- Objects: how a handle prints, a new one is numbered, a freed one is forgotten --------------

std::string comm(MPI_Comm handle);
std::string group(MPI_Group handle);
std::string datatype(MPI_Datatype handle);
std::string op(MPI_Op handle);
std::string message(MPI_Message handle);
std::string win(MPI_Win handle);
std::string file(MPI_File handle);

std::string new_comm(MPI_Comm handle); // with members
std::string new_comm_like(MPI_Comm handle, MPI_Comm original); // with the members of `original`
std::string new_group(MPI_Group handle); // with members
std::string new_datatype(MPI_Datatype handle);
std::string new_or_predefined_datatype(MPI_Datatype handle);
std::string new_op(MPI_Op handle);
std::string new_message(MPI_Message handle);
std::string new_win(MPI_Win handle);
std::string new_file(MPI_File handle);

void forget_comm(MPI_Comm handle);
void forget_group(MPI_Group handle);
void forget_datatype(MPI_Datatype handle);
void forget_op(MPI_Op handle);
void forget_message(MPI_Message handle);
void forget_win(MPI_Win handle);
void forget_file(MPI_File handle);
#if MPI_VERSION >= 4
std::string session(MPI_Session handle);
std::string new_session(MPI_Session handle);
void forget_session(MPI_Session handle);
#endif

std::string datatypes(const MPI_Datatype* handles, long long length);

// ---- Communicators ---------------------------------------------------------------------------

bool is_inter(MPI_Comm comm);
int rank_in(MPI_Comm comm);
int local_size(MPI_Comm comm);
/// Dimensions, if it is a grid.
int cart_dims(MPI_Comm comm);
/// Ranks that this rank's collective calls speak to: all of them, or those of the remote group.
int peers(MPI_Comm comm);
/// Neighbours in the communicator's process topology.
int neighbors_in(MPI_Comm comm);
int neighbors_out(MPI_Comm comm);

// ---- Requests --------------------------------------------------------------------------------

struct Request {
  MPI_Request handle;
  const void* address; // where the program got it; null if the call came through Fortran
  int number;
  bool persistent;
  bool wildcard; // a receive from any source or of any tag
  bool active; // started and not completed: always, unless persistent
  bool cancelled = false; // asked to be: its status says whether it was
};

/// Numbers the request that a call stored at `where`; gives "#7".
std::string new_request(const MPI_Request* where, bool persistent, bool wildcard);

/// The requests of an array as they were before a call; entries of unknown handles have number 0.
std::vector<Request> requests_before(const MPI_Request* handles, int length);
std::string request_text(const Request& request);
std::string requests_text(const std::vector<Request>& requests);

/// What became of one request: `handle` is what the call left in the array.
void request_started(const Request& request);
void request_cancelled(const Request& request);
void request_completed(const Request& request, MPI_Request handle);
void request_freed(const Request& request);

/// The status of a completed request if it says something, "-" if not.
std::string completion_text(const Request& before, const MPI_Status& status);

/// Room for the statuses of a call: the program's own, or ours if the program ignores them.
class Statuses {
public:
  Statuses(MPI_Status* program, bool ignored, int length);
  MPI_Status* get() { return used_; }
  const MPI_Status& operator[](int i) const { return used_[i]; }

private:
  std::vector<MPI_Status> own_;
  MPI_Status* used_;
};

} // namespace oracle
