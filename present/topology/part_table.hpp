// SPDX-License-Identifier: Apache-2.0
// The table of rondo topology: what each part of a program forms, with its share of the traffic.
#pragma once

#include "rondo/topology/parts.hpp"
#include "rondo/topology/recognize.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::present {

/// What the lines of the table stand for.
enum class TopologyBy : std::uint8_t {
  kPart,
  kPhase,
  kCommunicator,
  kSite,
  kLoop,
  kFunction,
  kNone
};

/// One line of the table.
struct PartRow {
  std::string where; // in the program
  std::string topology; // empty: collectives only
  std::string direction;
  topology::Traffic traffic;
  std::uint64_t collective_calls = 0;
  bool has_name = false; // not merely "irregular graph"
  bool is_inner = false; // a loop within the part above, counted there too
  bool is_front = false; // goes one way through an open lattice: a wavefront or a pipeline
  nlohmann::json json;
};

struct PartTable {
  TopologyBy by = TopologyBy::kNone;
  std::vector<PartRow> rows;
  std::vector<topology::TrafficPart> parts; // of the rows that are no inner ones; by "part" only
  std::vector<topology::TrafficPart>
      phases; // of the rows; by "phase" only, where phases are marked
  std::vector<std::string> remarks; // what communicators show beside it
  std::vector<std::string> warnings; // call sites that could not be named
};

/// The values of --by, in the order of the enumerators.
const std::vector<std::string>& part_groupings();
/// @param name  one of part_groupings()
TopologyBy parse_topology_by(std::string_view name);

/// Whether the JSON of a part has the coordinates of each rank: of 10^6 ranks they take long.
enum class Coordinates { kWritten, kLeftOut };

PartTable
part_table(const trace::Trace& trace, TopologyBy by, const topology::TopologyOptions& options,
           matrix::CollectiveCounting collectives = matrix::CollectiveCounting::kNeighbors,
           Coordinates coordinates = Coordinates::kWritten);

/// The wavefronts and pipelines of a run, each once: "2x2 grid, wavefront from rank 3".
/// @complexity  that of part_table()
std::vector<std::string> fronts_of(const trace::Trace& trace);

/// True if the table says more than the line about the whole.
bool is_worth_showing(const PartTable& table);

/// What call sites do, where that says more than a program without parts as a whole, whose name
/// leaves many of its messages out; an empty table else.
PartTable sites_of_mixture(const trace::Trace& trace, const topology::Recognition& whole,
                           const topology::TopologyOptions& options);

std::string part_text(const PartTable& table);
nlohmann::json part_json(const PartTable& table);

} // namespace rondo::present
