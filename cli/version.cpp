// SPDX-License-Identifier: Apache-2.0
#include "cli/version.hpp"

#include "cli/commit.inc"
#include "cli/help/formats.hpp"
#include "cli/launch/recorders.hpp"
#include "rondo/report/page.hpp"
#include "rondo/simulate/platform.hpp"

#include <fmt/core.h>

namespace rondo::cli {
namespace {

std::string names_of_recorders() {
  std::string found;
  for (const Recorder& recorder : cli::recorders()) {
    const bool is_built = !recorder.built_for.empty();
    found += (found.empty() ? "" : ", ") +
             (is_built ? fmt::format("{} ({})", recorder.name, recorder.built_for)
                       : name_of(recorder.mpi));
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
                     version(), commit().empty() ? "" : " (commit " + commit() + ")",
                     names_of_recorders(), names_of_formats(&Format::is_read),
                     names_of_formats(&Format::is_written), yes(report::is_available()),
                     yes(simulate::has_contention().has_value()));
}

} // namespace rondo::cli
