// SPDX-License-Identifier: Apache-2.0
// The formats that `rondo convert` knows, in one table: --list and --version print it.
#pragma once

#include <string>
#include <vector>

namespace rondo::cli {

struct Format {
  std::string name; // "otf2"
  bool is_read = false;
  bool is_written = false;
  std::string meaning; // with what this build lacks for it
};

std::vector<Format> formats();

/// The table of `rondo convert --list`.
std::string format_table();

} // namespace rondo::cli
