// SPDX-License-Identifier: Apache-2.0
#include "present/run/endings.hpp"
#include "present/run/message_summary.hpp"
#include "present/run/recording_answer.hpp"
#include "present/run/recording_facts.hpp"
#include "present/run/shared_sites.hpp"
#include "present/words.hpp"
#include "rondo/base/escape.hpp"
#include "rondo/base/units.hpp"
#include "rondo/trace/program_text.hpp"
#include "rondo/trace/ran_programs.hpp"
#include "rondo/trace/sharing.hpp"
#include "trace/mpi_names.hpp"

#include <algorithm>
#include <array>
#include <ctime>
#include <fmt/core.h>

namespace rondo::present {
namespace {

std::string date_text(std::int64_t unix_ns) {
  const std::time_t seconds = unix_ns / 1'000'000'000;
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  std::array<char, 64> text{};
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M:%S UTC", &utc)};
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

// What recording cost apart from calls, a rank in the mean: for the whole run, however long it is.
std::string cost_apart(const trace::Trace& trace, const RunTotals& totals) {
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

// Whether the archive needs the program's files to say where calls stand.
std::string names_text(const sites::StoredNames& stored) {
  if (stored.named == 0) {
    return fmt::format("none of {}: left out (--no-names), no symbols in the program's files, or "
                       "these were not at "
                       "hand; rondo convert IN OUT --resolve looks them up where the files are",
                       count_of(stored.sites, "call site"));
  }
  std::string text =
      fmt::format("of {}, {} with lines", count_of(stored.sites, "call site"),
                  stored.with_lines == 0 ? "none" : std::to_string(stored.with_lines));
  if (stored.named > stored.with_lines)
    text +=
        fmt::format(", {} with functions only (-g adds lines)", stored.named - stored.with_lines);
  if (stored.named < stored.sites)
    text += fmt::format(", {} without a name", stored.sites - stored.named);
  return text;
}

class RecordingText {
public:
  RecordingText(const Recording& recording, sites::Resolver& resolver,
                const RecordingOptions& options)
      : recording_(recording), trace_(recording.trace), totals_(totals_of(recording.trace)),
        resolver_(resolver), options_(options) {}

  std::string write() {
    line("program", trace_.run.command);
    if (const auto several = trace::ran_programs(trace_); !several.empty())
      line("", trace::ran_programs_text(several));
    const int level = trace_.run.thread_level; // other tools' traces do not say it
    line("MPI",
         trace_.run.mpi + (level >= 0 ? fmt::format(", threads {}", thread_level(level)) : ""));
    line("ranks", fmt::format("{}{}", trace_.run.ranks, hosts_text(trace_)));
    if (trace_.run.start_unix_ns != 0) line("started", date_text(trace_.run.start_unix_ns));
    line(is_import(trace_.run) ? "read by" : "recorded by", trace_.run.recorder);
    ending();
    times();
    folding();
    line("archive",
         fmt::format("{}; unpacked {}", human_bytes(static_cast<double>(recording_.bytes)),
                     human_bytes(static_cast<double>(recording_.sizes.raw_bytes()))));
    for (const std::string& text : size_lines(recording_.sizes)) line("", text);
    if (const auto stored = sites::stored_names(trace_); stored.sites > 0)
      line("names", names_text(stored));
    if (const std::string shared = shared_sites_text(shared_sites(trace_)); !shared.empty())
      line("callers", shared);
    cost();
    clocks();
    if (options_.messages) {
      for (const auto& [name, text] : message_lines(trace::match_messages(trace_, {}), trace_))
        line(name, text);
    }
    uses();
    return std::move(text_);
  }

private:
  void line(const std::string& name, const std::string& value) {
    text_ += fmt::format("{:<12} {}\n", name, escape::terminal(value));
  }

  void ending() {
    line("complete", trace_.run.complete ? "yes" : "no");
    if (!trace_.run.notes.empty()) line("", trace_.run.notes);
    if (!trace_.run.complete) {
      const trace::CommunicatorNames comms(trace_);
      for (const EndingGroup& group : endings_of(trace_)) {
        line("", fmt::format("{} {}: {}", group.ranks.size() == 1 ? "rank" : "ranks",
                             trace::RankSet::of(group.ranks).text(),
                             ending_text(group, resolver_, trace_.run, comms)));
      }
      const std::string remark = spawning_remark(endings_of(trace_), trace_.run);
      if (!remark.empty()) line("", remark);
    }
    if (!trace_.run.choice.empty())
      line("recorded",
           trace_.run.choice + ": these are not all calls, and messages may lack an end");
  }

  void folding() {
    const auto calls = static_cast<double>(totals_.calls);
    line("calls", fmt::format("{} ({} a rank)", human_count(calls),
                              human_count(ratio(calls, static_cast<double>(trace_.run.ranks)))));
    line("folded",
         fmt::format("into {} in {} of ranks: {} calls a term", count_of(totals_.terms, "term"),
                     counted(trace_.classes.size(), "class", "classes"),
                     human_count(ratio(calls, static_cast<double>(totals_.terms)))));
    constexpr std::size_t kMostClasses = 8;
    for (std::size_t i = 0; i < std::min(trace_.classes.size(), kMostClasses); ++i) {
      const trace::RankClass& c = trace_.classes[i];
      line("", fmt::format("{}: {}, {}", trace::guard_text(c.ranks),
                           count_of(c.program->nest.terms(), "term"),
                           count_of(c.program->calls.size(), "distinct call")));
    }
    if (trace_.classes.size() > kMostClasses)
      line("", fmt::format("and {} more", trace_.classes.size() - kMostClasses));
  }

  // Start-up is told apart: it says nothing about the program, and hides short ones.
  void times() {
    const trace::TimeShares shares = trace::time_shares(trace_);
    const auto ranks = static_cast<double>(std::max<std::size_t>(trace_.ranks.size(), 1));
    const auto text = [](double ns) { return human_duration(ns); };
    const auto of_behind = [&](std::uint64_t ns) {
      return human_percent(ratio(static_cast<double>(ns), static_cast<double>(shares.behind_ns())));
    };
    const auto span = static_cast<double>(totals_.span_ns);
    const auto startup = static_cast<double>(shares.startup_ns) / ranks;
    line("time",
         fmt::format("{} from MPI_Init to {}{}", text(span),
                     trace_.run.complete ? mpi::Finalize : "the end",
                     shares.startup_ns > 0
                         ? fmt::format("; MPI_Init alone took {} (mean of ranks)", text(startup))
                         : ""));
    line("",
         fmt::format("{}inside MPI {} ({}, sum over ranks), computation {}{}",
                     shares.startup_ns > 0 ? "behind it: " : "", of_behind(shares.inside_ns),
                     text(static_cast<double>(shares.inside_ns)), of_behind(shares.computation_ns),
                     shares.displaced_ns > 0
                         ? ", between calls without a processor " + of_behind(shares.displaced_ns)
                         : "") +
             rest_of_time(shares));
    bool is_first = true;
    for (const std::string& sentence : trace::sharing_text(trace::sharing_of(trace_))) {
      line(is_first ? "processors" : "", sentence);
      is_first = false;
    }
  }

  // Shares that do not add up look wrong. What is missing is in short runs a good part of them.
  std::string rest_of_time(const trace::TimeShares& shares) const {
    constexpr double kWorthSaying = 0.01;
    const std::uint64_t named = shares.inside_ns + shares.computation_ns + shares.displaced_ns;
    const std::uint64_t all = shares.behind_ns();
    if (named >= all) return "";
    const double rest = ratio(static_cast<double>(all - named), static_cast<double>(all));
    if (rest < kWorthSaying || shares.computation_ns == 0) return "";
    return fmt::format(", the rest {}{}", human_percent(rest),
                       has_cost(totals_) ? " (beginning to record, with its waits)" : "");
  }

  void cost() {
    if (!has_cost(totals_)) return;
    line("cost", fmt::format("{} a call, {} of the run, {} of memory a rank",
                             human_duration(cost_per_call_ns(totals_)),
                             human_percent(ratio(static_cast<double>(totals_.recorder_ns),
                                                 static_cast<double>(totals_.own_ns))),
                             human_bytes(static_cast<double>(totals_.recorder_bytes))));
    const std::string apart = cost_apart(trace_, totals_);
    if (!apart.empty()) line("", apart);
  }

  void clocks() {
    const ClockCorrections apart(trace_);
    if (trace_.hosts.size() < 2) return;
    const bool is_imported = is_import(trace_.run); // whose tool may have put them on one
    if (apart.error_ns == 0 && !trace_.stamps.empty() && !is_imported)
      line("clocks",
           "of the hosts were not compared: stamps are as far apart as the hosts' calendars");
    if (apart.error_ns == 0 && !(is_imported && apart.is_known)) return;
    line("clocks",
         fmt::format("of the hosts are on one: corrected by at most {}, and {:.3g} ppm of rate; {}",
                     human_duration(static_cast<double>(apart.greatest_ns)),
                     static_cast<double>(apart.gain_ppt) * 1e-6,
                     is_imported
                         ? "as the trace says"
                         : "known to " + human_duration(static_cast<double>(apart.error_ns))));
  }

  void uses() {
    const LargestUses largest(trace_, options_.sites);
    if (largest.uses.empty()) return;
    const bool has_times = largest.inside_ns > 0;
    text_ += fmt::format("call sites, sums over ranks{}\n",
                         has_times ? "; share of the time inside MPI behind MPI_Init" : "");
    text_ += fmt::format("{:>12}{}  {}\n", "calls", has_times ? "  inside MPI   share" : "",
                         "function, place");
    for (const sites::SiteUse& use : largest.uses) {
      std::string times;
      if (has_times) {
        times = fmt::format("  {:>10}", human_duration(static_cast<double>(use.inside_ns)));
        times += use.is_frame()
                     ? fmt::format("{:>8}", "")
                     : fmt::format("  {:>6}", human_percent(largest.share_of_inside(use)));
      }
      text_ += fmt::format("{:>12}{}  {}  {}\n", human_count(static_cast<double>(use.calls)), times,
                           use.function->name, resolver_.short_text(use.site));
    }
  }

  const Recording& recording_;
  const trace::Trace& trace_;
  RunTotals totals_;
  sites::Resolver& resolver_;
  RecordingOptions options_;
  std::string text_;
};

} // namespace

std::string recording_text(const Recording& recording, sites::Resolver& resolver,
                           const RecordingOptions& options) {
  return RecordingText(recording, resolver, options).write();
}

} // namespace rondo::present
