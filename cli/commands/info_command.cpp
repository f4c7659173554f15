// SPDX-License-Identifier: Apache-2.0
// rondo info: what was recorded, how it folded and what it cost.
#include "cli/commands.hpp"
#include "cli/commands/report_documents.hpp"
#include "cli/common.hpp"
#include "cli/numbers.hpp"
#include "cli/open_trace.hpp"
#include "cli/session.hpp"
#include "cli/walk.hpp"
#include "present/run/recording_answer.hpp"
#include "rondo/base/escape.hpp"
#include "rondo/sites/resolver.hpp"

#include <CLI/CLI.hpp>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

namespace rondo::cli {
namespace {

constexpr std::size_t kSites = 10;

struct InfoOptions {
  std::string file;
  bool json = false;
  bool messages = false;
  std::optional<std::size_t> sites; // default: ten of them for people, all for programs
};

Result<present::Recording> open(const std::string& file) {
  const auto archive = open_as_archive(file);
  if (!archive) return propagate(archive);
  return present::decode_recording(archive->bytes, file, archive->owner);
}

int info(const InfoOptions& options) {
  const auto recording = open(options.file);
  if (!recording) return complain(recording.error());
  if (options.messages) {
    if (auto allowed = allow_walk(recording->trace, options.file); !allowed)
      return complain(allowed.error());
  }
  sites::Resolver resolver(recording->trace);
  const std::size_t sites = options.sites.value_or(options.json ? SIZE_MAX : kSites);
  if (options.json) {
    say(escape::json_text(
            present::recording_json(*recording, resolver, {options.messages, sites})) +
        "\n");
    return kDone;
  }
  say(present::recording_text(*recording, resolver, {options.messages, sites}));
  warn(options.file, resolver.remarks());
  return kDone;
}

} // namespace

Result<InfoDocument> info_document(const std::string& file) {
  auto recording = open(file);
  if (!recording) return propagate(recording);
  sites::Resolver resolver(recording->trace);
  nlohmann::json json = present::recording_json(*recording, resolver, {});
  return InfoDocument{std::move(json), std::move(recording->trace)};
}

void add_info(CLI::App& app, Chosen& chosen) {
  auto options = std::make_shared<InfoOptions>();
  CLI::App* command =
      app.add_subcommand("info", "What was recorded, how it folded and what recording cost");
  command->add_option("trace", options->file, "A .rondo archive")->required()->type_name("FILE");
  command
      ->add_option(
          "--sites", options->sites,
          "How many call sites to list, those with most time in MPI first (default: 10, with "
          "--json all)")
      ->type_name("N")
      ->check(whole_number());
  command->add_flag("--messages", options->messages,
                    "Also match sends with receives and say which have no other side; reads every "
                    "call");
  add_json(*command, options->json);
  command->footer("Examples:\n  rondo info app.rondo\n  rondo info app.rondo --messages");
  command->callback([options, &chosen] { chosen.run = [options] { return info(*options); }; });
}

} // namespace rondo::cli
