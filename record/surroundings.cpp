// SPDX-License-Identifier: Apache-2.0
#include "record/surroundings.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <link.h>
#include <mpi.h>
#include <string_view>
#include <unistd.h>
#include <vector>

namespace rondo::record {
namespace {

// Libraries of each MPI, by how their files' names begin. MPICH's is libmpich on Debian, and
// libmpi.so.12 where its makers and their kin name it.
constexpr std::string_view kOpenMpiLibraries[] = {"libopen-pal.", "libopen-rte.", "libmpi.so.40"};
constexpr std::string_view kMpichLibraries[] = {"libmpich", "libmpi.so.12"};

#if defined(OPEN_MPI)
constexpr bool kIsOpenMpi = true;
constexpr const char* kOwnName = "Open MPI";
constexpr const char* kOtherName = "MPICH";
constexpr const char* kOthersSizes[] = {"PMI_SIZE", "MPI_LOCALNRANKS"}; // of hydra
constexpr const char* kOwnLauncher = "mpirun.openmpi";
#else
constexpr bool kIsOpenMpi = false;
constexpr const char* kOwnName = "MPICH";
constexpr const char* kOtherName = "Open MPI";
constexpr const char* kOthersSizes[] = {"OMPI_COMM_WORLD_SIZE"};
constexpr const char* kOwnLauncher = "mpiexec.mpich";
#endif

std::int64_t number_in(const char* variable) {
  const char* text = std::getenv(variable);
  return text == nullptr ? 0 : std::strtoll(text, nullptr, 10);
}

std::string_view file_name(std::string_view path) {
  return path.substr(path.rfind('/') + 1); // npos + 1 is 0
}

template <std::size_t N>
bool is_one_of(std::string_view library, const std::string_view (&prefixes)[N]) {
  return std::any_of(std::begin(prefixes), std::end(prefixes), [&](std::string_view prefix) {
    return library.substr(0, prefix.size()) == prefix;
  });
}

// The libraries that a file asks for.
std::vector<std::string_view> needed_by(const link_map& file) {
  const char* strings = nullptr;
  for (const ElfW(Dyn)* entry = file.l_ld; entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_STRTAB) strings = reinterpret_cast<const char*>(entry->d_un.d_ptr);
  std::vector<std::string_view> names;
  for (const ElfW(Dyn)* entry = file.l_ld; entry->d_tag != DT_NULL; ++entry)
    if (entry->d_tag == DT_NEEDED && strings != nullptr)
      names.emplace_back(strings + entry->d_un.d_val);
  return names;
}

// All that the program is linked with, directly or not: what is there without this library.
std::vector<std::string_view> libraries_of_program() {
  std::vector<std::string_view> found = needed_by(*_r_debug.r_map); // the program comes first
  for (std::size_t i = 0; i < found.size(); ++i) {
    for (const link_map* file = _r_debug.r_map->l_next; file != nullptr; file = file->l_next) {
      if (file_name(file->l_name) != found[i]) continue;
      for (const std::string_view name : needed_by(*file))
        if (std::find(found.begin(), found.end(), name) == found.end()) found.push_back(name);
    }
  }
  return found;
}

// True if MPI is among the libraries, and it is the other one.
bool are_of_other_mpi(const std::vector<std::string_view>& libraries) {
  bool has_own = false;
  bool has_other = false;
  for (const std::string_view library : libraries) {
    const bool is_open_mpi = is_one_of(library, kOpenMpiLibraries);
    if (!is_open_mpi && !is_one_of(library, kMpichLibraries)) continue;
    (is_open_mpi == kIsOpenMpi ? has_own : has_other) = true;
  }
  return has_other && !has_own;
}

// LD_PRELOAD without any recorder.
std::string other_preloads(std::string_view list) {
  std::string kept;
  while (!list.empty()) {
    const std::size_t end = std::min(list.find_first_of(": "), list.size());
    const std::string_view library = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    if (library.empty() || file_name(library).substr(0, 16) == "librondo_record_") continue;
    kept += (kept.empty() ? "" : ":") + std::string(library);
  }
  return kept;
}

char** program_arguments;
off_t input_at_start = -1; // where standard input can be read again

// Starts the program again, without any recorder. Returns if nothing can be done.
void start_without_recorder(const char* who, const char* remark) {
  const char* preloads = std::getenv("LD_PRELOAD");
  if (preloads == nullptr || program_arguments == nullptr) return;
  const std::string kept = other_preloads(preloads);
  if (kept == preloads) return; // loaded in another way: nothing would change
  if (launched_rank() == 0) {
    std::fprintf(
        stderr,
        "rondo: neither %s nor what it starts is recorded: %s uses %s, and the recorder in "
        "LD_PRELOAD is that of %s; 'rondo record' takes the one that fits%s\n",
        program_invocation_short_name, who, kOtherName, kOwnName, remark);
  }
  if (kept.empty()) {
    ::unsetenv("LD_PRELOAD");
  } else {
    ::setenv("LD_PRELOAD", kept.c_str(), 1);
  }
  ::execv("/proc/self/exe", program_arguments);
  std::fprintf(stderr, "rondo: %s cannot be started again without the recorder: unset LD_PRELOAD\n",
               program_invocation_short_name);
}

// Both MPIs define the same names, and ours come first for libraries of the program's MPI too. So
// nothing of this library may be there: the program is started again, before it has begun.
[[gnu::constructor]] void step_aside(int /*argc*/, char** argv, char** /*environment*/) {
  program_arguments = argv;
  input_at_start = ::lseek(STDIN_FILENO, 0, SEEK_CUR);
  if (are_of_other_mpi(libraries_of_program())) start_without_recorder("it", "");
}

} // namespace

// A program that loads MPI late, as interpreters do, and the other MPI at that. Its calls have come
// here, and would go on to the wrong library. Nothing of MPI has happened yet.
void step_aside_of_stranger(const void* return_address) {
  Dl_info facts;
  link_map* caller = nullptr;
  const int found =
      ::dladdr1(return_address, &facts, reinterpret_cast<void**>(&caller), RTLD_DL_LINKMAP);
  if (found == 0 || caller == nullptr || !are_of_other_mpi(needed_by(*caller))) return;
  const std::string who(file_name(caller->l_name));
  ::lseek(STDIN_FILENO, input_at_start, SEEK_SET); // and what stdio has not yet sent is said anew
  start_without_recorder(who.c_str(), " (--mpi); as it has begun, it is started again");
}

std::int64_t launched_rank() {
  for (const char* name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK", "SLURM_PROCID"}) {
    if (std::getenv(name) != nullptr) return number_in(name);
  }
  return 0;
}

std::string stranger_launcher(std::int64_t world_size) {
  std::int64_t launched = 0;
  for (const char* name : kOthersSizes) launched = std::max(launched, number_in(name));
  if (world_size != 1 || launched < 2) return "";
  return std::to_string(launched) + " processes were started by a launcher of " + kOtherName +
         ", but the program uses " + kOwnName +
         ": each runs alone, as rank 0 of 1; start it with a launcher of " + kOwnName + " (" +
         kOwnLauncher + ")";
}

} // namespace rondo::record
