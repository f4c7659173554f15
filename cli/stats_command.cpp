// SPDX-License-Identifier: Apache-2.0
// rondo stats: the five measurements of a recorded run.
#include "cli/commands.hpp"
#include "cli/common.hpp"
#include "rondo/archive/archive.hpp"
#include "rondo/matrix/statistics_text.hpp"

namespace rondo::cli {
namespace {

struct StatsOptions {
  std::string file;
  std::optional<std::string> output;
  bool json = false;
  bool pairs = false;
  bool force = false;
};

int stats(const StatsOptions& options) {
  if (options.output) {
    const auto ready =
        check_output(*options.output, options.force ? Overwrite::kReplace : Overwrite::kRefuse);
    if (!ready) return complain(ready.error());
  }
  const auto trace = archive::read(options.file);
  if (!trace) return complain(trace.error());
  const matrix::TraceStatistics found = matrix::statistics_of(*trace);
  warn(options.file, found.loss.sentences());
  const auto pairs = options.pairs ? matrix::Pairs::kInclude : matrix::Pairs::kOmit;
  return put(options.json ? matrix::statistics_json(found.statistics, pairs)
                          : matrix::statistics_text(found.statistics),
             options.output, options.force);
}

} // namespace

void add_stats(CLI::App& app, Chosen& chosen) {
  auto options = std::make_shared<StatsOptions>();
  CLI::App* command =
      app.add_subcommand("stats", "Five measurements: densities, collectives, message sizes");
  command->add_option("trace", options->file, "A .rondo archive")->required()->type_name("FILE");
  add_output(*command, options->output, "Write to this file (default: standard output)");
  add_json(*command, options->json);
  command->add_flag("--pairs", options->pairs, "With --json: every pair of ranks that talks, too")
      ->needs("--json");
  add_force(*command, options->force);
  command->footer(
      "What is measured: message density (messages for each pair of ranks), data density (bytes),\n"
      "collectives against point-to-point, number and type of collectives, and message sizes.\n"
      "A collective's bytes are what each rank hands over; the densities are point-to-point "
      "alone.\n"
      "Examples:\n"
      "  rondo stats app.rondo\n"
      "  rondo stats app.rondo --json | jq .message_density.total_messages\n"
      "  rondo stats app.rondo --json --pairs -o app.json");
  command->callback([options, &chosen] { chosen.run = [options] { return stats(*options); }; });
}

} // namespace rondo::cli
