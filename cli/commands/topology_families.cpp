// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/topology_families.hpp"

#include "cli/commands.hpp"
#include "cli/common.hpp"
#include "rondo/base/files.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/core.h>

namespace rondo::cli {
namespace {

using topology::Family;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

std::vector<std::string> paths_of(const FamilyOptions& options) {
  std::vector<std::string> paths = options.files;
  std::string list = environment("RONDO_FAMILIES");
  while (!list.empty()) {
    const std::size_t end = std::min(list.find(':'), list.size());
    if (end > 0) paths.push_back(list.substr(0, end));
    list.erase(0, end + 1);
  }
  std::string data = environment("XDG_DATA_HOME");
  if (data.empty() && !environment("HOME").empty()) data = environment("HOME") + "/.local/share";
  std::error_code error;
  if (!data.empty() && std::filesystem::is_directory(data + "/rondo/families", error))
    paths.push_back(data + "/rondo/families");
  return paths;
}

} // namespace

void add_family_options(CLI::App& command, FamilyOptions& options) {
  command
      .add_option("--family", options.files,
                  "Also try the families of topologies that this file defines, or the *.family "
                  "files of this folder; may be repeated. Families of RONDO_FAMILIES and of "
                  "~/.local/share/rondo/families are tried always")
      ->type_name("FILE")
      ->allow_extra_args(false);
  command
      .add_option("--learn", options.learned_name,
                  "Write the graph, after the filter, as a family of this name, so that --family "
                  "knows it again whatever the numbering; to NAME.family, or to -o")
      ->type_name("NAME");
}

Result<std::vector<Family>> families_of(const FamilyOptions& options) {
  std::vector<Family> all;
  for (const std::string& path : paths_of(options)) {
    auto families = topology::read_families(path);
    if (!families) return propagate(families);
    for (Family& family : *families) {
      const bool known = std::any_of(all.begin(), all.end(), [&](const Family& other) {
        return other.name() == family.name();
      });
      if (!known) all.push_back(std::move(family));
    }
  }
  return all;
}

Result<std::string> learned_path(const FamilyOptions& options,
                                 const std::optional<std::string>& output, bool force) {
  const std::string& name = *options.learned_name;
  if (auto valid = topology::check_family_name(name); !valid) return propagate(valid);
  const std::string path = output.value_or(name + ".family");
  if (path != "-" && !path.ends_with(".family"))
    return fail(ErrorCode::kUsage,
                "a learned family is written to a file that ends in .family; for other files run "
                "the command again without --learn",
                {path, {}, {}, {}});
  const auto overwrite = force ? Overwrite::kReplace : Overwrite::kRefuse;
  if (auto ready = check_output(path, overwrite); !ready) return propagate(ready);
  return path;
}

int learn(const topology::Adjacency& graph, const std::string& name, const std::string& path,
          bool force) {
  const auto text = topology::family_file(name, graph);
  if (!text) return complain(text.error());
  if (const int status = put(*text, path, force); status != kDone) return status;
  if (path != "-") {
    fmt::print(stderr,
               "rondo: wrote the family '{}' to {}; to look for it: rondo topology F --family {}\n",
               name, path, path);
  }
  return kDone;
}

} // namespace rondo::cli
