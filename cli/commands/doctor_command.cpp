// SPDX-License-Identifier: Apache-2.0
// rondo doctor: will a recording work here?
#include "cli/commands.hpp"
#include "cli/common.hpp"
#include "cli/launch/doctor.hpp"
#include "cli/session.hpp"
#include "rondo/base/command_line.hpp"
#include "rondo/base/escape.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/core.h>
#include <memory>
#include <nlohmann/json.hpp>

namespace rondo::cli {
namespace {

std::string doctor_text(const std::vector<Check>& checks, bool can, const DoctorOptions& options) {
  std::string text;
  for (const Check& check : checks)
    text += fmt::format("{:<12} {}{}\n", check.name,
                        check.works ? "" : "NO: ", escape::terminal(check.text));
  const bool was_tried = options.seconds > 0;
  const std::string verdict =
      !can        ? "a recording will not work here"
      : was_tried ? "a recording works here: rondo record -- " + command_line(options.command)
                  : "nothing stands against a recording here; without --look it is tried";
  return text + fmt::format("{:<12} {}\n", "verdict", escape::terminal(verdict));
}

nlohmann::json doctor_json(const std::vector<Check>& checks, bool can, const Trial& trial) {
  nlohmann::json list = nlohmann::json::array();
  for (const Check& check : checks)
    list.push_back({{"name", check.name}, {"works", check.works}, {"text", check.text}});
  return {{"schema", 1},
          {"works", can},
          {"checks", list},
          {"ranks", trial.ranks},
          {"calls", trial.calls}};
}

int doctor(const DoctorOptions& options) {
  std::optional<Target> target;
  std::vector<Check> checks = look(options, target);
  Trial trial;
  if (target && options.seconds > 0) {
    trial = try_recording(options);
    checks.push_back(trial.check);
  }
  const bool can = target && checks.back().works;
  say(options.json ? escape::json_text(doctor_json(checks, can, trial)) + "\n"
                   : doctor_text(checks, can, options));
  return can ? kDone : kAnswerIsNo;
}

} // namespace

void add_doctor(CLI::App& app, Chosen& chosen) {
  auto options = std::make_shared<DoctorOptions>();
  options->output = ".";
  auto looks_only = std::make_shared<bool>(false);
  CLI::App* command =
      app.add_subcommand("doctor", "Whether a recording will work here, and if not, why");
  command
      ->add_option("-o,--output", options->output,
                   "Where the archive would be written (default: here)")
      ->type_name("FILE");
  command
      ->add_option("--seconds", options->seconds,
                   "How long the program may run; one that runs on is ended")
      ->check(CLI::Range(1, 86'400))
      ->capture_default_str()
      ->type_name("N");
  command->add_flag("--look", *looks_only, "Only look, do not run the program");
  command
      ->add_option("--mpi", options->mpi,
                   "The program's MPI, if it cannot be told from its libraries, or the name of a "
                   "recorder, as for 'rondo record'")
      ->type_name("NAME");
  add_json(*command, options->json);
  command->add_option("command", options->command, "The program, with its launcher, behind --")
      ->required();
  command->positionals_at_end();
  command->footer(
      "Looks at the program (is it whole, linked dynamically, with which MPI, setuid), its "
      "launcher,\n"
      "the recorder, other tools that catch MPI calls and the folder of the archive; then runs "
      "the\n"
      "program under the recorder, without showing its output, and looks for its calls. What was\n"
      "recorded is removed. Give the program a short input. Exit status: 0 a recording works, 1 "
      "it\n"
      "will not, 2 bad usage. Examples:\n"
      "  rondo doctor -- mpirun -n 2 ./app\n"
      "  rondo doctor --look -o /scratch/runs -- srun -n 64 ./app");
  command->callback([options, looks_only, &chosen] {
    if (*looks_only) options->seconds = 0;
    chosen.run = [options] { return doctor(*options); };
  });
}

} // namespace rondo::cli
