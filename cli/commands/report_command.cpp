// SPDX-License-Identifier: Apache-2.0
// rondo report: one page with everything that is known of a run, or of several.
#include "cli/commands.hpp"
#include "cli/commands/report_document.hpp"
#include "cli/common.hpp"
#include "cli/session.hpp"
#include "present/program/packed_lists.hpp"
#include "rondo/base/escape.hpp"
#include "rondo/base/units.hpp"
#include "rondo/report/page.hpp"

#include <CLI/CLI.hpp>
#include <filesystem>
#include <fmt/core.h>
#include <memory>

namespace rondo::cli {
namespace {

struct ReportOptions {
  std::vector<std::string> files;
  std::optional<std::string> output;
  bool json = false;
  bool force = false;
};

// app.rondo -> app.html, where it stands on the command line's own folder.
std::string path_of_page(const ReportOptions& options) {
  if (options.output) return *options.output;
  return std::filesystem::path(options.files.front()).stem().string() + ".html";
}

std::string title_of(const nlohmann::json& document) {
  std::string names;
  for (const nlohmann::json& run : document["runs"])
    names += (names.empty() ? "" : ", ") + run["name"].get<std::string>();
  return names + " · Rondo";
}

int report_of(const ReportOptions& options) {
  if (!options.json && !report::is_available())
    return complain(report::report_page("", "").error());
  const std::string path = options.json ? options.output.value_or("-") : path_of_page(options);
  const auto overwrite = options.force ? Overwrite::kReplace : Overwrite::kRefuse;
  if (const auto ready = check_output(path, overwrite); !ready) return complain(ready.error());
  auto document = report_document(options.files, options.json ? Lists::kWritten : Lists::kPacked);
  if (!document) return complain(document.error());
  if (options.json) return put(escape::json_text(*document, -1) + "\n", path, options.force);
  const std::string title = title_of(*document);
  const auto page = report::report_page(title, present::packed(std::move(*document)));
  if (!page) return complain(page.error());
  if (const int status = put(*page, path, options.force); status != kDone) return status;
  if (path != "-")
    remark(fmt::format("{} ({}): open it with a browser", path,
                       human_bytes(static_cast<double>(page->size()))));
  return kDone;
}

} // namespace

void add_report(CLI::App& app, Chosen& chosen) {
  auto options = std::make_shared<ReportOptions>();
  CLI::App* command = app.add_subcommand(
      "report", "One page to look at: all pictures and tables of a run, or of several");
  command->add_option("traces", options->files, "A .rondo archive, or several to compare")
      ->required()
      ->type_name("FILE");
  add_output(*command, options->output,
             "Write to this file (default: the archive's name with .html, in this folder)");
  add_json(*command, options->json);
  add_force(*command, options->force);
  command->footer(
      "The page is one file that opens by a double click in any browser of today; it needs no\n"
      "server and no network, and sends nothing anywhere. Its numbers are those of the commands:\n"
      "info, efficiency, matrix, topology, logical, patterns, stats and simulate.\n"
      "--json writes what the page shows. docs/report.md walks through it.\n"
      "Examples:\n"
      "  rondo report app.rondo\n"
      "  rondo report app.rondo -o app.html --force\n"
      "  rondo report app.4.rondo app.16.rondo app.64.rondo -o scaling.html");
  command->callback([options, &chosen] { chosen.run = [options] { return report_of(*options); }; });
}

} // namespace rondo::cli
