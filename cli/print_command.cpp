// SPDX-License-Identifier: Apache-2.0
// rondo print: the trace as text, in loops or call by call.
#include "cli/commands.hpp"
#include "rondo/archive/archive.hpp"
#include "rondo/base/units.hpp"
#include "rondo/trace/call_text.hpp"
#include "rondo/trace/program_text.hpp"

#include <cstdio>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

namespace rondo::cli {
namespace {

struct PrintOptions {
  std::string file;
  std::optional<std::int64_t> rank;
  std::vector<std::string> calls;
  bool flat = false;
  bool sites = false;
  bool no_times = false;
  bool json = false;
};

std::uint64_t calls_in(const trace::Program& program) {
  std::uint64_t calls = 0;
  for (const std::uint64_t n : program.nest.occurrences(program.calls.size())) calls += n;
  return calls;
}

std::string heading(const trace::RankClass& c) {
  std::string ranks = fmt::format("{} {}", c.ranks.size() == 1 ? "rank" : "ranks", c.ranks.text());
  if (c.thread != 0) ranks += fmt::format(", thread {}", c.thread);
  return fmt::format("{}:  # {} calls a rank in {} terms", ranks, calls_in(*c.program),
                     c.program->nest.terms());
}

void print_flat(const trace::Trace& trace, const trace::RankClass& c, std::int64_t rank,
                const PrintOptions& options) {
  const std::set<std::string, std::less<>> wanted(options.calls.begin(), options.calls.end());
  trace::CallReader reader(trace, c, rank);
  trace::CallLineWriter writer(trace, reader);
  while (const trace::CallInstance* call = reader.next()) {
    const std::string line = writer.line(*call); // also counts objects, so every call must pass
    if (!wanted.empty() && !wanted.contains(call->function->name)) continue;
    if (options.json) {
      std::puts(nlohmann::json{{"rank", rank}, {"call", call->function->name}, {"text", line}}
                    .dump()
                    .c_str());
    } else {
      std::puts(line.c_str());
    }
  }
}

void print_folded(const trace::Trace& trace, const trace::RankClass& c,
                  const PrintOptions& options) {
  const trace::ProgramTextOptions text{.times = !options.no_times, .sites = options.sites};
  fmt::print("{}\n{}", heading(c), trace::program_text(trace, *c.program, text));
}

nlohmann::json terms_json(const trace::Trace& trace, const trace::Program& program,
                          const std::vector<trace::Term>& terms) {
  nlohmann::json list = nlohmann::json::array();
  for (const trace::Term term : terms) {
    if (!term.is_loop()) {
      list.push_back({{"call", trace::call_text(trace, program, program.calls[term.index()])}});
      continue;
    }
    const trace::Loop& loop = program.nest.loops()[term.index()];
    list.push_back({{"trip_counts", trace::trip_count_text(loop.trip_counts)},
                    {"body", terms_json(trace, program, loop.body)}});
  }
  return list;
}

nlohmann::json class_json(const trace::Trace& trace, const trace::RankClass& c) {
  return {{"ranks", c.ranks.ranks()},
          {"thread", c.thread},
          {"calls_per_rank", calls_in(*c.program)},
          {"terms", c.program->nest.terms()},
          {"program", terms_json(trace, *c.program, c.program->nest.top())}};
}

Result<std::vector<const trace::RankClass*>> chosen_classes(const trace::Trace& trace,
                                                            const PrintOptions& options) {
  std::vector<const trace::RankClass*> classes;
  for (const trace::RankClass& c : trace.classes) {
    if (!options.rank || c.ranks.contains(*options.rank)) classes.push_back(&c);
  }
  if (!classes.empty()) return classes;
  return fail(ErrorCode::kUsage,
              fmt::format("has no rank {}; its ranks are 0 to {}", options.rank.value_or(0),
                          trace.run.ranks - 1),
              {options.file, {}, {}, {}});
}

Status check_calls(const std::vector<std::string>& calls) {
  for (const std::string& name : calls) {
    if (trace::find_function(name) == nullptr) {
      return fail(ErrorCode::kUsage,
                  "'" + name + "' is no MPI function that Rondo records; write it as MPI_Send");
    }
  }
  return {};
}

int print(const PrintOptions& options) {
  if (auto known = check_calls(options.calls); !known) return complain(known.error());
  const auto trace = archive::read(options.file);
  if (!trace) return complain(trace.error());
  const auto classes = chosen_classes(*trace, options);
  if (!classes) return complain(classes.error());
  if (options.flat || !options.calls.empty()) {
    for (const trace::RankClass* c : *classes) {
      for (const std::int64_t rank : c->ranks.ranks()) {
        if (options.rank && rank != *options.rank) continue;
        if (!options.rank && !options.json) fmt::print("rank {}:\n", rank);
        print_flat(*trace, *c, rank, options);
      }
    }
    return kDone;
  }
  if (options.json) {
    nlohmann::json result = {
        {"schema", 1}, {"ranks", trace->run.ranks}, {"classes", nlohmann::json::array()}};
    for (const trace::RankClass* c : *classes) result["classes"].push_back(class_json(*trace, *c));
    std::puts(result.dump(2).c_str());
    return kDone;
  }
  fmt::print("program {}  # {} ranks in {} {}\n", trace->run.command, trace->run.ranks,
             trace->classes.size(), trace->classes.size() == 1 ? "class" : "classes");
  for (const trace::RankClass* c : *classes) print_folded(*trace, *c, options);
  return kDone;
}

} // namespace

void add_print(CLI::App& app, Chosen& chosen) {
  auto options = std::make_shared<PrintOptions>();
  CLI::App* command = app.add_subcommand("print", "The trace as text: loops, or every call");
  command->add_option("trace", options->file, "A .rondo archive")->required()->type_name("FILE");
  command->add_option("--rank", options->rank,
                      "Only this rank (default: each class of ranks once)");
  command->add_flag("--flat", options->flat,
                    "Every call on a line of its own, as docs/formats/call-lines.md says");
  command
      ->add_option("--calls", options->calls,
                   "Only these MPI functions, one line a call (implies --flat)")
      ->delimiter(',')
      ->type_name("NAME,...");
  command->add_flag("--sites", options->sites, "Say where in the program each call stands");
  command->add_flag("--no-times", options->no_times, "Leave the times out");
  command->add_flag("--json", options->json,
                    "For programs: loops as JSON; with --flat one JSON object a line");
  command->footer("In loops, @0 is the newest request that was made, @1 the one before, p0 the "
                  "first persistent one;\n"
                  "<1..9> are values that vary, rank+1 is a peer. Examples:\n"
                  "  rondo print app.rondo\n"
                  "  rondo print app.rondo --flat --rank 3 | less\n"
                  "  rondo print app.rondo --calls MPI_Allreduce,MPI_Bcast --rank 0");
  command->callback([options, &chosen] { chosen.run = [options] { return print(*options); }; });
}

} // namespace rondo::cli
