// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/program_text.hpp"

#include "rondo/trace/program_lines.hpp"
#include "trace/text/call_writer.hpp"

#include <utility>

namespace rondo::trace {
namespace {

// Lines as they are, with their times.
std::string text_of_lines(ProgramLines&& program, const ProgramTextOptions& options) {
  const std::vector<ProgramLines> programs{std::move(program)};
  const std::vector<ProgramLine>& lines = programs.front().lines;
  std::vector<std::size_t> line_of_term;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    for (const std::uint32_t term : lines[i].terms) {
      if (line_of_term.size() <= term) line_of_term.resize(term + 1, 0);
      line_of_term[term] = options.first_line + i;
    }
  }
  const auto line_of = [&](PlacedTerm term) {
    return term.term < line_of_term.size() ? line_of_term[term.term] : 0;
  };
  std::string text;
  for (const ProgramLine& line : lines) {
    std::vector<PlacedTerm> terms;
    for (const std::uint32_t term : line.terms) terms.push_back({0, term});
    text += std::string(static_cast<std::size_t>((line.depth + 1) * options.indent), ' ') +
            line.text() + remark_of_line(times_of_line(programs, terms, line_of), line.site) + '\n';
  }
  return text + programs.front().remark;
}

} // namespace

std::string ProgramLine::text() const {
  switch (kind) {
  case Kind::kLoop:
    return "loop " + head + ":";
  case Kind::kGuard:
    return head + ":";
  default:
    return call.text();
  }
}

std::string remark_of_line(const std::string& times, const std::string& site) {
  if (times.empty() && site.empty()) return {};
  return "  # " + times + (times.empty() || site.empty() ? "" : ", ") + site;
}

std::string trip_count_text(const Column& column) {
  if (const auto constant = column.constant()) return std::to_string(*constant);
  return range_text(range_of(column));
}

std::string trip_count_text(const MergedProgram& program, const MergedLoop& loop) {
  static constexpr Field kCount{"count", FieldKind::kInteger, false, false};
  const Word& count = loop.trip_count;
  const Tables tables(program);
  switch (count.form) {
  case Word::Form::kByRank:
    return by_rank_text(program.table, kCount, count.value, true);
  case Word::Form::kColumn:
    return trip_count_text(tables.column(count.value));
  case Word::Form::kColumnByRank:
    return range_text(tables.range_of_choice(count.value));
  default:
    return std::to_string(count.value);
  }
}

std::string guard_text(const RankSet& ranks) {
  return (ranks.size() == 1 ? "rank " : "ranks ") + ranks.text();
}

std::string call_text(const Trace& trace, const Program& program, const Call& call,
                      const CommunicatorNames* comms) {
  return words_of(trace, Tables(program), call, comms).text();
}

std::string call_text(const Trace& trace, const MergedProgram& program, const Call& call,
                      const CommunicatorNames* comms) {
  return words_of(trace, Tables(program), call, comms).text();
}

std::string program_text(const Trace& trace, const RankClass& c, std::int64_t rank,
                         const ProgramTextOptions& options) {
  return text_of_lines(lines_of_rank(trace, c, rank, options), options);
}

std::string merged_text(const Trace& trace, std::size_t index, const ProgramTextOptions& options) {
  return text_of_lines(lines_of_merged(trace, index, options), options);
}

} // namespace rondo::trace
