// SPDX-License-Identifier: Apache-2.0
// Which ranks ran which program, where a launcher started several that share MPI_COMM_WORLD
// (`mpirun -n 2 ./a : -n 3 ./b`, MPMD). An archive has the command of rank 0 only; the others' are
// the executables that their calls stand in.
#pragma once

#include "rondo/trace/trace.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace rondo::trace {

struct RanProgram {
  std::string name; // of its file, without folders
  RankSet ranks;
};

/// By first rank. Empty if all ranks ran the same program, or if it is not known of all: calls that
/// all stand in libraries do not tell.
/// @complexity  O(calls of the classes' programs); with several also O(ranks)
std::vector<RanProgram> ran_programs(const Trace& trace);

/// "ranks 0-1 run ocean, ranks 2-4 run atmosphere"; empty likewise.
std::string ran_programs_text(const std::vector<RanProgram>& programs);

/// "/opt/app/lu.B.16" -> "lu.B.16"
std::string_view file_name(std::string_view path);

/// "../bin/lu.B.16 -v" -> "lu.B.16"
std::string program_name(std::string_view command);

/// The same of a run; "ocean, atmosphere" of several programs.
std::string program_name(const Trace& trace);

} // namespace rondo::trace
