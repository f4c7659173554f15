// SPDX-License-Identifier: Apache-2.0
#include "present/topology/part_table.hpp"

#include "rondo/base/escape.hpp"
#include "rondo/base/joined.hpp"
#include "rondo/base/units.hpp"
#include "rondo/sites/resolver.hpp"
#include "rondo/topology/groups.hpp"
#include "rondo/topology/parts.hpp"
#include "rondo/trace/communicator_names.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>
#include <map>
#include <set>

namespace rondo::present {
namespace {

using matrix::LayeredTraffic;
using matrix::ProgramPlace;
using topology::Grouping;
using topology::LayerGroup;
using topology::TrafficPart;

std::string list(const std::set<std::string>& names, std::size_t most) {
  std::vector<std::string> shown(names.begin(), names.end());
  const bool is_cut = shown.size() > most;
  if (is_cut) shown.resize(most);
  return joined(shown, ", ") + (is_cut ? ", ..." : "");
}

// Says where in the program things are.
class Namer {
public:
  Namer(const trace::Trace& trace, const LayeredTraffic& layered)
      : layered_(layered), resolver_(trace) {}

  /// "loop 249 / loop 100: MPI_Send in exchange_1", or by the call site of the first,
  /// "loop 249 / loop 100: MPI_Send in exchange_1+0x2f".
  std::string where(const std::vector<std::size_t>& layers, bool by_site = false) {
    std::set<std::string> calls;
    std::set<std::string> functions;
    for (const std::size_t i : layers) {
      const matrix::Layer& layer = layered_.layers[i];
      calls.insert(std::string(layer.function->name));
      const std::string& function = resolver_.place(layer.site).function;
      if (!function.empty()) functions.insert(function);
    }
    std::string text = way(layers);
    if (text.empty() && loops(layers) > 1) text = fmt::format("{} loops", loops(layers));
    if (!text.empty()) text += ": ";
    text += list(calls, 2);
    if (by_site) return text + " in " + site(layered_.layers[layers.front()].site);
    if (!functions.empty()) text += " in " + list(functions, 2);
    return text;
  }

  /// The loops around all of the layers.
  std::string way(const std::vector<std::size_t>& layers) {
    const matrix::Layer& first = layered_.layers[layers.front()];
    std::uint32_t common = parent(first.program, first.place);
    for (const std::size_t i : layers) {
      const matrix::Layer& layer = layered_.layers[i];
      common = layer.program == first.program ? meet(first.program, common, layer.place) : 0;
    }
    return way(first.program, common);
  }

  std::string way(std::size_t program, std::uint32_t place) const {
    std::string text;
    for (; place != 0; place = parent(program, place)) {
      const auto& places = layered_.places[program];
      const auto around = std::max<std::uint64_t>(
          places[place].parent == 0 ? 1 : places[places[place].parent].executions, 1);
      const double count =
          static_cast<double>(places[place].executions) / static_cast<double>(around);
      if (count == 1) continue;
      const bool is_whole = count == std::floor(count);
      text = fmt::format("loop {}{}{}", is_whole ? "" : "~", compact_number(count),
                         text.empty() ? "" : " / " + text);
    }
    return text;
  }

  const std::vector<std::string>& warnings() const { return resolver_.remarks(); }

  std::string site(std::uint32_t site) {
    const std::string text = resolver_.short_text(site);
    return text.empty() ? "unknown call site" : text;
  }

private:
  std::size_t loops(const std::vector<std::size_t>& layers) const {
    std::set<std::pair<std::size_t, std::uint32_t>> all;
    for (const std::size_t i : layers) {
      const matrix::Layer& layer = layered_.layers[i];
      const std::uint32_t loop = parent(layer.program, layer.place);
      if (loop == 0) return 0;
      all.emplace(layer.program, loop);
    }
    return all.size();
  }

  std::uint32_t parent(std::size_t program, std::uint32_t place) const {
    return layered_.places[program][place].parent;
  }

  // The innermost loop around both.
  std::uint32_t meet(std::size_t program, std::uint32_t a, std::uint32_t b) const {
    const auto& places = layered_.places[program];
    while (a != b) {
      if (places[a].depth >= places[b].depth && a != 0) {
        a = places[a].parent;
      } else {
        b = places[b].parent;
      }
    }
    return a;
  }

  const LayeredTraffic& layered_;
  sites::Resolver resolver_;
};

std::string topology_of(const TrafficPart& part) {
  const bool is_to_self = part.found.topology.kind == topology::TopologyKind::kEmpty;
  return is_to_self && part.traffic.messages > 0 ? "each rank to itself"
                                                 : topology::title(part.found);
}

// Of the part's traffic, where light pairs are left out: the lesser of messages and bytes.
double explained_of(const TrafficPart& part) {
  return std::min(part.found.accuracy(topology::WeightMeasure::kMessages),
                  part.found.accuracy(topology::WeightMeasure::kBytes));
}

nlohmann::json json_of(const TrafficPart& part, Coordinates coordinates) {
  nlohmann::json result = {{"topology", topology_of(part)},
                           {"recognized", part.found.recognized()},
                           {"direction", topology::describe(part.direction)},
                           {"messages", part.traffic.messages},
                           {"bytes", part.traffic.bytes},
                           {"explained", explained_of(part)}};
  result["aliases"] = nlohmann::json::array();
  for (const auto& alias : part.found.aliases) result["aliases"].push_back(topology::name(alias));
  const bool has_cells =
      !part.found.cells.empty() && topology::has_coordinates(part.found.topology);
  if (!has_cells || coordinates == Coordinates::kLeftOut) return result;
  for (const topology::Vertex cell : part.found.cells) {
    result["coordinates"].push_back(
        cell < 0 ? nlohmann::json::array()
                 : nlohmann::json(topology::coordinates(part.found.topology.dimensions, cell)));
  }
  return result;
}

PartRow row_of(const TrafficPart& part, std::string where, Coordinates coordinates) {
  constexpr double kNearlyAll = 0.95;
  PartRow row;
  row.topology = topology_of(part);
  if (const double explained = explained_of(part); explained < kNearlyAll)
    row.topology += fmt::format(" (explains {})", human_percent(explained));
  row.direction = topology::describe(part.direction);
  row.has_name = part.found.recognized();
  row.is_front = part.direction.kind == topology::DirectionKind::kWavefront ||
                 part.direction.kind == topology::DirectionKind::kPipeline;
  row.traffic = part.traffic;
  row.json = json_of(part, coordinates);
  row.json["where"] = where;
  row.where = std::move(where);
  return row;
}

std::string comm_name(const trace::Trace& trace, std::int64_t slot) {
  const std::string name = trace::CommunicatorNames(trace).of(slot);
  for (const topology::CommFamily& family : topology::comm_families(trace)) {
    if (family.slot != slot) continue;
    const auto [least, most] = std::minmax_element(family.sizes.begin(), family.sizes.end());
    const std::string size =
        *least == *most ? fmt::format("{}", *least) : fmt::format("{} to {}", *least, *most);
    const char* ranks = *most == 1 ? "rank" : "ranks";
    const bool is_inter = !family.comms.front()->remote.empty();
    const std::string what = is_inter ? "inter-communicator" : "communicator";
    return family.comms.size() == 1
               ? fmt::format("{}: {} of {} {}", name, what, size, ranks)
               : fmt::format("{}: {} {}s of {} {}", name, family.comms.size(), what, size, ranks);
  }
  return name;
}

std::string group_name(const trace::Trace& trace, const LayerGroup& group, Grouping grouping,
                       Namer& namer) {
  switch (grouping) {
  case Grouping::kCommunicator:
    return comm_name(trace, group.comm);
  case Grouping::kCallSite:
    return namer.site(group.site);
  case Grouping::kLoop: {
    const std::string way = namer.way(group.program, group.place);
    return way.empty() ? "outside of loops" : way;
  }
  case Grouping::kPhase:
    return group.name.empty() ? "outside of phases" : escape::terminal(group.name);
  case Grouping::kFunction:
    return group.name;
  }
  return {};
}

// One line for each grid, though several families may be its rows or its columns.
void add_process_grids(PartTable& table, const trace::Trace& trace,
                       const trace::CommunicatorNames& names) {
  struct ProcessGrid {
    std::string size;
    std::vector<std::string> rows;
    std::vector<std::string> columns;
  };
  std::map<std::size_t, ProcessGrid> grids;
  const auto add = [](std::vector<std::string>& to, std::string name) {
    if (std::find(to.begin(), to.end(), name) == to.end()) to.push_back(std::move(name));
  };
  for (const topology::CrossedFamilies& crossed : topology::crossed_families(trace)) {
    ProcessGrid& grid = grids[crossed.grid];
    grid.size = fmt::format("{}x{}", crossed.row_count, crossed.column_count);
    add(grid.rows, names.of(crossed.rows));
    add(grid.columns, names.of(crossed.columns));
  }
  for (const auto& [number, grid] : grids) {
    table.remarks.push_back(
        fmt::format("{} process grid: {} {} the ranks of each row, {} those of each column",
                    grid.size, joined(grid.rows, " and "), grid.rows.size() == 1 ? "joins" : "join",
                    joined(grid.columns, " and ")));
  }
}

void add_groups(PartTable& table, const trace::Trace& trace, const LayeredTraffic& layered,
                Grouping grouping, const topology::TopologyOptions& options,
                Coordinates coordinates) {
  Namer namer(trace, layered);
  for (const LayerGroup& group : topology::groups_of(trace, layered, grouping)) {
    PartRow row;
    TrafficPart part;
    const std::string name = group_name(trace, group, grouping, namer);
    if (group.layers.empty()) {
      row.where = name;
      row.json = {{"where", name}, {"messages", 0}, {"bytes", 0}};
    } else {
      part = topology::part_of_layers(layered, group.layers, trace.run.ranks, options);
      row = row_of(part, name, coordinates);
    }
    if (grouping == Grouping::kPhase) table.phases.push_back(std::move(part));
    for (const std::size_t i : group.collectives)
      row.collective_calls += layered.collectives[i].calls;
    row.json["collective_calls"] = row.collective_calls;
    table.rows.push_back(std::move(row));
  }
  table.warnings = namer.warnings();
  if (grouping != Grouping::kCommunicator) return;
  const trace::CommunicatorNames names(trace);
  add_process_grids(table, trace, names);
}

// What carries the run stands first, not what sets it up.
std::vector<TrafficPart> heaviest_first(std::vector<TrafficPart>&& parts,
                                        const topology::TopologyOptions& options) {
  const topology::PartWeights weights = topology::weigh(parts, options.measure);
  std::vector<TrafficPart> result;
  for (const auto& some : {weights.heavy, weights.light}) {
    for (const std::size_t i : some) result.push_back(std::move(parts[i]));
  }
  return result;
}

void add_parts(PartTable& table, const trace::Trace& trace, const LayeredTraffic& layered,
               const topology::TopologyOptions& options, Coordinates coordinates) {
  Namer namer(trace, layered);
  table.parts = heaviest_first(topology::parts_of(layered, trace.run.ranks, options), options);
  std::map<std::string, std::set<std::uint32_t>> sites_at; // parts told apart by their call sites
  const auto where = [&](const TrafficPart& part) {
    std::string text = namer.where(part.layers);
    return sites_at[text].size() > 1 ? namer.where(part.layers, true) : text;
  };
  const auto note = [&](const TrafficPart& part) {
    sites_at[namer.where(part.layers)].insert(layered.layers[part.layers.front()].site);
  };
  for (const TrafficPart& part : table.parts) {
    note(part);
    for (const TrafficPart& sweep : part.sweeps) note(sweep);
  }
  for (const TrafficPart& part : table.parts) {
    table.rows.push_back(row_of(part, where(part), coordinates));
    const std::size_t outer = table.rows.size() - 1;
    for (const TrafficPart& sweep : part.sweeps) {
      table.rows.push_back(row_of(sweep, where(sweep), coordinates));
      table.rows.back().is_inner = true;
      table.rows[outer].json["sweeps"].push_back(table.rows.back().json);
    }
  }
  table.warnings = namer.warnings();
}

std::string share_text(std::uint64_t part, std::uint64_t all) {
  return all == 0 ? "-" : human_percent(static_cast<double>(part) / static_cast<double>(all));
}

} // namespace

const std::vector<std::string>& part_groupings() {
  static const std::vector<std::string> kNames = {"part", "phase",    "communicator", "site",
                                                  "loop", "function", "none"};
  return kNames;
}

TopologyBy parse_topology_by(std::string_view name) {
  const std::vector<std::string>& names = part_groupings();
  return static_cast<TopologyBy>(std::find(names.begin(), names.end(), name) - names.begin());
}

PartTable part_table(const trace::Trace& trace, TopologyBy by,
                     const topology::TopologyOptions& options,
                     matrix::CollectiveCounting collectives, Coordinates coordinates) {
  PartTable table;
  table.by = by;
  if (by == TopologyBy::kNone) return table;
  const LayeredTraffic layered = matrix::layers_of(trace, {}, collectives);
  const bool has_collectives_only = layered.layers.empty() && !layered.collectives.empty();
  if (by == TopologyBy::kCommunicator || (by == TopologyBy::kPart && has_collectives_only)) {
    table.by = TopologyBy::kCommunicator;
    add_groups(table, trace, layered, Grouping::kCommunicator, options, coordinates);
  } else if (by == TopologyBy::kSite) {
    add_groups(table, trace, layered, Grouping::kCallSite, options, coordinates);
  } else if (by == TopologyBy::kLoop) {
    add_groups(table, trace, layered, Grouping::kLoop, options, coordinates);
  } else if (by == TopologyBy::kFunction) {
    add_groups(table, trace, layered, Grouping::kFunction, options, coordinates);
  } else if (by == TopologyBy::kPhase && topology::has_phases(trace)) {
    add_groups(table, trace, layered, Grouping::kPhase, options, coordinates);
  } else {
    add_parts(table, trace, layered, options, coordinates);
    if (by == TopologyBy::kPhase)
      table.remarks.emplace_back(
          "the program marks no phases (rondo_phase.h): parts found by their "
          "patterns");
  }
  return table;
}

std::vector<std::string> fronts_of(const trace::Trace& trace) {
  topology::TopologyOptions options;
  options.suggested = topology::cartesian_grids(trace);
  std::vector<std::string> fronts;
  for (const PartRow& row : part_table(trace, TopologyBy::kPart, options).rows) {
    std::string front = row.topology + ", " + row.direction;
    if (row.traffic.messages < 2) continue; // one message is no way through anything
    if (row.is_front && std::find(fronts.begin(), fronts.end(), front) == fronts.end())
      fronts.push_back(std::move(front));
  }
  return fronts;
}

bool is_worth_showing(const PartTable& table) {
  return table.rows.size() > 1 || (!table.rows.empty() && table.by != TopologyBy::kPart);
}

PartTable sites_of_mixture(const trace::Trace& trace, const topology::Recognition& whole,
                           const topology::TopologyOptions& options) {
  constexpr double kMuch = 0.75; // of the messages
  constexpr std::ptrdiff_t kFewestNames = 2;
  constexpr std::ptrdiff_t kMostRows = 16;
  const bool says_much = whole.topology.kind != topology::TopologyKind::kIrregular &&
                         whole.accuracy(topology::WeightMeasure::kMessages) >= kMuch;
  if (says_much || trace.sites.empty()) return {};
  PartTable table = part_table(trace, TopologyBy::kSite, options);
  const auto named = std::count_if(table.rows.begin(), table.rows.end(),
                                   [](const PartRow& row) { return row.has_name; });
  const auto rows = std::count_if(table.rows.begin(), table.rows.end(),
                                  [](const PartRow& row) { return !row.topology.empty(); });
  return named >= kFewestNames && rows <= kMostRows ? std::move(table) : PartTable{};
}

namespace {

std::string name_of(const PartRow& row) {
  const std::string what = row.topology.empty() ? "-" : row.topology;
  return (row.is_inner ? "  " : "") + what + (row.direction.empty() ? "" : ", " + row.direction);
}

// What all rows of a table decide.
struct PartColumns {
  explicit PartColumns(const PartTable& table) : by(table.by) {
    for (const PartRow& row : table.rows) {
      if (!shows(row)) {
        ++left_out;
        continue;
      }
      if (!row.is_inner) all += row.traffic;
      name_width = std::max(name_width, name_of(row).size());
      has_collectives = has_collectives || row.collective_calls > 0;
    }
  }
  bool shows(const PartRow& row) const {
    return !row.topology.empty() || by == TopologyBy::kCommunicator;
  }
  std::string collectives(const PartRow& row) const {
    return has_collectives
               ? fmt::format("{:>11}  ", human_count(static_cast<double>(row.collective_calls)))
               : "";
  }

  TopologyBy by;
  topology::Traffic all;
  std::size_t name_width = std::string_view("topology").size();
  bool has_collectives = false;
  std::size_t left_out = 0;
};

} // namespace

std::string part_text(const PartTable& table) {
  const PartColumns columns(table);
  const auto line = [&](const std::string& name, const std::string& messages,
                        const std::string& bytes, const std::string& collectives,
                        const std::string& where) {
    return fmt::format("{:<{}}  {:>8}  {:>8}  {}{}\n", name, columns.name_width, messages, bytes,
                       collectives, where);
  };
  std::string text =
      "\n" + line("topology", "messages", "bytes", columns.has_collectives ? "collectives  " : "",
                  part_groupings()[static_cast<std::size_t>(table.by)]);
  for (const PartRow& row : table.rows) {
    if (columns.shows(row))
      text += line(name_of(row), share_text(row.traffic.messages, columns.all.messages),
                   share_text(row.traffic.bytes, columns.all.bytes), columns.collectives(row),
                   row.where);
  }
  if (columns.left_out > 0)
    text += fmt::format("and {} with collectives only (--json has them)\n", columns.left_out);
  for (const std::string& remark : table.remarks) text += remark + "\n";
  return text;
}

nlohmann::json part_json(const PartTable& table) {
  nlohmann::json result = nlohmann::json::array();
  for (const PartRow& row : table.rows) {
    if (!row.is_inner) result.push_back(row.json);
  }
  return result;
}

} // namespace rondo::present
