// SPDX-License-Identifier: Apache-2.0
// rondo matrix: who sends how much to whom, in a file, as a picture or in the terminal.
#include "cli/commands.hpp"
#include "cli/common.hpp"
#include "cli/open_trace.hpp"
#include "present/matrix/file_table.hpp"
#include "present/matrix/matrix_output.hpp"
#include "present/matrix/matrix_text.hpp"
#include "present/matrix/other_table.hpp"
#include "present/matrix/traffic_share.hpp"
#include "rondo/base/units.hpp"
#include "rondo/matrix/filter.hpp"
#include "rondo/matrix/other_processes.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/core.h>

namespace rondo::cli {
namespace {

using matrix::CommunicationMatrix;
using matrix::Measure;

struct MatrixOptions {
  std::string file;
  std::optional<std::string> output;
  std::string quantity = "bytes";
  std::string filter;
  std::string scale = "auto";
  std::string title;
  std::string comm;
  std::vector<std::string> calls;
  std::vector<std::string> layers;
  std::string collectives = "neighbors";
  bool grey = false;
  bool json = false;
  bool force = false;
};

bool has_layer(const MatrixOptions& options, const char* name) {
  const auto& chosen = options.layers;
  return chosen.empty() || std::find(chosen.begin(), chosen.end(), name) != chosen.end();
}

// Files are a table of ranks and files, other processes one of ranks and processes; messages are a
// matrix of ranks and ranks.
bool wants_tables_alone(const MatrixOptions& options) {
  return !options.layers.empty() && !has_layer(options, "point-to-point") &&
         !has_layer(options, "one-sided");
}

// Functions and communicators choose among messages.
bool wants_table(const MatrixOptions& options, const char* name) {
  return has_layer(options, name) && options.calls.empty() && options.comm.empty();
}

Result<matrix::TrafficOptions> traffic_options(const MatrixOptions& options) {
  matrix::TrafficOptions result;
  result.calls = options.calls;
  result.point_to_point = has_layer(options, "point-to-point");
  result.one_sided = has_layer(options, "one-sided");
  const auto collectives = matrix::parse_collective_counting(options.collectives);
  if (!collectives) return propagate(collectives);
  result.collectives = *collectives;
  const bool is_default = result.collectives == matrix::CollectiveCounting::kNeighbors;
  if (is_default && !result.point_to_point) result.collectives = matrix::CollectiveCounting::kNone;
  return result;
}

present::ScaleKind scale_of(const std::string& name) {
  if (name == "linear") return present::ScaleKind::kLinear;
  return name == "log" ? present::ScaleKind::kLogarithmic : present::ScaleKind::kAuto;
}

std::string plural(std::uint64_t count, const std::string& noun) {
  return human_count(static_cast<double>(count)) + " " + noun + (count == 1 ? "" : "s");
}

std::string totals(const CommunicationMatrix& shown) {
  if (shown.entries().empty()) return "no messages\n";
  const auto pairs = static_cast<double>(shown.entries().size());
  const auto ranks = static_cast<double>(shown.ranks());
  return fmt::format("{} of {} {}: {}, {}\n", human_count(pairs),
                     plural(static_cast<std::uint64_t>(ranks * ranks), "pair"),
                     ranks == 1 ? "talks" : "talk", plural(shown.total_messages(), "message"),
                     human_bytes(static_cast<double>(shown.total_bytes())));
}

// What the options say, ready to work with.
struct Request {
  matrix::TrafficOptions traffic;
  Measure measure;
  std::optional<double> filter;
  present::MatrixWriteOptions write;
};

Result<Request> request_of(const MatrixOptions& options) {
  Request request;
  const auto traffic = traffic_options(options);
  if (!traffic) return propagate(traffic);
  request.traffic = *traffic;
  const auto quantity = matrix::parse_quantity(options.quantity);
  if (!quantity) return propagate(quantity);
  request.measure.quantity = *quantity;
  if (!options.filter.empty()) {
    const auto fraction = parse_fraction(options.filter);
    if (!fraction) return propagate(fraction);
    request.filter = *fraction;
  }
  request.write.overwrite = options.force ? Overwrite::kReplace : Overwrite::kRefuse;
  request.write.picture.scale = scale_of(options.scale);
  request.write.picture.title = options.title;
  if (options.grey) request.write.picture.palette = present::Palette::kGrey;
  if (options.json) request.write.format = matrix::MatrixFormat::kJson;
  if (!options.output) return request;
  if (!options.json) {
    const auto format = matrix::format_of(*options.output);
    if (!format) return propagate(format);
  }
  if (auto ready = check_output(*options.output, request.write.overwrite); !ready) {
    return propagate(ready);
  }
  return request;
}

std::string share_text(const MatrixInput& input, const Request& request) {
  if (!input.trace) return "";
  const present::TrafficShare share =
      present::traffic_share(*input.trace, input.matrix, request.traffic);
  std::string text = share.here + "\n";
  if (!share.elsewhere.empty()) text += "not counted: " + share.elsewhere + "\n";
  return text + "\n";
}

// What a matrix has no place for.
struct Tables {
  std::optional<matrix::FileTraffic> files{};
  std::optional<matrix::OtherTraffic> others{};

  std::string text() const {
    std::string text = files ? present::file_table_text(*files) : "";
    const std::string of_others = others ? present::other_table_text(*others) : "";
    return text + (text.empty() || of_others.empty() ? "" : "\n") + of_others;
  }
};

Tables tables_of(const trace::Trace& trace, const MatrixOptions& options) {
  Tables tables;
  if (wants_table(options, "files")) tables.files = matrix::file_traffic_of(trace);
  if (wants_table(options, "spawned")) tables.others = matrix::other_traffic_of(trace);
  return tables;
}

int show(const MatrixInput& input, const CommunicationMatrix& shown, const Request& request,
         const Tables& tables) {
  const CommunicationMatrix& all = input.matrix;
  present::TextOptions text;
  text.measure = request.measure;
  text.scale = request.write.picture.scale;
  text.columns = std::max(terminal_columns(), 40);
  text.colour = is_colour_wanted();
  const auto map = present::matrix_text(shown, text);
  if (!map) return complain(map.error());
  std::string left_out;
  if (request.filter) {
    left_out = fmt::format(
        "left out: {} below {:g} % of the heaviest, {}, {}\n",
        plural(all.entries().size() - shown.entries().size(), "pair"), 100 * *request.filter,
        plural(all.total_messages() - shown.total_messages(), "message"),
        human_bytes(static_cast<double>(all.total_bytes() - shown.total_bytes())));
  }
  const std::string table = tables.text();
  return put(share_text(input, request) + *map + "\n" + totals(shown) + left_out +
             (table.empty() ? "" : "\n" + table));
}

Status check_tables(const MatrixOptions& options) {
  if (!options.calls.empty() || !options.comm.empty() ||
      options.collectives != MatrixOptions{}.collectives || !options.filter.empty()) {
    return fail(ErrorCode::kUsage,
                "--layers files and spawned list what is no pair of ranks; --calls, --comm, "
                "--collectives and --filter choose among messages",
                {options.file, {}, {}, {}});
  }
  if (!options.output || options.json || options.output->ends_with(".json")) return {};
  const std::string& path = *options.output;
  const ErrorPlace place{path, {}, {}, {}};
  if (path != "-" && !path.ends_with(".csv"))
    return fail(ErrorCode::kUsage,
                "files and other processes are written as .csv or .json, not as a matrix of ranks",
                place);
  if (options.layers.size() > 1)
    return fail(ErrorCode::kUsage, "is CSV of one kind: choose --layers files or spawned", place);
  return {};
}

// Tables in place of a matrix.
int list_tables(const MatrixOptions& options) {
  if (const auto good = check_tables(options); !good) return complain(good.error());
  const auto trace = open_trace(options.file);
  if (!trace) return complain(trace.error());
  const Tables tables = tables_of(*trace, options);
  if (options.json || (options.output && options.output->ends_with(".json"))) {
    std::string lists;
    if (tables.files) lists += ",\n  \"files\": " + present::file_table_json(*tables.files);
    if (tables.others)
      lists += ",\n  \"other_processes\": " + present::other_table_json(*tables.others);
    return put(
        fmt::format("{{\n  \"schema\": 1,\n  \"ranks\": {}{}\n}}\n", trace->run.ranks, lists),
        options.output, options.force);
  }
  if (options.output)
    return put(tables.files ? present::file_table_csv(*tables.files)
                            : present::other_table_csv(*tables.others),
               options.output, options.force);
  const std::string text = tables.text();
  if (!text.empty()) return put(text);
  return put(!tables.others  ? "no files opened through MPI\n"
             : !tables.files ? "no processes outside MPI_COMM_WORLD\n"
                             : "no files, and no processes outside MPI_COMM_WORLD\n");
}

int matrix_of(const MatrixOptions& options) {
  if (wants_tables_alone(options)) return list_tables(options);
  auto request = request_of(options);
  if (!request) return complain(request.error());
  const auto input = open_matrix_input(options.file, request->traffic, options.comm);
  if (!input) return complain(input.error());
  request->measure.seconds = input->seconds;
  request->write.measure = request->measure;
  const bool is_picture = options.output && !options.json;
  if (is_picture && input->trace) {
    request->write.picture.about =
        about_run(*input->trace) + " · " +
        present::traffic_share(*input->trace, input->matrix, request->traffic).here;
  } else if (is_picture) {
    request->write.picture.about = options.file;
  }
  if (auto good = matrix::check_measure(request->measure); !good) {
    return complain(
        Error{ErrorCode::kUsage,
              "does not say how long the run took, which bytes/s needs; choose bytes or "
              "messages",
              {options.file, {}, {}, {}}});
  }
  const CommunicationMatrix shown =
      request->filter ? matrix::filtered(input->matrix, *request->filter, request->measure)
                      : input->matrix;
  Tables tables;
  if (input->trace) tables = tables_of(*input->trace, options);
  if (tables.files) request->write.files = &*tables.files;
  if (tables.others) request->write.others = &*tables.others;
  if (!options.output && !options.json) return show(*input, shown, *request, tables);
  const auto written = present::write_matrix(options.output.value_or("-"), shown, request->write);
  return written ? kDone : complain(written.error());
}

} // namespace

void add_matrix(CLI::App& app, Chosen& chosen) {
  auto options = std::make_shared<MatrixOptions>();
  CLI::App* command =
      app.add_subcommand("matrix", "Who sends how much to whom: file, picture or terminal map");
  command
      ->add_option(
          "file", options->file,
          "A .rondo archive, or a .csv (src,dst,messages,bytes) or .mtx; - is CSV from stdin")
      ->required()
      ->type_name("FILE");
  add_output(*command, options->output,
             "Write .csv .mtx .npy .json .svg or .png, by extension; - is CSV on stdout");
  command->add_option("--quantity", options->quantity, "What to show: messages, bytes or bytes/s")
      ->capture_default_str()
      ->type_name("WHAT");
  command
      ->add_option("--filter", options->filter,
                   "Leave out pairs below this share of the heaviest, such as 5%")
      ->type_name("SHARE");
  command->add_option("--calls", options->calls, "Only messages of these functions")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("NAME,...");
  command
      ->add_option(
          "--comm", options->comm,
          "Only on this communicator: MPI_COMM_WORLD, MPI_COMM_SELF, or one the program made, by "
          "the name that 'rondo print' has for it: its own, or split#1, dup#2")
      ->type_name("COMM");
  command
      ->add_option("--layers", options->layers,
                   "Only these kinds of traffic: point-to-point, one-sided, files, spawned (with "
                   "processes outside MPI_COMM_WORLD: spawned ones, parents, connected ones; "
                   "default: all)")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->check(CLI::IsMember({"point-to-point", "one-sided", "files", "spawned"}))
      ->type_name("KIND,...");
  command->add_option("--scale", options->scale, "Of shades and colours: auto, linear or log")
      ->check(CLI::IsMember({"auto", "linear", "log"}))
      ->capture_default_str()
      ->type_name("KIND");
  command->add_option("--title", options->title, "Of a picture")->type_name("TEXT");
  command->add_flag("--grey", options->grey, "A picture in grey, darker for more");
  add_collectives(*command, options->collectives);
  add_json(*command, options->json);
  add_force(*command, options->force);
  command->footer(
      "Without -o or --json a map for the terminal is printed.\n"
      "A message is what a point-to-point call sends; each start of a persistent send is one.\n"
      "A one-sided call is one in the direction of its data: a put to the target, a get from it.\n"
      "Neighbourhood collectives send to the neighbours that the program has named, and stand "
      "with\n"
      "point-to-point calls; --collectives none leaves them out.\n"
      "--collectives adds those of collective operations: paper counts them to the root and back\n"
      "(without a root: rank 0), pairs the same but alltoall straight from each rank to each, "
      "algorithm\nby the algorithms of MPI libraries, as rondo simulate has them.\n"
      "Files stand below the map and in JSON: bytes read and written by rank; --layers files has\n"
      "them alone, also as CSV (file,rank,direction,kind,calls,bytes). So do messages to "
      "processes\n"
      "outside MPI_COMM_WORLD: --layers spawned, CSV (layer,comm,rank,process,messages,bytes).\n"
      "CSV and JSON always hold messages and bytes; the other files hold the one quantity.\n"
      "Examples:\n"
      "  rondo matrix app.rondo\n"
      "  rondo matrix app.rondo -o app.png --quantity messages\n"
      "  rondo matrix app.rondo --calls MPI_Isend --filter 5% -o app.csv\n"
      "  rondo matrix app.rondo --collectives paper --grey --quantity messages -o density.svg\n"
      "  rondo matrix app.rondo --layers files -o files.csv\n"
      "  rondo matrix app.csv -o app.npy --force");
  command->callback([options, &chosen] { chosen.run = [options] { return matrix_of(*options); }; });
}

} // namespace rondo::cli
