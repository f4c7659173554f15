// SPDX-License-Identifier: Apache-2.0
// In the graph of a text's statements, sequences that come again are replaced
// by calls, longest first. Sequences that differ in values only are one with
// parameters.
#include "rondo/logical/procedures.hpp"

#include "logical/procedures/line_counts.hpp"
#include "logical/procedures/procedure_calls.hpp"
#include "logical/procedures/repeated_statements.hpp"
#include "logical/procedures/statement_graph.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <span>
#include <utility>

namespace rondo::logical {
namespace {

using internal::RepeatedStatements;
using internal::StatementGraph;
using internal::Way;

// Lines that a procedure saves, its own counted. What is worth little first can
// stand in the way of what is worth more: which is the shorter text is known
// when both are written.
constexpr std::array<std::int64_t, 4> kWorthAProcedure = {4, 2, 1, 3};
// Arguments of calls that are as much to read as a line.
constexpr std::array<std::int64_t, 3> kArguments = {4, 8, 1};
constexpr int kMostLevels = 16;

// Goes all ways at once, as far as they lead to the same: most of them choose
// alike, and what there is to choose from takes long to find.
class Factoring {
public:
  /// @param frame  the text without its statements, which are in the graph
  /// @param roots  lists of its parts
  Factoring(const LogicalText& frame, const std::vector<std::uint32_t>& roots,
            const std::vector<Way>& ways)
      : frame_(frame), roots_(roots), ways_(ways) {}

  // The shortest text, by the first way that leads there.
  LogicalText run(StatementGraph graph) {
    std::vector<std::size_t> all(ways_.size());
    std::iota(all.begin(), all.end(), std::size_t{0});
    go_on(graph, all, 0);
    return std::move(best_);
  }

private:
  void go_on(StatementGraph& graph, const std::vector<std::size_t>& ways, int level) {
    if (level == kMostLevels) return finish(graph, ways.front());
    RepeatedStatements here(graph, roots_);
    std::map<RepeatedStatements::Choice, std::vector<std::size_t>> by_choice;
    for (const std::size_t way : ways) by_choice[here.chosen(ways_[way])].push_back(way);
    for (const auto& [choice, of_these] : by_choice) {
      if (choice.empty()) {
        finish(graph, of_these.front());
        continue;
      }
      StatementGraph next = here.replaced(choice);
      go_on(next, of_these, level + 1);
    }
  }

  void finish(StatementGraph graph, std::size_t way) {
    LogicalText text = frame_;
    for (std::size_t i = 0; i < roots_.size(); ++i)
      text.parts[i].statements = graph.statements_of(roots_[i], text);
    text = internal::without_poor_procedures(std::move(text));
    const std::pair effort{text.records(), way};
    if (effort >= least_) return;
    least_ = effort;
    best_ = std::move(text);
  }

  const LogicalText& frame_;
  const std::vector<std::uint32_t>& roots_;
  const std::vector<Way>& ways_;
  LogicalText best_;
  std::pair<std::size_t, std::size_t> least_{~std::size_t{0}, 0}; // records and way
};

std::uint64_t lines_written(const std::vector<Statement>& statements) {
  std::uint64_t lines = 0;
  for (const Statement& statement : statements) {
    ++lines;
    if (const auto* loop = std::get_if<LoopStatement>(&statement.is))
      lines += lines_written(loop->body);
    if (const auto* guard = std::get_if<GuardStatement>(&statement.is))
      lines += lines_written(guard->body);
  }
  return lines;
}

} // namespace

LogicalText with_procedures(LogicalText text) {
  constexpr std::uint64_t kWorthMoreRecords = 20; // lines
  constexpr std::size_t kTriedInAllWays = 1000; // records: what is longer would take long
  // A '$' in a name of the program's own would read like a parameter.
  if (logical_text(text).find('$') != std::string::npos) return text;
  StatementGraph graph;
  std::vector<std::uint32_t> roots;
  LogicalText frame = text; // without statements
  for (LogicalText::Part& part : frame.parts) {
    roots.push_back(graph.add_list(part.statements));
    part.statements.clear();
  }
  graph.end_lists();
  const std::size_t records = text.records();
  const bool is_long = records > kTriedInAllWays;
  std::vector<Way> ways;
  for (const std::int64_t worth : std::span(kWorthAProcedure).first(is_long ? 3 : 4)) {
    for (const std::int64_t arguments : std::span(kArguments).first(is_long ? 1 : 3)) {
      for (const bool longest_first : {true, false})
        ways.push_back({worth, arguments, longest_first});
    }
  }
  LogicalText shorter = Factoring(frame, roots, ways).run(std::move(graph));
  const std::size_t least = shorter.records();
  internal::count_lines(text, shorter);
  if (least <= records) return shorter;
  std::uint64_t lines = 0;
  for (const Procedure& procedure : shorter.procedures)
    lines += 1 + lines_written(procedure.statements);
  for (const LogicalText::Part& part : shorter.parts) lines += lines_written(part.statements);
  return lines + kWorthMoreRecords <= lines_expanded(text) ? std::move(shorter) : std::move(text);
}

} // namespace rondo::logical
