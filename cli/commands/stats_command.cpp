// SPDX-License-Identifier: Apache-2.0
// rondo stats: the five measurements of a recorded run, or of several side by side.
#include "cli/commands.hpp"
#include "cli/common.hpp"
#include "cli/open_trace.hpp"
#include "present/matrix/call_table.hpp"
#include "present/matrix/runs.hpp"
#include "present/matrix/runs_csv.hpp"
#include "present/matrix/statistics_text.hpp"
#include "rondo/matrix/matrix_files.hpp"
#include "rondo/trace/ran_programs.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <set>

namespace rondo::cli {
namespace {

struct StatsOptions {
  std::vector<std::string> files;
  std::optional<std::string> output;
  std::string collectives = "none";
  std::string figure = "all";
  bool functions = false;
  bool sites = false;
  bool json = false;
  bool pairs = false;
  bool force = false;
};

Overwrite overwrite_of(const StatsOptions& options) {
  return options.force ? Overwrite::kReplace : Overwrite::kRefuse;
}

// What the output is drawn as; nothing for text and JSON.
std::optional<present::PictureFormat> picture_format(const StatsOptions& options) {
  if (!options.output || options.json) return std::nullopt;
  if (options.output->ends_with(".svg")) return present::PictureFormat::kSvg;
  if (options.output->ends_with(".png")) return present::PictureFormat::kPng;
  return std::nullopt;
}

// "ring.8"; the name of the file where the program is not known or two runs would be called alike.
std::vector<std::string> names_of(const std::vector<std::string>& files,
                                  const std::vector<std::string>& programs,
                                  const std::vector<present::MeasuredRun>& runs) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    const std::string ranks = "." + std::to_string(runs[i].statistics.ranks);
    names.push_back(programs[i].ends_with(ranks) ? programs[i] : programs[i] + ranks);
  }
  const std::set<std::string> different(names.begin(), names.end());
  const bool are_known = std::find(programs.begin(), programs.end(), "") == programs.end();
  if (are_known && different.size() == runs.size()) return names;
  names.clear();
  for (const std::string& file : files)
    names.push_back(std::filesystem::path(file).stem().string());
  return names;
}

Result<std::vector<present::MeasuredRun>> measure(const StatsOptions& options) {
  const auto collectives = matrix::parse_collective_counting(options.collectives);
  if (!collectives) return propagate(collectives);
  std::vector<present::MeasuredRun> runs;
  std::vector<std::string> programs;
  for (const std::string& file : options.files) {
    const auto trace = open_trace(file);
    if (!trace) return propagate(trace);
    matrix::TraceStatistics found = matrix::statistics_of(*trace, *collectives);
    warn(file, found.loss.sentences());
    programs.push_back(trace::program_name(*trace));
    runs.push_back({"", std::move(found.statistics)});
  }
  const auto names = names_of(options.files, programs, runs);
  for (std::size_t i = 0; i < runs.size(); ++i) runs[i].name = names[i];
  return runs;
}

std::string text_of(const StatsOptions& options, const std::vector<present::MeasuredRun>& runs) {
  if (!options.json && options.output && options.output->ends_with(".csv"))
    return present::stats_csv(runs);
  const auto pairs = options.pairs ? present::Pairs::kInclude : present::Pairs::kOmit;
  if (runs.size() > 1) return options.json ? runs_json(runs, pairs) : runs_text(runs);
  return options.json ? statistics_json(runs.front().statistics, pairs)
                      : present::statistics_text(runs.front().statistics);
}

// Calls, time and bytes of each function or call site.
int calls(const StatsOptions& options) {
  if (options.files.size() > 1)
    return complain("--functions and --sites are of one run; give one archive");
  if (picture_format(options))
    return complain("--functions and --sites draw no picture; give -o a name that ends in .csv");
  if (options.output) {
    if (const auto ready = check_output(*options.output, overwrite_of(options)); !ready)
      return complain(ready.error());
  }
  const auto trace = open_trace(options.files.front());
  if (!trace) return complain(trace.error());
  const auto by = options.sites ? matrix::CallsBy::kSite : matrix::CallsBy::kFunction;
  const matrix::CallTable table = matrix::call_table(*trace, by);
  sites::Resolver resolver(*trace);
  const bool is_csv = options.output && options.output->ends_with(".csv");
  const std::string text = options.json ? present::call_table_json(table, by, resolver)
                           : is_csv     ? present::call_table_csv(table, by, resolver)
                                        : present::call_table_text(table, by, resolver);
  warn(options.files.front(), resolver.remarks());
  return put(text, options.output, options.force);
}

int stats(const StatsOptions& options) {
  if (options.functions || options.sites) return calls(options);
  const auto figure = present::parse_runs_figure(options.figure);
  if (!figure) return complain(figure.error());
  const auto picture = picture_format(options);
  if (*figure != present::RunsFigure::kAll && !picture)
    return complain("--figure is for pictures; give -o a name that ends in .svg or .png");
  if (options.output) {
    if (const auto ready = check_output(*options.output, overwrite_of(options)); !ready)
      return complain(ready.error());
  }
  const auto runs = measure(options);
  if (!runs) return complain(runs.error());
  if (!picture) return put(text_of(options, *runs), options.output, options.force);
  const auto drawn = present::draw_runs(*runs, *figure, *picture);
  if (!drawn) return complain(drawn.error());
  return put(*drawn, options.output, options.force);
}

} // namespace

void add_stats(CLI::App& app, Chosen& chosen) {
  auto options = std::make_shared<StatsOptions>();
  CLI::App* command =
      app.add_subcommand("stats", "Five measurements: densities, collectives, message sizes");
  command->add_option("traces", options->files, "A .rondo archive, or several to compare")
      ->required()
      ->type_name("FILE");
  add_output(*command, options->output,
             "Write to this file (default: standard output); a picture if it ends in .svg or .png, "
             "a table of run, quantity and value if it ends in .csv");
  add_collectives(*command, options->collectives);
  command->add_option("--figure", options->figure, "Of a picture: all, ratio, collectives or sizes")
      ->check(CLI::IsMember({"all", "ratio", "collectives", "sizes"}))
      ->capture_default_str()
      ->type_name("WHAT");
  CLI::Option* functions = command->add_flag(
      "--functions", options->functions,
      "Each MPI function's calls, time and bytes: sum, least, mean and most of a rank");
  command->add_flag("--sites", options->sites, "The same for each call site")->excludes(functions);
  add_json(*command, options->json);
  command->add_flag("--pairs", options->pairs, "With --json: every pair of ranks that talks, too")
      ->needs("--json");
  add_force(*command, options->force);
  command->footer(
      "What is measured: message density (messages for each pair of ranks), data density (bytes),\n"
      "collectives against point-to-point, number and type of collectives, and message sizes.\n"
      "A collective's bytes are what each rank hands over. Densities and sizes are those of\n"
      "point-to-point messages; --collectives adds the messages of collectives: paper counts them\n"
      "to the root and back (without a root: rank 0), pairs the same but alltoall straight from\n"
      "each rank to each, algorithm by the algorithms of MPI libraries, as rondo simulate has "
      "them.\n"
      "--functions and --sites list what each MPI function or call site costs, most time first;\n"
      "-o F.csv writes them as CSV, --json with every rank's values. What a receive gets counts\n"
      "where it is sent.\n"
      "Several runs are shown side by side, and a picture has their bars.\n"
      "Examples:\n"
      "  rondo stats app.rondo\n"
      "  rondo stats app.rondo --collectives paper --json | jq .message_density.total_messages\n"
      "  rondo stats app.rondo --functions\n"
      "  rondo stats app.4.rondo app.16.rondo app.64.rondo\n"
      "  rondo stats app.*.rondo --figure sizes -o sizes.svg");
  command->callback([options, &chosen] { chosen.run = [options] { return stats(*options); }; });
}

} // namespace rondo::cli
