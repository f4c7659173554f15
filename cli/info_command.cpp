// SPDX-License-Identifier: Apache-2.0
// rondo info: what was recorded, how it folded and what it cost.
#include "cli/commands.hpp"
#include "cli/common.hpp"
#include "cli/open_trace.hpp"
#include "cli/report_documents.hpp"
#include "cli/session.hpp"
#include "cli/walk.hpp"
#include "present/run/archive_sizes.hpp"
#include "present/run/endings.hpp"
#include "present/run/message_summary.hpp"
#include "present/site_json.hpp"
#include "rondo/archive/archive.hpp"
#include "rondo/base/escape.hpp"
#include "rondo/base/files.hpp"
#include "rondo/base/units.hpp"
#include "rondo/sites/resolver.hpp"
#include "rondo/sites/site_uses.hpp"
#include "rondo/trace/program_text.hpp"
#include "rondo/trace/sharing.hpp"
#include "trace/mpi_names.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <optional>

namespace rondo::cli {
namespace {

constexpr std::size_t kSites = 10;

struct InfoOptions {
  std::string file;
  bool json = false;
  bool messages = false;
  std::optional<std::size_t> sites; // default: ten of them for people, all for programs
};

struct Totals {
  std::uint64_t calls = 0;
  std::uint64_t span_ns = 0; // of the longest rank
  std::uint64_t own_ns =
      0; // sum of spans; of ranks that share processors, of what they had of them
  std::uint64_t computation_ns = 0;
  std::uint64_t recorder_ns = 0;
  std::uint64_t recorder_apart_ns = 0; // of these, for no call
  std::uint64_t recorder_start_ns = 0; // of these, in MPI_Init
  std::uint64_t recorder_end_ns = 0; // in MPI_Finalize, behind what spans count
  std::uint64_t most_end_ns = 0; // of one rank
  std::uint64_t recorder_bytes = 0; // of the rank with most
  std::size_t terms = 0; // of the merged programs
  std::size_t most_terms = 0; // of one rank's
  std::size_t distinct_calls = 0;
};

Totals totals_of(const trace::Trace& trace) {
  Totals totals;
  const bool is_shared = trace::sharing_of(trace).is_shared();
  for (const trace::RankFacts& rank : trace.ranks) {
    totals.calls += rank.calls;
    totals.span_ns = std::max(totals.span_ns, rank.span_ns);
    const bool has_share = is_shared && rank.cpu_ns > 0;
    totals.own_ns += has_share ? std::min(rank.cpu_ns, rank.span_ns) : rank.span_ns;
    totals.computation_ns += rank.computation_ns;
    totals.recorder_ns += rank.recorder_ns;
    totals.recorder_apart_ns += std::min(rank.recorder_apart_ns, rank.recorder_ns);
    totals.recorder_start_ns += rank.recorder_start_ns;
    totals.recorder_end_ns += rank.recorder_end_ns;
    totals.most_end_ns = std::max(totals.most_end_ns, rank.recorder_end_ns);
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

// Of traces that others recorded it is not known.
bool has_cost(const Totals& totals) { return totals.recorder_ns > 0 || totals.recorder_bytes > 0; }

// Beginning to record takes as long for 20 calls as for a million: it is no call's cost.
double cost_per_call_ns(const Totals& totals) {
  return ratio(static_cast<double>(totals.recorder_ns - totals.recorder_apart_ns),
               static_cast<double>(totals.calls));
}

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
  present::ArchiveSizes sizes;
  std::uint64_t bytes = 0;
  std::string file;
};

Result<Recording> open(const std::string& file) {
  const auto archive = open_as_archive(file);
  if (!archive) return propagate(archive);
  auto trace = archive::decode(archive->bytes, file, archive->owner);
  if (!trace) return propagate(trace);
  auto sections = archive::section_sizes(archive->bytes, file);
  if (!sections) return propagate(sections);
  auto sizes = present::archive_sizes(archive->bytes, file, *trace);
  if (!sizes) return propagate(sizes);
  return Recording{std::move(*trace), std::move(*sections), std::move(*sizes),
                   archive->bytes.size(), file};
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
                    {"site", present::site_json(resolver, use.site)},
                    {"calls", use.calls},
                    {"inside_mpi_ns", use.inside_ns},
                    {"share_of_inside_mpi", largest.share_of_inside(use)}});
  }
  return list;
}

// How far ranks' clocks were apart, where stamps were put on one.
struct ClockCorrections {
  explicit ClockCorrections(const trace::Trace& trace) {
    for (const trace::RankFacts& rank : trace.ranks) {
      const auto correction = static_cast<std::uint64_t>(std::abs(rank.clock.correction_ns));
      greatest_ns = std::max(greatest_ns, correction);
      gain_ppt = std::max(gain_ppt, std::abs(rank.clock.gain_ppt));
      error_ns = std::max(error_ns, rank.clock.error_ns);
      is_known = is_known || rank.clock != trace::RankClock();
    }
  }
  std::uint64_t greatest_ns = 0;
  std::int64_t gain_ppt = 0;
  std::uint64_t error_ns = 0;
  bool is_known = false;
};

nlohmann::json as_json(const Recording& recording, const InfoOptions& options) {
  const trace::Trace& trace = recording.trace;
  const Totals totals = totals_of(trace);
  const trace::TimeShares shares = trace::time_shares(trace);
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
      {"inside_mpi_ns", shares.startup_ns + shares.inside_ns},
      {"startup_ns", shares.startup_ns},
      {"share_inside_mpi",
       ratio(static_cast<double>(shares.inside_ns), static_cast<double>(shares.behind_ns()))},
      {"classes", trace.classes.size()},
      {"programs", trace.programs.size()},
      {"terms", totals.terms},
      {"terms_of_one_rank", totals.most_terms},
      {"distinct_calls", totals.distinct_calls},
      {"archive_bytes", recording.bytes},
      {"cost",
       {{"per_call_ns", cost_per_call_ns(totals)},
        {"apart_from_calls_ns", totals.recorder_apart_ns},
        {"start_ns", totals.recorder_start_ns},
        {"end_ns", totals.recorder_end_ns},
        {"share_of_run",
         ratio(static_cast<double>(totals.recorder_ns), static_cast<double>(totals.own_ns))},
        {"memory_per_rank_bytes", totals.recorder_bytes}}},
  };
  if (!has_cost(totals)) {
    for (auto& [name, value] : result["cost"].items()) value = nullptr;
  }
  sites::Resolver resolver(trace);
  const trace::CommunicatorNames comms(trace);
  for (const present::EndingGroup& group : present::endings_of(trace)) {
    const trace::Function* function = trace::find_function(group.ending.function);
    nlohmann::json ending = {{"ranks", group.ranks},
                             {"kind", present::keyword_of(group.ending.kind)},
                             {"detail", group.ending.detail},
                             {"text", present::ending_text(group, resolver, trace.run, comms)}};
    if (function != nullptr) {
      ending["in_call"] = function->name;
      ending["in_call_ns"] = group.ending.in_call_ns;
      ending["site"] = resolver.text(group.ending.site);
      for (const auto& [name, value] : present::open_arguments(group, trace.run.ranks, comms))
        ending["in_call_arguments"][name] = value;
    }
    result["endings"].push_back(std::move(ending));
  }
  for (const trace::Host& host : trace.hosts) {
    result["hosts"].push_back({{"name", host.name}, {"ranks", host.ranks.ranks()}});
  }
  const trace::ProcessorSharing sharing = trace::sharing_of(trace);
  if (sharing.is_shared()) {
    result["shared_processors"] = {{"host", sharing.host},
                                   {"ranks", sharing.ranks},
                                   {"processors", sharing.processors},
                                   {"waited_for_processor_ns", sharing.waited_ns},
                                   {"displaced_between_calls_ns", shares.displaced_ns},
                                   {"computation_is_cpu_time", sharing.computation_is_cpu_time}};
  }
  if (const ClockCorrections clocks(trace); clocks.is_known)
    result["clocks"] = {{"greatest_correction_ns", clocks.greatest_ns},
                        {"greatest_gain_ppm", static_cast<double>(clocks.gain_ppt) * 1e-6},
                        {"error_ns", clocks.error_ns}};
  for (const archive::SectionSize& section : recording.sections) {
    result["sections"][section.name] = {{"stored_bytes", section.stored_bytes},
                                        {"raw_bytes", section.raw_bytes}};
  }
  present::add_sizes(result, recording.sizes);
  result["call_sites"] = uses_json(trace, resolver, options.sites.value_or(SIZE_MAX));
  if (options.messages)
    result["messages"] = present::message_json(trace::match_messages(trace, {}), trace);
  result["site_remarks"] = resolver.remarks();
  const sites::StoredNames stored = sites::stored_names(trace);
  result["stored_names"] = {
      {"sites", stored.sites}, {"named", stored.named}, {"with_lines", stored.with_lines}};
  return result;
}

std::string hosts_text(const trace::Trace& trace) {
  if (trace.hosts.empty()) return "";
  if (trace.hosts.size() == 1) return " on " + trace.hosts.front().name;
  std::string text = fmt::format(" on {} hosts:", trace.hosts.size());
  for (std::size_t i = 0; i < trace.hosts.size() && i < 4; ++i) {
    const trace::Host& host = trace.hosts[i];
    text += fmt::format("{} {} ({} {})", i == 0 ? "" : ",", host.name,
                        host.ranks.size() == 1 ? "rank" : "ranks", host.ranks.text());
  }
  return trace.hosts.size() > 4 ? text + ", ..." : text;
}

void line(const char* name, const std::string& value) { fmt::print("{:<12} {}\n", name, value); }

// Start-up is told apart: it says nothing about the program, and hides short ones.
void print_times(const trace::Trace& trace, const Totals& totals) {
  const trace::TimeShares shares = trace::time_shares(trace);
  const auto ranks = static_cast<double>(std::max<std::size_t>(trace.ranks.size(), 1));
  const auto text = [](double ns) { return human_duration(ns); };
  const auto of_behind = [&](std::uint64_t ns) {
    return human_percent(ratio(static_cast<double>(ns), static_cast<double>(shares.behind_ns())));
  };
  const auto span = static_cast<double>(totals.span_ns);
  const auto startup = static_cast<double>(shares.startup_ns) / ranks;
  line("time",
       fmt::format("{} from MPI_Init to {}{}", text(span),
                   trace.run.complete ? mpi::Finalize : "the end",
                   shares.startup_ns > 0
                       ? fmt::format("; MPI_Init alone took {} (mean of ranks)", text(startup))
                       : ""));
  line("",
       fmt::format("{}inside MPI {} ({}, sum over ranks), computation {}{}",
                   shares.startup_ns > 0 ? "behind it: " : "", of_behind(shares.inside_ns),
                   text(static_cast<double>(shares.inside_ns)), of_behind(shares.computation_ns),
                   shares.displaced_ns > 0
                       ? ", between calls without a processor " + of_behind(shares.displaced_ns)
                       : ""));
  bool is_first = true;
  for (const std::string& sentence : trace::sharing_text(trace::sharing_of(trace))) {
    line(is_first ? "processors" : "", escape::terminal(sentence));
    is_first = false;
  }
}

// What recording cost apart from calls, a rank in the mean: for the whole run, however long it is.
std::string cost_apart(const trace::Trace& trace, const Totals& totals) {
  const auto ranks = static_cast<double>(std::max<std::size_t>(trace.ranks.size(), 1));
  const auto a_rank = [&](std::uint64_t ns) {
    return human_duration(static_cast<double>(ns) / ranks);
  };
  const std::uint64_t start_ns = std::min(totals.recorder_start_ns, totals.recorder_apart_ns);
  if (start_ns == 0) // an older archive
    return totals.recorder_apart_ns > 0
               ? a_rank(totals.recorder_apart_ns) + " a rank to begin and to save"
               : "";
  std::string text = "a rank: " + a_rank(start_ns) + " to begin";
  if (totals.recorder_apart_ns > start_ns)
    text += ", " + a_rank(totals.recorder_apart_ns - start_ns) + " to save along the way";
  if (totals.recorder_end_ns > 0)
    text += fmt::format(", {} in MPI_Finalize (at most {})", a_rank(totals.recorder_end_ns),
                        human_duration(static_cast<double>(totals.most_end_ns)));
  return text;
}

void print_cost(const trace::Trace& trace, const Totals& totals) {
  if (!has_cost(totals)) return;
  line("cost", fmt::format("{} a call, {} of the run, {} of memory a rank",
                           human_duration(cost_per_call_ns(totals)),
                           human_percent(ratio(static_cast<double>(totals.recorder_ns),
                                               static_cast<double>(totals.own_ns))),
                           human_bytes(static_cast<double>(totals.recorder_bytes))));
  const std::string apart = cost_apart(trace, totals);
  if (!apart.empty()) line("", apart);
}

void print_clocks(const trace::Trace& trace) {
  const ClockCorrections clocks(trace);
  if (trace.hosts.size() < 2) return;
  const bool is_import = present::is_import(trace.run); // whose tool may have put them on one
  if (clocks.error_ns == 0 && !trace.stamps.empty() && !is_import)
    line("clocks",
         "of the hosts were not compared: stamps are as far apart as the hosts' calendars");
  if (clocks.error_ns == 0 && !(is_import && clocks.is_known)) return;
  line("clocks",
       fmt::format("of the hosts are on one: corrected by at most {}, and {:.3g} ppm of rate; {}",
                   human_duration(static_cast<double>(clocks.greatest_ns)),
                   static_cast<double>(clocks.gain_ppt) * 1e-6,
                   is_import ? "as the trace says"
                             : "known to " + human_duration(static_cast<double>(clocks.error_ns))));
}

void print_uses(const trace::Trace& trace, sites::Resolver& resolver, std::size_t count) {
  const LargestUses largest(trace, count);
  if (largest.uses.empty()) return;
  const bool has_times = largest.inside_ns > 0;
  fmt::print("call sites, sums over ranks{}\n",
             has_times ? "; share of the time inside MPI behind MPI_Init" : "");
  fmt::print("{:>12}{}  {}\n", "calls", has_times ? "  inside MPI   share" : "", "function, place");
  for (const sites::SiteUse& use : largest.uses) {
    std::string times;
    if (has_times) {
      times = fmt::format("  {:>10}", human_duration(static_cast<double>(use.inside_ns)));
      times += use.is_frame() ? fmt::format("{:>8}", "")
                              : fmt::format("  {:>6}", human_percent(largest.share_of_inside(use)));
    }
    fmt::print("{:>12}{}  {}  {}\n", human_count(static_cast<double>(use.calls)), times,
               use.function->name, resolver.text(use.site));
  }
}

// Whether the archive needs the program's files to say where calls stand.
std::string names_text(const sites::StoredNames& stored) {
  if (stored.named == 0) {
    return fmt::format("none of {}: they are looked up where the program's files are; "
                       "rondo convert IN OUT --resolve keeps them",
                       count_of(stored.sites, "call site"));
  }
  const std::string without =
      stored.named < stored.sites ? fmt::format(", {} without", stored.sites - stored.named) : "";
  return fmt::format("of {}, {} with lines{}", count_of(stored.named, "call site"),
                     stored.with_lines, without);
}

void print_text(const Recording& recording, const InfoOptions& options) {
  const trace::Trace& trace = recording.trace;
  const Totals totals = totals_of(trace);
  const auto line = [](const char* name, const std::string& value) {
    fmt::print("{:<12} {}\n", name, escape::terminal(value));
  };
  const auto calls = static_cast<double>(totals.calls);
  line("program", trace.run.command);
  const bool has_level = trace.run.thread_level >= 0; // other tools' traces do not say it
  line("MPI",
       trace.run.mpi +
           (has_level ? fmt::format(", threads {}", thread_level(trace.run.thread_level)) : ""));
  line("ranks", fmt::format("{}{}", trace.run.ranks, hosts_text(trace)));
  if (trace.run.start_unix_ns != 0) line("started", date_text(trace.run.start_unix_ns));
  line(present::is_import(trace.run) ? "read by" : "recorded by", trace.run.recorder);
  sites::Resolver resolver(trace);
  line("complete", trace.run.complete ? "yes" : "no");
  if (!trace.run.notes.empty()) line("", trace.run.notes);
  if (!trace.run.complete) {
    const trace::CommunicatorNames comms(trace);
    for (const present::EndingGroup& group : present::endings_of(trace)) {
      line("", fmt::format("{} {}: {}", group.ranks.size() == 1 ? "rank" : "ranks",
                           trace::RankSet::of(group.ranks).text(),
                           present::ending_text(group, resolver, trace.run, comms)));
    }
  }
  if (!trace.run.choice.empty())
    line("recorded", trace.run.choice + ": these are not all calls, and messages may lack an end");
  print_times(trace, totals);
  line("calls", fmt::format("{} ({} a rank)", human_count(calls),
                            human_count(ratio(calls, static_cast<double>(trace.run.ranks)))));
  line("folded",
       fmt::format("into {} in {} of ranks: {} calls a term", count_of(totals.terms, "term"),
                   counted(trace.classes.size(), "class", "classes"),
                   human_count(ratio(calls, static_cast<double>(totals.terms)))));
  for (std::size_t i = 0; i < trace.classes.size() && i < 8; ++i) {
    const trace::RankClass& c = trace.classes[i];
    line("", fmt::format("{}: {}, {}", trace::guard_text(c.ranks),
                         count_of(c.program->nest.terms(), "term"),
                         count_of(c.program->calls.size(), "distinct call")));
  }
  if (trace.classes.size() > 8) line("", fmt::format("and {} more", trace.classes.size() - 8));
  line("archive", fmt::format("{}; unpacked {}", human_bytes(static_cast<double>(recording.bytes)),
                              human_bytes(static_cast<double>(recording.sizes.raw_bytes()))));
  for (const std::string& text : present::size_lines(recording.sizes)) line("", text);
  if (const auto stored = sites::stored_names(trace); stored.sites > 0)
    line("names", names_text(stored));
  print_cost(trace, totals);
  print_clocks(trace);
  if (options.messages) {
    for (const auto& [name, text] : present::message_lines(trace::match_messages(trace, {}), trace))
      line(name.c_str(), text);
  }
  print_uses(trace, resolver, options.sites.value_or(kSites));
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
    say(escape::json_text(as_json(*recording, options)) + "\n");
  } else {
    print_text(*recording, options);
  }
  return kDone;
}

} // namespace

Result<nlohmann::json> info_document(const std::string& file) {
  const auto recording = open(file);
  if (!recording) return propagate(recording);
  return as_json(*recording, {});
}

void add_info(CLI::App& app, Chosen& chosen) {
  auto options = std::make_shared<InfoOptions>();
  CLI::App* command =
      app.add_subcommand("info", "What was recorded, how it folded and what recording cost");
  command->add_option("trace", options->file, "A .rondo archive")->required()->type_name("FILE");
  command
      ->add_option(
          "--sites", options->sites,
          "How many call sites to list, those with most time in MPI first (default: 10, with "
          "--json all)")
      ->type_name("N");
  command->add_flag("--messages", options->messages,
                    "Also match sends with receives and say which have no other side; reads every "
                    "call");
  command->add_flag("--json", options->json, "For programs");
  command->callback([options, &chosen] { chosen.run = [options] { return info(*options); }; });
}

} // namespace rondo::cli
