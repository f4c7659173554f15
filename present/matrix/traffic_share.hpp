// SPDX-License-Identifier: Apache-2.0
// What share of a run's traffic a matrix has: point-to-point messages may be a small one.
#pragma once

#include "rondo/matrix/communication_matrix.hpp"
#include "rondo/matrix/statistics.hpp"
#include "rondo/matrix/trace_traffic.hpp"
#include "rondo/trace/trace.hpp"

#include <nlohmann/json.hpp>
#include <string>

namespace rondo::present {

struct TrafficShare {
  std::string here; // "987 kB of the 1.2 MB that the run handed to MPI (82 %)"
  std::string elsewhere; // what is not there and what to type for it; empty if nothing is
  nlohmann::json json;
};

/// @param shown    what is spoken of
/// @param options  how it was counted
TrafficShare traffic_share(const trace::Trace& trace, const matrix::CommunicationMatrix& shown,
                           const matrix::TrafficOptions& options);
/// @param run      the statistics of the trace, which take as long as the matrix
TrafficShare traffic_share(const matrix::Statistics& run, const matrix::CommunicationMatrix& shown,
                           const matrix::TrafficOptions& options);

/// Its two lines in front of an answer.
std::string traffic_share_text(const TrafficShare& share);

/// "spawned (comm spawn#1): 8 messages (1.2 kB) from rank 0 to each of 4 processes"; empty if there
/// are no processes outside MPI_COMM_WORLD.
std::string traffic_with_others(const trace::Trace& trace);

/// "120 one-sided messages (61 kB), 100 % of what the run handed to MPI", and what to type to see
/// them; empty if there are none.
std::string share_of_one_sided(const trace::Trace& trace);

/// "84 kB to and from files, 40 % of ..., and what to type to see them"; empty if nothing was.
std::string share_of_files(const trace::Trace& trace);

} // namespace rondo::present
