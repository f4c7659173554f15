// SPDX-License-Identifier: Apache-2.0
#include "cli/help/formats.hpp"

#include "rondo/convert/otf2.hpp"
#include "rondo/convert/readers.hpp"
#include "rondo/convert/timeline.hpp"

#include <fmt/core.h>

namespace rondo::cli {

std::vector<Format> formats() {
  const bool others = convert::has_readers().has_value();
  const bool otf2 = convert::has_otf2();
  const bool perfetto = convert::has_perfetto();
  const auto lacks = [others](bool has, const char* library) {
    return has || !others ? std::string() : fmt::format("; this build has no {}", library);
  };
  return {
      {"rondo", true, true, "archives of Rondo, and folders of parts of one (in)"},
      {"otf2", otf2, otf2, "OTF2 archives of Score-P, TAU and others" + lacks(otf2, "libotf2")},
      {"paraver", others, others, ".prv (in: .prv.gz too) with .pcf and .row beside it"},
      {"dimemas", false, others, "traces for Dimemas (.dim)"},
      {"allprof", others, false, "liballprof's texts, a folder of rank files"},
      {"dumpi", others, false, "DUMPI traces of SST (.meta, .bin)"},
      {"chakra", others, false, "execution traces of MLCommons Chakra (PREFIX.RANK.et)"},
      {"goal", others, others, "GOAL schedules of LogGOPSim and ATLAHS, as texts"},
      {"simgrid", others, others, "SimGrid's time-independent traces (.ti)"},
      {"perfetto", false, perfetto,
       "timelines for Perfetto (.pftrace, .perfetto)" + lacks(perfetto, "libprotobuf")},
      {"chrome", false, others, "timelines as Chrome's JSON (.chrome.json), for small traces"},
      {"json", false, others, "the whole trace, folded"},
      {"csv", false, true, "the communication matrix"},
  };
}

std::string format_table() {
  std::string text = "format     in   out  what it is\n";
  const auto yes = [](bool is) { return is ? "yes" : "no"; };
  for (const Format& f : formats())
    text += fmt::format("{:<10} {:<4} {:<4} {}\n", f.name, yes(f.is_read), yes(f.is_written),
                        f.meaning);
  if (const auto has = convert::has_readers(); !has) text += has.error().text() + "\n";
  return text;
}

} // namespace rondo::cli
