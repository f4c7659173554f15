// SPDX-License-Identifier: Apache-2.0
// The lines of all parts become statements of one text, as procedures are found in those. Each
// statement knows by numbers, in the place of its sites, for which lines it stands.
#include "present/program/printed_program.hpp"

#include "logical/joining/alike.hpp"
#include "logical/text/rounds_text.hpp"
#include "present/program/line_statements.hpp"

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <variant>

namespace rondo::present {
namespace {

using logical::Statement;
using trace::PlacedTerm;
using trace::ProgramLine;

constexpr std::size_t kMostFactored = 50'000; // procedures take long to find in more
constexpr std::uint64_t kMostTold = 2000; // lines of a part; nobody reads more
constexpr std::size_t kMostSourcePlaces = 3; // in the source, that are said behind a line

std::string in_brackets(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "(" : ", ") + name;
  return text.empty() ? "" : text + ")";
}

class PrintedProgram {
public:
  PrintedProgram(std::vector<PrintedPart>&& parts, const PrintedOptions& options)
      : options_(options) {
    for (PrintedPart& part : parts) {
      headings_.push_back(std::move(part.heading));
      first_number_.push_back(sources_.size());
      programs_.push_back(std::move(part.program));
      for (const ProgramLine& line : programs_.back().lines)
        sources_.push_back({programs_.size() - 1, &line});
    }
  }

  std::string text(const std::string& title) {
    const logical::LogicalText text = statements();
    if (!title.empty()) put(0, title);
    for (const logical::Procedure& procedure : text.procedures) {
      put(0, "procedure " + procedure.name + in_brackets(procedure.parameters) + ":");
      put(1, procedure.statements);
    }
    for (std::size_t i = 0; i < programs_.size(); ++i) {
      put(0, headings_[i]);
      put(1, text.parts[i].statements);
      if (!programs_[i].remark.empty())
        put(0, programs_[i].remark.substr(0, programs_[i].remark.size() - 1));
    }
    return with_times();
  }

private:
  struct Source {
    std::size_t program = 0;
    const ProgramLine* line = nullptr;
  };

  struct Line {
    std::string text;
    std::vector<PlacedTerm> terms{};
    std::string site{};
  };

  logical::LogicalText statements() const {
    const bool are_many = sources_.size() > kMostFactored;
    if (options_.is_stored) return statements(true, options_.is_inline);
    logical::LogicalText text = statements(are_many, false);
    // What is told in one line may differ from what would be a procedure with another place. With
    // and without procedures the text is the same.
    const bool is_told =
        sources_.size() > kMostTold || lines_of(text) < lines_of(statements(true, false));
    if (options_.is_inline || !is_told) text = statements(are_many || !is_told, options_.is_inline);
    for (logical::LogicalText::Part& part : text.parts) cut_to(part.statements, kMostTold);
    return text;
  }

  logical::LogicalText statements(bool is_stored, bool is_inline) const {
    logical::LogicalText text;
    for (std::size_t i = 0; i < programs_.size(); ++i) {
      const auto number = static_cast<std::uint32_t>(first_number_[i]);
      text.parts.push_back({"", is_stored ? stored_statements(programs_[i], number)
                                          : told_statements(programs_[i], number)});
    }
    if (is_inline || sources_.size() > kMostFactored) return text;
    text = logical::with_procedures(std::move(text));
    if (options_.functions) {
      logical::name_procedures(text, [&](std::uint32_t number) {
        return options_.functions(sources_[number].line->site_number);
      });
    }
    logical::name_by_calls(text);
    return text;
  }

  static std::uint64_t lines_of(const logical::LogicalText& text) {
    std::uint64_t lines = 0;
    for (const logical::Procedure& procedure : text.procedures)
      lines += 1 + logical::internal::lines_of(procedure.statements);
    for (const logical::LogicalText::Part& part : text.parts)
      lines += logical::internal::lines_of(part.statements);
    return lines;
  }

  void put(int depth, const std::string& text) {
    lines_.push_back({std::string(static_cast<std::size_t>(depth * options_.indent), ' ') + text});
  }

  void put(int depth, const std::vector<Statement>& statements) {
    for (const Statement& statement : statements) {
      if (const auto* loop = std::get_if<logical::LoopStatement>(&statement.is)) {
        put(depth, logical::internal::loop_head(loop->count) + ":");
        put(depth + 1, loop->body);
      } else if (const auto* guard = std::get_if<logical::GuardStatement>(&statement.is)) {
        put(depth, guard->condition + ":");
        put(depth + 1, guard->body);
      } else if (const auto* invoke = std::get_if<logical::InvokeStatement>(&statement.is)) {
        std::vector<std::string> arguments;
        for (const logical::Argument& argument : invoke->arguments)
          arguments.push_back(argument.name + "=" + argument.value);
        put(depth, "call " + invoke->name + in_brackets(arguments));
      } else {
        put(depth, std::get<logical::CallStatement>(statement.is));
      }
    }
  }

  void put(int depth, const logical::CallStatement& call) {
    if (call.sites.empty()) return put(depth, call.name); // of what was left out
    const ProgramLine& first = *sources_[call.sites.front()].line;
    put(depth, words_of_statement(call, first.call.is_marker).text());
    Line& line = lines_.back();
    line.site = places_of(call);
    for (const std::uint32_t number : call.sites) {
      const Source& source = sources_[number];
      for (const std::uint32_t term : source.line->terms)
        line.terms.push_back({source.program, term});
    }
  }

  // "x.c:12, x.c:40 and 3 more"
  std::string places_of(const logical::CallStatement& call) const {
    std::vector<std::string_view> places;
    for (const std::uint32_t number : call.sites) {
      const std::string_view place = sources_[number].line->site;
      if (!place.empty() && std::find(places.begin(), places.end(), place) == places.end())
        places.push_back(place);
    }
    std::string text;
    for (std::size_t i = 0; i < std::min(places.size(), kMostSourcePlaces); ++i) {
      text += i == 0 ? "" : ", ";
      text += places[i];
    }
    if (places.size() > kMostSourcePlaces)
      text += " and " + std::to_string(places.size() - kMostSourcePlaces) + " more";
    return text;
  }

  // Only now it is known in which lines the terms stand.
  std::string with_times() const {
    std::vector<std::vector<std::size_t>> line_of_term(programs_.size());
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      for (const PlacedTerm& term : lines_[i].terms) {
        std::vector<std::size_t>& of_program = line_of_term[term.program];
        if (of_program.size() <= term.term) of_program.resize(term.term + 1, 0);
        of_program[term.term] = i + 1;
      }
    }
    const auto line_of = [&](PlacedTerm term) {
      const std::vector<std::size_t>& of_program = line_of_term[term.program];
      return term.term < of_program.size() ? of_program[term.term] : 0;
    };
    std::string all;
    for (const Line& line : lines_) {
      all +=
          line.text +
          trace::remark_of_line(trace::times_of_line(programs_, line.terms, line_of), line.site) +
          '\n';
    }
    return all;
  }

  const PrintedOptions& options_;
  std::vector<std::string> headings_; // of the parts
  std::vector<std::size_t> first_number_;
  std::vector<trace::ProgramLines> programs_;
  std::vector<Source> sources_; // lines of all parts, by number
  std::vector<Line> lines_;
};

} // namespace

std::string printed_text(const std::string& title, std::vector<PrintedPart> parts,
                         const PrintedOptions& options) {
  return PrintedProgram(std::move(parts), options).text(title);
}

} // namespace rondo::present
