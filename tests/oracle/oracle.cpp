// SPDX-License-Identifier: Apache-2.0
// Who calls, where the lines go, how values and objects print.
#include "oracle.hpp"

#include <cstdio>
#include <cstdlib>
#include <map>
#include <mutex>

namespace oracle {
namespace {

/// One object that the program made.
template <class Handle> struct Made {
  Handle handle;
  int number;
};

/// The objects of one kind in the order in which the program got them.
template <class Handle> struct Kind {
  std::string word;
  int last_number = 0;
  std::vector<Made<Handle>> alive;

  std::string add(Handle handle) {
    alive.push_back({handle, ++last_number});
    return word + "#" + std::to_string(last_number);
  }
  // Where the library handed out one handle several times, it means the newest.
  std::string find(Handle handle) const {
    for (size_t i = alive.size(); i-- > 0;)
      if (alive[i].handle == handle) return word + "#" + std::to_string(alive[i].number);
    return "";
  }
  void remove(Handle handle) {
    for (size_t i = alive.size(); i-- > 0;)
      if (alive[i].handle == handle) {
        alive.erase(alive.begin() + static_cast<long>(i));
        return;
      }
  }
};

struct State {
  std::recursive_mutex mutex;
  std::map<void*, Caller> callers;
  FILE* file = nullptr;
  bool over = false; // MPI_Finalize has been written
  Kind<MPI_Comm> comms{"comm", 0, {}};
  Kind<MPI_Group> groups{"group", 0, {}};
  Kind<MPI_Datatype> datatypes{"type", 0, {}};
  Kind<MPI_Op> ops{"op", 0, {}};
  Kind<MPI_Message> messages{"message", 0, {}};
  Kind<MPI_Win> wins{"win", 0, {}};
  Kind<MPI_File> files{"file", 0, {}};
#if MPI_VERSION >= 4
  Kind<MPI_Session> sessions{"session", 0, {}};
#endif
  int last_request = 0;
  std::vector<Request> requests; // outstanding, oldest first
};

// Never destroyed: programs may call MPI_Finalize from a destructor of their own.
State& state() {
  static State* the_state = new State;
  return *the_state;
}

using Lock = std::lock_guard<std::recursive_mutex>;

const char* directory() {
  static const char* name = std::getenv("RONDO_ORACLE_DIR");
  return name;
}

thread_local int depth = 0;
thread_local bool through_fortran = false;

bool begins_with(const std::string& whole, const std::string& beginning) {
  return whole.compare(0, beginning.size(), beginning) == 0;
}

Caller look_up_caller(void* return_address) {
  Dl_info info{};
  if (!dladdr(return_address, &info) || !info.dli_fname) return Caller::kProgram;
  std::string file = info.dli_fname;
  file = file.substr(file.rfind('/') + 1); // npos + 1 == 0
  for (const char* name : {"libmpi_mpifh", "libmpi_usempi", "libmpichfort", "libmpifort"})
    if (begins_with(file, name)) return Caller::kFortranLayer;
  for (const char* name : {"libmpi.so", "libmpich.so", "libmca_", "mca_", "libopen-", "libromio"})
    if (begins_with(file, name)) return Caller::kMpiItself;
  return Caller::kProgram;
}

/// Spawned processes are the ranks of another MPI_COMM_WORLD: their lines stand apart.
std::string path_of_lines() {
  MPI_Comm parent = MPI_COMM_NULL;
  PMPI_Comm_get_parent(&parent);
  return std::string(directory()) + (parent == MPI_COMM_NULL ? "/rank." : "/spawned.") +
         std::to_string(rank_in(MPI_COMM_WORLD)) + ".txt";
}

/// Lines stand between MPI_Init and MPI_Finalize; what is outside (sessions) is not the run's.
void write_line(const std::string& line) {
  State& s = state();
  Lock lock(s.mutex);
  int initialized = 0;
  PMPI_Initialized(&initialized);
  if (!initialized || s.over) return;
  if (!s.file) {
    std::string path = path_of_lines();
    s.file = std::fopen(path.c_str(), "w");
    if (!s.file) {
      std::perror(path.c_str());
      std::abort();
    }
  }
  std::fputs((line + "\n").c_str(), s.file);
  std::fflush(s.file);
  s.over = line == "MPI_Finalize()";
}

} // namespace

Caller caller_of(void* return_address) {
  State& s = state();
  Lock lock(s.mutex);
  auto known = s.callers.find(return_address);
  if (known == s.callers.end())
    known = s.callers.emplace(return_address, look_up_caller(return_address)).first;
  return known->second;
}

bool is_program_call(const char* entry, void* return_address) {
  if (depth > 0 || !directory()) return false;
  Caller caller = caller_of(return_address);
  if (caller == Caller::kMpiItself) return false;
  if (entry[0] == 'M') return true;
  // Open MPI's Fortran (all of it) and MPICH's mpi_f08 (calls without buffers) call PMPI_ directly.
  // Open MPI's mpi_pcontrol_ jumps to PMPI_Pcontrol, so that the program itself seems to call it.
  return caller == Caller::kFortranLayer || std::string(entry) == "PMPI_Pcontrol";
}

Inside::Inside(void* return_address) {
  ++depth;
  through_fortran = caller_of(return_address) == Caller::kFortranLayer;
}
Inside::~Inside() { --depth; }

// ---- One line --------------------------------------------------------------------------------

namespace {

/// MPI's name of a return code's class.
std::string error_text(int result) {
#define CLASS(Name)                                                                                \
  { Name, #Name }
  static const std::map<int, const char*> kClasses = {
    CLASS(MPI_ERR_BUFFER),
    CLASS(MPI_ERR_COUNT),
    CLASS(MPI_ERR_TYPE),
    CLASS(MPI_ERR_TAG),
    CLASS(MPI_ERR_COMM),
    CLASS(MPI_ERR_RANK),
    CLASS(MPI_ERR_REQUEST),
    CLASS(MPI_ERR_ROOT),
    CLASS(MPI_ERR_GROUP),
    CLASS(MPI_ERR_OP),
    CLASS(MPI_ERR_TOPOLOGY),
    CLASS(MPI_ERR_DIMS),
    CLASS(MPI_ERR_ARG),
    CLASS(MPI_ERR_UNKNOWN),
    CLASS(MPI_ERR_TRUNCATE),
    CLASS(MPI_ERR_OTHER),
    CLASS(MPI_ERR_INTERN),
    CLASS(MPI_ERR_PENDING),
    CLASS(MPI_ERR_IN_STATUS),
    CLASS(MPI_ERR_ACCESS),
    CLASS(MPI_ERR_AMODE),
    CLASS(MPI_ERR_ASSERT),
    CLASS(MPI_ERR_BAD_FILE),
    CLASS(MPI_ERR_BASE),
    CLASS(MPI_ERR_CONVERSION),
    CLASS(MPI_ERR_DISP),
    CLASS(MPI_ERR_DUP_DATAREP),
    CLASS(MPI_ERR_FILE_EXISTS),
    CLASS(MPI_ERR_FILE_IN_USE),
    CLASS(MPI_ERR_FILE),
    CLASS(MPI_ERR_INFO_KEY),
    CLASS(MPI_ERR_INFO_NOKEY),
    CLASS(MPI_ERR_INFO_VALUE),
    CLASS(MPI_ERR_INFO),
    CLASS(MPI_ERR_IO),
    CLASS(MPI_ERR_KEYVAL),
    CLASS(MPI_ERR_LOCKTYPE),
    CLASS(MPI_ERR_NAME),
    CLASS(MPI_ERR_NO_MEM),
    CLASS(MPI_ERR_NO_SPACE),
    CLASS(MPI_ERR_NO_SUCH_FILE),
    CLASS(MPI_ERR_NOT_SAME),
    CLASS(MPI_ERR_PORT),
    CLASS(MPI_ERR_QUOTA),
    CLASS(MPI_ERR_READ_ONLY),
    CLASS(MPI_ERR_RMA_ATTACH),
    CLASS(MPI_ERR_RMA_CONFLICT),
    CLASS(MPI_ERR_RMA_FLAVOR),
    CLASS(MPI_ERR_RMA_RANGE),
    CLASS(MPI_ERR_RMA_SHARED),
    CLASS(MPI_ERR_RMA_SYNC),
    CLASS(MPI_ERR_SERVICE),
    CLASS(MPI_ERR_SIZE),
    CLASS(MPI_ERR_SPAWN),
    CLASS(MPI_ERR_UNSUPPORTED_DATAREP),
    CLASS(MPI_ERR_UNSUPPORTED_OPERATION),
    CLASS(MPI_ERR_WIN),
#if MPI_VERSION >= 4
    CLASS(MPI_ERR_PROC_ABORTED),
    CLASS(MPI_ERR_SESSION),
    CLASS(MPI_ERR_VALUE_TOO_LARGE),
#endif
  };
#undef CLASS
  int error_class = result;
  PMPI_Error_class(result, &error_class);
  auto known = kClasses.find(error_class);
  return known == kClasses.end() ? "MPI_ERR_LASTCODE" : known->second;
}

} // namespace

Line::Line(std::string function) : text_(std::move(function) + "(") {}

Line& Line::in(const std::string& name, const std::string& value) {
  text_ += (has_inputs_ ? ", " : "") + name + "=" + value;
  has_inputs_ = true;
  return *this;
}

Line& Line::out(const std::string& name, const std::string& value) {
  outcomes_ += (outcomes_.empty() ? "" : ", ") + name + "=" + value;
  return *this;
}

Line& Line::buffer(const std::string& name, const void* address) {
  if (address == MPI_IN_PLACE) return in(name, "MPI_IN_PLACE");
  if (address == MPI_BOTTOM) return in(name, "MPI_BOTTOM");
  return *this;
}

int Line::write(int result) {
  if (result != MPI_SUCCESS) outcomes_ = "error=" + error_text(result);
  write_line(text_ + ")" + (outcomes_.empty() ? "" : " -> " + outcomes_));
  return result;
}

// ---- Values ----------------------------------------------------------------------------------

std::string integer(long long value) { return std::to_string(value); }

std::string logical(int value) { return value ? "1" : "0"; }

std::string rank(int value) {
  if (value == MPI_ANY_SOURCE) return "MPI_ANY_SOURCE";
  if (value == MPI_PROC_NULL) return "MPI_PROC_NULL";
  if (value == MPI_ROOT) return "MPI_ROOT";
  return integer(value);
}

std::string tag(int value) { return value == MPI_ANY_TAG ? "MPI_ANY_TAG" : integer(value); }

std::string integer_or_undefined(int value) {
  return value == MPI_UNDEFINED ? "MPI_UNDEFINED" : integer(value);
}

std::string text(const char* characters) {
  std::string quoted = "\"";
  for (const char* c = characters; *c; ++c) {
    unsigned char byte = static_cast<unsigned char>(*c);
    char hexadecimal[8];
    std::snprintf(hexadecimal, sizeof hexadecimal, "\\x%02x", byte);
    if (byte == '\\' || byte == '"' || byte < 0x20)
      quoted += hexadecimal;
    else
      quoted += *c;
  }
  return quoted + "\"";
}

std::string bits(int value, const std::vector<Bit>& names) {
  std::string all;
  for (const Bit& bit : names)
    if (value & bit.value) all += (all.empty() ? "" : "|") + std::string(bit.name);
  return all.empty() ? "0" : all;
}

std::string status_text(const MPI_Status& status) {
  MPI_Count bytes = 0;
  PMPI_Get_elements_x(&status, MPI_BYTE, &bytes);
  if (bytes == MPI_UNDEFINED) bytes = -1;
  return "{source=" + rank(status.MPI_SOURCE) + " tag=" + tag(status.MPI_TAG) +
         " bytes=" + integer(bytes) + "}";
}

// ---- Objects ---------------------------------------------------------------------------------

namespace {

/// "1 3 5": the members of a group as ranks of MPI_COMM_WORLD.
std::string world_ranks(MPI_Group members) {
  int size = 0;
  PMPI_Group_size(members, &size);
  std::vector<int> ranks(static_cast<size_t>(size)), in_world(static_cast<size_t>(size));
  for (int i = 0; i < size; ++i) ranks[static_cast<size_t>(i)] = i;
  MPI_Group world;
  PMPI_Comm_group(MPI_COMM_WORLD, &world);
  PMPI_Group_translate_ranks(members, size, ranks.data(), world, in_world.data());
  PMPI_Group_free(&world);
  // "?" is a process of another MPI_COMM_WORLD.
  std::string list = array(in_world.data(), size, [](int in_this) {
    return in_this == MPI_UNDEFINED ? std::string("?") : integer(in_this);
  });
  return list.substr(1, list.size() - 2);
}

std::string comm_members(MPI_Comm handle) {
  MPI_Group members;
  PMPI_Comm_group(handle, &members);
  std::string list = world_ranks(members);
  PMPI_Group_free(&members);
  if (is_inter(handle)) {
    PMPI_Comm_remote_group(handle, &members);
    list += "|" + world_ranks(members);
    PMPI_Group_free(&members);
  }
  return "{" + list + "}";
}

} // namespace

std::string comm(MPI_Comm handle) {
  if (handle == MPI_COMM_WORLD) return "MPI_COMM_WORLD";
  if (handle == MPI_COMM_SELF) return "MPI_COMM_SELF";
  if (handle == MPI_COMM_NULL) return "MPI_COMM_NULL";
  Lock lock(state().mutex);
  std::string made = state().comms.find(handle);
  return made.empty() ? "comm#?" : made;
}

std::string group(MPI_Group handle) {
  if (handle == MPI_GROUP_EMPTY) return "MPI_GROUP_EMPTY";
  if (handle == MPI_GROUP_NULL) return "MPI_GROUP_NULL";
  Lock lock(state().mutex);
  std::string made = state().groups.find(handle);
  return made.empty() ? "group#?" : made;
}

static bool is_predefined(MPI_Datatype handle) {
  int combiner = 0;
#if MPI_VERSION >= 4 // the other one fails for a type that was made with large counts
  MPI_Count n[4];
  PMPI_Type_get_envelope_c(handle, &n[0], &n[1], &n[2], &n[3], &combiner);
#else
  int n[3];
  PMPI_Type_get_envelope(handle, &n[0], &n[1], &n[2], &combiner);
#endif
  return combiner == MPI_COMBINER_NAMED;
}

std::string datatype(MPI_Datatype handle) {
  if (handle == MPI_DATATYPE_NULL) return "MPI_DATATYPE_NULL";
  {
    Lock lock(state().mutex);
    std::string made = state().datatypes.find(handle);
    if (!made.empty()) return made;
  }
  if (!is_predefined(handle)) return "type#?";
  char name[MPI_MAX_OBJECT_NAME] = "";
  int length = 0;
  PMPI_Type_get_name(handle, name, &length);
  return name;
}

std::string op(MPI_Op handle) {
  const std::pair<MPI_Op, const char*> predefined[] = {
      {MPI_OP_NULL, "MPI_OP_NULL"}, {MPI_MAX, "MPI_MAX"},         {MPI_MIN, "MPI_MIN"},
      {MPI_SUM, "MPI_SUM"},         {MPI_PROD, "MPI_PROD"},       {MPI_LAND, "MPI_LAND"},
      {MPI_BAND, "MPI_BAND"},       {MPI_LOR, "MPI_LOR"},         {MPI_BOR, "MPI_BOR"},
      {MPI_LXOR, "MPI_LXOR"},       {MPI_BXOR, "MPI_BXOR"},       {MPI_MINLOC, "MPI_MINLOC"},
      {MPI_MAXLOC, "MPI_MAXLOC"},   {MPI_REPLACE, "MPI_REPLACE"}, {MPI_NO_OP, "MPI_NO_OP"}};
  for (const auto& [known, name] : predefined)
    if (handle == known) return name;
  Lock lock(state().mutex);
  std::string made = state().ops.find(handle);
  return made.empty() ? "op#?" : made;
}

std::string message(MPI_Message handle) {
  if (handle == MPI_MESSAGE_NULL) return "MPI_MESSAGE_NULL";
  if (handle == MPI_MESSAGE_NO_PROC) return "MPI_MESSAGE_NO_PROC";
  Lock lock(state().mutex);
  std::string made = state().messages.find(handle);
  return made.empty() ? "message#?" : made;
}

std::string win(MPI_Win handle) {
  if (handle == MPI_WIN_NULL) return "MPI_WIN_NULL";
  Lock lock(state().mutex);
  std::string made = state().wins.find(handle);
  return made.empty() ? "win#?" : made;
}

std::string file(MPI_File handle) {
  if (handle == MPI_FILE_NULL) return "MPI_FILE_NULL";
  Lock lock(state().mutex);
  std::string made = state().files.find(handle);
  return made.empty() ? "file#?" : made;
}

std::string new_comm_like(MPI_Comm handle, MPI_Comm original) {
  if (handle == MPI_COMM_NULL) return "MPI_COMM_NULL";
  std::string members = comm_members(original);
  Lock lock(state().mutex);
  return state().comms.add(handle) + members;
}

std::string new_comm(MPI_Comm handle) { return new_comm_like(handle, handle); }

std::string new_group(MPI_Group handle) {
  if (handle == MPI_GROUP_EMPTY || handle == MPI_GROUP_NULL) return group(handle);
  std::string members = "{" + world_ranks(handle) + "}";
  Lock lock(state().mutex);
  return state().groups.add(handle) + members;
}

std::string new_datatype(MPI_Datatype handle) {
  if (handle == MPI_DATATYPE_NULL) return "MPI_DATATYPE_NULL";
  Lock lock(state().mutex);
  return state().datatypes.add(handle);
}

std::string new_or_predefined_datatype(MPI_Datatype handle) {
  if (handle == MPI_DATATYPE_NULL || is_predefined(handle)) return datatype(handle);
  return new_datatype(handle);
}

std::string new_op(MPI_Op handle) {
  Lock lock(state().mutex);
  return state().ops.add(handle);
}

std::string new_message(MPI_Message handle) {
  if (handle == MPI_MESSAGE_NULL || handle == MPI_MESSAGE_NO_PROC) return message(handle);
  Lock lock(state().mutex);
  return state().messages.add(handle);
}

std::string new_win(MPI_Win handle) {
  Lock lock(state().mutex);
  return state().wins.add(handle);
}

std::string new_file(MPI_File handle) {
  Lock lock(state().mutex);
  return state().files.add(handle);
}

#if MPI_VERSION >= 4
std::string session(MPI_Session handle) {
  if (handle == MPI_SESSION_NULL) return "MPI_SESSION_NULL";
  Lock lock(state().mutex);
  std::string made = state().sessions.find(handle);
  return made.empty() ? "session#?" : made;
}

std::string new_session(MPI_Session handle) {
  Lock lock(state().mutex);
  return state().sessions.add(handle);
}

void forget_session(MPI_Session handle) {
  Lock lock(state().mutex);
  state().sessions.remove(handle);
}
#endif

void forget_comm(MPI_Comm handle) {
  Lock lock(state().mutex);
  state().comms.remove(handle);
}
void forget_group(MPI_Group handle) {
  Lock lock(state().mutex);
  state().groups.remove(handle);
}
void forget_datatype(MPI_Datatype handle) {
  Lock lock(state().mutex);
  state().datatypes.remove(handle);
}
void forget_op(MPI_Op handle) {
  Lock lock(state().mutex);
  state().ops.remove(handle);
}
void forget_message(MPI_Message handle) {
  Lock lock(state().mutex);
  state().messages.remove(handle);
}
void forget_win(MPI_Win handle) {
  Lock lock(state().mutex);
  state().wins.remove(handle);
}
void forget_file(MPI_File handle) {
  Lock lock(state().mutex);
  state().files.remove(handle);
}

std::string datatypes(const MPI_Datatype* handles, long long length) {
  return array(handles, length, datatype);
}

// ---- Communicators ---------------------------------------------------------------------------

// Nothing is asked of a null handle: that would call the program's error handler.
bool is_inter(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return false;
  int inter = 0;
  PMPI_Comm_test_inter(comm, &inter);
  return inter != 0;
}

int rank_in(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return MPI_UNDEFINED;
  int me = 0;
  PMPI_Comm_rank(comm, &me);
  return me;
}

int local_size(MPI_Comm comm) {
  if (comm == MPI_COMM_NULL) return 0;
  int size = 0;
  PMPI_Comm_size(comm, &size);
  return size;
}

int peers(MPI_Comm comm) {
  if (!is_inter(comm)) return local_size(comm);
  int size = 0;
  PMPI_Comm_remote_size(comm, &size);
  return size;
}

namespace {

struct Neighbors {
  int in = 0, out = 0;
};

Neighbors neighbors(MPI_Comm comm) {
  Neighbors count;
  int topology = MPI_UNDEFINED, weighted = 0;
  if (comm == MPI_COMM_NULL || is_inter(comm)) return count;
  PMPI_Topo_test(comm, &topology);
  if (topology == MPI_CART) {
    PMPI_Cartdim_get(comm, &count.in);
    count.in *= 2;
    count.out = count.in;
  } else if (topology == MPI_GRAPH) {
    PMPI_Graph_neighbors_count(comm, rank_in(comm), &count.in);
    count.out = count.in;
  } else if (topology == MPI_DIST_GRAPH) {
    PMPI_Dist_graph_neighbors_count(comm, &count.in, &count.out, &weighted);
  }
  return count;
}

} // namespace

int cart_dims(MPI_Comm comm) {
  int topology = MPI_UNDEFINED, dimensions = 0;
  if (comm != MPI_COMM_NULL) PMPI_Topo_test(comm, &topology);
  if (topology == MPI_CART) PMPI_Cartdim_get(comm, &dimensions);
  return dimensions;
}
int neighbors_in(MPI_Comm comm) { return neighbors(comm).in; }
int neighbors_out(MPI_Comm comm) { return neighbors(comm).out; }

// ---- Requests --------------------------------------------------------------------------------

std::string new_request(const MPI_Request* where, bool persistent, bool wildcard) {
  State& s = state();
  Lock lock(s.mutex);
  const void* address = through_fortran ? nullptr : where;
  s.requests.push_back({*where, address, ++s.last_request, persistent, wildcard, !persistent});
  return "#" + std::to_string(s.last_request);
}

namespace {

/// Number 0 if there is none. `taken` are requests that other entries of the same array stand for.
Request find_request(const MPI_Request* where, const std::vector<Request>& taken) {
  std::vector<Request> candidates;
  for (const Request& request : state().requests) {
    bool is_taken = false;
    for (const Request& other : taken) is_taken = is_taken || other.number == request.number;
    if (request.handle == *where && !is_taken) candidates.push_back(request);
  }
  if (candidates.empty() || *where == MPI_REQUEST_NULL)
    return {*where, nullptr, 0, false, false, false};
  return candidates.front(); // one handle for several requests: the oldest
}

Request* outstanding(const Request& request) {
  for (Request& known : state().requests)
    if (known.number == request.number) return &known;
  return nullptr;
}

} // namespace

std::vector<Request> requests_before(const MPI_Request* handles, int length) {
  Lock lock(state().mutex);
  std::vector<Request> found;
  for (int i = 0; handles && i < length; ++i) found.push_back(find_request(handles + i, found));
  return found;
}

std::string request_text(const Request& request) {
  return request.number ? "#" + std::to_string(request.number) : "MPI_REQUEST_NULL";
}

std::string requests_text(const std::vector<Request>& requests) {
  return array(requests.data(), static_cast<long long>(requests.size()), request_text);
}

void request_started(const Request& request) {
  Lock lock(state().mutex);
  if (Request* known = outstanding(request)) known->active = true;
}

void request_cancelled(const Request& request) {
  Lock lock(state().mutex);
  if (Request* known = outstanding(request)) known->cancelled = true;
}

void request_completed(const Request& request, MPI_Request handle) {
  Lock lock(state().mutex);
  if (Request* known = outstanding(request)) known->active = known->cancelled = false;
  if (handle == MPI_REQUEST_NULL) request_freed(request);
}

void request_freed(const Request& request) {
  State& s = state();
  Lock lock(s.mutex);
  std::vector<Request> rest;
  for (const Request& known : s.requests)
    if (known.number != request.number) rest.push_back(known);
  s.requests = rest;
}

std::string completion_text(const Request& before, const MPI_Status& status) {
  if (!(before.wildcard || before.cancelled) || !before.active) return "-";
  int cancelled = 0;
  PMPI_Test_cancelled(&status, &cancelled);
  if (cancelled) return "-";
  // Of a send or a generic request that MPI_Cancel came too late for, it says no more than that.
  return before.wildcard ? status_text(status) : "{source=MPI_UNDEFINED tag=MPI_UNDEFINED bytes=0}";
}

Statuses::Statuses(MPI_Status* program, bool ignored, int length)
    : own_(ignored ? static_cast<size_t>(length > 0 ? length : 0) + 1 : 0),
      used_(ignored ? own_.data() : program) {}

} // namespace oracle
