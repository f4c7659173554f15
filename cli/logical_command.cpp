// SPDX-License-Identifier: Apache-2.0
// rondo logical: what all ranks do as one text, peers named by their direction.
#include "cli/commands.hpp"
#include "cli/common.hpp"
#include "rondo/archive/archive.hpp"
#include "rondo/logical/logical_text.hpp"

namespace rondo::cli {
namespace {

struct LogicalCommandOptions {
  std::string file;
  bool no_times = false;
};

int logical_of(const LogicalCommandOptions& options) {
  const auto trace = archive::read(options.file);
  if (!trace) return complain(trace.error());
  const logical::LogicalProgram program = logical::logicalize(*trace);
  return put(logical::logical_text(program, {.times = !options.no_times}));
}

} // namespace

void add_logical(CLI::App& app, Chosen& chosen) {
  auto options = std::make_shared<LogicalCommandOptions>();
  CLI::App* command =
      app.add_subcommand("logical", "Write what all ranks do as one program, peers by direction");
  command->add_option("file", options->file, "A .rondo archive")->required()->type_name("FILE");
  command->add_flag("--no-times", options->no_times, "Leave out the computation before each call");
  command->callback(
      [options, &chosen] { chosen.run = [options] { return logical_of(*options); }; });
}

} // namespace rondo::cli
