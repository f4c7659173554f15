// SPDX-License-Identifier: Apache-2.0
// rondo efficiency: where the time of a run goes and whose fault it is; several runs side by side.
#include "cli/commands.hpp"
#include "cli/commands/report_documents.hpp"
#include "cli/common.hpp"
#include "cli/numbers.hpp"
#include "cli/open_trace.hpp"
#include "cli/progress_line.hpp"
#include "cli/session.hpp"
#include "cli/walk.hpp"
#include "present/time/efficiency.hpp"
#include "present/time/efficiency_picture.hpp"
#include "present/topology/part_table.hpp"

#include "rondo/base/units.hpp"
#include "rondo/simulate/simulate.hpp"
#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/sharing.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <fmt/core.h>
#include <future>
#include <map>
#include <memory>
#include <thread>

namespace rondo::cli {
namespace {

using efficiency::Factors;
using efficiency::ScalingKind;

struct EfficiencyOptions {
  std::vector<std::string> files;
  std::optional<std::string> output;
  std::string by; // empty: the whole
  std::string rendezvous; // empty: as the times tell
  std::optional<std::uint64_t> eager_bytes; // the same
  std::size_t most = 10;
  bool is_played = false;
  bool weak = false;
  bool json = false;
  bool force = false;
};

// What the output is drawn as; nothing for text and JSON.
std::optional<present::PictureFormat> picture_format(const EfficiencyOptions& options) {
  if (!options.output || options.json) return std::nullopt;
  if (options.output->ends_with(".svg")) return present::PictureFormat::kSvg;
  if (options.output->ends_with(".png")) return present::PictureFormat::kPng;
  return std::nullopt;
}

bool wants_colour(const EfficiencyOptions& options) {
  return !options.output && !options.json && is_colour_wanted();
}

int put_picture(const Result<std::string>& picture, const EfficiencyOptions& options) {
  if (!picture) return complain(picture.error());
  return put(*picture, options.output, options.force);
}

// Before anything is played that takes long.
Status check_options(const EfficiencyOptions& options) {
  if (options.files.size() > 1 && !options.by.empty())
    return fail(ErrorCode::kUsage, "--by is for parts of one run; give one archive");
  if (!options.output) return {};
  return check_output(*options.output, options.force ? Overwrite::kReplace : Overwrite::kRefuse);
}

std::string name_of(const std::string& file) { return std::filesystem::path(file).stem().string(); }

// Whether start-up is in the trace, but not how much of it.
bool hides_startup(const trace::Trace& trace, const Factors& factors) {
  const bool is_known =
      std::any_of(factors.by_rank.begin(), factors.by_rank.end(),
                  [](const efficiency::RankTime& rank) { return rank.startup_s > 0; });
  if (is_known) return false;
  for (const trace::RankClass& c : trace.classes) {
    for (const trace::Call& call : c.program->calls) {
      if (trace::meaning_of(*trace::find_function(call.function)).act == trace::Act::kInit)
        return true;
    }
  }
  return false;
}

// Of a program that hangs, the calls that are never over are most of the run, and no numbers have
// them.
std::string unfinished(const trace::Trace& trace) {
  std::size_t in_calls = 0;
  std::uint64_t longest_ns = 0;
  for (const trace::RankFacts& rank : trace.ranks) {
    if (rank.ending->function == 0 || rank.ending->in_call_ns == 0) continue;
    ++in_calls;
    longest_ns = std::max(longest_ns, rank.ending->in_call_ns);
  }
  std::string text = "not all ranks reached MPI_Finalize: what is said is of the time before";
  if (in_calls == 0) return text;
  return text +
         fmt::format(", without the calls that were not over at the end: {} of {} ranks were "
                     "in one, up to {} ('rondo info' says in which)",
                     in_calls, trace.ranks.size(), human_duration(static_cast<double>(longest_ns)));
}

// What a reader should know before the numbers.
std::vector<std::string> doubts(const trace::Trace& trace, const Factors& factors) {
  std::vector<std::string> sentences;
  if (!trace.run.complete) sentences.push_back(unfinished(trace));
  if (factors.useful_sum_s <= 0)
    sentences.push_back(
        "it has no times, so there is nothing to say; 'rondo simulate' predicts them "
        "for a network");
  if (factors.useful_sum_s > 0 && hides_startup(trace, factors))
    sentences.push_back(
        "start-up is part of the run here and counts as communication: short runs look worse than "
        "they are");
  if (factors.has_no_inside)
    sentences.push_back(
        "the trace has no times inside MPI, only computation: the run is taken to be as long as on "
        "a network that takes no time, and nothing is known of transfer; 'rondo simulate' predicts "
        "it for a network");
  for (std::string& sentence : trace::sharing_text(trace::sharing_of(trace)))
    sentences.push_back(std::move(sentence));
  return sentences;
}

// A run of so many calls that nobody waits for it is not played: the factors that are measured
// stand alone, and `why_not` says what would play it.
bool may_play(const std::string& file, const trace::Trace& trace, Factors& factors) {
  const auto allowed = allow_play(trace, file);
  if (allowed) return true;
  factors.why_not = "the run was not played: it " + allowed.error().message;
  warn(file, {factors.why_not});
  return false;
}

// The run on the network that takes no time. Waits that are not measured are those on it: one play
// for both. Others do not need it, so that both are played side by side.
class IdealBeside {
public:
  IdealBeside(const trace::Trace& trace, const Factors& factors,
              const efficiency::WaitOptions& waiting)
      : trace_(trace), waiting_(waiting) {
    // Parts are numbered as they come.
    if (waiting.parts != nullptr || waiting.is_played ||
        !efficiency::can_measure_waits(trace, factors))
      return;
    beside_ = std::async(std::launch::async, [this] {
      const auto stop_in_vain = [this](std::uint64_t, std::uint64_t) {
        if (is_in_vain_) throw Stopped();
      };
      return efficiency::play_ideal(
          trace_, {nullptr, waiting_.eager_bytes, stop_in_vain, waiting_.receives});
    });
  }
  ~IdealBeside() { is_in_vain_ = true; }
  IdealBeside(const IdealBeside&) = delete;
  IdealBeside& operator=(const IdealBeside&) = delete;

  Result<efficiency::IdealRun> get(const Result<efficiency::WaitStates>& waits) {
    if (beside_.valid()) return beside_.get();
    if (waits && waits->ideal) return *waits->ideal;
    return efficiency::play_ideal(
        trace_, {waiting_.parts, waiting_.eager_bytes, waiting_.progress, waiting_.receives});
  }

private:
  const trace::Trace& trace_;
  const efficiency::WaitOptions& waiting_;
  std::atomic<bool> is_in_vain_ = false;
  std::future<Result<efficiency::IdealRun>> beside_;
};

// The wavefronts of a run are said where ranks wait for messages, as nearly all do: with a
// processor to spare they are found while the run is played.
std::future<std::vector<std::string>> fronts_beside(const trace::Trace& trace) {
  const auto how =
      std::thread::hardware_concurrency() > 1 ? std::launch::async : std::launch::deferred;
  return std::async(how, [&trace] { return present::fronts_of(trace); });
}

// Plays the run, and hands what is found to `show`.
template <class Show>
auto with_findings(const std::string& file, const trace::Trace& trace, Factors& factors,
                   sites::Resolver& resolver, efficiency::PartNumbers* numbers, bool balances,
                   efficiency::WaitOptions waiting, Show show) {
  ProgressLine line("calls");
  const auto progress = [&line](std::uint64_t done, std::uint64_t total) {
    line.show(done, total);
  };
  present::EfficiencyShown shown{name_of(file), trace, resolver, factors};
  if (numbers != nullptr) {
    shown.parts = efficiency::parts_of(trace, factors, *numbers);
    shown.by = numbers->by();
  }
  waiting.parts = numbers;
  waiting.progress = progress;
  waiting.keeps_graph = balances && numbers == nullptr;
  const auto receives = std::make_shared<const trace::ResolvedReceives>(trace);
  waiting.receives = receives;
  IdealBeside ideal_run(trace, factors, waiting);
  const auto waits = efficiency::wait_states(trace, waiting);
  const auto ideal = ideal_run.get(waits);
  release_memory(); // of the run's history
  efficiency::add_ideal(factors, ideal);
  if (shown.parts && ideal) efficiency::add_ideal(*shown.parts, factors, ideal->part_s);
  if (waits) {
    shown.waits = &*waits;
    if (balances && numbers == nullptr) {
      auto in_turns = std::async(std::launch::async, [&] {
        shown.at_once = efficiency::one_after_the_other(trace, factors, *waits);
        shown.later = efficiency::waited_later(trace, factors, *waits);
        return efficiency::slow_in_turns(trace, factors, *waits);
      });
      shown.balanced = efficiency::most_worthwhile(trace, factors, *waits, receives);
      shown.in_all = efficiency::even_in_all(trace, factors, *waits, receives);
      shown.in_turns = in_turns.get();
    }
  } else {
    shown.why_no_waits =
        "who waits for whom is not known: " + present::in_one_line(waits.error().message);
  }
  return show(shown);
}

efficiency::ProcedureOfSite procedures_of(sites::Resolver& resolver) {
  return [&resolver](std::uint32_t site) { return resolver.place(site).function; };
}

std::optional<efficiency::PartNumbers> part_numbers(const EfficiencyOptions& options,
                                                    const trace::Trace& trace,
                                                    sites::Resolver& resolver) {
  if (options.by.empty()) return std::nullopt;
  const auto by = efficiency::parse_parts_by(options.by);
  if (!by) return std::nullopt; // the option allows no other words
  return efficiency::PartNumbers(trace, *by, procedures_of(resolver));
}

int one(const EfficiencyOptions& options) {
  const std::string& file = options.files.front();
  const auto trace = open_trace(file);
  if (!trace) return complain(trace.error());
  Factors factors = efficiency::factors_of(*trace);
  warn(file, doubts(*trace, factors));
  sites::Resolver resolver(*trace);
  const auto picture = picture_format(options);
  auto parts = part_numbers(options, *trace, resolver);
  const bool plays = may_play(file, *trace, factors);
  std::future<std::vector<std::string>> fronts;
  if (plays && !picture && !parts) fronts = fronts_beside(*trace);
  const auto text_of = [&](present::EfficiencyShown& shown) -> Result<std::string> {
    shown.most = options.most;
    shown.has_colour = wants_colour(options);
    const bool says_fronts = shown.waits != nullptr && waits_for_messages(*shown.waits);
    if (says_fronts && fronts.valid()) shown.fronts = fronts.get();
    if (picture) return present::draw_ranks(shown, *picture);
    return options.json ? present::efficiency_json(shown).dump(2) + "\n"
                        : present::efficiency_text(shown);
  };
  Result<std::string> text;
  if (plays) {
    text = with_findings(file, *trace, factors, resolver, parts ? &*parts : nullptr, !picture,
                         {.eager_bytes = options.eager_bytes, .is_played = options.is_played},
                         text_of);
  } else {
    present::EfficiencyShown shown{name_of(file), *trace, resolver, factors};
    shown.why_no_waits = "who waits for whom is not known, as the run was not played";
    text = text_of(shown);
  }
  warn(file, resolver.remarks());
  return put_picture(text, options);
}

int several(const EfficiencyOptions& options) {
  std::vector<Factors> runs;
  std::vector<std::string> names;
  std::set<std::string> said; // what holds for several runs is said of the first
  for (const std::string& file : options.files) {
    const auto trace = open_trace(file);
    if (!trace) return complain(trace.error());
    runs.push_back(efficiency::factors_of(*trace));
    std::vector<std::string> sentences = doubts(*trace, runs.back());
    std::erase_if(sentences, [&](const std::string& each) { return !said.insert(each).second; });
    warn(file, sentences);
    names.push_back(name_of(file));
    if (!may_play(file, *trace, runs.back())) continue;
    ProgressLine line("calls");
    const auto progress = [&line](std::uint64_t done, std::uint64_t total) {
      line.show(done, total);
    };
    efficiency::add_ideal(runs.back(),
                          efficiency::play_ideal(*trace, {nullptr, options.eager_bytes, progress}));
  }
  const ScalingKind kind = options.weak ? ScalingKind::kWeak : ScalingKind::kStrong;
  if (const auto picture = picture_format(options))
    return put_picture(present::draw_scaling(names, runs, kind, *picture), options);
  return put(options.json ? present::scaling_json(names, runs, kind).dump(2) + "\n"
                          : present::scaling_text(names, runs, kind, wants_colour(options)),
             options.output, options.force);
}

} // namespace

nlohmann::json efficiency_document(const std::string& file, const trace::Trace& trace,
                                   sites::Resolver& resolver, bool plays) {
  Factors factors = efficiency::factors_of(trace);
  const std::vector<std::string> remarks = doubts(trace, factors);
  nlohmann::json json;
  if (plays) {
    json = with_findings(file, trace, factors, resolver, nullptr, true, {},
                         [](present::EfficiencyShown& shown) {
                           shown.ranks_are_columns = true;
                           nlohmann::json found = present::efficiency_json(shown);
                           if (!shown.why_no_waits.empty())
                             found["why_no_waits"] = shown.why_no_waits;
                           return found;
                         });
  } else {
    factors.why_not = "the run was not played, as that takes long";
    present::EfficiencyShown shown{name_of(file), trace, resolver, factors};
    shown.ranks_are_columns = true;
    json = present::efficiency_json(shown);
    json["why_no_waits"] = "who waits for whom is not known, as the run was not played";
  }
  json["doubts"] = remarks;
  return json;
}

nlohmann::json scaling_document(const std::vector<std::string>& names,
                                const std::vector<const trace::Trace*>& traces) {
  std::vector<Factors> runs;
  for (const trace::Trace* trace : traces) runs.push_back(efficiency::factors_of(*trace));
  return present::scaling_json(names, runs, ScalingKind::kStrong);
}

void add_efficiency(CLI::App& app, Chosen& chosen) {
  auto options = std::make_shared<EfficiencyOptions>();
  CLI::App* command = app.add_subcommand(
      "efficiency", "Where the time goes, and whose fault it is: efficiencies, waits, causes");
  command->add_option("traces", options->files, "A .rondo archive, or several to compare")
      ->required()
      ->type_name("FILE");
  add_output(*command, options->output,
             "Write to this file (default: standard output); a picture if it ends in .svg or .png: "
             "time by "
             "rank (with --by: by part), or factors over ranks of several runs");
  command
      ->add_option("--by", options->by,
                   "Of one run, where efficiency is lost: by marked phase, communicator, MPI "
                   "function, or procedure (the program's function that makes the call)")
      ->check(CLI::IsMember({"phase", "communicator", "function", "procedure"}))
      ->type_name("PART");
  command
      ->add_option(
          "--rendezvous", options->rendezvous,
          "Sends above this size wait for their receivers, such as 64kB (default: above 4kB, "
          "or more where the time inside MPI is too short for that)")
      ->type_name("SIZE");
  command->add_flag("--played", options->is_played,
                    "Waits of the run as it is played, also if the times of every call were "
                    "recorded: without those of ranks that waited for a processor");
  command->add_option("--top", options->most, "How many lines of each list to show")
      ->check(whole_number())
      ->capture_default_str();
  command->add_flag("--weak", options->weak,
                    "Of several runs: each rank has as much work in all of them (default: all "
                    "ranks together have)");
  add_json(*command, options->json);
  add_force(*command, options->force);
  command->footer(
      "Factors are those of the POP project: parallel efficiency = load balance x communication\n"
      "efficiency; communication efficiency = serialisation x transfer. Computation is the time\n"
      "between MPI calls; start-up (MPI_Init) and recording are left out. Waits are measured if\n"
      "the run was recorded with --times full, else those of the run as it is played on a network\n"
      "that takes no time. Each wait is charged to what the other rank did longer since one of "
      "the\n"
      "two last waited for the other; if it waited itself, to what made it wait. "
      "docs/efficiency.md explains every line.\n"
      "Examples:\n"
      "  rondo efficiency app.rondo\n"
      "  rondo efficiency app.rondo --by phase\n"
      "  rondo efficiency app.4.rondo app.8.rondo app.16.rondo -o factors.svg\n"
      "  rondo efficiency app.rondo --json | jq .load_balance");
  command->callback([options, &chosen] {
    chosen.run = [options] {
      if (!options->rendezvous.empty()) {
        const auto size = simulate::parse_bytes(options->rendezvous);
        if (!size) return complain(size.error());
        options->eager_bytes = *size;
      }
      if (const auto checked = check_options(*options); !checked) return complain(checked.error());
      return options->files.size() > 1 ? several(*options) : one(*options);
    };
  });
}

} // namespace rondo::cli
