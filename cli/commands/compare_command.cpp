// SPDX-License-Identifier: Apache-2.0
// rondo compare: do two runs say the same, call by call or as logical programs?
#include "cli/commands.hpp"
#include "cli/commands/compare_logical.hpp"
#include "cli/common.hpp"
#include "cli/progress_line.hpp"
#include "cli/walk.hpp"
#include "present/program/comparison.hpp"
#include "rondo/base/escape.hpp"

#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>

namespace rondo::cli {
namespace {

struct CompareOptions {
  std::string a;
  std::string b;
  bool logical = false;
  bool no_times = false;
  generate::ComparisonOptions calls;
  bool json = false;
};

int compare_calls(const CompareOptions& options) {
  const auto a = read_for_walk(options.a, Walk::kVarying);
  if (!a) return complain(a.error());
  const auto b = read_for_walk(options.b, Walk::kVarying);
  if (!b) return complain(b.error());
  constexpr std::size_t kMostDifferences = 4;
  generate::Comparison comparison;
  {
    ProgressLine line("ranks");
    comparison = generate::compare(
        *a, *b, options.calls, kMostDifferences,
        [&line](std::uint64_t done, std::uint64_t total) { line.show(done, total); });
  }
  const generate::TimingComparison timing = generate::compare_times(*a, *b);
  std::string text;
  if (options.json) {
    text = escape::json_text(present::json_of(comparison, timing)) + "\n";
  } else {
    text = present::text_of(comparison);
    if (!options.no_times) text += "\n" + present::text_of(timing);
  }
  const int status = put(text);
  return status != kDone ? status : comparison.same() ? kDone : kAnswerIsNo;
}

int compare(const CompareOptions& options) {
  if (options.a == "-" && options.b == "-")
    return complain("only one of the two can be standard input");
  if (!options.logical) return compare_calls(options);
  if (options.calls.wildcards || options.calls.polls || options.no_times)
    return complain("--wildcards, --polls and --no-times are for comparing calls; leave out "
                    "--logical, or them");
  return compare_logical(options.a, options.b, options.json);
}

} // namespace

void add_compare(CLI::App& app, Chosen& chosen) {
  auto options = std::make_shared<CompareOptions>();
  CLI::App* command = app.add_subcommand("compare", "Do two runs say the same?");
  const std::string what =
      "a .rondo archive; with --logical also a .txt that 'rondo logical' wrote";
  command->add_option("A", options->a, "The first run: " + what)->required()->type_name("FILE");
  command->add_option("B", options->b, "The second run; with --logical on as many ranks or others")
      ->required()
      ->type_name("FILE");
  command->add_flag("--wildcards", options->calls.wildcards,
                    "Compare what receives asked for (MPI_ANY_SOURCE, MPI_ANY_TAG) instead of what "
                    "came");
  command->add_flag("--polls", options->calls.polls,
                    "Compare also how often and where polls (MPI_Test, MPI_Iprobe and the like) "
                    "found nothing, which depends on timing");
  command->add_flag("--no-times", options->no_times, "Leave out the table of times");
  command->add_flag("--logical", options->logical,
                    "Compare what all ranks do as one program: calls, directions and nesting have "
                    "to be the same, numbers may differ and are listed");
  add_json(*command, options->json);
  command->footer(
      "Rank for rank the same calls in the same order, with the same peers, tags, counts,\n"
      "datatypes, roots, operations and communicators; call sites and times do not matter.\n"
      "Status 0: they say the same; 1: not, and it is shown where they differ first; 2: bad input. "
      "Examples:\n"
      "  rondo compare app.rondo again.rondo\n"
      "  rondo compare --logical lu.16.rondo lu.64.rondo");
  command->callback([options, &chosen] { chosen.run = [options] { return compare(*options); }; });
}

} // namespace rondo::cli
