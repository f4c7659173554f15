// SPDX-License-Identifier: Apache-2.0
// What ranks send to processes outside their MPI_COMM_WORLD, in a sentence, as text, CSV and JSON.
//
//   std::cout << other_table_text(matrix::other_traffic_of(*trace));
#pragma once

#include "rondo/matrix/other_processes.hpp"

#include <cstdint>
#include <string>

namespace rondo::present {

/// "spawned (comm spawn#1): 8 messages (1.2 kB) from rank 0 to each of 4 processes"
/// @param ranks  of MPI_COMM_WORLD
std::string described(const matrix::OtherLayer& layer, std::int64_t ranks);

/// The same of all layers that have messages, with "; " between them.
/// @param with_collectives_alone  also of those that have nothing but collective operations
std::string described(const matrix::OtherTraffic& traffic, bool with_collectives_alone = false);

/// A line for each layer, and under it one for the ranks that send equally much to the same
/// processes. Above 40 lines the rest is counted. Empty without layers.
/// @complexity  O(entries log entries)
std::string other_table_text(const matrix::OtherTraffic& traffic);

/// "layer,comm,rank,process,messages,bytes", one pair a line.
std::string other_table_csv(const matrix::OtherTraffic& traffic);

/// A list of {"layer", "comm", "processes", "messages", "bytes", "collective_calls",
/// "collective_bytes", "entries"}, as `rondo stats --json` has it in "other_processes".
std::string other_table_json(const matrix::OtherTraffic& traffic);

} // namespace rondo::present
