// SPDX-License-Identifier: Apache-2.0
// rondo efficiency: where the time of a run goes and whose fault it is; several runs side by side.
#include "cli/commands.hpp"
#include "cli/common.hpp"
#include "cli/efficiency_output.hpp"
#include "cli/open_trace.hpp"
#include "cli/progress_line.hpp"
#include "cli/report_documents.hpp"
#include "cli/walk.hpp"

#include "rondo/simulate/simulate.hpp"
#include "rondo/trace/sharing.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>

namespace rondo::cli {
namespace {

using efficiency::Factors;
using efficiency::Imbalance;
using efficiency::ScalingKind;

constexpr std::size_t kMostBalanced = 3;
// Imbalances that would change the run by less are not worth a line.
constexpr double kLeastGain = 0.005;

struct EfficiencyOptions {
  std::vector<std::string> files;
  std::optional<std::string> output;
  std::size_t most = 10;
  bool weak = false;
  bool json = false;
  bool force = false;
};

std::string name_of(const std::string& file) { return std::filesystem::path(file).stem().string(); }

// What each rank computes at a place, of a run that is played.
class Sums : public simulate::Observer {
public:
  Sums(simulate::CallPlace place, std::size_t ranks) : seconds(ranks), place_(place) {}
  void computed(std::int64_t rank, simulate::CallPlace place, double from_s, double to_s) override {
    if (place == place_) seconds[static_cast<std::size_t>(rank)] += to_s - from_s;
  }
  void called(std::int64_t, simulate::CallPlace, double, double) override {}
  void met(const simulate::Met&) override {}
  void received(const simulate::Received&) override {}
  void completed_send(std::int64_t, double, std::uint64_t) override {}

  std::vector<double> seconds; // by rank

private:
  simulate::CallPlace place_;
};

// The run's time if all ranks computed their mean at a place: as much shorter as the run played on
// a network that takes no time gets by it.
std::optional<double> balanced_runtime(const trace::Trace& trace, const Factors& factors,
                                       const Imbalance& imbalance) {
  if (!factors.ideal_runtime_s || *factors.ideal_runtime_s <= 0) return std::nullopt;
  Sums sums(imbalance.place, static_cast<std::size_t>(trace.run.ranks));
  simulate::SimulateOptions options;
  options.observer = &sums;
  if (!simulate::simulate(trace, efficiency::ideal_network(), options)) return std::nullopt;
  double mean = 0;
  for (const double seconds : sums.seconds)
    mean += seconds / static_cast<double>(sums.seconds.size());
  options.observer = nullptr;
  options.scale = [&](std::int64_t rank, simulate::CallPlace place) {
    const double own = sums.seconds[static_cast<std::size_t>(rank)];
    return place == imbalance.place && own > 0 ? mean / own : 1.0;
  };
  const auto balanced = simulate::simulate(trace, efficiency::ideal_network(), options);
  if (!balanced) return std::nullopt;
  return factors.runtime_s - (*factors.ideal_runtime_s - balanced->seconds);
}

std::vector<Balanced> most_worthwhile(const trace::Trace& trace, const Factors& factors,
                                      const efficiency::WaitStates& waits) {
  std::vector<Balanced> result;
  for (std::size_t i = 0; i < std::min(waits.imbalances.size(), kMostBalanced); ++i) {
    const auto runtime = balanced_runtime(trace, factors, waits.imbalances[i]);
    if (runtime && *runtime < factors.runtime_s * (1 - kLeastGain))
      result.push_back({waits.imbalances[i], *runtime});
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const Balanced& a, const Balanced& b) { return a.runtime_s < b.runtime_s; });
  return result;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

// Whether start-up is in the trace, but not how much of it.
bool hides_startup(const trace::Trace& trace, const Factors& factors) {
  const bool is_known =
      std::any_of(factors.by_rank.begin(), factors.by_rank.end(),
                  [](const efficiency::RankTime& rank) { return rank.startup_s > 0; });
  if (is_known) return false;
  for (const trace::RankClass& c : trace.classes) {
    for (const trace::Call& call : c.program->calls) {
      if (trace::find_function(call.function)->name.starts_with("MPI_Init")) return true;
    }
  }
  return false;
}

// What a reader should know before the numbers.
std::vector<std::string> doubts(const trace::Trace& trace, const Factors& factors) {
  std::vector<std::string> sentences;
  if (!trace.run.complete)
    sentences.push_back("not all ranks reached MPI_Finalize: what is said is of the time before");
  if (factors.useful_sum_s <= 0)
    sentences.push_back("the recording has no times (--times none), so there is nothing to say");
  if (factors.useful_sum_s > 0 && hides_startup(trace, factors))
    sentences.push_back("how long MPI_Init took is not in the trace: start-up is part of the run "
                        "and counts as communication, so that short runs look worse than they are");
  const bool has_none_inside =
      std::all_of(factors.by_rank.begin(), factors.by_rank.end(),
                  [](const efficiency::RankTime& rank) { return rank.in_mpi_s <= 0; });
  if (factors.useful_sum_s > 0 && factors.ranks > 1 && has_none_inside)
    sentences.push_back(
        "the trace has no times inside MPI, only computation: communication efficiency and "
        "transfer say nothing here; 'rondo simulate' predicts them for a network");
  for (std::string& sentence : trace::sharing_text(trace::sharing_of(trace)))
    sentences.push_back(std::move(sentence));
  return sentences;
}

// A run of so many calls that nobody waits for it is not played: the factors that are measured
// stand alone, and `why_not` says what would play it.
bool may_play(const std::string& file, const trace::Trace& trace, Factors& factors) {
  const auto allowed = allow_walk(trace, file);
  if (allowed) return true;
  factors.why_not = "the run was not played: it " + allowed.error().message;
  warn(file, {factors.why_not});
  return false;
}

// Plays the run, and hands what is found to `show`.
template <class Show>
auto with_findings(const std::string& file, const trace::Trace& trace, Factors& factors,
                   sites::Resolver& resolver, Show show) {
  ProgressLine line("calls");
  const auto progress = [&line](std::uint64_t done, std::uint64_t total) {
    line.show(done, total);
  };
  efficiency::add_ideal(factors, trace, progress);
  efficiency::WaitOptions waiting;
  waiting.progress = progress;
  const auto waits = efficiency::wait_states(trace, waiting);
  EfficiencyShown shown{name_of(file), trace, resolver, factors};
  if (waits) {
    shown.waits = &*waits;
    shown.balanced = most_worthwhile(trace, factors, *waits);
  } else {
    shown.why_no_waits = "who waits for whom is not known: " + first_line(waits.error().message);
  }
  return show(shown);
}

int one(const EfficiencyOptions& options) {
  const std::string& file = options.files.front();
  const auto trace = open_trace(file);
  if (!trace) return complain(trace.error());
  Factors factors = efficiency::factors_of(*trace);
  warn(file, doubts(*trace, factors));
  sites::Resolver resolver(*trace);
  const auto text_of = [&](EfficiencyShown& shown) {
    shown.most = options.most;
    return options.json ? efficiency_json(shown).dump(2) + "\n" : efficiency_text(shown);
  };
  std::string text;
  if (may_play(file, *trace, factors)) {
    text = with_findings(file, *trace, factors, resolver, text_of);
  } else {
    EfficiencyShown shown{name_of(file), *trace, resolver, factors};
    shown.why_no_waits = "who waits for whom is not known, as the run was not played";
    text = text_of(shown);
  }
  warn(file, resolver.remarks());
  return put(text, options.output, options.force);
}

int several(const EfficiencyOptions& options) {
  std::vector<Factors> runs;
  std::vector<std::string> names;
  for (const std::string& file : options.files) {
    const auto trace = open_trace(file);
    if (!trace) return complain(trace.error());
    runs.push_back(efficiency::factors_of(*trace));
    warn(file, doubts(*trace, runs.back()));
    names.push_back(name_of(file));
    if (!may_play(file, *trace, runs.back())) continue;
    ProgressLine line("calls");
    efficiency::add_ideal(runs.back(), *trace, [&line](std::uint64_t done, std::uint64_t total) {
      line.show(done, total);
    });
  }
  const ScalingKind kind = options.weak ? ScalingKind::kWeak : ScalingKind::kStrong;
  return put(options.json ? scaling_json(names, runs, kind).dump(2) + "\n"
                          : scaling_text(names, runs, kind),
             options.output, options.force);
}

} // namespace

nlohmann::json efficiency_document(const std::string& file, const trace::Trace& trace,
                                   sites::Resolver& resolver, bool plays) {
  Factors factors = efficiency::factors_of(trace);
  const std::vector<std::string> remarks = doubts(trace, factors);
  nlohmann::json json;
  if (plays) {
    json = with_findings(file, trace, factors, resolver, [](EfficiencyShown& shown) {
      nlohmann::json found = efficiency_json(shown);
      if (!shown.why_no_waits.empty()) found["why_no_waits"] = shown.why_no_waits;
      return found;
    });
  } else {
    factors.why_not = "the run was not played, as it has too many calls";
    json = efficiency_json({name_of(file), trace, resolver, factors});
  }
  json["doubts"] = remarks;
  return json;
}

nlohmann::json scaling_document(const std::vector<std::string>& names,
                                const std::vector<const trace::Trace*>& traces) {
  std::vector<Factors> runs;
  for (const trace::Trace* trace : traces) runs.push_back(efficiency::factors_of(*trace));
  return scaling_json(names, runs, ScalingKind::kStrong);
}

void add_efficiency(CLI::App& app, Chosen& chosen) {
  auto options = std::make_shared<EfficiencyOptions>();
  CLI::App* command = app.add_subcommand(
      "efficiency", "Where the time goes, and whose fault it is: efficiencies, waits, causes");
  command->add_option("traces", options->files, "A .rondo archive, or several to compare")
      ->required()
      ->type_name("FILE");
  add_output(*command, options->output, "Write to this file (default: standard output)");
  command->add_option("--top", options->most, "So many lines of each list")->capture_default_str();
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
      "that takes no time. Each wait is charged to what the other rank did longer since the two\n"
      "met before, through chains of waiting. docs/efficiency.md explains every line.\n"
      "Examples:\n"
      "  rondo efficiency app.rondo\n"
      "  rondo efficiency app.4.rondo app.8.rondo app.16.rondo\n"
      "  rondo efficiency app.rondo --json | jq .load_balance");
  command->callback([options, &chosen] {
    chosen.run = [options] {
      return options->files.size() > 1 ? several(*options) : one(*options);
    };
  });
}

} // namespace rondo::cli
