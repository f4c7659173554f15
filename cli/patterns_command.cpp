// SPDX-License-Identifier: Apache-2.0
// rondo patterns: what repeats, and what it is.
#include "cli/commands.hpp"
#include "cli/common.hpp"
#include "cli/communication_output.hpp"
#include "cli/patterns_match.hpp"
#include "cli/patterns_output.hpp"
#include "rondo/archive/archive.hpp"
#include "rondo/base/units.hpp"
#include "rondo/patterns/pattern_picture.hpp"

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <fmt/core.h>
#include <limits>

namespace rondo::cli {
namespace {

struct PatternsCommandOptions {
  std::string file;
  std::vector<std::string> envelope;
  std::optional<std::int64_t> rank;
  std::size_t least_length = 2;
  std::string by = "traffic";
  std::size_t most = 10;
  bool communication = false;
  bool json = false;
  std::optional<std::string> match;
  patterns::SearchOptions search;
  std::optional<std::string> picture;
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
  return options.most == 0 ? std::numeric_limits<std::size_t>::max() : options.most;
}

// The first pattern that has messages, as a picture.
int draw(const PatternsCommandOptions& options, const patterns::CommunicationPatterns& found) {
  const bool is_png = options.picture->ends_with(".png");
  for (std::size_t i = 0; i < found.patterns.size(); ++i) {
    const patterns::CommunicationPattern& pattern = found.patterns[i];
    const auto messages = patterns::messages_of(found, pattern);
    if (messages.empty()) continue;
    patterns::PatternPictureOptions picture;
    for (const patterns::NamedPhase& phase : patterns::documented(messages).phases)
      picture.title += (picture.title.empty() ? "" : ", then ") + phase.name;
    if (picture.title.empty()) picture.title = "communication pattern";
    picture.subtitle =
        fmt::format("number {}, {} executions, {} in {} messages", i + 1, pattern.executions,
                    human_bytes(static_cast<double>(pattern.bytes)), pattern.messages);
    const auto drawn = patterns::draw_pattern(
        messages, is_png ? matrix::PictureFormat::kPng : matrix::PictureFormat::kSvg, picture);
    return drawn ? put(*drawn, options.picture, options.force) : complain(drawn.error());
  }
  return complain("no communication pattern has messages, so there is nothing to draw");
}

int show_communication(const trace::Trace& trace, const PatternsCommandOptions& options,
                       const patterns::CommunicationPatterns& found) {
  sites::Resolver resolver(trace);
  const std::size_t most = most_shown(options);
  if (options.json) {
    std::puts(communication_json(trace, found, resolver, most).dump(2).c_str());
  } else {
    std::fputs(communication_text(trace, found, resolver, most).c_str(), stdout);
    warn(options.file, resolver.remarks());
  }
  if (options.picture) return draw(options, found);
  return kDone;
}

// The communication patterns in which something documented occurs.
int match_documented(const trace::Trace& trace, const PatternsCommandOptions& options,
                     const std::string& name) {
  if (options.search.distance > 0 || options.search.total || options.search.fixed_window) {
    return complain("--distance, --total and --fixed-window go with a pattern file, not with the "
                    "documented pattern '" +
                    name + "'");
  }
  const auto search = search_options(options, trace);
  if (!search) return complain(search.error());
  auto found = patterns::communication_patterns(trace, *search);
  std::erase_if(found.patterns, [&](const patterns::CommunicationPattern& pattern) {
    const auto known = patterns::documented(found, pattern);
    return std::none_of(known.phases.begin(), known.phases.end(),
                        [&](const patterns::NamedPhase& phase) { return phase.name == name; });
  });
  if (!found.patterns.empty()) return show_communication(trace, options, found);
  if (options.json) {
    show_communication(trace, options, found);
  } else {
    std::printf("no communication pattern has a %s\n", name.c_str());
  }
  return kAnswerIsNo;
}

std::string names_text() {
  std::string text;
  for (const std::string& name : patterns::documented_names())
    text += (text.empty() ? "" : ", ") + name;
  return text;
}

// The answer is no if the pattern stands nowhere.
int match(const trace::Trace& trace, const PatternsCommandOptions& options) {
  const bool is_file = std::filesystem::exists(*options.match);
  if (!is_file) {
    if (const auto name = patterns::documented_name(*options.match))
      return match_documented(trace, options, *name);
    return complain("'" + *options.match +
                    "' is no file and no documented pattern; these are: " + names_text());
  }
  if (options.picture)
    return complain("-o draws a communication pattern; a pattern file is looked for on each rank");
  const auto text = read_file(*options.match);
  if (!text) return complain(text.error());
  const auto pattern = patterns::parse_pattern(*text, *options.match);
  if (!pattern) return complain(pattern.error());
  const auto result = patterns::search(trace, *pattern, options.search);
  if (options.json) {
    std::puts(matches_json(*pattern, result).dump(2).c_str());
  } else {
    std::fputs(matches_text(*pattern, result, options.search, most_shown(options)).c_str(), stdout);
  }
  const bool is_there = std::any_of(result.ranks.begin(), result.ranks.end(),
                                    [](const auto& rank) { return !rank.hits.empty(); });
  return is_there ? kDone : kAnswerIsNo;
}

int patterns_of(const PatternsCommandOptions& options) {
  if (options.picture && !options.picture->ends_with(".png") && !options.picture->ends_with(".svg"))
    return complain(*options.picture + ": write to a file that ends in .png or .svg");
  const auto trace = archive::read(options.file);
  if (!trace) return complain(trace.error());
  if (options.match) return match(*trace, options);
  if (options.picture && !options.communication)
    return complain("-o draws a communication pattern; add --communication or --match NAME");
  const auto search = search_options(options, *trace);
  if (!search) return complain(search.error());
  if (options.communication) {
    return show_communication(*trace, options, patterns::communication_patterns(*trace, *search));
  }
  sites::Resolver resolver(*trace);
  const auto found = patterns::process_patterns(*trace, *search);
  const auto groups = patterns::ranked(patterns::groups_of(found), *patterns::rank_by(options.by));
  const PatternsShown shown{*trace, found, groups, resolver};
  const std::size_t most = most_shown(options);
  if (options.json) {
    std::puts(patterns_json(shown, most).dump(2).c_str());
  } else {
    std::fputs(patterns_text(shown, most).c_str(), stdout);
    warn(options.file, resolver.remarks());
  }
  return kDone;
}

} // namespace

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
      "Patterns of several ranks, joined by their messages and collectives, those with "
      "most bytes first; reads every call");
  command->add_option("--rank", options->rank, "Patterns of this rank alone")->type_name("R");
  command->add_option("--min-length", options->least_length, "Events that a pattern has at least")
      ->check(CLI::Range(2, 1'000'000))
      ->capture_default_str()
      ->type_name("N");
  command->add_option("--rank-by", options->by, "What makes a pattern important")
      ->check(CLI::IsMember(patterns::rank_by_names()))
      ->capture_default_str();
  command->add_option("--top", options->most, "How many patterns to show; 0 for all")
      ->capture_default_str()
      ->type_name("N");
  auto* match = command
                    ->add_option("--match", options->match,
                                 "Look for the pattern in this file (docs/formats/pattern.md), "
                                 "which says what is compared, or for a documented one by name, as "
                                 "'halo exchange'; exit status 1 if it is nowhere")
                    ->type_name("FILE|NAME");
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
             "With --communication or --match NAME: draw the first pattern, processes as rows and "
             "messages as arrows (.png .svg)");
  add_force(*command, options->force);
  add_json(*command, options->json);
  command->footer("Examples:\n  rondo patterns app.rondo\n  rondo patterns app.rondo --rank 3 "
                  "--envelope peer,size --rank-by frequency\n  rondo patterns app.rondo "
                  "--match halo.pattern --distance 1\n  rondo patterns app.rondo "
                  "--match butterfly");
  command->callback(
      [options, &chosen] { chosen.run = [options] { return patterns_of(*options); }; });
}

} // namespace rondo::cli
