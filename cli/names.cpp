// SPDX-License-Identifier: Apache-2.0
#include "cli/names.hpp"

#include "cli/common.hpp"
#include "rondo/archive/archive.hpp"
#include "rondo/sites/resolver.hpp"

#include <filesystem>
#include <fmt/core.h>

namespace rondo::cli {

std::size_t fill_names(trace::Trace& trace, const std::string& file) {
  sites::Naming naming = sites::name_sites(trace);
  warn(file, naming.remarks);
  trace.names = std::move(naming.names);
  return naming.found;
}

void keep_names(trace::Trace& trace, const std::string& file) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(file, error)) return;
  if (fill_names(trace, file) == 0) return;
  if (const auto written = archive::write(trace, file, Overwrite::kReplace); !written) {
    fmt::print(stderr, "rondo: the archive has no names of functions: {}\n",
               written.error().text());
  }
}

} // namespace rondo::cli
