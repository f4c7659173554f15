// SPDX-License-Identifier: Apache-2.0
// Families of topologies that users add, on the command line: --family, --learn, and the folders
// that are always looked at.
#pragma once

#include "rondo/base/result.hpp"
#include "rondo/topology/family.hpp"

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace rondo::cli {

struct FamilyOptions {
  std::vector<std::string> files;
  std::optional<std::string> learned_name;
};

void add_family_options(CLI::App& command, FamilyOptions& options);

/// Families of --family, of RONDO_FAMILIES (files and folders, separated by colons) and of
/// $XDG_DATA_HOME/rondo/families, in this order. The first family of a name counts.
/// @error   those of read_families(); a folder of the last kind need not be there
Result<std::vector<topology::Family>> families_of(const FamilyOptions& options);

/// Where --learn writes: `output`, or the name with .family behind.
/// @error   kUsage if the name or the extension does not do; kExists
Result<std::string> learned_path(const FamilyOptions& options,
                                 const std::optional<std::string>& output, bool force);

/// Writes the graph as a family file and says so on stderr. Returns an exit status.
int learn(const topology::Adjacency& graph, const std::string& name, const std::string& path,
          bool force);

} // namespace rondo::cli
