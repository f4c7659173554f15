// SPDX-License-Identifier: Apache-2.0
#include "present/program/program_json.hpp"

#include "present/site_json.hpp"
#include "rondo/base/escape.hpp"
#include "rondo/trace/call_text.hpp"
#include "rondo/trace/communicator_names.hpp"
#include "rondo/trace/program_text.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

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
  trace::CommunicatorNames comms{trace};
};

nlohmann::json terms_json(const Telling& with, const trace::Program& program,
                          const TimesByCall& times, const std::vector<trace::Term>& terms) {
  nlohmann::json list = nlohmann::json::array();
  for (const trace::Term term : terms) {
    if (!term.is_loop()) {
      const trace::Call& call = program.calls[term.index()];
      list.push_back(
          call_json(trace::call_text(with.trace, program, call, &with.comms), times[term.index()]));
      if (with.resolver != nullptr) list.back()["site"] = site_json(*with.resolver, call.site);
      continue;
    }
    const trace::Loop& loop = program.nest.loops()[term.index()];
    list.push_back({{"trip_counts", trace::trip_count_text(loop.trip_counts)},
                    {"body", terms_json(with, program, times, loop.body)}});
  }
  return list;
}

// The same of a merged program; terms that not all ranks of the terms around them execute say who
// does.
nlohmann::json merged_json(const Telling& with, const trace::MergedProgram& program,
                           const TimesByCall& times, const std::vector<trace::Term>& terms,
                           std::uint32_t outer) {
  nlohmann::json list = nlohmann::json::array();
  for (const trace::Term term : terms) {
    nlohmann::json json;
    std::uint32_t set = 0;
    if (term.is_loop()) {
      const trace::MergedLoop& loop = program.loops[term.index()];
      set = loop.set;
      json = {{"trip_counts", trace::trip_count_text(program, loop)},
              {"body", merged_json(with, program, times, loop.body, set)}};
    } else {
      const trace::MergedCall& call = program.calls[term.index()];
      set = call.set;
      json = call_json(trace::call_text(with.trace, program, call.call, &with.comms),
                       times[term.index()]);
      if (with.resolver != nullptr) json["site"] = site_json(*with.resolver, call.call.site);
    }
    if (set != outer) json["ranks"] = program.table.sets[set].ranks();
    list.push_back(std::move(json));
  }
  return list;
}

// Of one rank of the class, if one is wanted: then no word depends on the rank.
nlohmann::json class_json(const Telling& with, const trace::RankClass& c,
                          std::optional<std::int64_t> rank) {
  const trace::Program program = rank ? program_of(with.trace, c, *rank) : *c.program;
  return {{"ranks", rank ? std::vector<std::int64_t>{*rank} : c.ranks.ranks()},
          {"thread", c.thread},
          {"calls_per_rank", calls_in(program)},
          {"terms", program.nest.terms()},
          {"program", terms_json(with, program, times_of(*c.program), program.nest.top())}};
}

// Each line further to the right; no string of JSON goes over lines.
std::string indented(const std::string& text, std::size_t blanks) {
  std::string result(blanks, ' ');
  for (const char c : text) {
    result += c;
    if (c == '\n') result.append(blanks, ' ');
  }
  return result;
}

// A member of the document that is a list, row by row: all rows together may be many times what the
// archive takes.
template <class Rows, class JsonOf>
void say_list(const char* key, const Rows& rows, JsonOf json_of, const Say& say) {
  say(fmt::format("  \"{}\": [", key));
  const char* separator = "\n";
  for (const auto& row : rows) {
    say(separator + indented(escape::json_text(json_of(*row)), 4));
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
  const Telling with{trace, resolver};
  say("{\n");
  say_list(
      "classes", classes, [&](const trace::RankClass& c) { return class_json(with, c, rank); },
      say);
  if (!rank && !trace.programs.empty()) {
    say_list(
        "programs", trace.programs,
        [&](const trace::MergedProgram& merged) {
          return nlohmann::json{
              {"ranks", merged.ranks().ranks()},
              {"thread", merged.thread},
              {"terms", merged.terms()},
              {"program", merged_json(with, merged, times_of(trace, merged), merged.top, 0)}};
        },
        say);
  }
  nlohmann::json rest = {{"schema", 1}, {"ranks", trace.run.ranks}};
  if (resolver != nullptr) rest["site_remarks"] = resolver->remarks();
  say(escape::json_text(rest).substr(2) + "\n"); // without its brace
}

} // namespace rondo::present
