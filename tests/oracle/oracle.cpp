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
  Kind<MPI_Comm> comms{"comm", 0, {}};
  Kind<MPI_Group> groups{"group", 0, {}};
  Kind<MPI_Datatype> datatypes{"type", 0, {}};
  Kind<MPI_Op> ops{"op", 0, {}};
  Kind<MPI_Message> messages{"message", 0, {}};
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

void write_line(const std::string& line) {
  State& s = state();
  Lock lock(s.mutex);
  static std::string before_init; // lines of calls made before the rank is known
  int initialized = 0;
  if (!s.file) {
    PMPI_Initialized(&initialized);
    if (!initialized) {
      before_init += line + "\n";
      return;
    }
    std::string path =
        std::string(directory()) + "/rank." + std::to_string(rank_in(MPI_COMM_WORLD)) + ".txt";
    s.file = std::fopen(path.c_str(), "w");
    if (!s.file) {
      std::perror(path.c_str());
      std::abort();
    }
    std::fputs(before_init.c_str(), s.file);
  }
  std::fputs((line + "\n").c_str(), s.file);
  std::fflush(s.file);
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
  if (result != MPI_SUCCESS) {
    int error_class = result;
    PMPI_Error_class(result, &error_class);
    outcomes_ = "error=" + integer(error_class);
  }
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
  std::string list = array(in_world.data(), size, integer_or_undefined);
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
  int integers = 0, addresses = 0, datatypes = 0, combiner = 0;
  PMPI_Type_get_envelope(handle, &integers, &addresses, &datatypes, &combiner);
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

std::string datatypes(const MPI_Datatype* handles, long long length) {
  return array(handles, length, datatype);
}

// ---- Communicators ---------------------------------------------------------------------------

bool is_inter(MPI_Comm comm) {
  int inter = 0;
  PMPI_Comm_test_inter(comm, &inter);
  return inter != 0;
}

int rank_in(MPI_Comm comm) {
  int me = 0;
  PMPI_Comm_rank(comm, &me);
  return me;
}

int local_size(MPI_Comm comm) {
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
  for (int i = 0; i < length; ++i) found.push_back(find_request(handles + i, found));
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

void request_completed(const Request& request, MPI_Request handle) {
  Lock lock(state().mutex);
  if (Request* known = outstanding(request)) known->active = false;
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
  if (!before.wildcard || !before.active) return "-";
  int cancelled = 0;
  PMPI_Test_cancelled(&status, &cancelled);
  return cancelled ? "-" : status_text(status);
}

Statuses::Statuses(MPI_Status* program, bool ignored, int length)
    : own_(ignored ? static_cast<size_t>(length) + 1 : 0), used_(ignored ? own_.data() : program) {}

} // namespace oracle
