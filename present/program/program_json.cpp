// SPDX-License-Identifier: Apache-2.0
#include "present/program/program_json.hpp"

#include "present/site_json.hpp"
#include "rondo/base/escape.hpp"
#include "rondo/trace/call_text.hpp"
#include "rondo/trace/communicator_names.hpp"
#include "rondo/trace/program_text.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>
#include <type_traits>

namespace rondo::present {
namespace {

// Of all executions of a call, wherever it stands in the program.
struct CallTimes {
  std::uint64_t count = 0;
  std::uint64_t computation_ns = 0;
  std::uint64_t inside_ns = 0;
  std::uint64_t min_ns = ~std::uint64_t{0};
  std::uint64_t max_ns = 0;
};
using TimesByCall = std::vector<CallTimes>;

void add_times(TimesByCall& times, const std::vector<trace::PlaceTimes>& places,
               const std::vector<std::uint32_t>* calls) {
  for (const trace::PlaceTimes& place : places) {
    const std::size_t call = calls == nullptr ? place.call : (*calls)[place.call];
    CallTimes& sum = times[call];
    sum.count += place.inside.count;
    sum.computation_ns += place.computation.sum_ns;
    sum.inside_ns += place.inside.sum_ns;
    sum.min_ns = std::min(sum.min_ns, place.inside.min_ns);
    sum.max_ns = std::max(sum.max_ns, place.inside.max_ns);
  }
}

TimesByCall times_of(const trace::Program& program) {
  TimesByCall times(program.calls.size());
  add_times(times, program.times, nullptr);
  return times;
}

TimesByCall times_of(const trace::Trace& trace, const trace::MergedProgram& merged) {
  TimesByCall times(merged.calls.size());
  for (const trace::RankClass& c : trace.classes)
    if (trace.programs[c.merged].get() == &merged) add_times(times, c.program->times, &c.calls);
  return times;
}

nlohmann::json call_json(const std::string& text, const CallTimes& times) {
  nlohmann::json json = {{"call", text}, {"function", text.substr(0, text.find('('))}};
  if (times.count == 0) return json;
  const auto count = static_cast<double>(times.count);
  json["times"] = {{"count", times.count},
                   {"mean_ns", static_cast<double>(times.inside_ns) / count},
                   {"min_ns", times.min_ns},
                   {"max_ns", times.max_ns},
                   {"computation_mean_ns", static_cast<double>(times.computation_ns) / count}};
  return json;
}

// What all programs of a document are told with.
struct Telling {
  const trace::Trace& trace;
  sites::Resolver* resolver; // nullptr if sites are not wanted
  const Say& say;
  trace::CommunicatorNames comms{trace};
};

// Each line further to the right; no string of JSON goes over lines.
std::string indented(const std::string& text, std::size_t blanks) {
  std::string result(blanks, ' ');
  for (const char c : text) {
    result += c;
    if (c == '\n') result.append(blanks, ' ');
  }
  return result;
}

// A row as text, with a hole where its list of terms goes.
struct RowText {
  std::string head; // all of it if it has no list
  std::string tail{};
};
constexpr const char* kHole = "(terms)";

RowText row_text(nlohmann::json row, const char* list, std::size_t blanks) {
  row[list] = kHole;
  const std::string text = indented(escape::json_text(row), blanks);
  const std::string key = fmt::format("\"{}\": ", list);
  const std::size_t at = text.find(key + fmt::format("\"{}\"", kHole)) + key.size();
  return {text.substr(0, at), text.substr(at + std::char_traits<char>::length(kHole) + 2)};
}

// The text of a program's terms. Large ones have hundreds of thousands of terms and far fewer
// calls and loops: what is said of one is made once for each place in the margin.
template <class Program> class TermsText {
public:
  TermsText(const Telling& with, const Program& program, const TimesByCall& times)
      : with_(with), program_(program), times_(times) {}

  /// @param blanks  before the line that the list begins in
  /// @param outer   the set of the terms around
  void say(const std::vector<trace::Term>& terms, std::size_t blanks, std::uint32_t outer) {
    const char* separator = "[\n";
    for (const trace::Term term : terms) {
      with_.say(separator);
      separator = ",\n";
      const std::uint32_t set = set_of(term);
      const RowText& row = known(term, blanks + 2, set != outer);
      with_.say(row.head);
      if (!term.is_loop()) continue;
      say(body_of(term.index()), blanks + 4, set);
      with_.say(row.tail);
    }
    with_.say(terms.empty() ? "[]" : "\n" + std::string(blanks, ' ') + "]");
  }

private:
  static constexpr bool kIsMerged = std::is_same_v<Program, trace::MergedProgram>;

  // Terms that not all ranks of the terms around them execute say who does.
  const RowText& known(trace::Term term, std::size_t blanks, bool says_ranks) {
    const auto [entry, is_new] = texts_.try_emplace({term.code, blanks, says_ranks});
    if (!is_new) return entry->second;
    nlohmann::json row =
        term.is_loop() ? nlohmann::json{{"trip_counts", trips(term.index())}} : call(term.index());
    if constexpr (kIsMerged) {
      if (says_ranks) row["ranks"] = program_.table.sets[set_of(term)].ranks();
    }
    entry->second = term.is_loop() ? row_text(std::move(row), "body", blanks)
                                   : RowText{indented(escape::json_text(row), blanks)};
    return entry->second;
  }

  nlohmann::json call(std::uint32_t index) const {
    const trace::Call& call = call_of(program_.calls[index]);
    nlohmann::json json =
        call_json(trace::call_text(with_.trace, program_, call, &with_.comms), times_[index]);
    if (with_.resolver != nullptr) json["site"] = site_json(*with_.resolver, call.site);
    return json;
  }
  static const trace::Call& call_of(const trace::Call& call) { return call; }
  static const trace::Call& call_of(const trace::MergedCall& call) { return call.call; }

  std::uint32_t set_of(trace::Term term) const {
    if constexpr (!kIsMerged)
      return 0;
    else
      return term.is_loop() ? program_.loops[term.index()].set : program_.calls[term.index()].set;
  }
  const std::vector<trace::Term>& body_of(std::uint32_t loop) const {
    if constexpr (kIsMerged)
      return program_.loops[loop].body;
    else
      return program_.nest.loops()[loop].body;
  }
  std::string trips(std::uint32_t loop) const {
    if constexpr (kIsMerged)
      return trace::trip_count_text(program_, program_.loops[loop]);
    else
      return trace::trip_count_text(program_.nest.loops()[loop].trip_counts);
  }

  const Telling& with_;
  const Program& program_;
  const TimesByCall& times_;
  std::map<std::tuple<std::uint32_t, std::size_t, bool>, RowText> texts_;
};

constexpr std::size_t kBlanks = 4; // before a program of the document

template <class Program>
void say_program(const Telling& with, nlohmann::json row, const Program& program,
                 const TimesByCall& times, const std::vector<trace::Term>& top) {
  const RowText text = row_text(std::move(row), "program", kBlanks);
  with.say(text.head);
  TermsText<Program>(with, program, times).say(top, kBlanks + 2, 0);
  with.say(text.tail);
}

// Of one rank of the class, if one is wanted: then no word depends on the rank.
void say_class(const Telling& with, const trace::RankClass& c, std::optional<std::int64_t> rank) {
  const trace::Program program = rank ? program_of(with.trace, c, *rank) : *c.program;
  say_program(with,
              {{"ranks", rank ? std::vector<std::int64_t>{*rank} : c.ranks.ranks()},
               {"thread", c.thread},
               {"calls_per_rank", calls_in(program)},
               {"terms", program.nest.terms()}},
              program, times_of(*c.program), program.nest.top());
}

// A member of the document that is a list, row by row: all rows together may be many times what the
// archive takes.
template <class Rows, class SayRow>
void say_list(const char* key, const Rows& rows, const Say& say, SayRow say_row) {
  say(fmt::format("  \"{}\": [", key));
  const char* separator = "\n";
  for (const auto& row : rows) {
    say(separator);
    say_row(*row);
    separator = ",\n";
  }
  say("\n  ],\n");
}

} // namespace

std::uint64_t calls_in(const trace::Program& program) {
  std::uint64_t calls = 0;
  for (const std::uint64_t n : program.nest.occurrences(program.calls.size())) calls += n;
  return calls;
}

std::string call_line_json(std::int64_t rank, const trace::CallInstance& call,
                           const std::string& text, sites::Resolver* resolver,
                           const FlatTimes* times) {
  nlohmann::json json = {{"rank", rank}, {"call", call.function->name}, {"text", text}};
  if (resolver != nullptr) json["site"] = site_json(*resolver, call.site);
  if (times != nullptr) times->add_to(json);
  return escape::json_text(json, -1) + "\n";
}

// The keys stand in alphabetical order, as in all our documents.
void say_program_json(const trace::Trace& trace,
                      const std::vector<const trace::RankClass*>& classes,
                      std::optional<std::int64_t> rank, sites::Resolver* resolver, const Say& say) {
  const Telling with{trace, resolver, say};
  say("{\n");
  say_list("classes", classes, say, [&](const trace::RankClass& c) { say_class(with, c, rank); });
  if (!rank && !trace.programs.empty()) {
    say_list("programs", trace.programs, say, [&](const trace::MergedProgram& merged) {
      say_program(
          with,
          {{"ranks", merged.ranks().ranks()}, {"thread", merged.thread}, {"terms", merged.terms()}},
          merged, times_of(trace, merged), merged.top);
    });
  }
  nlohmann::json rest = {{"schema", 1}, {"ranks", trace.run.ranks}};
  if (resolver != nullptr) rest["site_remarks"] = resolver->remarks();
  say(escape::json_text(rest).substr(2) + "\n"); // without its brace
}

} // namespace rondo::present
