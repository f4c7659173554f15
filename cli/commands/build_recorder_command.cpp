// SPDX-License-Identifier: Apache-2.0
// rondo build-recorder: a recorder for an MPI that this Rondo was not built with, from the sources
// that come with it. What is done is in packaging/recorder/build.py.
#include "cli/commands.hpp"
#include "cli/launch/launch.hpp"
#include "cli/launch/own_files.hpp"
#include "cli/launch/recorders.hpp"

#include <CLI/CLI.hpp>
#include <fmt/core.h>
#include <memory>
#include <thread>

namespace rondo::cli {
namespace {

namespace fs = std::filesystem;

struct BuildRecorderOptions {
  std::string mpicc;
  std::string name;
  std::string cxx = "c++";
  std::string into;
  unsigned jobs = std::max(1U, std::thread::hardware_concurrency());
  bool force = false;
};

std::string is_recorder_name(const std::string& text) {
  const bool is_good =
      !text.empty() && text.front() != '-' && text.front() != '.' &&
      text.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                             "._+-") == std::string::npos;
  return is_good ? "" : "a recorder's name has letters, digits, '.', '_', '+' and '-' only";
}

// A folder's name with a comma would be two; no package puts recorders there.
std::string folders_for(const BuildRecorderOptions& options) {
  if (!options.into.empty()) return fs::absolute(options.into).string();
  std::string joined;
  for (const fs::path& folder : recorder_folders())
    joined += (joined.empty() ? "" : ",") + folder.string();
  return joined;
}

int build_recorder(const BuildRecorderOptions& options) {
  const auto script = own_data("recorder/build.py");
  if (!script) return complain(script.error());
  std::vector<std::string> command = {"python3",
                                      "-B",
                                      script->string(),
                                      "--mpicc",
                                      options.mpicc,
                                      "--cxx",
                                      options.cxx,
                                      "--into",
                                      folders_for(options),
                                      "--jobs",
                                      std::to_string(options.jobs)};
  if (!options.name.empty()) command.insert(command.end(), {"--name", options.name});
  if (options.force) command.emplace_back("--force");
  fmt::print(stderr, "rondo: building a recorder with {}; this takes about a minute\n",
             options.cxx);
  return launch(command, new_run_name(), Output::kAsItIs);
}

} // namespace

void add_build_recorder(CLI::App& app, Chosen& chosen) {
  auto options = std::make_shared<BuildRecorderOptions>();
  CLI::App* command =
      app.add_subcommand("build-recorder", "Build a recorder for an MPI of your own");
  command
      ->add_option("--mpicc", options->mpicc, "The MPI's compiler wrapper, as /opt/mpi/bin/mpicc")
      ->type_name("MPICC")
      ->required();
  command
      ->add_option("--name", options->name,
                   "What the recorder is called, for --mpi of 'rondo record' (default: family and "
                   "version, as openmpi-5.0.3)")
      ->check(is_recorder_name)
      ->type_name("NAME");
  command->add_option("--cxx", options->cxx, "A C++ compiler, of C++20")
      ->capture_default_str()
      ->type_name("COMPILER");
  command
      ->add_option("--into", options->into,
                   "The folder to put it in (default: beside the other recorders, or where that "
                   "may not be written to, ~/.local/share/rondo/recorders); 'rondo record' finds "
                   "it in these two")
      ->type_name("DIR");
  command->add_option("--jobs", options->jobs, "Compilers that run at the same time")
      ->check(CLI::Range(1, 1024))
      ->type_name("N");
  command->add_flag("--force", options->force, "Replace a recorder of this name");
  command->footer("Most MPIs need none: Open MPI, all that have MPICH's binary interface (Intel "
                  "MPI, Cray MPICH,\n"
                  "MVAPICH) and the standard one have their recorders already. Builds from the "
                  "sources that come\n"
                  "with Rondo; needs mpi.h, MPICC, a C++ compiler with a static libstdc++, and "
                  "Python 3.9. Prints\n"
                  "the recorder's file. Example:\n"
                  "  rondo build-recorder --mpicc /opt/openmpi-5/bin/mpicc\n"
                  "  rondo record --mpi openmpi-5.0.3 -- /opt/openmpi-5/bin/mpirun -n 4 ./app");
  command->callback(
      [options, &chosen] { chosen.run = [options] { return build_recorder(*options); }; });
}

} // namespace rondo::cli
