// SPDX-License-Identifier: Apache-2.0
// rondo print: the trace as text, in loops or call by call.
#include "cli/commands.hpp"
#include "cli/common.hpp"
#include "cli/open_trace.hpp"
#include "cli/session.hpp"
#include "cli/walk.hpp"
#include "present/program/printed_program.hpp"
#include "present/program/program_json.hpp"
#include "present/program/told_trace.hpp"
#include "present/run/flat_times.hpp"
#include "rondo/base/escape.hpp"
#include "rondo/base/units.hpp"
#include "rondo/matrix/arrivals.hpp"
#include "rondo/sites/resolver.hpp"
#include "rondo/trace/call_text.hpp"
#include "rondo/trace/program_lines.hpp"
#include "rondo/trace/program_text.hpp"
#include "rondo/trace/ran_programs.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fmt/core.h>
#include <optional>
#include <set>

namespace rondo::cli {
namespace {

struct PrintOptions {
  std::string file;
  std::optional<std::int64_t> rank;
  std::vector<std::string> calls;
  bool flat = false;
  bool sites = false; // also those without a line
  bool no_sites = false;
  bool no_times = false;
  bool all = false;
  bool is_inline = false;
  bool is_stored = false;
  bool json = false;
};

std::string thread_text(std::uint32_t thread) {
  return thread == 0 ? "" : fmt::format(", thread {}", thread);
}

// @param stored  the trace of the class, or the one that was folded anew to that
std::string heading(const trace::Trace& stored, const trace::RankClass& c, std::int64_t rank) {
  std::uint64_t calls = 0;
  for (const trace::RankClass& own : stored.classes) {
    if (own.thread == c.thread && own.ranks.contains(rank)) calls = present::calls_in(*own.program);
  }
  return fmt::format("rank {}{}:  # {} in {}", rank, thread_text(c.thread), count_of(calls, "call"),
                     count_of(c.program->nest.terms(), "term"));
}

// "ranks 0-15:  # 66 to 87 calls a rank in 112 terms"
// @param merged  one of the trace, or one that the trace was folded to anew
std::string heading(const trace::Trace& trace, const trace::MergedProgram& merged) {
  const trace::RankSet ranks = merged.ranks();
  std::uint64_t least = ~std::uint64_t{0};
  std::uint64_t most = 0;
  for (const trace::RankClass& c : trace.classes) {
    if (c.thread != merged.thread || !ranks.contains(c.ranks.front())) continue;
    const std::uint64_t calls = present::calls_in(*c.program);
    least = std::min(least, calls);
    most = std::max(most, calls);
  }
  const std::string calls =
      least < most ? fmt::format("{} to {}", least, most) : std::to_string(most);
  return fmt::format("{}{}:  # {} {} a rank in {}", trace::guard_text(ranks),
                     thread_text(merged.thread), calls, most == 1 ? "call" : "calls",
                     count_of(merged.terms(), "term"));
}

// The call's place in words, as far as the options want it.
std::string site_text(sites::Resolver& resolver, const PrintOptions& options, std::uint32_t site) {
  const bool wanted = options.sites || (!options.no_sites && resolver.place(site).has_line());
  return wanted ? resolver.text(site) : "";
}

// @return  false if the times of the calls are damaged
bool print_flat(const trace::Trace& trace, sites::Resolver& resolver, const trace::RankClass& c,
                std::int64_t rank, const PrintOptions& options) {
  const std::set<std::string, std::less<>> wanted(options.calls.begin(), options.calls.end());
  trace::CallReader reader(trace, c, rank);
  const trace::CommunicatorNames comms(trace);
  trace::CallLineWriter writer(trace, reader);
  writer.name_communicators(comms);
  present::FlatTimes times(trace, rank, c.thread);
  while (const trace::CallInstance* call = reader.next()) {
    const std::string line = writer.line(*call); // also counts objects, so every call must pass
    times.advance();
    if (!wanted.empty() && !wanted.contains(call->function->name)) continue;
    if (options.json) {
      say(present::call_line_json(rank, *call, line, options.no_sites ? nullptr : &resolver,
                                  options.no_times ? nullptr : &times));
      continue;
    }
    const std::string site = options.sites ? resolver.text(call->site) : "";
    fmt::print("{}{}{}{}\n", options.no_times ? "" : times.text(), line, site.empty() ? "" : "  # ",
               site);
  }
  return !times.is_damaged();
}

trace::ProgramTextOptions line_options(const trace::Trace& trace, const matrix::Arrivals& arrivals,
                                       sites::Resolver& resolver, const PrintOptions& options) {
  trace::ProgramTextOptions text{.times = !options.no_times, .local = options.all};
  text.site = [&](const trace::Call& call) { return site_text(resolver, options, call.site); };
  text.arrived = [&](const trace::Call& call) { return matrix::arrived_at(trace, arrivals, call); };
  return text;
}

Result<std::vector<const trace::RankClass*>> chosen_classes(const trace::Trace& trace,
                                                            const PrintOptions& options) {
  std::vector<const trace::RankClass*> classes;
  for (const trace::RankClass& c : trace.classes) {
    if (!options.rank || c.ranks.contains(*options.rank)) classes.push_back(&c);
  }
  if (!classes.empty()) return classes;
  const std::int64_t rank = options.rank.value_or(0);
  if (rank >= 0 && rank < trace.run.ranks)
    return fail(ErrorCode::kUsage,
                fmt::format("has nothing of rank {}; 'rondo info' says how each rank ended", rank),
                {options.file, {}, {}, {}});
  return fail(ErrorCode::kUsage,
              fmt::format("has no rank {}; its ranks are 0 to {}", rank, trace.run.ranks - 1),
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

using Classes = std::vector<const trace::RankClass*>;

Status print_ranks(const trace::Trace& trace, sites::Resolver& resolver, const Classes& classes,
                   const PrintOptions& options) {
  for (const trace::RankClass* c : classes) {
    for (const std::int64_t rank : c->ranks.ranks()) {
      if (options.rank && rank != *options.rank) continue;
      if (!options.rank && !options.json) fmt::print("rank {}:\n", rank);
      if (print_flat(trace, resolver, *c, rank, options)) continue;
      return fail(ErrorCode::kDamaged,
                  "has damaged times of the calls of this rank; --no-times leaves them out",
                  {options.file, rank, {}, {}});
    }
  }
  return {};
}

// What says how much the text leaves of the order of calls.
std::string order_remark(present::Told how) {
  return how == present::Told::kByFlow
             ? "# by the flow of control: each call of the source stands once, in the order of the "
               "source; --stored has them as they come\n"
             : "";
}

// Of one rank, or of all as few programs.
std::string programs_text(const trace::Trace& stored, const trace::Trace& trace,
                          const matrix::Arrivals& arrivals, sites::Resolver& resolver,
                          const PrintOptions& options, bool is_inline) {
  const trace::ProgramTextOptions lines = line_options(trace, arrivals, resolver, options);
  std::vector<present::PrintedPart> parts;
  std::string title;
  if (options.rank) {
    for (const trace::RankClass& c : trace.classes) {
      if (!c.ranks.contains(*options.rank)) continue;
      parts.push_back({heading(stored, c, *options.rank),
                       trace::lines_of_rank(trace, c, *options.rank, lines)});
    }
  } else {
    title = fmt::format("program {}  # {} in {} {}", escape::terminal(trace.run.command),
                        count_of(static_cast<std::uint64_t>(trace.run.ranks), "rank"),
                        stored.classes.size(), stored.classes.size() == 1 ? "class" : "classes");
    if (const auto several = trace::ran_programs(stored); !several.empty())
      title += "; " + escape::terminal(trace::ran_programs_text(several));
    for (std::size_t i = 0; i < trace.programs.size(); ++i)
      parts.push_back(
          {heading(stored, *trace.programs[i]), trace::lines_of_merged(trace, i, lines)});
  }
  return present::printed_text(
      title, std::move(parts),
      {.is_inline = is_inline,
       .is_stored = options.is_stored,
       .functions = [&](std::uint32_t site) { return resolver.functions(site); }});
}

void print_programs(const trace::Trace& trace, sites::Resolver& resolver,
                    const PrintOptions& options) {
  const matrix::Arrivals arrivals = matrix::arrivals_of(trace);
  if (options.is_stored)
    return say(programs_text(trace, trace, arrivals, resolver, options, options.is_inline));
  const auto text_of = [&](const trace::Trace& folded, present::Told how, bool is_inline) {
    std::string text = programs_text(trace, folded, arrivals, resolver, options, is_inline);
    if (how != present::Told::kAsStored && !options.all)
      text += trace::local_calls_remark(trace, options.rank);
    return text + order_remark(how);
  };
  const present::ToldText told =
      present::told_text(trace, options.all, [&](const trace::Trace& folded, present::Told how) {
        return text_of(folded, how, false);
      });
  say(options.is_inline ? text_of(told.folded ? *told.folded : trace, told.how, true) : told.text);
}

int print(const PrintOptions& options) {
  if (auto known = check_calls(options.calls); !known) return complain(known.error());
  const auto trace = open_trace(options.file);
  if (!trace) return complain(trace.error());
  const auto classes = chosen_classes(*trace, options);
  if (!classes) return complain(classes.error());
  sites::Resolver resolver(*trace);
  if (options.flat || !options.calls.empty()) {
    if (auto allowed = allow_walk(*trace, options.file, Walk::kAll, options.rank); !allowed)
      return complain(allowed.error());
    if (auto done = print_ranks(*trace, resolver, *classes, options); !done)
      return complain(done.error());
  } else if (options.json) {
    present::say_program_json(*trace, *classes, options.rank,
                              options.no_sites ? nullptr : &resolver, say);
    return kDone; // remarks are in it
  } else {
    print_programs(*trace, resolver, options);
  }
  warn(options.file, resolver.remarks());
  return kDone;
}

} // namespace

void add_print(CLI::App& app, Chosen& chosen) {
  auto options = std::make_shared<PrintOptions>();
  CLI::App* command = app.add_subcommand("print", "The trace as text: loops, or every call");
  command->add_option("trace", options->file, "A .rondo archive")->required()->type_name("FILE");
  command->add_option("--rank", options->rank,
                      "The program of this rank alone (default: one program for all ranks)");
  command->add_flag(
      "--flat", options->flat,
      "Every call on a line of its own, as docs/formats/call-lines.md says; in front of it "
      "start and duration, if the archive has them of every call");
  command
      ->add_option("--calls", options->calls,
                   "Only these MPI functions, one line a call (implies --flat)")
      ->delimiter(',')
      ->type_name("NAME,...");
  CLI::Option* sites = command->add_flag(
      "--sites", options->sites,
      "Say of every call where it stands, as function, line or address; with --flat too (default: "
      "in loops, where the line is known)");
  command->add_flag("--no-sites", options->no_sites, "Do not say where calls stand")
      ->excludes(sites);
  command->add_flag("--no-times", options->no_times, "Leave the times out");
  command->add_flag(
      "--all", options->all,
      "Local calls too, such as those of groups and queries of datatypes, which loops "
      "leave out and count");
  command->add_flag("--inline", options->is_inline,
                    "No procedures: what comes again elsewhere is written again");
  command->add_flag("--stored", options->is_stored,
                    "Each line with its own words and as it is stored (default: neighbours that "
                    "differ in tags, amounts, datatypes and places in the source are one)");
  command->add_flag("--json", options->json,
                    "For programs: loops as JSON; with --flat one JSON object a line");
  command->footer(
      "In loops, @0 is the newest request that was made, @1 the one before, p0 the "
      "first persistent one;\n"
      "<1..9> are values that vary, rank+1 is a peer. What differs between ranks stands in\n"
      "their order, repetitions folded: rank[{+1 x3, -3} x4] is rank+1 for ranks 0 to "
      "2,\n"
      "rank-3 for rank 3, and so on. Terms below \"ranks 0-3,12:\" are executed by "
      "these only;\n"
      "17-30(+16 x14) are 14 such ranges, each 16 above the one before. What comes again\n"
      "elsewhere is a procedure: 'call exchange(tag=12)' stands for its lines with 12 for $tag.\n"
      "Examples:\n"
      "  rondo print app.rondo\n"
      "  rondo print app.rondo --flat --rank 3 | less\n"
      "  rondo print app.rondo --calls MPI_Allreduce,MPI_Bcast --rank 0");
  command->callback([options, &chosen] { chosen.run = [options] { return print(*options); }; });
}

} // namespace rondo::cli
