// SPDX-License-Identifier: Apache-2.0
#include "rondo/logical/logical_text.hpp"

#include "logical/joining/alike_runs.hpp"
#include "logical/joining/guarded_loops.hpp"
#include "logical/joining/guards.hpp"
#include "logical/joining/parts_joining.hpp"
#include "logical/places/conditions.hpp"
#include "logical/places/names.hpp"
#include "logical/text/beyond_topology.hpp"
#include "logical/text/list_rules.hpp"
#include "logical/text/local_calls.hpp"
#include "logical/text/number_text.hpp"
#include "logical/text/phases.hpp"
#include "logical/text/rounds_text.hpp"
#include "logical/text/without_bytes.hpp"
#include "rondo/base/escape.hpp"
#include "rondo/base/units.hpp"
#include "rondo/trace/program_text.hpp"
#include "rondo/trace/trace_size.hpp"

#include <algorithm>
#include <optional>
#include <utility>

namespace rondo::logical {
namespace {

// "leaf 7" is leaf number 7; nothing for names without a number.
std::optional<std::pair<std::string, std::uint64_t>> numbered(const std::string& name) {
  const std::size_t end = name.find_last_not_of("0123456789");
  if (end == std::string::npos || end + 1 == name.size() || name[end] != ' ' ||
      name.size() - end > 10)
    return std::nullopt;
  return std::pair(name.substr(0, end), std::stoull(name.substr(end + 1)));
}

// "leaf 0, leaf 1, leaf 2" as "leaf 0..2": a star has as many as ranks.
std::string joined(const std::vector<std::string>& names) {
  std::string text;
  for (std::size_t i = 0; i < names.size(); ++i) {
    text += (text.empty() ? "" : ", ") + names[i];
    const auto first = numbered(names[i]);
    std::size_t last = i;
    while (first && last + 1 < names.size() &&
           numbered(names[last + 1]) == std::pair(first->first, first->second + (last + 1 - i)))
      ++last;
    if (last > i) text += ".." + std::to_string(numbered(names[last])->second);
    i = last;
  }
  return text;
}

// "(tag=12, with=(west, east))"; nothing without parameters.
std::string arguments_text(const InvokeStatement& invoke) {
  std::string text;
  for (const Argument& argument : invoke.arguments) {
    const bool is_open_list =
        argument.value.find(", ") != std::string::npos && !argument.value.starts_with('[');
    text += (text.empty() ? "(" : ", ") + argument.name + "=" +
            (is_open_list ? "(" + argument.value + ")" : argument.value);
  }
  return text.empty() ? "" : text + ")";
}

std::string parameters_text(const Procedure& procedure) {
  std::string text;
  for (const std::string& name : procedure.parameters) text += (text.empty() ? "(" : ", ") + name;
  return text.empty() ? "" : text + ")";
}

class TextWriter {
public:
  explicit TextWriter(const LogicalTextOptions& options) : options_(options) {}

  void write(const std::vector<Statement>& statements, int depth) {
    for (const Statement& statement : statements) {
      if (const auto* loop = std::get_if<LoopStatement>(&statement.is)) {
        line(depth, internal::loop_head(loop->count) + ":");
        write(loop->body, depth + 1);
      } else if (const auto* guard = std::get_if<GuardStatement>(&statement.is)) {
        const bool is_ranks = guard->condition.starts_with("rank");
        line(depth, (is_ranks ? "" : "if ") + guard->condition + ":");
        write(guard->body, depth + 1);
      } else if (const auto* phase = std::get_if<PhaseStatement>(&statement.is)) {
        line(depth, internal::phase_text(*phase));
      } else if (const auto* invoke = std::get_if<InvokeStatement>(&statement.is)) {
        line(depth, "call " + invoke->name + arguments_text(*invoke));
      } else {
        const auto& call = std::get<CallStatement>(statement.is);
        line(depth, call.text() + note(call));
      }
    }
  }

  // "  # 1.2 ms before, at x_solve.f:120, 135"
  std::string note(const CallStatement& call) const {
    const bool has_time = options_.times && call.before_ns > 0;
    std::string text = has_time ? human_duration(call.before_ns) + " before" : "";
    if (!call.places.empty()) text += (has_time ? ", at " : "at ") + call.places;
    return text.empty() ? "" : "  # " + text;
  }

  void line(int depth, const std::string& text) {
    text_.append(static_cast<std::size_t>(depth * options_.indent), ' ');
    text_ += text + "\n";
  }

  std::string take() { return std::move(text_); }

private:
  const LogicalTextOptions& options_;
  std::string text_;
};

// Calls of several programs in one text have numbers of their own.
void count_calls_from(std::uint32_t first, std::vector<Statement>& statements) {
  for (Statement& statement : statements) {
    if (auto* loop = std::get_if<LoopStatement>(&statement.is)) {
      count_calls_from(first, loop->body);
    } else if (auto* guard = std::get_if<GuardStatement>(&statement.is)) {
      count_calls_from(first, guard->body);
    } else if (auto* call = std::get_if<CallStatement>(&statement.is)) {
      for (CallShare& share : call->shares) share.call += first;
    }
  }
}

// "rank 0, if at the centre"; of all ranks, of whom each thread has a program, only who they are.
std::string heading_of(const LogicalProgram& logical,
                       const std::vector<internal::Presence>& presence, const trace::RankSet& ranks,
                       const trace::RankSet& all) {
  const auto numbers = [&](const trace::RankSet& set) {
    return internal::ranks_text(logical, set);
  };
  if (ranks == all) return numbers(ranks);
  const std::string condition = internal::condition_of(ranks, all, presence, numbers);
  return numbers(ranks) + (condition.starts_with("rank") ? "" : ", if " + condition);
}

std::vector<LogicalText::Part> parts_of(const LogicalProgram& logical, const internal::Names& names,
                                        std::vector<std::vector<Statement>>&& programs) {
  const auto& merged = logical.cells.programs;
  std::vector<internal::PartOfRanks> parts;
  bool has_threads = false;
  std::uint32_t calls = 0;
  trace::RankSet all;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    count_calls_from(calls, programs[i]);
    calls += static_cast<std::uint32_t>(merged[i]->calls.size());
    has_threads = has_threads || merged[i]->thread != 0;
    if (merged[i]->thread == 0) all.add(merged[i]->ranks()); // as each rank has
    parts.push_back({merged[i]->ranks(),
                     internal::with_runs_as_loops(std::move(programs[i]), logical.lists_few)});
  }
  const bool has_loops = std::any_of(parts.begin(), parts.end(), [](const auto& part) {
    return internal::has_guarded_loops(part.statements);
  });
  if (parts.size() == 1 && !has_loops) return {{"", std::move(parts.front().statements)}};
  const std::vector<internal::Presence> presence = internal::presence_of(logical, names);
  const auto among = [&](const trace::RankSet& ranks, const trace::RankSet& around) {
    return internal::condition_of(ranks, around, presence, [&](const trace::RankSet& set) {
      return internal::ranks_text(logical, set);
    });
  };
  if (!has_threads && parts.size() > 1) {
    const std::vector<std::size_t> rank_of_cell = internal::rank_of_cell(logical);
    parts = internal::parts_joined(
        std::move(parts), among,
        [&](const auto& of_cell) {
          return internal::formula_in_rank(logical, rank_of_cell, of_cell);
        },
        [&](const Statement& statement, const trace::RankSet& ranks) {
          return internal::ranks_of(statement, ranks, presence);
        });
  }
  for (internal::PartOfRanks& part : parts) {
    if (internal::has_guarded_loops(part.statements))
      part.statements =
          internal::guarded_loops_joined(std::move(part.statements), part.ranks, among, presence);
  }
  std::vector<LogicalText::Part> result;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    std::string ranks =
        parts.size() > 1 ? heading_of(logical, presence, parts[i].ranks, all) : std::string();
    if (has_threads && parts.size() > 1) ranks += ", thread " + std::to_string(merged[i]->thread);
    result.push_back({std::move(ranks), std::move(parts[i].statements)});
  }
  return result;
}

// Plain numbers, so that the line can be read back.
std::string summary(const LogicalText& text) {
  if (text.all.calls == 0) return "# off topology: no point-to-point calls";
  const auto of = [](std::uint64_t part, std::uint64_t all) {
    return std::to_string(part) + " of " + std::to_string(all);
  };
  std::string line = "# off topology: " + of(text.outside.calls, text.all.calls) +
                     " point-to-point calls, " + of(text.outside.bytes, text.all.bytes) + " bytes";
  if (text.outside.calls == 0 && text.outside.bytes == 0) return line;
  if (!text.is_lossless) return line + "; left out";
  const bool is_irregular = text.peer_topologies.empty(); // not even most of it has a name
  return line + (is_irregular ? "; irregular, " : "; ") + "in the text as rank+distance";
}

} // namespace

std::string CallStatement::text() const {
  std::string result = name + (what.empty() ? "" : " " + what);
  for (const std::string& remark : remarks) result += "  " + remark;
  return result;
}

std::size_t LogicalText::records() const {
  std::size_t records = 0;
  for (const Procedure& procedure : procedures) records += 1 + records_of(procedure.statements);
  for (const Part& part : parts) records += records_of(part.statements);
  return records;
}

namespace {

LogicalText text_around(std::vector<std::vector<Statement>>&& programs,
                        const LogicalProgram& logical) {
  LogicalText text;
  const trace::Trace& cells = logical.cells;
  text.program = logical.name;
  text.led_by = logical.led_by;
  text.ranks = cells.run.ranks;
  const internal::Names names(logical);
  for (std::size_t g = 0; g < logical.peer_topologies.size(); ++g) {
    PeerTopologyWords& peer_topology = text.peer_topologies.emplace_back();
    peer_topology.name = names.peer_topologies()[g];
    const Directions& directions = logical.peer_topologies[g].directions;
    for (std::size_t i = 0; i < directions.size(); ++i)
      peer_topology.directions.push_back(directions.name(i));
  }
  text.parts = parts_of(logical, names, std::move(programs));
  internal::mark_phases(text.parts, text.peer_topologies);
  internal::tell_lists(text.parts, logical, names);
  text.beyond = internal::beyond_of(text.parts, trace::calls_in(cells));
  if (!logical.shows_local)
    text.local =
        logical.unseen == Unseen::kNothing ? internal::local_calls_of(cells) : logical.local;
  text.all = logical.accuracy.all;
  text.outside = logical.accuracy.outside;
  text.is_lossless = true;
  return text;
}

} // namespace

LogicalText text_of(const LogicalProgram& logical, const OffTopology* off) {
  LogicalText text = text_around(
      off != nullptr ? statements_of(logical, off->left_out) : statements_of(logical), logical);
  text.is_lossless = off == nullptr;
  return text;
}

LogicalText internal::text_without_bytes(const LogicalProgram& logical,
                                         std::vector<std::vector<Statement>> statements) {
  return text_around(std::move(statements), logical);
}

std::vector<RankDifference> internal::told_by_numbers(LogicalProgram& logical) {
  logical.sums_up_disorder = true;
  return text_without_bytes(logical, statements_without_bytes(logical)).beyond.sets;
}

std::string logical_text(const LogicalText& text, const LogicalTextOptions& options) {
  TextWriter out(options);
  const std::size_t records = text.records();
  out.line(0, "program " + escape::terminal(text.program) + "  # " + std::to_string(text.ranks) +
                  (text.ranks == 1 ? " rank, " : " ranks, ") + std::to_string(records) +
                  (records == 1 ? " record" : " records"));
  for (const PeerTopologyWords& peer_topology : text.peer_topologies)
    out.line(1, "on " + peer_topology.name + ": " + joined(peer_topology.directions));
  if (!text.led_by.empty()) out.line(1, "led " + text.led_by);
  for (const Procedure& procedure : text.procedures) {
    out.line(1, "procedure " + procedure.name + parameters_text(procedure) + ":");
    out.write(procedure.statements, 2);
  }
  for (const LogicalText::Part& part : text.parts) {
    if (!part.ranks.empty()) out.line(0, part.ranks + ":");
    out.write(part.statements, 1);
  }
  if (!text.local.empty()) out.line(0, internal::local_line(text.local));
  for (const std::string& line : internal::beyond_lines(text.beyond, text.all.bytes))
    out.line(0, line);
  out.line(0, summary(text));
  return out.take();
}

} // namespace rondo::logical
