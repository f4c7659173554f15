// SPDX-License-Identifier: Apache-2.0
#include "cli/launch/doctor.hpp"
#include "cli/launch/elf_facts.hpp"
#include "cli/launch/recorders.hpp"
#include "rondo/base/units.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fmt/core.h>
#include <sstream>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace rondo::cli {
namespace {

namespace fs = std::filesystem;

Check works(const char* name, std::string text) { return {name, true, std::move(text)}; }
Check fails(const char* name, std::string text) { return {name, false, std::move(text)}; }

// Why the dynamic linker would ignore LD_PRELOAD for this file, or "".
std::string why_secure(const fs::path& file) {
  struct stat status {};
  if (::stat(file.c_str(), &status) != 0) return "";
  const bool sets_user = (status.st_mode & S_ISUID) != 0 && status.st_uid != ::getuid();
  const bool sets_group = (status.st_mode & S_ISGID) != 0 && status.st_gid != ::getgid();
  if (sets_user) return "changes the user (setuid)";
  if (sets_group) return "changes the group (setgid)";
  const bool has_more = ::getxattr(file.c_str(), "security.capability", nullptr, 0) > 0;
  return has_more && ::getuid() != 0 ? "has file capabilities" : "";
}

constexpr const char* kLinkShared =
    "; link it with the MPI's shared library (without -static, -static-libmpi or lib*.a of an MPI)";

// Why a recorder could not be preloaded into this program, or would see none of its calls.
std::string why_no_preload(const std::string& word, const ElfFacts& facts) {
  if (!facts.is_readable)
    return fmt::format("'{}' is no whole 64-bit program of this machine", word);
  if (!facts.has_interpreter)
    return fmt::format("'{}' is linked statically: nothing can be preloaded into it{}", word,
                       facts.mpi_functions.empty() ? ", and it has no MPI" : kLinkShared);
  if (facts.has_pmpi)
    return fmt::format(
        "'{}' has an MPI library linked into it, whose calls do not pass a preloaded "
        "one{}",
        word, kLinkShared);
  if (!facts.mpi_functions.empty())
    return fmt::format("'{}' has MPI functions of its own ({}{}), as tools such as Score-P or "
                       "mpiP link them in: they take its calls; use the program without the tool",
                       word, facts.mpi_functions.front(),
                       facts.mpi_functions.size() > 1 ? ", ..." : "");
  return "";
}

Check check_program(const FoundProgram& program) {
  const auto facts = elf_facts(program.file.string());
  if (!facts) return fails("program", facts.error().text());
  if (const std::string why = why_secure(program.file); !why.empty())
    return fails("program", fmt::format("'{}' {}: the system lets nobody preload anything into it; "
                                        "use a copy without that",
                                        program.word, why));
  if (!facts->is_elf)
    return works("program", fmt::format("'{}' is a script; what it starts is recorded if it uses "
                                        "this MPI",
                                        program.word));
  if (const std::string why = why_no_preload(program.word, *facts); !why.empty())
    return fails("program", why);
  return works("program", fmt::format("'{}' is linked dynamically", program.word));
}

// Libraries that the command or the environment preloads, ours left out.
std::vector<std::string> preloads(const std::vector<std::string>& command) {
  std::string all = std::getenv("LD_PRELOAD") == nullptr ? "" : std::getenv("LD_PRELOAD");
  for (std::size_t i = 0; i < command.size(); ++i) {
    if (command[i].starts_with("LD_PRELOAD=")) all += ":" + command[i].substr(11);
    if (command[i] == "LD_PRELOAD" && i + 1 < command.size()) all += ":" + command[i + 1];
  }
  std::replace(all.begin(), all.end(), ' ', ':');
  std::vector<std::string> libraries;
  std::stringstream parts(all);
  for (std::string part; std::getline(parts, part, ':');) {
    const bool is_ours = part.find("librondo_record_") != std::string::npos;
    if (!part.empty() && !is_ours) libraries.push_back(part);
  }
  return libraries;
}

// Another tool that is preloaded gets no calls: the recorder stands in front and asks for PMPI_.
std::vector<std::string> other_tools(const std::vector<std::string>& command,
                                     const fs::path& program) {
  std::vector<std::string> tools;
  for (const std::string& library : preloads(command)) {
    const auto facts = elf_facts(library);
    if (facts && !facts->mpi_functions.empty() && !facts->has_pmpi) tools.push_back(library);
  }
  const auto own = elf_facts(program.string());
  if (!own) return tools;
  for (const std::string& library : own->needed) {
    for (const char* tool : {"libscorep", "libTAU", "libmpiP", "libmpitrace", "libVT", "libdarshan",
                             "libcaliper", "libnrm", "libgptl"})
      if (library.starts_with(tool)) tools.push_back(library);
  }
  return tools;
}

Check check_tools(const std::vector<std::string>& command, const fs::path& program) {
  const auto tools = other_tools(command, program);
  if (tools.empty()) return works("other tools", "none in front of MPI");
  return works("other tools",
               fmt::format("'{}' catches MPI calls too: the recorder stands in front of it, and it "
                           "will see none of them while recording",
                           tools.front()));
}

Check check_output_folder(const std::string& output) {
  const fs::path path = fs::absolute(output);
  const fs::path folder = fs::is_directory(path) ? path : path.parent_path();
  if (::access((folder / "").c_str(), W_OK | X_OK) != 0) // "": also if it is a file
    return fails("folder", fmt::format("cannot write to '{}': {}; name another with -o",
                                       folder.string(), std::strerror(errno)));
  constexpr std::uintmax_t kLeast = std::uintmax_t{16} << 20;
  std::error_code error;
  const auto space = fs::space(folder, error);
  const std::string room = error ? "" : human_bytes(static_cast<double>(space.available)) + " free";
  if (!error && space.available < kLeast)
    return fails("folder",
                 fmt::format("'{}' has only {}; name another with -o", folder.string(), room));
  return works("folder", fmt::format("'{}' may be written to, {}", folder.string(), room));
}

std::string recorder_text(const Recorder& recorder) {
  const std::string& built_for = recorder.built_for;
  return recorder.file.string() + (built_for.empty() ? "" : ", built for " + built_for);
}

} // namespace

std::vector<Check> look(const DoctorOptions& options, std::optional<Target>& target) {
  std::vector<Check> checks;
  const auto has_failed = [&] { return !checks.back().works; };
  const auto program = find_any_program(options.command);
  if (!program) return {fails("program", program.error().text())};
  checks.push_back(check_program(*program));
  if (has_failed()) return checks;
  const auto meant = mpi_meant(options.mpi);
  if (!meant) return {fails("MPI", meant.error().text())};
  const auto found = find_target(options.command, *meant);
  checks.push_back(found ? works("MPI", name_of(found->mpi)) : fails("MPI", found.error().text()));
  if (has_failed()) return checks;
  if (found->launcher != Launcher::kNone)
    checks.back().text += fmt::format(", and so is its launcher's, '{}'", options.command.front());
  const auto recorder = recorder_for(found->mpi, options.mpi);
  checks.push_back(recorder ? works("recorder", recorder_text(*recorder))
                            : fails("recorder", recorder.error().text()));
  if (has_failed()) return checks;
  checks.push_back(check_tools(options.command, program->file));
  checks.push_back(check_output_folder(options.output));
  if (!has_failed()) target = *found;
  return checks;
}

} // namespace rondo::cli
