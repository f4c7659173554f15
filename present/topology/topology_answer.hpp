// SPDX-License-Identifier: Apache-2.0
// What rondo topology says of a graph, for people and for programs.
#pragma once

#include "present/matrix/traffic_share.hpp"
#include "present/topology/headline.hpp"
#include "rondo/topology/near.hpp"
#include "rondo/topology/offsets.hpp"

#include <future>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace rondo::present {

struct TopologyAnswer {
  Headline headline;
  std::vector<topology::OffsetUse> offsets; // if ranks have coordinates
  std::string direction;
};

/// @complexity  that of topology::offset_usage()
TopologyAnswer answer_of(Headline headline);

/// Lines with a word in front.
/// @param near   what it nearly is, where it has no name
std::string topology_text(const TopologyAnswer& answer,
                          const std::optional<topology::NearMatch>& near);
/// "rank 0 (0,0)", a line for each rank; empty if ranks have no coordinates.
std::string coordinates_text(const topology::Recognition& found);

nlohmann::json topology_json(const TopologyAnswer& answer);
/// With the traffic that the graph speaks of and its parts, of a run.
nlohmann::json topology_json(const TopologyAnswer& answer, const PartTable& parts,
                             const TrafficShare& share);

/// The parts of a run for topology_document(), found beside whatever else goes on: of many ranks
/// nothing in a report takes longer.
/// @param trace  stays as it is until the future is asked, or gone
/// @param packs  as of topology_document()
std::future<PartTable> parts_for_document(const trace::Trace& trace, bool packs);

/// What a report says of a run: as topology_json() without options, with `layout` (where each rank
/// is drawn), `speaks_of`, `not_counted` and `nearest`; of few ranks with `phases`, as `--by phase`
/// has them, and with `pairs` and `layout` of each part and phase.
/// @param sent        the point-to-point and one-sided messages of the trace
/// @param statistics  of the trace; they are waited for at the end
/// @param found_parts of parts_for_document()
/// @param packs       coordinates of many ranks are packed_rows()
nlohmann::json topology_document(const trace::Trace& trace, const matrix::CommunicationMatrix& sent,
                                 const std::shared_future<matrix::TraceStatistics>& statistics,
                                 std::future<PartTable> found_parts, bool packs);

} // namespace rondo::present
