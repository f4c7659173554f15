// SPDX-License-Identifier: Apache-2.0
// What several commands need: opening their input, writing their output, and options that mean the
// same everywhere.
#pragma once

#include "present/words.hpp"
#include "rondo/base/files.hpp"
#include "rondo/base/result.hpp"
#include "rondo/matrix/communication_matrix.hpp"
#include "rondo/matrix/trace_traffic.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace CLI {
class App;
}

namespace rondo::cli {

using present::about_run;
using present::count_of;
using present::counted;

struct MatrixInput {
  matrix::CommunicationMatrix matrix;
  double seconds = 0; // length of the run, 0 if the file does not say
  std::optional<trace::Trace> trace{}; // of an archive
};

/// Opens a matrix file (.csv or .mtx, "-" is CSV from standard input) or makes the matrix of an
/// archive (any other name). What a trace did not let us count is said on stderr.
/// @param comm  only messages on this communicator, as trace::CommunicatorNames has it; empty: all
/// @error  those of read_matrix(), archive::read() and matrix_of(); kUsage for traffic options on a
///         matrix file, and for a communicator that the run does not have
Result<MatrixInput> open_matrix_input(const std::string& path,
                                      matrix::TrafficOptions options = matrix::shown_by_default(),
                                      const std::string& comm = {});

/// The matrix alone.
Result<matrix::CommunicationMatrix> open_matrix(const std::string& path);

/// Prints each sentence on stderr, "rondo: FILE: ...".
void warn(const std::string& file, const std::vector<std::string>& sentences);

/// Writes a result: to standard output if `path` is unset or "-", else as write_file() does.
/// @return  an exit status; errors have been printed
int put(const std::string& text, const std::optional<std::string>& path = {}, bool force = false);

/// A share such as "5%" or "0.05", as a number in [0, 1].
/// @error  kUsage; a number above 1 without % is refused, as it could mean either
Result<double> parse_fraction(std::string_view text);

/// Colour is for terminals, and NO_COLOR forbids it.
bool is_colour_wanted();
/// Columns of the terminal on stdout; if it is none, what COLUMNS says, else 100.
int terminal_columns();

// Options with one wording in all commands.
void add_json(CLI::App& command, bool& json);
void add_output(CLI::App& command, std::optional<std::string>& path, const std::string& what);
void add_collectives(CLI::App& command, std::string& counting); // for parse_collective_counting()
void add_force(CLI::App& command, bool& force);

} // namespace rondo::cli
