// SPDX-License-Identifier: Apache-2.0
// rondo patterns: what repeats, and what it is.
#include "cli/commands.hpp"
#include "cli/commands/patterns_picture.hpp"
#include "cli/commands/report_documents.hpp"
#include "cli/common.hpp"
#include "cli/numbers.hpp"
#include "cli/session.hpp"
#include "cli/walk.hpp"
#include "present/patterns/communication_patterns.hpp"
#include "present/patterns/matches.hpp"
#include "present/patterns/process_patterns.hpp"
#include "rondo/base/escape.hpp"
#include "rondo/patterns/catalogue.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cstdio>
#include <filesystem>
#include <fmt/core.h>
#include <limits>
#include <numeric>

namespace rondo::cli {
namespace {

struct PatternsCommandOptions {
  std::string file;
  std::vector<std::string> envelope;
  std::optional<std::int64_t> rank;
  std::size_t least_length = 2;
  std::string by = "traffic";
  std::optional<std::size_t> most; // default: ten or so for people, all for programs
  bool all = false;
  bool communication = false;
  bool json = false;
  std::optional<std::string> match;
  patterns::SearchOptions search;
  std::optional<std::string> picture;
  std::optional<std::size_t> pattern; // that is drawn
  bool force = false;
};

Result<patterns::Envelope> envelope_of(const std::vector<std::string>& names) {
  patterns::Envelope envelope;
  if (names.empty()) return envelope;
  envelope.peer = false;
  for (const std::string& name : names) {
    if (name == "peer") envelope.peer = true;
    if (name == "size") envelope.size = true;
    if (name == "tag") envelope.tag = true;
    if (name == "none" && names.size() > 1)
      return fail(ErrorCode::kUsage, "--envelope none goes with nothing else");
  }
  return envelope;
}

Result<patterns::PatternOptions> search_options(const PatternsCommandOptions& options,
                                                const trace::Trace& trace) {
  patterns::PatternOptions result;
  const auto envelope = envelope_of(options.envelope);
  if (!envelope) return propagate(envelope);
  result.envelope = *envelope;
  result.least_length = options.least_length;
  if (!options.rank) return result;
  if (*options.rank < 0 || *options.rank >= trace.run.ranks) {
    return fail(ErrorCode::kUsage, "no rank " + std::to_string(*options.rank) +
                                       "; the trace has ranks 0 to " +
                                       std::to_string(trace.run.ranks - 1));
  }
  result.ranks = trace::RankSet::of({*options.rank});
  return result;
}

std::size_t most_shown(const PatternsCommandOptions& options) {
  constexpr std::size_t kForPeople = 10;
  const std::size_t most = options.most.value_or(options.json || options.all ? 0 : kForPeople);
  return most == 0 ? present::kAllPatterns : most;
}

// What is light in bytes may be what another order asks for.
present::KindOptions kinds(const PatternsCommandOptions& options) {
  present::KindOptions result;
  if (patterns::rank_by(options.by) != patterns::RankBy::kTraffic) result.most_with_light = 0;
  return result;
}

std::vector<std::size_t> all_of(const patterns::CommunicationPatterns& found) {
  std::vector<std::size_t> all(found.patterns.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return all;
}

int show_communication(const trace::Trace& trace, const PatternsCommandOptions& options,
                       const patterns::CommunicationPatterns& found,
                       const std::vector<std::size_t>& chosen) {
  if (options.picture) {
    const int status = draw_patterns(found, chosen,
                                     {*options.picture, options.pattern, options.force,
                                      about_run(trace) + " · point-to-point messages"});
    if (status != kDone) return status;
  }
  sites::Resolver resolver(trace);
  const present::CommunicationShown shown{trace, found, chosen, resolver};
  if (options.json) {
    say(escape::json_text(present::communication_json(shown, most_shown(options))) + "\n");
  } else {
    say(options.most || options.all ? present::communication_text(shown, most_shown(options))
                                    : present::communication_kinds_text(shown, kinds(options)));
    warn(options.file, resolver.remarks());
  }
  return kDone;
}

Result<patterns::CommunicationPatterns> communication_of(const trace::Trace& trace,
                                                         const PatternsCommandOptions& options) {
  const auto search = search_options(options, trace);
  if (!search) return propagate(search);
  auto found = patterns::communication_patterns(trace, *search);
  patterns::order(found.patterns, *patterns::rank_by(options.by));
  return found;
}

int show_matches(const PatternsCommandOptions& options, const std::string& name,
                 const patterns::SearchResult& result) {
  if (options.json) {
    say(escape::json_text(present::matches_json(name, result)) + "\n");
  } else {
    say(present::matches_text(name, result, options.search, most_shown(options)));
  }
  const bool is_there = std::any_of(result.ranks.begin(), result.ranks.end(),
                                    [](const auto& rank) { return !rank.hits.empty(); });
  return is_there ? kDone : kAnswerIsNo;
}

// The communication patterns in which something documented occurs.
int match_documented(const trace::Trace& trace, const PatternsCommandOptions& options,
                     patterns::PatternName name) {
  if (options.search.distance > 0 || options.search.total || options.search.fixed_window) {
    return complain(
        "--distance, --total and --fixed-window go with a pattern file or a number, not "
        "with the documented pattern '" +
        std::string(patterns::to_text(name)) + "'");
  }
  const auto found = communication_of(trace, options);
  if (!found) return complain(found.error());
  auto chosen = all_of(*found);
  std::erase_if(chosen, [&](std::size_t index) {
    const auto known = patterns::documented(*found, found->patterns[index]);
    return std::none_of(
        known.phases.begin(), known.phases.end(),
        [&](const patterns::NamedPhase& phase) { return patterns::has_name(phase, name); });
  });
  if (!chosen.empty()) return show_communication(trace, options, *found, chosen);
  if (options.json) {
    PatternsCommandOptions without = options;
    without.picture.reset();
    show_communication(trace, without, *found, chosen);
  } else {
    std::printf("no communication pattern has a %s\n",
                std::string(patterns::to_text(name)).c_str());
  }
  return kAnswerIsNo;
}

std::string no_such_number(std::size_t number, std::size_t count, const char* what) {
  return fmt::format("there is no pattern {}: {} {} found with these options", number,
                     count == 0 ? "no" : std::to_string(count), what);
}

// The pattern that has this number in the list without --match.
int match_number(const trace::Trace& trace, const PatternsCommandOptions& options,
                 std::size_t number) {
  const auto options_of_search = search_options(options, trace);
  if (!options_of_search) return complain(options_of_search.error());
  const std::string name = fmt::format("pattern {}", number);
  if (options.communication) {
    auto found = communication_of(trace, options);
    if (!found) return complain(found.error());
    if (number == 0 || number > found->patterns.size())
      return complain(
          no_such_number(number, found->patterns.size(), "communication patterns were"));
    const auto pattern = found->patterns[number - 1];
    return show_matches(
        options, name,
        patterns::search(trace, patterns::wanted(std::move(*found), pattern), options.search));
  }
  auto found = patterns::process_patterns(trace, *options_of_search);
  const auto groups = patterns::ranked(patterns::groups_of(found), *patterns::rank_by(options.by));
  if (number == 0 || number > groups.size())
    return complain(no_such_number(number, groups.size(), "process patterns were"));
  return show_matches(options, name,
                      patterns::search(trace,
                                       patterns::wanted(std::move(found), groups[number - 1]),
                                       options.search));
}

std::string names_text() {
  std::string text;
  for (const patterns::PatternName name : patterns::documented_names())
    text += fmt::format("{}{}", text.empty() ? "" : ", ", patterns::to_text(name));
  return text;
}

// The answer is no if the pattern stands nowhere.
int match(const trace::Trace& trace, const PatternsCommandOptions& options) {
  const bool is_file = std::filesystem::exists(*options.match);
  if (!is_file) {
    if (const auto name = patterns::documented_name(*options.match))
      return match_documented(trace, options, *name);
  }
  if (options.picture)
    return complain("-o draws communication patterns; what is looked for on each rank is none");
  if (!is_file) {
    std::size_t number = 0;
    const std::string& text = *options.match;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error == std::errc{} && end == text.data() + text.size())
      return match_number(trace, options, number);
    return complain("'" + text +
                    "' is no file, no number of a pattern that was found, and no documented "
                    "pattern; these are: " +
                    names_text());
  }
  const auto text = read_file(*options.match);
  if (!text) return complain(text.error());
  const auto pattern = patterns::parse_pattern(*text, *options.match);
  if (!pattern) return complain(pattern.error());
  auto wanted = patterns::wanted(*pattern, trace);
  if (!wanted)
    return complain(Error{wanted.error().code, wanted.error().message, {options.file, {}, {}, {}}});
  return show_matches(options, pattern->name,
                      patterns::search(trace, std::move(*wanted), options.search));
}

int patterns_of(const PatternsCommandOptions& options) {
  if (options.picture && !is_picture_path(*options.picture))
    return complain(*options.picture +
                    ": write to a file that ends in .png or .svg, or to a folder for all patterns");
  const bool goes_through_all = options.communication || options.match;
  const auto trace = read_for_walk(options.file, goes_through_all ? Walk::kAll : Walk::kVarying);
  if (!trace) return complain(trace.error());
  if (const auto allowed = allow_read(*trace, options.file); !allowed)
    return complain(allowed.error());
  if (options.match) return match(*trace, options);
  if (options.picture && !options.communication)
    return complain("-o draws communication patterns; add --communication or --match NAME");
  if (options.communication) {
    const auto found = communication_of(*trace, options);
    if (!found) return complain(found.error());
    return show_communication(*trace, options, *found, all_of(*found));
  }
  const auto search = search_options(options, *trace);
  if (!search) return complain(search.error());
  sites::Resolver resolver(*trace);
  const auto found = patterns::process_patterns(*trace, *search);
  const auto groups = patterns::ranked(patterns::groups_of(found), *patterns::rank_by(options.by));
  const present::PatternsShown shown{*trace, found, groups, resolver,
                                     static_cast<std::size_t>(terminal_columns())};
  const std::size_t most = most_shown(options);
  if (options.json) {
    say(escape::json_text(present::patterns_json(shown, most)) + "\n");
  } else {
    say(present::patterns_text(shown, most));
    warn(options.file, resolver.remarks());
  }
  return kDone;
}

} // namespace

nlohmann::json patterns_document(const trace::Trace& trace, sites::Resolver& resolver) {
  auto found = patterns::communication_patterns(trace, {});
  patterns::order(found.patterns, *patterns::rank_by(PatternsCommandOptions{}.by));
  const auto chosen = all_of(found);
  return present::communication_json({trace, found, chosen, resolver},
                                     std::numeric_limits<std::size_t>::max());
}

void add_patterns(CLI::App& app, Chosen& chosen) {
  auto options = std::make_shared<PatternsCommandOptions>();
  CLI::App* command =
      app.add_subcommand("patterns", "What the ranks do again and again, the weightiest first");
  command->add_option("trace", options->file, "A .rondo archive")->required()->type_name("FILE");
  command
      ->add_option("--envelope", options->envelope,
                   "What else of a message must be the same besides the function: peer (the "
                   "default), size, tag, several of them, or none")
      ->delimiter(',')
      ->check(CLI::IsMember({"none", "peer", "size", "tag"}))
      ->allow_extra_args(false);
  command->add_flag(
      "--communication", options->communication,
      "Patterns of several ranks, joined by their messages and collectives; reads every "
      "call where peers or sizes vary");
  command->add_option("--rank", options->rank, "Patterns of this rank alone")->type_name("R");
  command->add_option("--min-length", options->least_length, "Events that a pattern has at least")
      ->check(CLI::Range(2, 1'000'000))
      ->capture_default_str()
      ->type_name("N");
  command->add_option("--rank-by", options->by, "What makes a pattern important")
      ->check(CLI::IsMember(patterns::rank_by_names()))
      ->capture_default_str();
  command
      ->add_option("--top", options->most,
                   "How many patterns to show, each on its own; 0 for all (default: 10; with "
                   "--communication those that are alike together; with --json all)")
      ->type_name("N")
      ->check(whole_number());
  command->add_flag("--all", options->all, "As --top 0: those within others too");
  auto* match =
      command
          ->add_option("--match", options->match,
                       "Look for the pattern in this file (docs/formats/pattern.md), "
                       "which says what is compared; for the pattern that has this number "
                       "in the list; or for a documented one by name, as 'halo "
                       "exchange'; exit status 1 if it is nowhere")
          ->type_name("FILE|N|NAME");
  command
      ->add_option("--distance", options->search.distance,
                   "With --match: events that may be changed, missing or added on one rank")
      ->needs(match)
      ->capture_default_str()
      ->type_name("K");
  command
      ->add_option("--total", options->search.total, "With --match: the same on all ranks together")
      ->needs(match)
      ->type_name("K");
  command
      ->add_flag("--fixed-window", options->search.fixed_window,
                 "With --match: only occurrences as long as the pattern, as the paper has it")
      ->needs(match);
  add_output(*command, options->picture,
             "With --communication or --match NAME: draw a pattern, processes as rows and messages "
             "as arrows (.png .svg); into a folder, all of them");
  command
      ->add_option("--pattern", options->pattern,
                   "Which pattern -o draws, by its number; else the first that has messages")
      ->type_name("N");
  add_force(*command, options->force);
  add_json(*command, options->json);
  command->footer(
      "Examples:\n  rondo patterns app.rondo\n  rondo patterns app.rondo --rank 3 "
      "--envelope peer,size --rank-by frequency\n  rondo patterns app.rondo "
      "--match halo.pattern --distance 1\n  rondo patterns app.rondo "
      "--match butterfly\n  rondo patterns app.rondo --communication --match 2 --distance "
      "1\n  rondo patterns app.rondo --communication --top 0 -o pictures/");
  command->callback(
      [options, &chosen] { chosen.run = [options] { return patterns_of(*options); }; });
}

} // namespace rondo::cli
