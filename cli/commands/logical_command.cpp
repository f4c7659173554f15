// SPDX-License-Identifier: Apache-2.0
// rondo logical: what all ranks do as one text, peers named by their direction.
#include "cli/commands.hpp"
#include "cli/commands/report_documents.hpp"
#include "cli/common.hpp"
#include "cli/walk.hpp"
#include "present/program/logical_json.hpp"
#include "present/run/flat_times.hpp"
#include "present/run/shared_sites.hpp"
#include "rondo/base/escape.hpp"
#include "rondo/base/files.hpp"
#include "rondo/base/units.hpp"
#include "rondo/logical/procedures.hpp"
#include "rondo/sites/resolver.hpp"
#include "rondo/trace/call_text.hpp"
#include "rondo/trace/ran_programs.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <fmt/core.h>
#include <optional>

namespace rondo::cli {
namespace {

struct LogicalCommandOptions {
  std::string file;
  std::optional<std::int64_t> expand;
  std::string detail = "full";
  bool lossless = false;
  bool accuracy = false;
  bool check = false;
  bool no_times = false;
  bool all = false;
  bool is_inline = false;
  bool sites = false;
  bool json = false;
};

// The lines of `rondo print --rank R --flat`, but by way of the logical program.
int expand_rank(const trace::Trace& trace, const LogicalCommandOptions& options) {
  const std::int64_t rank = *options.expand;
  if (rank < 0 || rank >= trace.run.ranks) {
    return complain(
        Error{ErrorCode::kUsage,
              fmt::format("has no rank {}; its ranks are 0 to {}", rank, trace.run.ranks - 1),
              {options.file, {}, {}, {}}});
  }
  const logical::LogicalProgram program = logical::logicalize(trace);
  const trace::CommunicatorNames comms(trace);
  for (const trace::RankClass& c : trace.classes) {
    if (!c.ranks.contains(rank)) continue;
    const std::int64_t cell = program.cell_of_rank[static_cast<std::size_t>(rank)];
    // Texts are numbered as in the logical program, all else is the recorded rank's.
    const trace::CallReader tables(trace, *program.cells.class_of(cell, c.thread), rank);
    logical::Expansion calls(trace, program, rank, c.thread);
    trace::CallLineWriter writer(trace, tables, [&](const trace::Field& field, std::int64_t word) {
      return calls.array(field, word);
    });
    writer.name_communicators(comms);
    present::FlatTimes times(trace, rank, c.thread);
    while (const trace::CallInstance* call = calls.next()) {
      times.advance();
      fmt::print("{}{}\n", options.no_times ? "" : times.text(), writer.line(*call));
    }
    if (!times.is_damaged()) continue;
    return complain(Error{ErrorCode::kDamaged,
                          "has damaged times of the calls of this rank; --no-times leaves them out",
                          {options.file, rank, {}, {}}});
  }
  return kDone;
}

std::string row(const logical::CallsAndBytes& part, const logical::CallsAndBytes& all) {
  const auto share = [](std::uint64_t a, std::uint64_t b) {
    return b == 0 ? std::string("-")
                  : human_percent(static_cast<double>(a) / static_cast<double>(b));
  };
  return fmt::format("{:>10} {:>8} {:>10} {:>8}", part.calls, share(part.calls, all.calls),
                     human_bytes(static_cast<double>(part.bytes)), share(part.bytes, all.bytes));
}

// Guards that name ranks: what the topology does not explain, though its messages may be on it.
std::string beyond_text(const logical::LogicalText& text) {
  const logical::BeyondTopology& beyond = text.beyond;
  std::string table = "beyond the topology: ";
  if (beyond.sets.empty() && beyond.loops == 0) return table + "nothing, ranks differ by it only\n";
  table += fmt::format("calls of some ranks only, of {} of all ranks\n",
                       count_of(beyond.all_calls, "call"));
  if (!beyond.sets.empty())
    table += "                 calls    share      bytes    share  records\n";
  for (const logical::RankDifference& set : beyond.sets) {
    table += fmt::format("            {} {:>8}   {}\n",
                         row(set.all, {beyond.all_calls, text.all.bytes}), set.records, set.ranks);
  }
  if (beyond.loops == 0) return table;
  return table + fmt::format("loops whose counts differ by rank: {}, with {} more than if "
                             "all had the least\n",
                             beyond.loops, count_of(beyond.surplus, "call"));
}

// What is off the topology: in total, by call site, by rank.
std::string accuracy_text(const logical::LogicalProgram& program, const logical::OffTopology& off,
                          sites::Resolver& resolver) {
  const logical::Accuracy& accuracy = program.accuracy;
  constexpr const char* kHeads = "     calls    share      bytes    share";
  std::string text =
      fmt::format("off topology{}\n            {}\n", kHeads, row(accuracy.outside, accuracy.all));
  text += fmt::format("by call site{}   share of the site's own\n", kHeads);
  for (const logical::SiteAccuracy& site : off.sites) {
    const std::string place = resolver.short_text(site.site);
    text += fmt::format("            {}   {}{}\n", row(site.outside, site.all), site.function->name,
                        place.empty() ? "" : " in " + place);
  }
  text += fmt::format("by rank     {}   share of all ranks'\n", kHeads);
  std::size_t silent = 0;
  for (std::size_t rank = 0; rank < accuracy.outside_of_ranks.size(); ++rank) {
    const logical::CallsAndBytes& outside = accuracy.outside_of_ranks[rank];
    if (outside.calls == 0 && outside.bytes == 0) {
      ++silent;
    } else {
      text += fmt::format("{:>12}{}\n", rank, row(outside, accuracy.all));
    }
  }
  return text + fmt::format("ranks with nothing off the topology: {}\n", silent);
}

// The text again as it was read, so that a change in it shows as a difference.
int check(const LogicalCommandOptions& options) {
  const auto bytes = read_file(options.file);
  if (!bytes) return complain(bytes.error());
  const auto text = logical::parse_logical_text(*bytes, options.file);
  if (!text) return complain(text.error());
  return put(options.json ? escape::json_text(present::logical_json(*text)) + "\n"
                          : logical::logical_text(*text, {.times = !options.no_times}));
}

// "x_solve.f:120, 135, y_solve.f:98": a file is named once for lines behind one another. Without
// lines: functions, or libraries.
std::string places_at(sites::Resolver& resolver, const std::vector<std::uint32_t>& sites) {
  constexpr std::size_t kMost = 6;
  std::vector<std::string> places;
  for (const std::uint32_t site : sites) {
    const sites::SourcePlace& place = resolver.place(site);
    std::string text = escape::terminal(
        place.function.empty() ? place.module.substr(place.module.rfind('/') + 1) : place.function);
    if (place.has_line()) {
      const std::string file = place.file.substr(place.file.rfind('/') + 1);
      text = fmt::format("{}:{}", escape::terminal(file), place.line);
    }
    while (text.find("  ") != std::string::npos) text.erase(text.find("  "), 1);
    if (!text.empty() && std::find(places.begin(), places.end(), text) == places.end())
      places.push_back(std::move(text));
  }
  std::sort(places.begin(), places.end());
  std::string joined;
  std::string file;
  for (std::size_t i = 0; i < std::min(places.size(), kMost); ++i) {
    const std::string own = places[i].substr(0, places[i].rfind(':') + 1);
    const bool again = !own.empty() && own == file;
    joined += (i == 0 ? "" : ", ") + (again ? places[i].substr(own.size()) : places[i]);
    file = own;
  }
  return places.size() > kMost ? fmt::format("{} and {} more", joined, places.size() - kMost)
                               : joined;
}

// What of the run is not in the text, as it would be too long. By the flow of control, calls that a
// library makes for many callers stand once, and loops over all of them say little.
std::vector<std::string> remarks_of(const trace::Trace& trace,
                                    const logical::LogicalProgram& program,
                                    const logical::LogicalText& text) {
  std::vector<std::string> remarks;
  if (const auto several = trace::ran_programs(trace); !several.empty())
    remarks.push_back(trace::ran_programs_text(several));
  if (program.is_by_flow && logical::leaves_open(text)) {
    remarks.emplace_back(
        "it is left open which round does what, as data or the step may decide: each call of the "
        "source stands once, in its order; rondo print --stored has all calls as they come");
  }
  if (const auto shared = present::shared_sites(trace); shared.are_there())
    remarks.push_back(present::shared_sites_text(shared));
  if (program.frames > 0)
    remarks.push_back(fmt::format(
        "with whole call stacks the text would be more than twice as long: calls are told apart "
        "by their innermost {} only",
        program.frames == 1 ? "frame" : fmt::format("{} frames", program.frames)));
  return remarks;
}

logical::LogicalText in_procedures(logical::LogicalText text, const trace::Trace& trace,
                                   sites::Resolver& resolver) {
  const auto functions = [&](std::uint32_t site) { return resolver.functions(site); };
  text = logical::with_procedures(std::move(text));
  logical::name_procedures(text, functions);
  const bool has_stacks = std::any_of(trace.sites.begin(), trace.sites.end(),
                                      [](const trace::CallSite& site) { return site.caller != 0; });
  if (has_stacks) text = logical::with_functions(std::move(text), functions);
  logical::name_by_calls(text); // functions of the program have their names first
  return text;
}

int logical_of(const LogicalCommandOptions& options) {
  if (options.check) return check(options);
  const bool is_paper = options.detail == "paper";
  if (options.expand && is_paper)
    return complain("--expand needs all words of the calls: leave out --detail paper");
  if (options.expand && options.json) return complain("--expand writes lines, no JSON");
  const auto trace = read_for_walk(options.file);
  if (!trace) return complain(trace.error());
  if (const auto allowed = allow_read(*trace, options.file); !allowed)
    return complain(allowed.error());
  if (options.expand) return expand_rank(*trace, options);
  logical::LogicalProgram program =
      is_paper ? logical::logicalize_in_paper_detail(*trace, options.all)
               : logical::logicalize_for_text(*trace, true, options.all,
                                              options.lossless || options.accuracy);
  if (options.lossless) program.sums_up_disorder = false;
  // Playing all calls back for it takes time, so only where something is off the topology.
  const bool leaves_out = !options.lossless && logical::leaves_out(program);
  const logical::OffTopology off = options.accuracy || leaves_out
                                       ? logical::off_topology(*trace, program)
                                       : logical::OffTopology{};
  logical::LogicalText text = text_of(program, leaves_out ? &off : nullptr);
  sites::Resolver resolver(*trace);
  if (!options.is_inline) {
    text = in_procedures(std::move(text), *trace, resolver);
  }
  if (options.sites)
    logical::say_places(text, [&](const auto& sites) { return places_at(resolver, sites); });
  std::string out;
  if (options.json) {
    nlohmann::json json = present::logical_json(text);
    json["detail"] = options.detail;
    json["cell_of_rank"] = program.cell_of_rank;
    if (options.accuracy)
      json["accuracy"] = present::accuracy_json(program.accuracy, off, resolver);
    out = escape::json_text(json) + "\n";
  } else if (options.accuracy) {
    out = accuracy_text(program, off, resolver) + beyond_text(text);
  } else {
    out = logical::logical_text(text, {.times = !options.no_times});
  }
  const int status = put(out);
  std::vector<std::string> remarks = resolver.remarks();
  for (std::string& remark : remarks_of(*trace, program, text))
    remarks.push_back(std::move(remark));
  warn(options.file, remarks);
  return status;
}

} // namespace

nlohmann::json logical_document(const trace::Trace& trace, sites::Resolver& resolver) {
  const logical::LogicalProgram program = logical::logicalize_for_text(trace);
  const bool leaves_out = logical::leaves_out(program);
  const logical::OffTopology off =
      leaves_out ? logical::off_topology(trace, program) : logical::OffTopology{};
  logical::LogicalText text =
      in_procedures(text_of(program, leaves_out ? &off : nullptr), trace, resolver);
  logical::say_places(text, [&](const auto& sites) { return places_at(resolver, sites); });
  return present::logical_json(text, [&](const std::vector<std::uint32_t>& sites) {
    std::vector<std::string> words;
    for (const std::uint32_t site : sites) words.push_back(resolver.text(site));
    words.erase(std::unique(words.begin(), words.end()), words.end());
    return words;
  });
}

void add_logical(CLI::App& app, Chosen& chosen) {
  auto options = std::make_shared<LogicalCommandOptions>();
  CLI::App* command =
      app.add_subcommand("logical", "Write what all ranks do as one program, peers by direction");
  command
      ->add_option("file", options->file,
                   "A .rondo archive; for --check the text of a logical program, - is standard "
                   "input")
      ->required()
      ->type_name("FILE");
  CLI::Option* lossless = command->add_flag(
      "--lossless", options->lossless,
      "Keep calls whose peers are off the topology, as rank+distance, even where they are at most "
      "1 % (default: leave so few out and count them in the last line), and the order of calls "
      "where ranks have none in common (default: a list of these calls)");
  CLI::Option* detail = command
                            ->add_option("--detail", options->detail,
                                         "What of a call is kept: full; paper, "
                                         "function, peers and datatype only, which folds shorter")
                            ->check(CLI::IsMember({"full", "paper"}))
                            ->type_name("full|paper");
  CLI::Option* accuracy =
      command->add_flag("--accuracy", options->accuracy,
                        "Tables of calls and bytes off the topology: in total, by call site and by "
                        "rank; with --json beside the program");
  CLI::Option* expand =
      command
          ->add_option("--expand", options->expand,
                       "Play this rank's calls back from the logical program, in the lines of "
                       "'rondo print --flat --rank R'")
          ->type_name("R")
          ->excludes(lossless)
          ->excludes(accuracy);
  command
      ->add_flag("--check", options->check,
                 "Read the text of a logical program and write it again, or say in which line it "
                 "is wrong")
      ->excludes(lossless)
      ->excludes(accuracy)
      ->excludes(expand)
      ->excludes(detail);
  command->add_flag("--all", options->all,
                    "Local calls too, such as those of groups and queries of datatypes, and polls "
                    "that found nothing, which the text leaves out and counts");
  command->add_flag("--inline", options->is_inline,
                    "No procedures: what comes again elsewhere is written again");
  command->add_flag("--sites", options->sites,
                    "Behind each call the places in the source that make it");
  command->add_flag("--no-times", options->no_times, "Leave the times out");
  add_json(*command, options->json);
  command->footer(
      "A call with a direction of the topology in the line 'on' is made by the ranks for which it "
      "leads\nsomewhere; 'if west:' and 'ranks 0-3:' say who makes what is below. Numbers are "
      "those of ranks.\ndocs/formats/logical.md describes the text. Examples:\n"
      "  rondo logical app.rondo\n"
      "  rondo logical app.rondo --detail paper --json | jq .records\n"
      "  diff <(rondo logical app.rondo --expand 3) <(rondo print app.rondo --rank 3 --flat)");
  command->callback(
      [options, &chosen] { chosen.run = [options] { return logical_of(*options); }; });
}

} // namespace rondo::cli
