// SPDX-License-Identifier: Apache-2.0
// The library as it is installed: opens an archive, walks it, and asks what the commands ask.
// Nothing here prints, ends the process or throws across its border; bad input is a Result.
// Functions may be called from several threads at a time on the same trace, which none changes.
//
//   auto trace = rondo::archive::read("app.rondo");
//   if (!trace) return complain(trace.error().text());
//   auto sent = rondo::matrix::matrix_of(*trace);
//   std::cout << title(rondo::topology::recognize(sent->matrix, {})) << '\n'; // "4x4 torus"
//
// examples/library has a whole program; find_package(rondo) and `pkg-config rondo` say how to build
// it. These headers and what they include are installed; VERSIONING.md says what is promised.
#pragma once

#include "rondo/archive/archive.hpp" // a recording as a file
#include "rondo/base/result.hpp" // errors as values
#include "rondo/efficiency/factors.hpp" // where the time goes
#include "rondo/logical/logical_text.hpp" // one program for all ranks
#include "rondo/matrix/communication_matrix.hpp" // who sends how much to whom
#include "rondo/matrix/statistics.hpp" // the five measurements
#include "rondo/matrix/trace_traffic.hpp" // both, of a recording
#include "rondo/patterns/pattern_groups.hpp" // what ranks do again and again
#include "rondo/simulate/network_model.hpp" // another network
#include "rondo/simulate/simulate.hpp" // the run on it
#include "rondo/topology/recognize.hpp" // what the ranks form
#include "rondo/trace/call_reader.hpp" // every call of a rank
#include "rondo/trace/functions.hpp" // MPI's functions
#include "rondo/trace/nest.hpp" // loops as they are kept
#include "rondo/trace/trace.hpp" // what a recording is
