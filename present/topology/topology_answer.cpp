// SPDX-License-Identifier: Apache-2.0
#include "present/topology/topology_answer.hpp"

#include "present/program/packed_lists.hpp"
#include "present/topology/near.hpp"
#include "present/topology/part_drawings.hpp"
#include "present/topology/part_table.hpp"
#include "present/words.hpp"
#include "rondo/base/joined.hpp"
#include "rondo/base/units.hpp"
#include "rondo/topology/direction.hpp"
#include "rondo/topology/groups.hpp"
#include "rondo/topology/near.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <functional>
#include <future>
#include <utility>

namespace rondo::present {
namespace {

using topology::Recognition;
using topology::WeightMeasure;

std::string numbering_text(const Recognition& found) {
  return found.numbering.kind == topology::NumberingKind::kNone
             ? ""
             : topology::describe(found.numbering);
}

bool has_cells(const Recognition& found) {
  return !found.cells.empty() && topology::has_coordinates(found.topology);
}

std::vector<topology::Vertex> coordinates_of(const Recognition& found, std::size_t rank) {
  const topology::Vertex cell = found.cells[rank];
  return cell < 0 ? std::vector<topology::Vertex>{}
                  : topology::coordinates(found.topology.dimensions, cell);
}

std::string ways_text(const topology::OffsetUse& use) {
  const std::int64_t one_way = use.forward_only + use.backward_only;
  if (one_way == 0) return "both ways";
  if (use.one_way()) return use.backward_only == 0 ? "only this way" : "only the other way";
  std::string apart;
  if (use.forward_only > 0) apart = fmt::format("{} only this way", use.forward_only);
  if (use.backward_only > 0)
    apart += fmt::format("{}{} only the other way", apart.empty() ? "" : ", ", use.backward_only);
  if (one_way == use.edges) return apart;
  return fmt::format("{} both ways, {}", use.edges - one_way, apart);
}

std::string offset_line(const topology::OffsetUse& use) {
  const auto bytes = static_cast<double>(use.forward.bytes + use.backward.bytes);
  return fmt::format("({})  {} pair{}, {}, {}", joined(use.offset, ","), use.edges,
                     use.edges == 1 ? "" : "s", ways_text(use), human_bytes(bytes));
}

std::string text_line(const char* name, const std::string& value) {
  return value.empty() ? "" : fmt::format("{:<12} {}\n", name, value);
}

std::string irregular_text(const Recognition& found) {
  const topology::DegreeStatistics& degrees = found.degrees;
  if (degrees.least == degrees.most) {
    return text_line("degrees",
                     counted(static_cast<std::uint64_t>(degrees.least), "partner", "partners") +
                         " a rank");
  }
  return text_line("degrees", fmt::format("{} to {} partners a rank, {} on average", degrees.least,
                                          degrees.most, compact_number(degrees.mean)));
}

// What is beside the headline; it may be a third of the traffic.
const char* label_of_rest(const Recognition& found) {
  constexpr double kLight = 0.1; // share
  return found.accuracy(WeightMeasure::kBytes) < 1 - kLight ? "besides" : "light";
}

std::string filtered_text(const Recognition& found, const Headline& headline) {
  std::string text;
  for (const std::string& light : headline.light)
    text += text_line(text.empty() ? label_of_rest(found) : "", light);
  if (found.filtered.edges == 0 || !headline.light.empty()) return text;
  const std::string with = found.filtered.with.empty() ? "" : "; with them " + found.filtered.with;
  return text_line(
      "light", fmt::format("{} with {}, {}{}", counted(found.filtered.edges, "pair", "pairs"),
                           counted(found.filtered.traffic.messages, "message", "messages"),
                           human_bytes(static_cast<double>(found.filtered.traffic.bytes)), with));
}

// Who talks to everybody has the corners of a square among them only for those who look for
// directions.
bool is_worth_saying(const topology::Topology& main, const topology::Topology& alias) {
  if (main.kind != topology::TopologyKind::kComplete ||
      alias.kind != topology::TopologyKind::kMoore)
    return true;
  return std::any_of(alias.dimensions.begin(), alias.dimensions.end(),
                     [](const topology::Dimension& d) { return d.size > 2; });
}

std::string names_text(const Headline& headline, const std::optional<topology::NearMatch>& near) {
  const Recognition& found = headline.found;
  std::string aliases;
  for (const topology::Topology& alias : found.aliases) {
    if (is_worth_saying(found.topology, alias))
      aliases += (aliases.empty() ? "" : ", ") + topology::name(alias);
  }
  const std::string nearly = near ? ", nearly " + topology::title(*near) : "";
  std::string text = text_line("topology", title(headline) + nearly) +
                     text_line("also called", aliases) +
                     text_line("numbering", numbering_text(found));
  if (!found.recognized() && headline.mixture.empty()) text += irregular_text(found);
  if (found.silent_ranks > 0 && found.topology.kind != topology::TopologyKind::kEmpty) {
    const auto silent = static_cast<std::uint64_t>(found.silent_ranks);
    const bool is_all = found.filtered.edges == 0 && headline.light.empty();
    text += text_line("silent", is_all ? counted(silent, "rank talks", "ranks talk") + " to nobody"
                                       : counted(silent, "rank has", "ranks have") +
                                             " no part in it"); // but maybe in what is light
  }
  return text;
}

nlohmann::json traffic_json(const topology::Traffic& traffic) {
  return {{"messages", traffic.messages}, {"bytes", traffic.bytes}};
}

nlohmann::json dimensions_json(const topology::Topology& topology) {
  nlohmann::json list = nlohmann::json::array();
  for (const topology::Dimension& d : topology.dimensions)
    list.push_back({{"size", d.size}, {"periodic", d.periodic}});
  return list;
}

} // namespace

TopologyAnswer answer_of(Headline headline) {
  TopologyAnswer answer;
  if (has_cells(headline.found))
    answer.offsets = topology::offset_usage(headline.kept, headline.found);
  answer.direction = topology::describe(topology::direction_of(headline.kept, headline.found));
  answer.headline = std::move(headline);
  return answer;
}

std::string topology_text(const TopologyAnswer& answer,
                          const std::optional<topology::NearMatch>& near) {
  const Recognition& found = answer.headline.found;
  std::string text = names_text(answer.headline, near) + filtered_text(found, answer.headline);
  // an irregular graph explains nothing
  if (found.kept.messages > 0 && found.topology.kind != topology::TopologyKind::kIrregular) {
    text +=
        text_line("explains", fmt::format("{} of the messages, {} of the bytes",
                                          human_percent(found.accuracy(WeightMeasure::kMessages)),
                                          human_percent(found.accuracy(WeightMeasure::kBytes))));
  }
  if (found.to_self.messages > 0) {
    text += text_line("to itself",
                      fmt::format("{}, {}", counted(found.to_self.messages, "message", "messages"),
                                  human_bytes(static_cast<double>(found.to_self.bytes))));
  }
  bool is_first = true;
  for (const topology::OffsetUse& use : answer.offsets) {
    text += text_line(is_first ? "offsets" : "", offset_line(use));
    is_first = false;
  }
  return text + text_line("direction", answer.direction);
}

std::string coordinates_text(const Recognition& found) {
  if (!has_cells(found)) return "";
  std::string text;
  for (std::size_t rank = 0; rank < found.cells.size(); ++rank)
    text += fmt::format("rank {:<7} ({})\n", rank, joined(coordinates_of(found, rank), ","));
  return text;
}

namespace {

// All but the coordinates of the ranks.
nlohmann::json facts_json(const TopologyAnswer& answer) {
  const Headline& headline = answer.headline;
  const Recognition& found = headline.found;
  nlohmann::json result = {{"schema", 1},
                           {"topology", title(headline)},
                           {"mixture", headline.mixture},
                           {"light", headline.light},
                           {"recognized", found.recognized()},
                           {"copies", found.copies},
                           {"dimensions", dimensions_json(found.topology)},
                           {"aliases", nlohmann::json::array()},
                           {"numbering", numbering_text(found)},
                           {"direction", answer.direction},
                           {"silent_ranks", found.silent_ranks},
                           {"symmetric", found.symmetric},
                           {"kept", traffic_json(found.kept)},
                           {"to_self", traffic_json(found.to_self)},
                           {"filtered", traffic_json(found.filtered.traffic)},
                           {"messages_explained", found.accuracy(WeightMeasure::kMessages)},
                           {"bytes_explained", found.accuracy(WeightMeasure::kBytes)},
                           {"degrees",
                            {{"least", found.degrees.least},
                             {"most", found.degrees.most},
                             {"mean", found.degrees.mean}}}};
  result["filtered"]["pairs"] = found.filtered.edges;
  for (const topology::Topology& alias : found.aliases) {
    result["aliases"].push_back(
        {{"topology", topology::name(alias)}, {"dimensions", dimensions_json(alias)}});
  }
  for (const topology::OffsetUse& use : answer.offsets) {
    result["offsets"].push_back({{"offset", use.offset},
                                 {"pairs", use.edges},
                                 {"forward", traffic_json(use.forward)},
                                 {"backward", traffic_json(use.backward)}});
  }
  return result;
}

nlohmann::json coordinates_json(const Recognition& found) {
  nlohmann::json result = nlohmann::json::array();
  for (std::size_t rank = 0; rank < found.cells.size(); ++rank)
    result.push_back(coordinates_of(found, rank));
  return result;
}

// The first coordinates of all ranks, then the second ones; nothing if a rank has none.
std::optional<nlohmann::json> packed_coordinates(const Recognition& found) {
  const std::size_t ranks = found.cells.size();
  const std::size_t width = found.topology.dimensions.size();
  std::vector<std::int64_t> list(ranks * width);
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    if (found.cells[rank] < 0) return std::nullopt;
    const auto place = topology::coordinates(found.topology.dimensions, found.cells[rank]);
    for (std::size_t i = 0; i < width; ++i) list[i * ranks + rank] = place[i];
  }
  return packed_rows(width, list);
}

} // namespace

nlohmann::json topology_json(const TopologyAnswer& answer) {
  nlohmann::json result = facts_json(answer);
  const Recognition& found = answer.headline.found;
  if (has_cells(found)) result["coordinates"] = coordinates_json(found);
  return result;
}

nlohmann::json topology_json(const TopologyAnswer& answer, const PartTable& parts,
                             const TrafficShare& share) {
  nlohmann::json json = topology_json(answer);
  json["traffic"] = share.json;
  json["parts"] = part_json(parts);
  return json;
}

std::future<PartTable> parts_for_document(const trace::Trace& trace, bool packs) {
  const bool are_many = trace.run.ranks > kMostDrawnRanks;
  const auto coordinates = are_many && packs ? Coordinates::kLeftOut : Coordinates::kWritten;
  return std::async(std::launch::async, [&trace, coordinates] {
    topology::TopologyOptions settings;
    settings.suggested = topology::cartesian_grids(trace);
    return part_table(trace, TopologyBy::kPart, settings, matrix::CollectiveCounting::kNeighbors,
                      coordinates);
  });
}

nlohmann::json topology_document(const trace::Trace& trace, const matrix::CommunicationMatrix& sent,
                                 const std::shared_future<matrix::TraceStatistics>& statistics,
                                 std::future<PartTable> found_parts, bool packs) {
  const bool are_many = trace.run.ranks > kMostDrawnRanks;
  topology::TopologyOptions settings;
  settings.suggested = topology::cartesian_grids(trace);
  const auto graph = topology::Graph::from_matrix(sent);
  Recognition found = topology::recognize(graph, settings);
  const PartTable parts = found_parts.get();
  const TopologyAnswer answer = answer_of(headline_of(graph, std::move(found), parts, settings));
  const Headline& headline = answer.headline;
  const TrafficShare share =
      traffic_share(statistics.get().statistics, sent, matrix::shown_by_default());
  nlohmann::json json = facts_json(answer);
  json["traffic"] = share.json;
  json["parts"] = part_json(parts);
  if (has_cells(headline.found)) {
    auto coordinates = are_many && packs ? packed_coordinates(headline.found) : std::nullopt;
    json["coordinates"] = coordinates ? std::move(*coordinates) : coordinates_json(headline.found);
  }
  json["layout"] = layout_json(headline.kept, headline.found);
  if (!are_many) {
    draw_parts(json["parts"], parts.parts);
    if (topology::has_phases(trace)) {
      const PartTable phases = part_table(trace, TopologyBy::kPhase, settings);
      json["phases"] = part_json(phases);
      draw_parts(json["phases"], phases.phases);
    }
  }
  json["speaks_of"] = share.here;
  json["not_counted"] = share.elsewhere;
  if (!headline.mixture.empty()) return json;
  if (const auto near = topology::nearest(headline.kept, headline.found, {}))
    json["nearest"] = near_json(*near);
  return json;
}

} // namespace rondo::present
