// SPDX-License-Identifier: Apache-2.0
// A program in lines that are not a text yet: what stands where can still be changed, and what is
// said of times behind a line is put together last.
//
//   const ProgramLines lines = lines_of_merged(trace, 0, {});
//   lines.lines[3].call.text(); // "MPI_Send(count=1, ...)"
#pragma once

#include "rondo/trace/program_text.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace rondo::trace {

class LinesOfProgram; // the times of its terms

/// A call in words, argument by argument.
struct CallWords {
  struct Argument {
    std::string name;
    std::string text;
    bool is_outcome = false; // stands behind the arrow
    FieldKind kind = FieldKind::kText;
    bool is_array = false;
    bool is_in_order = false; // the text has values in the order of the ranks
    /// Of an integer or tag all values, of all ranks and times; least > most: not known.
    std::int64_t least = 0;
    std::int64_t most = -1;
  };
  std::string function; // of a marker all that there is to say
  std::vector<Argument> arguments;
  bool is_marker = false;
  std::string text() const;
};

struct ProgramLine {
  enum class Kind : std::uint8_t { kCall, kLoop, kGuard };
  Kind kind = Kind::kCall;
  int depth = 0; // one more than that of the loop or guard around it
  std::string head{}; // of a loop its trip counts, of a guard "ranks 0-3"
  std::shared_ptr<const RankSet> ranks{}; // of a guard
  CallWords call{};
  std::string site{}; // in words
  std::uint32_t site_number = 0; // of the first of its calls
  /// Calls that stand here, by their numbers in the order of printing: several where ranks make
  /// calls that read the same at the same time.
  std::vector<std::uint32_t> terms{};
  std::string text() const;
};

struct ProgramLines {
  RankSet ranks; // that execute it
  std::vector<ProgramLine> lines;
  std::string remark; // a last line; empty or with its line feed
  std::shared_ptr<const LinesOfProgram> times; // nullptr: not wanted
};

/// The lines of program_text() and merged_text().
ProgramLines lines_of_rank(const Trace& trace, const RankClass& c, std::int64_t rank,
                           const ProgramTextOptions& options);
ProgramLines lines_of_merged(const Trace& trace, std::size_t index,
                             const ProgramTextOptions& options);

/// "# 12 local calls left out: 8 MPI_Type_commit, 4 MPI_Group_incl; --all shows them" with its line
/// feed, of all ranks or one; empty if there are none.
std::string local_calls_remark(const Trace& trace, std::optional<std::int64_t> rank);

/// A call of one of several programs.
struct PlacedTerm {
  std::size_t program = 0;
  std::uint32_t term = 0;
};

/// The number of the line where a call stands; 0 if it is not printed.
using LineOfTerm = std::function<std::size_t(PlacedTerm)>;

/// "1.6 ms before, 49 ms inside, shared with lines 9, 12": means over all calls of a line.
/// @param terms  of the line; of all there is one sum
std::string times_of_line(const std::vector<ProgramLines>& programs,
                          const std::vector<PlacedTerm>& terms, const LineOfTerm& line_of);

/// "  # 1.6 ms before, x.c:12"; nothing of nothing.
std::string remark_of_line(const std::string& times, const std::string& site);

} // namespace rondo::trace
