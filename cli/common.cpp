// SPDX-License-Identifier: Apache-2.0
#include "cli/common.hpp"

#include "cli/commands.hpp"
#include "cli/open_trace.hpp"
#include "cli/session.hpp"
#include "rondo/base/units.hpp"
#include "rondo/convert/detect.hpp"
#include "rondo/matrix/matrix_files.hpp"
#include "rondo/trace/communicator_names.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fmt/core.h>
#include <sys/ioctl.h>
#include <unistd.h>

namespace rondo::cli {
namespace {

bool is_matrix_file(const std::string& path) {
  return path == "-" || path.ends_with(".csv") || path.ends_with(".mtx");
}

} // namespace

Result<MatrixInput> open_matrix_input(const std::string& path, matrix::TrafficOptions options,
                                      const std::string& comm) {
  const ErrorPlace place{path, {}, {}, {}};
  if (is_matrix_file(path)) {
    const bool has_collectives = options.collectives > matrix::CollectiveCounting::kNeighbors;
    if (!options.calls.empty() || !comm.empty() || options.comm || options.senders ||
        has_collectives) {
      return fail(ErrorCode::kUsage,
                  "a matrix file does not say which call sent a message; give a .rondo archive",
                  place);
    }
    auto read = matrix::read_matrix(path);
    if (!read) return propagate(read);
    return MatrixInput{std::move(*read)};
  }
  auto trace = open_trace(path);
  std::error_code ignored;
  const bool is_nothing = !path.ends_with(".rondo") && !convert::detect_input(path) &&
                          !std::filesystem::is_directory(path, ignored);
  if (!trace && trace.error().code == ErrorCode::kFormat && is_nothing &&
      convert::named_as(path).empty()) {
    return fail(ErrorCode::kFormat,
                "is no .rondo archive, and its name ends neither in .csv nor in .mtx", place);
  }
  if (!trace) return propagate(trace);
  if (!comm.empty()) {
    const trace::CommunicatorNames names(*trace);
    options.comm = names.slot_of(comm);
    if (!options.comm) return fail(ErrorCode::kUsage, names.unknown(comm), place);
  }
  auto made = matrix::matrix_of(*trace, options);
  if (!made) return fail(made.error().code, made.error().message, place);
  warn(path, made->loss.sentences());
  const double seconds = matrix::seconds_of(*trace);
  return MatrixInput{std::move(made->matrix), seconds, std::move(*trace)};
}

Result<matrix::CommunicationMatrix> open_matrix(const std::string& path) {
  auto input = open_matrix_input(path);
  if (!input) return propagate(input);
  return std::move(input->matrix);
}

void warn(const std::string& file, const std::vector<std::string>& sentences) {
  for (const std::string& sentence : sentences) {
    remark(file + ": " + sentence);
  }
}

int put(const std::string& text, const std::optional<std::string>& path, bool force) {
  if (session() != nullptr && path.value_or("-") == "-") {
    say(text);
    return kDone;
  }
  std::fflush(stdout);
  const auto written =
      write_file(path.value_or("-"), text, force ? Overwrite::kReplace : Overwrite::kRefuse);
  return written ? kDone : complain(written.error());
}

Result<double> parse_fraction(std::string_view text) {
  std::string_view number = text;
  const bool is_percent = number.ends_with('%');
  if (is_percent) number.remove_suffix(1);
  while (number.ends_with(' ')) number.remove_suffix(1);
  double value = 0;
  const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
  const bool is_number = error == std::errc{} && end == number.data() + number.size();
  const double fraction = is_percent ? value / 100 : value;
  if (is_number && fraction >= 0 && fraction <= 1) return fraction;
  return fail(ErrorCode::kUsage,
              fmt::format("'{}' is no share; write it as 5% or 0.05, between 0 and 100%", text));
}

bool is_colour_wanted() {
  const char* forbidden = std::getenv("NO_COLOR");
  return ::isatty(STDOUT_FILENO) == 1 && (forbidden == nullptr || *forbidden == '\0');
}

int terminal_columns() {
  constexpr int kDefault = 100;
  winsize size{};
  const bool is_known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  if (is_known) return size.ws_col;
  const char* wanted = std::getenv("COLUMNS"); // of a pager, or of a script
  const int columns = wanted == nullptr ? 0 : std::atoi(wanted);
  return columns > 0 ? columns : kDefault;
}

void add_json(CLI::App& command, bool& json) {
  command.add_flag("--json", json, "For programs: JSON, in base units and full precision");
}

void add_output(CLI::App& command, std::optional<std::string>& path, const std::string& what) {
  command.add_option("-o,--output", path, what)->type_name("FILE");
}

void add_collectives(CLI::App& command, std::string& counting) {
  command
      .add_option("--collectives", counting,
                  "Messages of collective operations: none, neighbors, paper, pairs or algorithm "
                  "(see below)")
      ->check(CLI::IsMember({"none", "neighbors", "paper", "pairs", "algorithm"}))
      ->capture_default_str()
      ->type_name("HOW");
}

void add_force(CLI::App& command, bool& force) {
  command.add_flag("--force", force, "Replace the output file if it is there");
}

} // namespace rondo::cli
