// SPDX-License-Identifier: Apache-2.0
#include "cli/version.hpp"

#include "cli/commit.inc"
#include "cli/formats.hpp"
#include "cli/own_files.hpp"
#include "rondo/report/page.hpp"

#include <fmt/core.h>

namespace rondo::cli {
namespace {

std::string recorders() {
  std::string found;
  for (const Mpi mpi : {Mpi::kOpenMpi, Mpi::kMpich, Mpi::kAbi}) {
    if (recorder_library(mpi)) found += (found.empty() ? "" : ", ") + std::string(name_of(mpi));
  }
  return found.empty() ? "none" : found;
}

std::string names_of_formats(bool Format::*way) {
  std::string names;
  for (const Format& format : formats())
    if (format.*way) names += (names.empty() ? "" : ", ") + format.name;
  return names;
}

std::string yes(bool has) { return has ? "yes" : "no"; }

} // namespace

std::string version() { return RONDO_VERSION; }
std::string commit() { return RONDO_COMMIT; }

std::string version_text() {
  return fmt::format("rondo {}{}\n"
                     "records    programs of: {}\n"
                     "reads      {}; matrices in csv, mtx\n"
                     "writes     {}\n"
                     "has        report: {}, contention by SimGrid: {}",
                     version(), commit().empty() ? "" : " (commit " + commit() + ")", recorders(),
                     names_of_formats(&Format::is_read), names_of_formats(&Format::is_written),
                     yes(report::is_available()), yes(RONDO_HAS_SIMGRID != 0));
}

} // namespace rondo::cli
