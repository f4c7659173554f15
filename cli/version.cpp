// SPDX-License-Identifier: Apache-2.0
#include "cli/version.hpp"

#include "cli/commit.inc"
#include "cli/own_files.hpp"
#include "rondo/convert/otf2.hpp"
#include "rondo/report/page.hpp"

#include <fmt/core.h>

namespace rondo::cli {
namespace {

std::string recorders() {
  std::string found;
  for (const Mpi mpi : {Mpi::kOpenMpi, Mpi::kMpich}) {
    if (recorder_library(mpi)) found += (found.empty() ? "" : ", ") + std::string(name_of(mpi));
  }
  return found.empty() ? "none" : found;
}

std::string yes(bool has) { return has ? "yes" : "no"; }

} // namespace

std::string version() { return RONDO_VERSION; }
std::string commit() { return RONDO_COMMIT; }

std::string version_text() {
  const std::string otf2 = convert::has_otf2() ? ", otf2" : "";
  return fmt::format("rondo {}{}\n"
                     "records    programs of: {}\n"
                     "reads      rondo{}, paraver, allprof, simgrid; matrices in csv, mtx\n"
                     "writes     rondo{}, simgrid, json, csv\n"
                     "has        report: {}, contention by SimGrid: {}",
                     version(), commit().empty() ? "" : " (commit " + commit() + ")", recorders(),
                     otf2, otf2, yes(report::is_available()), yes(RONDO_HAS_SIMGRID != 0));
}

} // namespace rondo::cli
