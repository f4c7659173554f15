// SPDX-License-Identifier: Apache-2.0
// rondo info: what was recorded, how it folded and what it cost.
#include "cli/archive_sizes.hpp"
#include "cli/commands.hpp"
#include "cli/common.hpp"
#include "cli/endings.hpp"
#include "cli/message_summary.hpp"
#include "cli/site_json.hpp"
#include "cli/walk.hpp"
#include "rondo/archive/archive.hpp"
#include "rondo/base/escape.hpp"
#include "rondo/base/files.hpp"
#include "rondo/base/units.hpp"
#include "rondo/sites/resolver.hpp"
#include "rondo/sites/site_uses.hpp"
#include "rondo/trace/program_text.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdio>
#include <ctime>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace rondo::cli {
namespace {

struct InfoOptions {
  std::string file;
  bool json = false;
  bool messages = false;
  std::size_t sites = 10;
};

struct Totals {
  std::uint64_t calls = 0;
  std::uint64_t span_ns = 0; // of the longest rank
  std::uint64_t sum_of_spans_ns = 0;
  std::uint64_t computation_ns = 0;
  std::uint64_t inside_ns = 0;
  std::uint64_t recorder_ns = 0;
  std::uint64_t recorder_bytes = 0; // of the rank with most
  std::size_t terms = 0; // of the merged programs
  std::size_t most_terms = 0; // of one rank's
  std::size_t distinct_calls = 0;
};

Totals totals_of(const trace::Trace& trace) {
  Totals totals;
  for (const trace::RankFacts& rank : trace.ranks) {
    totals.calls += rank.calls;
    totals.span_ns = std::max(totals.span_ns, rank.span_ns);
    totals.sum_of_spans_ns += rank.span_ns;
    totals.computation_ns += rank.computation_ns;
    totals.inside_ns += rank.inside_ns;
    totals.recorder_ns += rank.recorder_ns;
    totals.recorder_bytes = std::max(totals.recorder_bytes, rank.recorder_bytes);
  }
  for (const auto& merged : trace.programs) totals.terms += merged->terms();
  for (const trace::RankClass& c : trace.classes) {
    totals.most_terms = std::max(totals.most_terms, c.program->nest.terms());
    totals.distinct_calls += c.program->calls.size();
  }
  return totals;
}

double ratio(double a, double b) { return b > 0 ? a / b : 0; }

std::string date_text(std::int64_t unix_ns) {
  const std::time_t seconds = unix_ns / 1'000'000'000;
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  std::array<char, 64> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &utc)};
}

constexpr std::array<const char*, 4> kThreadLevels = {"single", "funneled", "serialized",
                                                      "multiple"};

const char* thread_level(int level) {
  return level >= 0 && level < static_cast<int>(kThreadLevels.size())
             ? kThreadLevels[static_cast<std::size_t>(level)]
             : "unknown";
}

struct Recording {
  trace::Trace trace;
  std::vector<archive::SectionSize> sections;
  ArchiveSizes sizes;
  std::uint64_t bytes = 0;
  std::string file;
};

Result<Recording> open(const std::string& file) {
  const auto bytes = map_file(file);
  if (!bytes) return propagate(bytes);
  auto trace = archive::decode(bytes->view, file, bytes->owner);
  if (!trace) return propagate(trace);
  auto sections = archive::section_sizes(bytes->view, file);
  if (!sections) return propagate(sections);
  auto sizes = archive_sizes(bytes->view, file, *trace);
  if (!sizes) return propagate(sizes);
  return Recording{std::move(*trace), std::move(*sections), std::move(*sizes), bytes->view.size(),
                   file};
}

double share_of_whole(std::uint64_t part, std::uint64_t whole) {
  return ratio(static_cast<double>(part), static_cast<double>(whole));
}

// The call sites with most time in MPI, or with most calls in a trace without times.
struct LargestUses {
  LargestUses(const trace::Trace& trace, std::size_t count) : uses(sites::site_uses(trace)) {
    for (const sites::SiteUse& use : uses) inside_ns += use.is_frame() ? 0 : use.inside_ns;
    uses.resize(std::min(count, uses.size()));
  }
  double share_of_inside(const sites::SiteUse& use) const {
    return use.is_frame() ? 0 : share_of_whole(use.inside_ns, inside_ns);
  }

  std::vector<sites::SiteUse> uses;
  std::uint64_t inside_ns = 0; // of all, apart from MPI_Init and the like
};

nlohmann::json uses_json(const trace::Trace& trace, sites::Resolver& resolver, std::size_t count) {
  const LargestUses largest(trace, count);
  nlohmann::json list = nlohmann::json::array();
  for (const sites::SiteUse& use : largest.uses) {
    list.push_back({{"call", use.function->name},
                    {"site", site_json(resolver, use.site)},
                    {"calls", use.calls},
                    {"inside_mpi_ns", use.inside_ns},
                    {"share_of_inside_mpi", largest.share_of_inside(use)}});
  }
  return list;
}

nlohmann::json as_json(const Recording& recording, const InfoOptions& options) {
  const trace::Trace& trace = recording.trace;
  const Totals totals = totals_of(trace);
  nlohmann::json result = {
      {"schema", 1},
      {"command", trace.run.command},
      {"mpi", trace.run.mpi},
      {"recorder", trace.run.recorder},
      {"ranks", trace.run.ranks},
      {"start_unix_ns", trace.run.start_unix_ns},
      {"complete", trace.run.complete},
      {"thread_level", thread_level(trace.run.thread_level)},
      {"notes", trace.run.notes},
      {"recorded", trace.run.choice.empty() ? "all" : trace.run.choice},
      {"calls", totals.calls},
      {"span_ns", totals.span_ns},
      {"computation_ns", totals.computation_ns},
      {"inside_mpi_ns", totals.inside_ns},
      {"classes", trace.classes.size()},
      {"programs", trace.programs.size()},
      {"terms", totals.terms},
      {"terms_of_one_rank", totals.most_terms},
      {"distinct_calls", totals.distinct_calls},
      {"archive_bytes", recording.bytes},
      {"cost",
       {{"per_call_ns",
         ratio(static_cast<double>(totals.recorder_ns), static_cast<double>(totals.calls))},
        {"share_of_run", ratio(static_cast<double>(totals.recorder_ns),
                               static_cast<double>(totals.sum_of_spans_ns))},
        {"memory_per_rank_bytes", totals.recorder_bytes}}},
  };
  sites::Resolver resolver(trace);
  for (const EndingGroup& group : endings_of(trace)) {
    const trace::Function* function = trace::find_function(group.ending.function);
    nlohmann::json ending = {{"ranks", group.ranks},
                             {"kind", keyword_of(group.ending.kind)},
                             {"detail", group.ending.detail}};
    if (function != nullptr) {
      ending["in_call"] = function->name;
      ending["in_call_ns"] = group.ending.in_call_ns;
      ending["site"] = resolver.text(group.ending.site);
    }
    result["endings"].push_back(std::move(ending));
  }
  for (const trace::Host& host : trace.hosts) {
    result["hosts"].push_back({{"name", host.name}, {"ranks", host.ranks.ranks()}});
  }
  for (const archive::SectionSize& section : recording.sections) {
    result["sections"][section.name] = {{"stored_bytes", section.stored_bytes},
                                        {"raw_bytes", section.raw_bytes}};
  }
  add_sizes(result, recording.sizes);
  result["call_sites"] = uses_json(trace, resolver, options.sites);
  if (options.messages) result["messages"] = message_json(trace::match_messages(trace, {}));
  result["site_remarks"] = resolver.remarks();
  return result;
}

std::string hosts_text(const trace::Trace& trace) {
  if (trace.hosts.empty()) return "";
  if (trace.hosts.size() == 1) return " on " + trace.hosts.front().name;
  std::string text = fmt::format(" on {} hosts:", trace.hosts.size());
  for (std::size_t i = 0; i < trace.hosts.size() && i < 4; ++i) {
    text += fmt::format("{} {} (ranks {})", i == 0 ? "" : ",", trace.hosts[i].name,
                        trace.hosts[i].ranks.text());
  }
  return trace.hosts.size() > 4 ? text + ", ..." : text;
}

void print_uses(const trace::Trace& trace, sites::Resolver& resolver, std::size_t count) {
  const LargestUses largest(trace, count);
  const char* title = "call sites";
  for (const sites::SiteUse& use : largest.uses) {
    std::string times;
    if (use.inside_ns > 0) {
      times = fmt::format("  {:>7}", human_duration(static_cast<double>(use.inside_ns)));
      times += use.is_frame() ? fmt::format("{:>9}", "")
                              : fmt::format("  {:>7}", human_percent(largest.share_of_inside(use)));
    }
    fmt::print("{:<12} {:>7} calls{}  {}  {}\n", title, human_count(static_cast<double>(use.calls)),
               times, use.function->name, resolver.text(use.site));
    title = "";
  }
}

void print_text(const Recording& recording, const InfoOptions& options) {
  const trace::Trace& trace = recording.trace;
  const Totals totals = totals_of(trace);
  const auto line = [](const char* name, const std::string& value) {
    fmt::print("{:<12} {}\n", name, escape::terminal(value));
  };
  const auto calls = static_cast<double>(totals.calls);
  const auto spans = static_cast<double>(totals.sum_of_spans_ns);
  line("program", trace.run.command);
  line("MPI", fmt::format("{}, threads {}", trace.run.mpi, thread_level(trace.run.thread_level)));
  line("ranks", fmt::format("{}{}", trace.run.ranks, hosts_text(trace)));
  if (trace.run.start_unix_ns != 0) line("started", date_text(trace.run.start_unix_ns));
  line("recorded by", trace.run.recorder);
  sites::Resolver resolver(trace);
  line("complete", trace.run.complete ? "yes" : "no");
  if (!trace.run.notes.empty()) line("", trace.run.notes);
  if (!trace.run.complete) {
    for (const EndingGroup& group : endings_of(trace)) {
      line("", fmt::format("{} {}: {}", group.ranks.size() == 1 ? "rank" : "ranks",
                           trace::RankSet::of(group.ranks).text(),
                           ending_text(group.ending, resolver)));
    }
  }
  if (!trace.run.choice.empty())
    line("recorded", trace.run.choice + ": these are not all calls, and messages may lack an end");
  line("time", fmt::format("{} from MPI_Init to {}; {} of it inside MPI",
                           human_duration(static_cast<double>(totals.span_ns)),
                           trace.run.complete ? "MPI_Finalize" : "the end",
                           human_percent(ratio(static_cast<double>(totals.inside_ns), spans))));
  line("calls", fmt::format("{} ({} a rank)", human_count(calls),
                            human_count(ratio(calls, static_cast<double>(trace.run.ranks)))));
  line("folded", fmt::format("into {} terms in {} {} of ranks: {} calls a term", totals.terms,
                             trace.classes.size(), trace.classes.size() == 1 ? "class" : "classes",
                             human_count(ratio(calls, static_cast<double>(totals.terms)))));
  for (std::size_t i = 0; i < trace.classes.size() && i < 8; ++i) {
    const trace::RankClass& c = trace.classes[i];
    line("", fmt::format("{}: {} terms, {} distinct calls", trace::guard_text(c.ranks),
                         c.program->nest.terms(), c.program->calls.size()));
  }
  if (trace.classes.size() > 8) line("", fmt::format("and {} more", trace.classes.size() - 8));
  line("archive", fmt::format("{}; unpacked {}", human_bytes(static_cast<double>(recording.bytes)),
                              human_bytes(static_cast<double>(recording.sizes.raw_bytes()))));
  for (const std::string& text : size_lines(recording.sizes)) line("", text);
  line("cost", fmt::format("{} a call, {} of the run, {} of memory a rank",
                           human_duration(ratio(static_cast<double>(totals.recorder_ns), calls)),
                           human_percent(ratio(static_cast<double>(totals.recorder_ns), spans)),
                           human_bytes(static_cast<double>(totals.recorder_bytes))));
  if (options.messages) {
    for (const auto& [name, text] : message_lines(trace::match_messages(trace, {})))
      line(name.c_str(), text);
  }
  print_uses(trace, resolver, options.sites);
  warn(recording.file, resolver.remarks());
}

int info(const InfoOptions& options) {
  const auto recording = open(options.file);
  if (!recording) return complain(recording.error());
  if (options.messages) {
    if (auto allowed = allow_walk(recording->trace, options.file); !allowed)
      return complain(allowed.error());
  }
  if (options.json) {
    std::puts(escape::json_text(as_json(*recording, options)).c_str());
  } else {
    print_text(*recording, options);
  }
  return kDone;
}

} // namespace

void add_info(CLI::App& app, Chosen& chosen) {
  auto options = std::make_shared<InfoOptions>();
  CLI::App* command =
      app.add_subcommand("info", "What was recorded, how it folded and what recording cost");
  command->add_option("trace", options->file, "A .rondo archive")->required()->type_name("FILE");
  command
      ->add_option("--sites", options->sites,
                   "How many call sites to list, those with most time in MPI first")
      ->capture_default_str()
      ->type_name("N");
  command->add_flag("--messages", options->messages,
                    "Also match sends with receives and say which have no other side; reads every "
                    "call");
  command->add_flag("--json", options->json, "For programs");
  command->callback([options, &chosen] { chosen.run = [options] { return info(*options); }; });
}

} // namespace rondo::cli
