// SPDX-License-Identifier: Apache-2.0
// rondo patterns: what repeats, and what it is.
#include "cli/commands.hpp"
#include "cli/common.hpp"
#include "cli/patterns_output.hpp"
#include "rondo/archive/archive.hpp"

#include <cstdio>
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
  bool json = false;
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

int patterns_of(const PatternsCommandOptions& options) {
  const auto trace = archive::read(options.file);
  if (!trace) return complain(trace.error());
  const auto search = search_options(options, *trace);
  if (!search) return complain(search.error());
  const auto found = patterns::process_patterns(*trace, *search);
  const auto groups = patterns::ranked(patterns::groups_of(found), *patterns::rank_by(options.by));
  sites::Resolver resolver(*trace);
  const PatternsShown shown{*trace, found, groups, resolver};
  const std::size_t most =
      options.most == 0 ? std::numeric_limits<std::size_t>::max() : options.most;
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
  add_json(*command, options->json);
  command->footer("Examples:\n  rondo patterns app.rondo\n  rondo patterns app.rondo --rank 3 "
                  "--envelope peer,size --rank-by frequency");
  command->callback(
      [options, &chosen] { chosen.run = [options] { return patterns_of(*options); }; });
}

} // namespace rondo::cli
