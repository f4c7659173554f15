// SPDX-License-Identifier: Apache-2.0
// rondo topology: names what the ranks form.
#include "cli/commands.hpp"
#include "cli/commands/topology_families.hpp"
#include "cli/common.hpp"
#include "cli/session.hpp"
#include "cli/walk.hpp"
#include "present/matrix/traffic_share.hpp"
#include "present/topology/explanation.hpp"
#include "present/topology/headline.hpp"
#include "present/topology/near.hpp"
#include "present/topology/part_table.hpp"
#include "present/topology/topology_answer.hpp"
#include "present/topology/topology_file.hpp"
#include "rondo/base/escape.hpp"
#include "rondo/topology/groups.hpp"
#include "rondo/topology/recognize.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
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
  std::string collectives = "neighbors";
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

// What the options ask for, checked before any long work.
struct TopologyRequest {
  topology::TopologyOptions settings;
  double tolerance = 0;
  std::optional<present::TopologyFormat> format;
  matrix::TrafficOptions traffic;
};

Result<TopologyRequest> request_of(const TopologyCommandOptions& options) {
  TopologyRequest request;
  auto settings = recognition_options(options);
  if (!settings) return propagate(settings);
  request.settings = std::move(*settings);
  const auto tolerance = parse_fraction(options.tolerance);
  if (!tolerance) return propagate(tolerance);
  request.tolerance = *tolerance;
  const auto collectives = matrix::parse_collective_counting(options.collectives);
  if (!collectives) return propagate(collectives);
  request.traffic.collectives = *collectives;
  return request;
}

struct TopologyFindings {
  present::PartTable parts;
  present::TopologyAnswer answer;
  std::optional<topology::NearMatch> near;
  present::TrafficShare share;
  std::optional<topology::Explanation> explanation;
};

TopologyFindings findings_of(const TopologyCommandOptions& options, const TopologyRequest& request,
                             const MatrixInput& input) {
  TopologyFindings found;
  const auto& settings = request.settings;
  const auto collectives = request.traffic.collectives;
  if (const auto& trace = input.trace) {
    if (options.by != TopologyBy::kNone) remark_walk(*trace, options.file, Walk::kPlaces);
    found.parts =
        present::part_table(*trace, options.by, settings,
                            std::min(collectives, matrix::CollectiveCounting::kNeighbors));
    found.share = present::traffic_share(*trace, input.matrix, request.traffic);
  }
  const auto graph = topology::Graph::from_matrix(input.matrix);
  const bool has_collectives = collectives > matrix::CollectiveCounting::kNeighbors;
  found.answer = present::answer_of(
      present::headline_of(graph, topology::recognize(graph, settings),
                           has_collectives ? present::PartTable{} : found.parts, settings));
  const present::Headline& headline = found.answer.headline;
  if (headline.mixture.empty())
    found.near = topology::nearest(headline.kept, headline.found,
                                   {request.tolerance, settings.measure, settings.families});
  if (options.explain)
    found.explanation = present::explanation_of(headline.kept.adjacency(), settings.families);
  return found;
}

nlohmann::json json_of(const TopologyFindings& found, bool has_trace) {
  nlohmann::json json = has_trace ? present::topology_json(found.answer, found.parts, found.share)
                                  : present::topology_json(found.answer);
  if (found.near) json["nearest"] = present::near_json(*found.near);
  if (found.explanation) json["explanation"] = present::explanation_json(*found.explanation);
  return json;
}

// The picture or file that -o asks for.
Result<std::string> file_of(const TopologyCommandOptions& options, const TopologyRequest& request,
                            const MatrixInput& input, const TopologyFindings& found) {
  if (*request.format == present::TopologyFormat::kJson)
    return escape::json_text(json_of(found, input.trace.has_value())) + "\n";
  const present::Headline& headline = found.answer.headline;
  return present::topology_file(
      {input.matrix, headline.kept, headline.found, found.near, request.settings.measure,
       headline.mixture.empty() ? std::string() : present::title(headline),
       input.trace ? about_run(*input.trace) + " · " + found.share.here : options.file},
      *request.format);
}

void say_findings(const TopologyCommandOptions& options, const TopologyRequest& request,
                  const MatrixInput& input, TopologyFindings found) {
  const present::Headline& headline = found.answer.headline;
  say(present::traffic_share_text(found.share) + present::topology_text(found.answer, found.near));
  if (options.coordinates) say(present::coordinates_text(headline.found));
  if (found.near) say(present::near_text(*found.near));
  if (input.trace && !options.by_is_chosen && !present::is_worth_showing(found.parts))
    found.parts = present::sites_of_mixture(*input.trace, headline.found, request.settings);
  if (present::is_worth_showing(found.parts)) say(present::part_text(found.parts));
  if (found.explanation) say(present::explanation_text(*found.explanation, headline.kept.ranks()));
}

int topology_of(const TopologyCommandOptions& options) {
  auto request = request_of(options);
  if (!request) return complain(request.error());
  if (options.families.learned_name) return learn_from(options, request->settings);
  const auto format = output_format(options);
  if (!format) return complain(format.error());
  request->format = *format;
  const auto input = open_matrix_input(options.file, request->traffic);
  if (!input) return complain(input.error());
  if (const auto fits = check_grouping(options, input->trace.has_value()); !fits)
    return complain(fits.error());
  if (input->trace) request->settings.suggested = topology::cartesian_grids(*input->trace);
  const TopologyFindings found = findings_of(options, *request, *input);
  if (present::is_worth_showing(found.parts)) warn(options.file, found.parts.warnings);
  if (options.output) {
    const auto bytes = file_of(options, *request, *input, found);
    if (!bytes) return complain(bytes.error());
    if (const int status = put(*bytes, options.output, options.force); status != kDone)
      return status;
  }
  const bool is_recognized = found.answer.headline.found.recognized();
  if (options.json)
    say(escape::json_text(json_of(found, input->trace.has_value())) + "\n");
  else
    say_findings(options, *request, *input, found);
  return options.require && !is_recognized ? kAnswerIsNo : kDone;
}

} // namespace

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
                    "How the name was found: which topologies are left after counting, after "
                    "comparing spectra and after looking for an isomorphism, and how long each "
                    "step took");
  command->add_flag("--require", options->require,
                    "Exit with status 1 if the topology has no exact name");
  command->add_flag(
      "--json", options->json,
      "For programs: JSON, in base units and full precision, with every rank's coordinates");
  command->footer(
      "--collectives adds the messages of collective operations to the graph of the whole, as in\n"
      "rondo matrix; neighbors has those of neighbourhood collectives alone.\n"
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
