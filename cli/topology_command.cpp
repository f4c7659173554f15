// SPDX-License-Identifier: Apache-2.0
// rondo topology: names what the ranks form.
#include "cli/commands.hpp"
#include "cli/common.hpp"
#include "cli/part_drawings.hpp"
#include "cli/report_documents.hpp"
#include "cli/session.hpp"
#include "cli/topology_families.hpp"
#include "cli/walk.hpp"
#include "present/matrix/traffic_share.hpp"
#include "present/topology/explanation.hpp"
#include "present/topology/headline.hpp"
#include "present/topology/near.hpp"
#include "present/topology/part_table.hpp"
#include "present/topology/topology_file.hpp"
#include "present/words.hpp"
#include "rondo/base/escape.hpp"
#include "rondo/base/units.hpp"
#include "rondo/topology/direction.hpp"
#include "rondo/topology/groups.hpp"
#include "rondo/topology/offsets.hpp"
#include "rondo/topology/recognize.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fmt/core.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

namespace rondo::cli {
namespace {

using present::TopologyBy;
using topology::FilterKind;
using topology::Recognition;
using topology::WeightMeasure;

struct TopologyCommandOptions {
  std::string file;
  std::string filter = "auto";
  std::string weight = "bytes";
  std::string tolerance = "10%";
  std::string by_word = "part";
  TopologyBy by = TopologyBy::kPart;
  std::string collectives = "none";
  bool by_is_chosen = false;
  std::optional<std::string> output;
  bool force = false;
  bool coordinates = false;
  bool require = false;
  bool explain = false;
  bool json = false;
  FamilyOptions families;
};

// What a matrix file does not have of what the lines of the table stand for.
Status check_grouping(const TopologyCommandOptions& options, bool has_trace) {
  if (has_trace || !options.by_is_chosen || options.by == TopologyBy::kNone) return {};
  const std::string plural = options.by == TopologyBy::kPart   ? "parts of a program"
                             : options.by == TopologyBy::kSite ? "call sites"
                                                               : options.by_word + "s";
  return fail(ErrorCode::kUsage,
              "is a matrix, which has no " + plural +
                  ": leave out --by, or give the .rondo archive of the run",
              {options.file, {}, {}, {}});
}

Result<topology::TopologyOptions> recognition_options(const TopologyCommandOptions& options) {
  topology::TopologyOptions result;
  auto families = families_of(options.families);
  if (!families) return propagate(families);
  result.families = std::move(*families);
  result.measure = options.weight == "messages" ? WeightMeasure::kMessages : WeightMeasure::kBytes;
  if (options.filter == "auto") return result;
  if (options.filter == "none") {
    result.filter = FilterKind::kNone;
    return result;
  }
  const auto fraction = parse_fraction(options.filter);
  if (!fraction) return propagate(fraction);
  result.filter = FilterKind::kFraction;
  result.fraction = *fraction;
  return result;
}

// A tree without a family is a name that says little, so nearer ones are looked for as well.
std::optional<topology::NearMatch> near_of(const topology::Graph& kept, const Recognition& found,
                                           const topology::NearOptions& options) {
  if (found.recognized() && found.topology.kind != topology::Kind::kTree) return std::nullopt;
  if (options.tolerance <= 0) return std::nullopt;
  return topology::nearest(kept, options);
}

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
  return fmt::format("({})  {} pair{}, {}, {}", fmt::join(use.offset, ","), use.edges,
                     use.edges == 1 ? "" : "s", ways_text(use), human_bytes(bytes));
}

void print_irregular(const Recognition& found) {
  const topology::DegreeStatistics& degrees = found.degrees;
  if (degrees.least == degrees.most)
    return fmt::print(
        "{:<12} {} a rank\n", "degrees",
        present::counted(static_cast<std::uint64_t>(degrees.least), "partner", "partners"));
  fmt::print("{:<12} {} to {} partners a rank, {} on average\n", "degrees", degrees.least,
             degrees.most, compact_number(degrees.mean));
}

void print_line(const char* name, const std::string& value) {
  if (!value.empty()) fmt::print("{:<12} {}\n", name, value);
}

void print_filtered(const Recognition& found, const present::Headline& headline) {
  for (std::size_t i = 0; i < headline.light.size(); ++i)
    print_line(i == 0 ? "light" : "", headline.light[i]);
  if (found.filtered.edges == 0 || !headline.light.empty()) return;
  const std::string with = found.filtered.with.empty() ? "" : "; with them " + found.filtered.with;
  print_line("light",
             fmt::format("{} with {}, {}{}", counted(found.filtered.edges, "pair", "pairs"),
                         counted(found.filtered.traffic.messages, "message", "messages"),
                         human_bytes(static_cast<double>(found.filtered.traffic.bytes)), with));
}

void print_names(const present::Headline& headline) {
  const Recognition& found = headline.found;
  print_line("topology", present::title(headline));
  std::string aliases;
  for (const topology::Topology& alias : found.aliases)
    aliases += (aliases.empty() ? "" : ", ") + topology::name(alias);
  print_line("also called", aliases);
  print_line("numbering", numbering_text(found));
  if (!found.recognized() && headline.mixture.empty()) print_irregular(found);
  if (found.silent_ranks > 0 && found.topology.kind != topology::Kind::kEmpty)
    print_line("silent",
               counted(static_cast<std::uint64_t>(found.silent_ranks), "rank talks", "ranks talk") +
                   " to nobody");
}

void print_text(const present::Headline& headline, const std::vector<topology::OffsetUse>& offsets,
                const std::string& direction, const TopologyCommandOptions& options) {
  const Recognition& found = headline.found;
  print_names(headline);
  print_filtered(found, headline);
  // an irregular graph explains nothing
  if (found.kept.messages > 0 && found.topology.kind != topology::Kind::kIrregular) {
    print_line("explains", fmt::format("{} of the messages, {} of the bytes",
                                       human_percent(found.accuracy(WeightMeasure::kMessages)),
                                       human_percent(found.accuracy(WeightMeasure::kBytes))));
  }
  if (found.to_self.messages > 0) {
    print_line("to itself",
               fmt::format("{}, {}", counted(found.to_self.messages, "message", "messages"),
                           human_bytes(static_cast<double>(found.to_self.bytes))));
  }
  for (std::size_t i = 0; i < offsets.size(); ++i)
    print_line(i == 0 ? "offsets" : "", offset_line(offsets[i]));
  print_line("direction", direction);
  if (!options.coordinates || !has_cells(found)) return;
  for (std::size_t rank = 0; rank < found.cells.size(); ++rank) {
    fmt::print("rank {:<7} ({})\n", rank, fmt::join(coordinates_of(found, rank), ","));
  }
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

nlohmann::json as_json(const present::Headline& headline,
                       const std::vector<topology::OffsetUse>& offsets) {
  const Recognition& found = headline.found;
  nlohmann::json result = {{"schema", 1},
                           {"topology", present::title(headline)},
                           {"mixture", headline.mixture},
                           {"light", headline.light},
                           {"recognized", found.recognized()},
                           {"copies", found.copies},
                           {"dimensions", dimensions_json(found.topology)},
                           {"aliases", nlohmann::json::array()},
                           {"numbering", numbering_text(found)},
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
  for (const topology::OffsetUse& use : offsets) {
    result["offsets"].push_back({{"offset", use.offset},
                                 {"pairs", use.edges},
                                 {"forward", traffic_json(use.forward)},
                                 {"backward", traffic_json(use.backward)}});
  }
  if (has_cells(found)) {
    for (std::size_t rank = 0; rank < found.cells.size(); ++rank) {
      result["coordinates"].push_back(coordinates_of(found, rank));
    }
  }
  return result;
}

// Of the output, if one is asked for; known before any long work.
Result<std::optional<present::TopologyFormat>>
output_format(const TopologyCommandOptions& options) {
  if (!options.output) return std::optional<present::TopologyFormat>{};
  const auto format = present::topology_format_of(*options.output);
  if (!format) return propagate(format);
  const auto overwrite = options.force ? Overwrite::kReplace : Overwrite::kRefuse;
  if (auto ready = check_output(*options.output, overwrite); !ready) return propagate(ready);
  return std::optional<present::TopologyFormat>{*format};
}

topology::Graph kept_of(const topology::Graph& graph, const Recognition& found,
                        const topology::TopologyOptions& settings) {
  if (found.filtered.edges == 0) return graph;
  return graph.without_light_edges(settings.measure, found.filtered.least_weight);
}

int learn_from(const TopologyCommandOptions& options, const topology::TopologyOptions& settings) {
  const auto path = learned_path(options.families, options.output, options.force);
  if (!path) return complain(path.error());
  const auto matrix = open_matrix(options.file);
  if (!matrix) return complain(matrix.error());
  const auto graph = topology::Graph::from_matrix(*matrix);
  const auto kept = kept_of(graph, topology::recognize(graph, settings), settings);
  return learn(kept.adjacency(), *options.families.learned_name, *path, options.force);
}

// What `--json` says of a run, apart from options.
nlohmann::json headline_json(const present::Headline& headline,
                             const std::vector<topology::OffsetUse>& offsets,
                             const present::PartTable& parts, const present::TrafficShare& share) {
  nlohmann::json json = as_json(headline, offsets);
  json["traffic"] = share.json;
  json["direction"] = topology::describe(topology::direction_of(headline.kept, headline.found));
  json["parts"] = present::part_json(parts);
  return json;
}

int topology_of(const TopologyCommandOptions& options) {
  auto settings = recognition_options(options);
  if (!settings) return complain(settings.error());
  const auto tolerance = parse_fraction(options.tolerance);
  if (!tolerance) return complain(tolerance.error());
  if (options.families.learned_name) return learn_from(options, *settings);
  const auto format = output_format(options);
  if (!format) return complain(format.error());
  matrix::TrafficOptions traffic;
  const auto collectives = matrix::parse_collective_counting(options.collectives);
  if (!collectives) return complain(collectives.error());
  traffic.collectives = *collectives;
  const auto input = open_matrix_input(options.file, traffic);
  if (!input) return complain(input.error());
  if (const auto fits = check_grouping(options, input->trace.has_value()); !fits)
    return complain(fits.error());
  const auto& trace = input->trace;
  if (trace) settings->suggested = topology::cartesian_grids(*trace);
  present::PartTable parts;
  if (trace && options.by != TopologyBy::kNone) remark_walk(*trace, options.file, Walk::kPlaces);
  if (trace) parts = present::part_table(*trace, options.by, *settings);
  const auto graph = topology::Graph::from_matrix(input->matrix);
  const bool has_collectives = *collectives != matrix::CollectiveCounting::kNone;
  const present::Headline headline =
      present::headline_of(graph, topology::recognize(graph, *settings),
                           has_collectives ? present::PartTable{} : parts, *settings);
  const Recognition& found = headline.found;
  const topology::Graph& kept = headline.kept;
  std::vector<topology::OffsetUse> offsets;
  if (has_cells(found)) offsets = topology::offset_usage(kept, found);
  const std::string direction = topology::describe(topology::direction_of(kept, found));
  std::optional<topology::NearMatch> near;
  if (headline.mixture.empty())
    near = near_of(kept, found, {*tolerance, settings->measure, settings->families});
  present::TrafficShare share;
  if (trace) share = present::traffic_share(*trace, input->matrix, traffic);
  std::optional<topology::Explanation> explanation;
  if (options.explain) explanation = present::explanation_of(kept.adjacency(), settings->families);
  if (present::is_worth_showing(parts)) warn(options.file, parts.warnings);
  const bool wants_json = options.json || *format == present::TopologyFormat::kJson;
  nlohmann::json json;
  if (wants_json) {
    json = trace ? headline_json(headline, offsets, parts, share) : as_json(headline, offsets);
    json["direction"] = direction;
    if (near) json["nearest"] = present::near_json(*near);
    if (explanation) json["explanation"] = present::explanation_json(*explanation);
  }
  if (options.output) {
    const auto bytes =
        *format == present::TopologyFormat::kJson
            ? Result<std::string>(escape::json_text(json) + "\n")
            : present::topology_file(
                  {input->matrix, kept, found, near, settings->measure,
                   headline.mixture.empty() ? std::string() : present::title(headline),
                   trace ? about_run(*trace) + " · " + share.here : options.file},
                  **format);
    if (!bytes) return complain(bytes.error());
    if (const int status = put(*bytes, options.output, options.force); status != kDone)
      return status;
  }
  if (options.json) {
    say(escape::json_text(json) + "\n");
  } else {
    print_line("speaks of", share.here);
    print_line("not counted", share.elsewhere);
    print_text(headline, offsets, direction, options);
    if (near) fmt::print("{}", present::near_text(*near));
    if (present::is_worth_showing(parts)) fmt::print("{}", present::part_text(parts));
    if (explanation) say(present::explanation_text(*explanation, kept.ranks()));
  }
  return options.require && !found.recognized() ? kAnswerIsNo : kDone;
}

} // namespace

nlohmann::json topology_document(const trace::Trace& trace,
                                 const matrix::CommunicationMatrix& sent) {
  topology::TopologyOptions settings;
  settings.suggested = topology::cartesian_grids(trace);
  const present::PartTable parts = present::part_table(trace, TopologyBy::kPart, settings);
  const auto graph = topology::Graph::from_matrix(sent);
  const present::Headline headline =
      present::headline_of(graph, topology::recognize(graph, settings), parts, settings);
  std::vector<topology::OffsetUse> offsets;
  if (has_cells(headline.found)) offsets = topology::offset_usage(headline.kept, headline.found);
  const present::TrafficShare share = present::traffic_share(trace, sent, {});
  nlohmann::json json = headline_json(headline, offsets, parts, share);
  json["layout"] = layout_json(headline.kept, headline.found);
  if (trace.run.ranks <= kMostDrawnRanks) {
    draw_parts(json["parts"], parts.parts);
    if (topology::has_phases(trace)) {
      const present::PartTable phases =
          present::part_table(trace, present::TopologyBy::kPhase, settings);
      json["phases"] = present::part_json(phases);
      draw_parts(json["phases"], phases.phases);
    }
  }
  json["speaks_of"] = share.here;
  json["not_counted"] = share.elsewhere;
  const auto near = near_of(headline.kept, headline.found, {0.1, settings.measure, {}});
  if (headline.mixture.empty() && near) json["nearest"] = present::near_json(*near);
  return json;
}

void add_topology(CLI::App& app, Chosen& chosen) {
  auto options = std::make_shared<TopologyCommandOptions>();
  CLI::App* command =
      app.add_subcommand("topology", "Name what the ranks form, whatever their numbers");
  command
      ->add_option("file", options->file,
                   "A .rondo archive, or a matrix (CSV with src,dst,messages,bytes, or .mtx)")
      ->required()
      ->type_name("FILE");
  command
      ->add_option("--filter", options->filter,
                   "Leave out pairs lighter than this share of the heaviest: 5%, none, or auto (at "
                   "a gap between weights)")
      ->capture_default_str()
      ->type_name("SHARE");
  command->add_option("--weight", options->weight, "What a pair weighs")
      ->check(CLI::IsMember({"bytes", "messages"}))
      ->capture_default_str();
  command
      ->add_option("--tolerance", options->tolerance,
                   "What fits no family exactly is called near one if at most this share of the "
                   "family's pairs is missing and at most this share of pairs, or of traffic, is "
                   "extra; 0% for exact names only")
      ->capture_default_str()
      ->type_name("SHARE");
  CLI::Option* by = command->add_option(
      "--by", options->by_word,
      "Of an archive, what stands in the lines of the table: parts of the program with a "
      "pattern of their own, marked phases, communicators, call sites, loops or functions");
  by->check(CLI::IsMember(present::part_groupings()))->capture_default_str();
  add_collectives(*command, options->collectives);
  add_output(
      *command, options->output,
      "Also write the graph with coordinates and weights (.graphml .dot .json), or a picture "
      "of the matrix before and after reordering and of the graph (.png .svg)");
  add_force(*command, options->force);
  add_family_options(*command, options->families);
  command->add_flag("--coordinates", options->coordinates, "List every rank's coordinates");
  command->add_flag("--explain", options->explain,
                    "Which topologies remain after counting, after comparing spectra and after "
                    "searching an isomorphism, and how long each took");
  command->add_flag("--require", options->require,
                    "Exit with status 1 if the topology has no exact name");
  command->add_flag("--json", options->json, "For programs; with coordinates");
  command->footer(
      "--collectives adds the messages of collective operations to the graph of the whole, as in\n"
      "rondo matrix.\n"
      "Examples:\n  rondo topology app.rondo\n  rondo topology matrix.csv --filter 5% "
      "--coordinates\n  rondo topology app.rondo --explain\n  rondo topology app.rondo -o app.png\n"
      "  rondo topology app.rondo --learn mine && rondo topology other.rondo --family mine.family");
  command->callback([options, by, &chosen] {
    options->by = present::parse_topology_by(options->by_word);
    options->by_is_chosen = by->count() > 0;
    chosen.run = [options] { return topology_of(*options); };
  });
}

} // namespace rondo::cli
