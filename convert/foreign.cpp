// SPDX-License-Identifier: Apache-2.0
#include "convert/foreign.hpp"

#include <array>

namespace rondo::convert::internal {
namespace {

using namespace std::string_view_literals;

struct Foreign {
  std::string_view begins; // what stands first in the file
  std::string_view has; // what stands somewhere in what was read of it; may be empty
  std::string_view what;
};

// The first that fits.
constexpr std::array kForeign = {
    Foreign{"\x7f\x10\0\0\0\0\0\0"sv, "",
            "is a binary GOAL schedule of LogGOPSim, which Rondo does not read; give the text that "
            "txt2bin made it of"},
    Foreign{"", "\"schema\": \"1.", // "1.0.2-chakra.0.0.4" and its kin
            "is an execution trace of PyTorch as JSON, which Rondo does not read; make Chakra's "
            "protobuf of it (chakra_converter), which it does"},
    Foreign{"", "\"traceEvents\"",
            "is a timeline as JSON (Chrome, Kineto), which Rondo writes but does not read"},
    Foreign{"[", "\"ph\"", "is a timeline as JSON (Chrome), which Rondo writes but does not read"},
    Foreign{"SQLite format 3\0"sv, "",
            "is an SQLite database, as Nsight Systems writes them, which Rondo does not read"},
    Foreign{"", "SLOG 2.0", "is a SLOG-2 trace of Jumpshot, which Rondo does not read"},
    Foreign{"CLOG-0", "", "is a CLOG-2 trace of MPE, which Rondo does not read"},
    Foreign{"%EventDef", "",
            "is a Paje trace, which Rondo does not read; of SMPI it reads what smpirun -trace-ti "
            "writes"},
    Foreign{"EPILOG", "", "is an EPILOG trace of old Scalasca, which Rondo does not read"},
    Foreign{
        "", "dynamic_trace_events",
        "belongs to a trace of TAU (.edf, .trc), which Rondo does not read; make an OTF2 archive "
        "of it (tau_trace2otf2, or TAU_TRACE_FORMAT=otf2), which it does"},
    Foreign{"__rec=", "", "is a profile of Caliper, which has no messages to read"},
    Foreign{"@ mpiP", "", "is a profile of mpiP, which has no order of calls to read"},
    Foreign{"\x7f"
            "ELF",
            "", "is a program or a library; record a run of it with 'rondo record'"},
    Foreign{"<!DOCTYPE html", "", "is a page, such as 'rondo report' writes"},
};

} // namespace

std::string_view foreign_kind(std::string_view start) {
  for (const Foreign& one : kForeign) {
    if (start.starts_with(one.begins) && start.find(one.has) != std::string_view::npos)
      return one.what;
  }
  return {};
}

} // namespace rondo::convert::internal
