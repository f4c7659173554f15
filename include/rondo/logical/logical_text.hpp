// SPDX-License-Identifier: Apache-2.0
// The logical program as text and as data: loops as loops, peers by their directions, guards where
// not all ranks do a thing. docs/formats/logical.md says what the text is, to the letter.
//
//   program lu.B.16  # 16 ranks, 65 records
//     on 4x4 grid: north, west, east, south
//     bcast 1 int  root 0
//     loop 249:
//       recv west 120..130 double  tag 2
//   # off topology: 0 of 812832 point-to-point calls, 0 of 1264281600 bytes
//
// What goes to a direction is done by the ranks for which it exists. Other guards stand above what
// they hold for: "if west:", "if not west:", "ranks 0-3:" (cells).
#pragma once

#include "rondo/base/result.hpp"
#include "rondo/logical/accuracy.hpp"
#include "rondo/logical/logical_program.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace rondo::logical {

struct Statement;

/// A call in words that depend on neither the ranks' numbers nor the run.
struct CallStatement {
  std::string name; // "isend"
  std::string what; // "east 5 double", "10 int"
  std::vector<std::string> remarks; // "tag 1", "root 0", "on rows"
  std::uint64_t executions = 0; // of all ranks; not in the text
  double before_ns = 0; // mean computation before it; 0 without times
  std::string text() const;
};

struct LoopStatement {
  std::string count; // "249", "1..20 (mean 10)"
  std::vector<Statement> body;
};

struct GuardStatement {
  std::string condition; // "west", "not west", "ranks 0-3"
  std::vector<Statement> body;
};

struct Statement {
  std::variant<CallStatement, LoopStatement, GuardStatement> is;
};

/// One list of statements for each merged program: one for almost all runs.
/// @param left_out  as OffTopology has it; empty: everything is written
/// @complexity      O(terms * ranks)
std::vector<std::vector<Statement>>
statements_of(const LogicalProgram& logical, const std::vector<std::vector<bool>>& left_out = {});

/// Calls and loops among the statements: the paper's records. Loops whose bodies say the
/// same but for trip counts, as one that is entered at several places does, count once.
std::size_t records_of(const std::vector<Statement>& statements);

/// A topology and the directions in it.
struct GroundWords {
  std::string name; // "4x4 torus"; "4x4 torus 2" if another one has this name
  std::vector<std::string> directions;
};

struct LogicalText {
  struct Part {
    std::string ranks; // "ranks 0-3"; empty if there is one part
    std::vector<Statement> statements;
  };
  std::string program; // the command without its arguments
  std::int64_t ranks = 0;
  std::vector<GroundWords> grounds;
  std::vector<Part> parts;
  CallsAndBytes all; // point to point
  CallsAndBytes outside; // off the topology
  bool is_lossless = false; // what is off the topology is in the text

  std::size_t records() const;
};

/// @param off  what to leave out; nullptr leaves out nothing
LogicalText text_of(const LogicalProgram& logical, const OffTopology* off);

struct LogicalTextOptions {
  bool times = true;
  int indent = 2;
};

std::string logical_text(const LogicalText& text, const LogicalTextOptions& options = {});

/// Reads what logical_text() wrote, two blanks to a level. Writing the result again gives `text`.
/// @param file  for errors
/// @error       kFormat with the line
/// @complexity  O(length)
Result<LogicalText> parse_logical_text(std::string_view text, const std::string& file);

} // namespace rondo::logical
