// SPDX-License-Identifier: Apache-2.0
// The logical program as text and as data: loops as loops, peers by their directions, guards where
// not all ranks do a thing.
//
//   program lu.B.16  # 16 ranks, 4x4 grid, 65 terms
//     bcast 1 int  root 0
//     loop 249:
//       recv west 120..130 double  tag 2
//
// What goes to a direction is done by the ranks for which it exists. Other guards stand above what
// they hold for: "if west:", "if not west:", "ranks 0-3:" (cells).
#pragma once

#include "rondo/logical/logical_program.hpp"

#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace rondo::logical {

struct Statement;

/// A call in words that depend on neither the ranks' numbers nor the run.
struct CallStatement {
  std::string name; // "isend"
  std::string what; // "east 5 double", "10 int"
  std::vector<std::string> remarks; // "tag 1", "root 0", "on comm 2"
  std::uint64_t executions = 0; // of all ranks
  double before_ns = 0; // mean computation before it; 0 without times
  std::string text() const;
};

struct LoopStatement {
  std::uint32_t loop = 0; // of the merged program: one that is entered at several places has one
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
/// @complexity  O(terms * ranks)
std::vector<std::vector<Statement>> statements_of(const LogicalProgram& logical);

/// Calls and loops among the statements: the paper's records. A loop that is entered at several
/// places counts once.
std::size_t records_of(const std::vector<Statement>& statements);

struct LogicalTextOptions {
  bool times = true;
  int indent = 2;
};

std::string logical_text(const LogicalProgram& logical, const LogicalTextOptions& options);

} // namespace rondo::logical
