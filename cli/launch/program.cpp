// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/program.hpp"

#include "cli/launch/elf_facts.hpp"
#include "cli/launch/loaded_libraries.hpp"
#include "rondo/base/escape.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/core.h>
#include <fstream>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
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

bool is_of_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// MPICH is libmpich on Debian; its makers and their kin call it libmpi.so.12, or
// libmpi_COMPILER.so.12. (<regex> for this would compile as long as all that is around it.)
bool have_mpich(std::string_view libraries) {
  constexpr std::string_view kVersion = ".so.12";
  if (libraries.find("libmpich") != std::string_view::npos) return true;
  constexpr std::string_view kName = "libmpi";
  for (std::size_t at = libraries.find(kName); at != std::string_view::npos;
       at = libraries.find(kName, at + 1)) {
    std::string_view rest = libraries.substr(at + kName.size());
    if (rest.starts_with('_')) {
      const auto end = std::find_if_not(rest.begin(), rest.end(), is_of_word);
      rest.remove_prefix(static_cast<std::size_t>(end - rest.begin()));
    }
    if (!rest.starts_with(kVersion)) continue;
    rest.remove_prefix(kVersion.size());
    if (rest.empty() || !is_of_word(rest.front())) return true;
  }
  return false;
}

std::optional<Mpi> mpi_of_libraries(const std::string& libraries) {
  // First, as the library behind it may be of any family.
  if (libraries.find("libmpi_abi.so") != std::string::npos) return Mpi::kAbi;
  if (libraries.find("libopen-pal.so") != std::string::npos) return Mpi::kOpenMpi;
  if (have_mpich(libraries)) return Mpi::kMpich;
  if (libraries.find("libmpi.so") != std::string::npos) return Mpi::kOpenMpi;
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

// What the program itself asks for; else what its libraries do.
std::optional<Mpi> mpi_linked(const fs::path& file) {
  const auto facts = elf_facts(file.string());
  if (!facts || !facts->is_readable) return std::nullopt;
  std::string needed;
  for (const std::string& library : facts->needed) needed += library + '\n';
  if (const auto mpi = mpi_of_libraries(needed)) return mpi;
  for (const LoadedLibrary& library : loaded_libraries(file)) needed += library.name + '\n';
  return mpi_of_libraries(needed);
}

// GCC's, or clang's with -shared-libasan; one that is part of the program does not mind others.
bool needs_asan(const fs::path& file) {
  const auto facts = elf_facts(file.string());
  return facts && std::any_of(facts->needed.begin(), facts->needed.end(), [](const auto& library) {
           return library.starts_with("libasan.so") || library.starts_with("libclang_rt.asan");
         });
}

bool is_python(const fs::path& file) { return file.filename().string().rfind("python", 0) == 0; }

// Programs that start others or load MPI as their script says, whatever their version (ruby3.1).
bool is_interpreter(const fs::path& file) {
  static const std::set<std::string, std::less<>> kNames = {
      "Rscript", "R",      "ruby", "julia", "octave-cli", "octave-gui", "perl",
      "lua",     "luajit", "java", "node",  "tclsh",      "ocamlrun",   "guile",
      "scilab",  "bash",   "dash", "sh",    "zsh",        "ksh"};
  const std::string name = file.filename().string();
  if (is_python(file)) return true;
  return kNames.contains(name.substr(0, name.find_last_not_of("0123456789.-") + 1));
}

// Launchers by the MPI whose programs they start, the plainest name first.
const char* launcher_in_path(Mpi mpi) {
  const std::vector<const char*> names =
      mpi == Mpi::kOpenMpi ? std::vector{"mpirun", "mpirun.openmpi", "orterun"}
                           : std::vector{"mpirun", "mpiexec.mpich", "mpiexec.hydra"};
  for (const char* name : names) {
    if (executable(name) && mpi_of_launcher(launcher_kind(name)) == mpi) return name;
  }
  return nullptr;
}

// A launcher of another MPI starts processes that do not find each other: each is a run of one
// rank.
Status check_launcher(const std::string& launcher, Launcher kind, const std::string& program,
                      Mpi mpi) {
  const auto launches = mpi_of_launcher(kind);
  if (!launches || *launches == mpi || mpi == Mpi::kAbi) return {};
  const char* fitting = launcher_in_path(mpi);
  return fail(
      ErrorCode::kUsage,
      fmt::format("'{}' launches programs of {}, but {} of {}: each process would run alone, "
                  "as rank 0 of 1; start it with {}",
                  launcher, name_of(*launches), program, name_of(mpi),
                  fitting == nullptr ? fmt::format("a launcher of {}", name_of(mpi))
                                     : fmt::format("'{}'", fitting)));
}

// Options of launchers whose value is two words: --mca NAME VALUE.
bool takes_two_words(const std::string& option) {
  static const std::set<std::string, std::less<>> kOptions = {
      "--mca", "-mca", "--gmca", "-gmca", "--omca", "--prtemca", "--pmixmca", "-genv", "-env"};
  return kOptions.contains(option);
}

// Those of Open MPI, Hydra and Slurm whose value is one word. Programs that start others have
// options of these names, too: what stands behind one may yet be the program.
bool takes_one_word(const std::string& option) {
  static constexpr std::string_view kOptions =
      " n np c N npernode npersocket x H host hosts hostfile machinefile f ppn perhost map-by "
      "bind-to rank-by wd wdir path prefix rankfile rf timeout output-filename tune am genvlist "
      "envlist launcher rmk iface p A ntasks nodes partition account chdir D nodelist w cpu-bind "
      "mpi ntasks-per-node ";
  const std::size_t name = option.find_first_not_of('-');
  return name != 0 && name != std::string::npos &&
         kOptions.find(" " + option.substr(name) + " ") != std::string_view::npos;
}

bool is_in_two_words(const std::vector<std::string>& command, std::size_t first, std::size_t i) {
  return (i >= first + 1 && takes_two_words(command[i - 1])) ||
         (i >= first + 2 && takes_two_words(command[i - 2]));
}

// Why a word cannot be the program, or nothing if it does not look like one.
std::string why_no_program(const std::string& word) {
  const bool is_number = word.find_first_not_of("0123456789") == std::string::npos;
  if (word.empty() || word.front() == '-' || is_number || is_library(word)) return "";
  if (word.find('=') != std::string::npos) return "";
  std::error_code error;
  const bool is_path = word.find('/') != std::string::npos;
  if (is_path && fs::is_directory(word, error)) return fmt::format("'{}' is a folder", word);
  if (is_path && fs::exists(word, error)) return fmt::format("'{}' may not be executed", word);
  if (is_path) return fmt::format("there is no file '{}'", word);
  const bool stands_here = fs::is_regular_file(word, error);
  return fmt::format("'{}' is not in PATH{}", word,
                     stands_here ? fmt::format(" (for the file here say './{}')", word) : "");
}

Error no_program(const std::vector<std::string>& command, std::size_t first) {
  std::string looked_at;
  for (std::size_t i = first; i < command.size(); ++i) {
    if (is_in_two_words(command, first, i)) continue;
    if (i > first && takes_one_word(command[i - 1])) continue;
    const std::string why = why_no_program(command[i]);
    if (!why.empty()) looked_at += (looked_at.empty() ? "" : ", ") + why;
  }
  if (looked_at.empty()) looked_at = "behind it stand options and numbers only";
  return {ErrorCode::kNotFound,
          fmt::format("there is no program to record in '{} ...': {}", command.front(), looked_at),
          {}};
}

// The first word that is a program with MPI, or may load or start one later: a script or what runs
// scripts.
// Values of options (ssh) and programs that start others (numactl) are passed over, and what runs
// scripts if there is a program behind it (bash -c ./app). Without any, the first program at all,
// for the sake of the message.
struct Program {
  std::string word;
  fs::path file;
};
std::optional<Program> find_program(const std::vector<std::string>& command, std::size_t first) {
  std::optional<Program> any;
  std::optional<Program> interpreter;
  for (std::size_t i = first; i < command.size(); ++i) {
    const auto file = executable(command[i]);
    if (!file || is_in_two_words(command, first, i)) continue;
    const Program program{command[i], *file};
    if (!is_elf(*file)) {
      const bool is_argument = i > first && command[i - 1].starts_with("-");
      if (!is_argument) return program;
    } else if (is_python(*file) || mpi_linked(*file)) {
      return program;
    }
    if (!any) any = program;
    if (!interpreter && is_interpreter(*file)) interpreter = program;
  }
  return interpreter ? interpreter : any;
}

} // namespace

const char* name_of(Mpi mpi) {
  if (mpi == Mpi::kAbi) return "MPI's standard ABI";
  return mpi == Mpi::kOpenMpi ? "Open MPI" : "MPICH";
}

const char* keyword_of(Mpi mpi) {
  if (mpi == Mpi::kAbi) return "abi";
  return mpi == Mpi::kOpenMpi ? "openmpi" : "mpich";
}

Result<Mpi> parse_mpi(const std::string& keyword) {
  if (keyword == "openmpi") return Mpi::kOpenMpi;
  if (keyword == "mpich") return Mpi::kMpich;
  if (keyword == "abi") return Mpi::kAbi;
  return fail(ErrorCode::kUsage,
              "no recorder for MPI '" + keyword + "'; there are openmpi, mpich and abi");
}

namespace {

tl::unexpected<Error> no_command(const std::string& word) {
  if (word.starts_with('-'))
    return fail(ErrorCode::kUsage, "'" + word +
                                       "' is no program: behind -- stands what to run, as in "
                                       "-- mpirun -n 4 ./app");
  return fail(ErrorCode::kNotFound, "there is no program '" + word + "'; check its name and PATH");
}

} // namespace

Result<Mpi> find_launchers_mpi(const std::vector<std::string>& command, const std::string& forced) {
  const std::string& launcher = command.front();
  if (!executable(launcher)) return no_command(launcher);
  const Launcher kind = launcher_kind(launcher);
  if (!forced.empty()) {
    const auto mpi = parse_mpi(forced);
    if (!mpi) return propagate(mpi);
    if (auto fits = check_launcher(launcher, kind, "--mpi asks for those", *mpi); !fits)
      return propagate(fits);
    return *mpi;
  }
  const auto mpi = mpi_of_launcher(kind);
  if (mpi) return *mpi;
  return fail(ErrorCode::kUsage, "'" + launcher +
                                     "' does not say which MPI it starts programs of; say it with "
                                     "--mpi openmpi or --mpi mpich");
}

Result<FoundProgram> find_any_program(const std::vector<std::string>& command) {
  if (!executable(command.front())) return no_command(command.front());
  const bool has_launcher = kLaunchers.contains(fs::path(command.front()).filename().string());
  const auto program = find_program(command, has_launcher ? 1 : 0);
  if (!program) return tl::unexpected(no_program(command, has_launcher ? 1 : 0));
  return FoundProgram{program->word, program->file,
                      has_launcher ? launcher_kind(command.front()) : Launcher::kNone};
}

Result<Target> find_target(const std::vector<std::string>& command, const std::string& forced) {
  const auto program = find_any_program(command);
  if (!program) return propagate(program);
  Target target;
  target.launcher = program->launcher;
  target.program = program->word;
  const bool elf = is_elf(program->file);
  auto mpi = elf ? mpi_linked(program->file) : std::nullopt;
  target.is_linked = mpi.has_value();
  target.has_asan = elf && needs_asan(program->file);
  if (!forced.empty()) {
    const auto wanted = parse_mpi(forced);
    if (!wanted) return propagate(wanted);
    if (mpi && *mpi != *wanted)
      return fail(ErrorCode::kUsage,
                  fmt::format("'{}' is linked with {}: leave out --mpi {}, or name a program of {}",
                              program->word, name_of(*mpi), forced, name_of(*wanted)));
    mpi = *wanted;
  }
  const bool may_load_later = !elf || is_interpreter(program->file);
  if (!mpi && may_load_later) mpi = mpi_of_launcher(target.launcher);
  if (!mpi) {
    return fail(ErrorCode::kUsage,
                "'" + program->word +
                    "' does not use MPI (no MPI library among those it is linked "
                    "with); if it loads one later, say which with --mpi openmpi or --mpi mpich");
  }
  target.mpi = *mpi;
  const std::string is_of = fmt::format("'{}' is a program", program->word);
  if (auto fits = check_launcher(command.front(), target.launcher, is_of, *mpi); !fits)
    return propagate(fits);
  return target;
}

} // namespace rondo::cli
