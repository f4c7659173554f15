// SPDX-License-Identifier: Apache-2.0
// In the graph of a text's statements, sequences that come again are replaced
// by calls, longest first. Sequences that differ in values only are one with
// parameters.
#include "rondo/logical/procedures.hpp"

#include "logical/procedures/line_counts.hpp"
#include "logical/procedures/procedure_calls.hpp"
#include "logical/procedures/repeated_statements.hpp"
#include "logical/procedures/statement_graph.hpp"

#include <array>
#include <map>
#include <span>
#include <utility>

namespace rondo::logical {
namespace {

using internal::RepeatedStatements;
using internal::StatementGraph;
using internal::Way;

// In which ways procedures are chosen. What is worth little first can stand in the way of what is
// worth more: which is the shorter text is known when both are written. Of the 24 combinations of
// these worths and arguments a text that is one of many to be tried is written in those without
// which texts of recorded programs became longer most often.
constexpr std::array<Way, 12> kWaysToTry = {{
    {4, 4, true},
    {4, 8, true},
    {4, 1, true},
    {4, 1, false},
    {2, 8, true},
    {2, 8, false},
    {2, 1, false},
    {1, 8, true},
    {1, 8, false},
    {3, 4, false},
    {3, 8, true},
    {3, 8, false},
}};
// Of a text that would take long.
constexpr std::array<Way, 6> kWaysIfLong = {{
    {4, 4, true},
    {4, 4, false},
    {2, 4, true},
    {2, 4, false},
    {1, 4, true},
    {1, 4, false},
}};
constexpr int kMostLevels = 16;

// Goes all ways at once, as far as they lead to the same: most of them choose
// alike, and what there is to choose from takes long to find.
class Factoring {
public:
  /// @param frame  the text without its statements, which are in the graph
  /// @param roots  lists of its parts
  Factoring(const LogicalText& frame, const std::vector<std::uint32_t>& roots,
            std::span<const Way> ways)
      : frame_(frame), roots_(roots), ways_(ways) {}

  // The shortest text in these ways and those that were gone before, by the first that leads there.
  const LogicalText& run(StatementGraph graph, const std::vector<std::size_t>& ways) {
    if (!ways.empty()) go_on(graph, ways, 0);
    return best_;
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
  std::span<const Way> ways_;
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

std::vector<Way> all_ways() {
  std::vector<Way> ways;
  for (const std::int64_t worth : {4, 2, 1, 3}) {
    for (const std::int64_t arguments : {4, 8, 1}) {
      for (const bool longest_first : {true, false})
        ways.push_back({worth, arguments, longest_first});
    }
  }
  return ways;
}

// Of 368 texts of recorded programs none became shorter by more than a seventh in other ways than
// by these together.
bool is_first_to_be_tried(const Way& way, bool is_long) {
  return way.arguments == (is_long ? 4 : 8) && way.worth == (way.longest_first ? 1 : 2);
}

// The shorter text, with how often each of its lines is executed; as it was if that says more.
LogicalText chosen_of(const LogicalText& text, LogicalText shorter) {
  constexpr std::uint64_t kWorthMoreRecords = 20; // lines
  internal::count_lines(text, shorter);
  if (shorter.records() <= text.records()) return shorter;
  std::uint64_t lines = 0;
  for (const Procedure& procedure : shorter.procedures)
    lines += 1 + lines_written(procedure.statements);
  for (const LogicalText::Part& part : shorter.parts) lines += lines_written(part.statements);
  return lines + kWorthMoreRecords <= lines_expanded(text) ? std::move(shorter) : text;
}

} // namespace

namespace {

TriedText factored(LogicalText text, std::span<const Way> ways_if_short,
                   const std::function<bool(const LogicalText&)>& is_worth_more) {
  constexpr std::size_t kTriedInAllWays = 1000; // records: what is longer would take long
  // A '$' in a name of the program's own would read like a parameter.
  if (logical_text(text).find('$') != std::string::npos) return {std::move(text)};
  StatementGraph graph;
  std::vector<std::uint32_t> roots;
  LogicalText frame = text; // without statements
  for (LogicalText::Part& part : frame.parts) {
    roots.push_back(graph.add_list(part.statements));
    part.statements.clear();
  }
  graph.end_lists();
  const bool is_long = text.records() > kTriedInAllWays;
  const std::span<const Way> ways = is_long ? kWaysIfLong : ways_if_short;
  std::vector<std::size_t> first;
  std::vector<std::size_t> others;
  for (std::size_t way = 0; way < ways.size(); ++way)
    (is_worth_more && is_first_to_be_tried(ways[way], is_long) ? first : others).push_back(way);
  Factoring factoring(frame, roots, ways);
  if (!first.empty()) {
    LogicalText shorter = chosen_of(text, factoring.run(graph, first));
    if (!is_worth_more(shorter)) return {std::move(shorter), true};
  }
  return {chosen_of(text, factoring.run(std::move(graph), others))};
}

} // namespace

LogicalText with_procedures(LogicalText text) {
  return factored(std::move(text), all_ways(), {}).text;
}

TriedText with_procedures_if(LogicalText text,
                             const std::function<bool(const LogicalText&)>& is_worth_more) {
  return factored(std::move(text), kWaysToTry, is_worth_more);
}

} // namespace rondo::logical
