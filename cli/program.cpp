// SPDX-License-Identifier: Apache-2.0
#include "cli/program.hpp"

#include "rondo/base/escape.hpp"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <unistd.h>

namespace rondo::cli {
namespace {

namespace fs = std::filesystem;

const std::set<std::string, std::less<>> kLaunchers = {
    "mpirun", "mpiexec", "orterun",        "prterun",         "mpiexec.hydra", "srun",
    "aprun",  "jsrun",   "mpirun.openmpi", "mpiexec.openmpi", "mpirun.mpich",  "mpiexec.mpich"};

bool is_executable_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) && ::access(path.c_str(), X_OK) == 0;
}

// Libraries carry the executable bit too; a launcher may be given some to preload.
bool is_library(const std::string& word) {
  const std::string name = fs::path(word).filename().string();
  return name.ends_with(".so") || name.find(".so.") != std::string::npos;
}

// The file that the shell would start for a word, or nothing.
std::optional<fs::path> executable(const std::string& word) {
  if (word.empty() || word.front() == '-' || is_library(word)) return std::nullopt;
  if (word.find('/') != std::string::npos) {
    return is_executable_file(word) ? std::optional<fs::path>(word) : std::nullopt;
  }
  const char* path = std::getenv("PATH");
  std::stringstream folders(path == nullptr ? "" : path);
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path candidate = fs::path(folder.empty() ? "." : folder) / word;
    if (is_executable_file(candidate)) return candidate;
  }
  return std::nullopt;
}

bool is_elf(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::array<char, 4> magic{};
  return file.read(magic.data(), magic.size()) && std::string(magic.data(), magic.size()) == "\x7f"
                                                                                             "ELF";
}

std::string output_of(const std::string& shell_command) {
  std::string text;
  if (std::FILE* pipe = ::popen(shell_command.c_str(), "r")) {
    std::array<char, 4096> buffer{};
    for (std::size_t n = 0; (n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0;) {
      text.append(buffer.data(), n);
    }
    ::pclose(pipe);
  }
  return text;
}

std::optional<Mpi> mpi_of_libraries(const std::string& libraries) {
  if (libraries.find("libmpi.so") != std::string::npos) return Mpi::kOpenMpi;
  if (libraries.find("libmpich") != std::string::npos) return Mpi::kMpich;
  return std::nullopt;
}

Launcher launcher_kind(const std::string& word) {
  const std::string version = output_of(escape::shell(word) + " --version 2>&1 < /dev/null");
  if (version.find("Open MPI") != std::string::npos ||
      version.find("OpenRTE") != std::string::npos) {
    return Launcher::kOpenMpi;
  }
  return version.find("HYDRA") != std::string::npos ? Launcher::kHydra : Launcher::kNone;
}

std::optional<Mpi> mpi_of_launcher(Launcher launcher) {
  if (launcher == Launcher::kOpenMpi) return Mpi::kOpenMpi;
  if (launcher == Launcher::kHydra) return Mpi::kMpich;
  return std::nullopt;
}

std::optional<Mpi> mpi_linked(const fs::path& file) {
  return mpi_of_libraries(output_of("ldd " + escape::shell(file.string()) + " 2>/dev/null"));
}

bool is_python(const fs::path& file) { return file.filename().string().rfind("python", 0) == 0; }

// The first word that is a program with MPI, or may load it later: a script or its interpreter.
// Values of options (ssh) and programs that start others (numactl) are passed over. Without any,
// the first program at all, for the sake of the message.
struct Program {
  std::string word;
  fs::path file;
};
std::optional<Program> find_program(const std::vector<std::string>& command, std::size_t first) {
  std::optional<Program> any;
  for (std::size_t i = first; i < command.size(); ++i) {
    const auto file = executable(command[i]);
    if (!file) continue;
    const Program program{command[i], *file};
    if (!is_elf(*file)) {
      const bool is_argument = i > first && command[i - 1].starts_with("-");
      if (!is_argument) return program;
    } else if (is_python(*file) || mpi_linked(*file)) {
      return program;
    }
    if (!any) any = program;
  }
  return any;
}

} // namespace

const char* name_of(Mpi mpi) { return mpi == Mpi::kOpenMpi ? "Open MPI" : "MPICH"; }
const char* keyword_of(Mpi mpi) { return mpi == Mpi::kOpenMpi ? "openmpi" : "mpich"; }

Result<Mpi> parse_mpi(const std::string& keyword) {
  if (keyword == "openmpi") return Mpi::kOpenMpi;
  if (keyword == "mpich") return Mpi::kMpich;
  return fail(ErrorCode::kUsage,
              "no recorder for MPI '" + keyword + "'; there are openmpi and mpich");
}

Result<Mpi> find_launchers_mpi(const std::vector<std::string>& command, const std::string& forced) {
  const std::string& launcher = command.front();
  if (!executable(launcher)) {
    return fail(ErrorCode::kNotFound,
                "there is no program '" + launcher + "'; check its name and PATH");
  }
  if (!forced.empty()) return parse_mpi(forced);
  const auto mpi = mpi_of_launcher(launcher_kind(launcher));
  if (mpi) return *mpi;
  return fail(ErrorCode::kUsage, "'" + launcher +
                                     "' does not say which MPI it starts programs of; say it with "
                                     "--mpi openmpi or --mpi mpich");
}

Result<Target> find_target(const std::vector<std::string>& command, const std::string& forced) {
  if (!executable(command.front())) {
    return fail(ErrorCode::kNotFound,
                "there is no program '" + command.front() + "'; check its name and PATH");
  }
  const bool has_launcher = kLaunchers.contains(fs::path(command.front()).filename().string());
  Target target;
  target.launcher = has_launcher ? launcher_kind(command.front()) : Launcher::kNone;
  const auto program = find_program(command, has_launcher ? 1 : 0);
  if (!program) {
    return fail(ErrorCode::kNotFound, "there is no program to record in '" + command.front() +
                                          " ...'; check that it exists and may be executed");
  }
  target.program = program->word;
  if (!forced.empty()) {
    const auto mpi = parse_mpi(forced);
    if (!mpi) return propagate(mpi);
    target.mpi = *mpi;
    return target;
  }
  const bool elf = is_elf(program->file);
  auto mpi = elf ? mpi_linked(program->file) : std::nullopt;
  const bool may_load_later = !elf || is_python(program->file);
  if (!mpi && may_load_later) mpi = mpi_of_launcher(target.launcher);
  if (!mpi) {
    return fail(ErrorCode::kUsage,
                "'" + program->word +
                    "' does not use MPI (no MPI library among those it is linked "
                    "with); if it loads one later, say which with --mpi openmpi or --mpi mpich");
  }
  target.mpi = *mpi;
  return target;
}

} // namespace rondo::cli
