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
// they hold for: "if west:", "if not west:", "ranks 0-3:".
#pragma once

#include "rondo/base/result.hpp"
#include "rondo/logical/accuracy.hpp"
#include "rondo/logical/logical_program.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace rondo::logical {

struct Statement;

/// What a statement stands for: executions of one call of the merged program. Not in the text.
struct CallShare {
  std::uint32_t call = 0; // into MergedProgram::calls; it may stand at several places
  CallsAndBytes all; // executions of all ranks at all places, and what they send
  std::uint64_t surplus = 0; // executions above those of the rank with the fewest
};

/// A word of a call as it was put together; not in the text, and not in one that was read.
struct SaidWord {
  enum class Kind : std::uint8_t { kPeer, kNumber, kObject, kOther };
  /// Of a remark, what others look for.
  enum class Remark : std::uint8_t { kOther, kTag, kComm, kNewComm };
  Kind kind = Kind::kOther;
  std::string before; // "tag ", "key="
  std::string text;
  std::string name; // of a parameter in its place, "tag"; empty: it cannot be one
  bool is_remark = false;
  std::int64_t least = 0; // of kNumber; none if above `most`
  std::int64_t most = -1;
  std::vector<std::int64_t> values{}; // of kNumber: all of them, ascending, if they are few
  /// Of kNumber, where it makes a communicator and depends on the rank: by cell. Copies share it.
  std::shared_ptr<const std::map<std::int64_t, std::int64_t>> number_of_cell{};
  Remark remark = Remark::kOther;
};

/// A call in words that depend on neither the ranks' numbers nor the run.
struct CallStatement {
  std::string name; // "isend"
  std::string what; // "east 5 double", "10 int"
  std::vector<std::string> remarks; // "tag 1", "root 0", "on rows"
  std::uint64_t executions = 0; // of all ranks at this place; not in the text
  std::uint64_t most_here = 0; // executions of a rank at this place; not in the text
  double before_ns = 0; // mean computation before it; 0 without times
  std::vector<std::size_t>
      peer_topologies{}; // that its peers are directions of, ascending; not in the text
  std::vector<CallShare> shares{}; // not in the text
  std::vector<std::uint32_t> sites{}; // of the recorded trace, ascending; not in the text
  bool makes_comm = false; // or would on other ranks; not in the text
  std::uint32_t place = ~std::uint32_t{0}; // as LogicalProgram::places has it; not in the text
  std::string places{}; // those sites in words, "x_solve.f:120, 135"; empty: not said
  std::vector<SaidWord> words{}; // that `what` and `remarks` are made of, in their order
  double inside_ns = 0; // mean time inside it; 0 without times; not in the text
  std::string text() const;
};

struct LoopStatement {
  std::string count; // "249", "1..20 (mean 10)"
  std::vector<Statement> body;
  bool is_by_rank = false; // not all ranks that enter it have the same count; not in the text
  /// Then, by cell, if it is one; likewise. Copies of the statement share it.
  std::shared_ptr<const std::map<std::int64_t, std::int64_t>> count_of_rank{};
};

/// From here to the next one, or to the end of the body, messages follow these topologies.
struct PhaseStatement {
  std::uint64_t number = 1; // in the order of the text
  std::vector<std::string> topologies; // PeerTopologyWords::name
  std::vector<std::string> communicators; // of its messages; empty: MPI_COMM_WORLD only
};

struct GuardStatement {
  std::string condition; // "west", "not west", "ranks 0-3"
  std::vector<Statement> body;
};

/// What a parameter of a procedure stands for.
struct Argument {
  std::string name;
  std::string value; // in a procedure also "$tag" or "$tag+1", of its own parameters
};

/// The procedure with this name stands here.
struct InvokeStatement {
  std::string name;
  std::vector<Argument> arguments{}; // of all its parameters, in their order
};

struct Statement {
  std::variant<CallStatement, LoopStatement, GuardStatement, PhaseStatement, InvokeStatement> is;
};

/// Statements that stand in several places, written once.
struct Procedure {
  std::string name; // "part_1"
  std::vector<std::string> parameters{}; // "tag": in the statements "$tag" or "$tag+1"
  std::vector<Statement> statements{}; // which call procedures before it only
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
struct PeerTopologyWords {
  std::string name; // "4x4 torus"; "4x4 torus 2" if another one has this name
  std::vector<std::string> directions;
};

/// What only some of the ranks do, where no direction tells them from the others.
struct RankDifference {
  std::string ranks; // "ranks 0-3"; "others" for several sets in one
  std::uint64_t records = 0; // calls and loops in the text
  CallsAndBytes all; // that they make and send
};

struct BeyondTopology {
  std::vector<RankDifference> sets; // most calls first
  std::uint64_t loops = 0; // below no such set, whose counts differ by rank
  std::uint64_t surplus = 0; // calls in them above those of the rank with the fewest
  std::uint64_t all_calls = 0; // of the run, of any kind; 0 if nothing is beyond the topology
};

struct LogicalText {
  struct Part {
    std::string ranks; // "ranks 0-3"; empty if there is one part
    std::vector<Statement> statements;
  };
  std::string program; // the command without its arguments
  std::int64_t ranks = 0;
  std::vector<PeerTopologyWords> peer_topologies;
  std::string led_by; // "in turn by all ranks", from whom ranks are counted; empty: they are not
  std::vector<Procedure> procedures; // see procedures.hpp
  std::vector<Part> parts;
  CallsAndBytes all; // point to point
  CallsAndBytes outside; // off the topology
  BeyondTopology beyond;
  std::vector<LocalCalls> local; // most calls first
  bool is_lossless = false; // what is off the topology is in the text

  std::size_t records() const; // a procedure is one too, and each call of it
};

/// @param off  what to leave out; nullptr leaves out nothing
LogicalText text_of(const LogicalProgram& logical, const OffTopology* off);

/// Whether a text by the flow of control says less than the order of calls did: which of several
/// peers a round has, or in which rounds a call comes.
/// @complexity  O(statements)
bool leaves_open(const LogicalText& text);

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
