// SPDX-License-Identifier: Apache-2.0
// rondo simulate: a recorded run's time on another network, or a program's that runs meanwhile.
#include "cli/commands.hpp"
#include "cli/commands/report_documents.hpp"
#include "cli/common.hpp"
#include "cli/launch/simulate_calibrate.hpp"
#include "cli/launch/simulate_live.hpp"
#include "cli/numbers.hpp"
#include "cli/open_trace.hpp"
#include "cli/progress_line.hpp"
#include "cli/session.hpp"
#include "cli/walk.hpp"
#include "present/time/prediction.hpp"
#include "present/time/sweep_picture.hpp"
#include "rondo/base/escape.hpp"
#include "rondo/base/files.hpp"
#include "rondo/trace/resolved_receives.hpp"
#include "rondo/trace/sharing.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <cstdio>
#include <future>
#include <limits>
#include <thread>

namespace rondo::cli {
namespace {

using simulate::NetworkModel;

constexpr std::size_t kMostForPeople = 10;

struct SimulateCommandOptions {
  std::vector<std::string> words; // an archive, or a launcher with or without a program
  bool calibrates = false;
  std::string output; // a picture, a model file or an archive
  bool force = false;
  std::string mpi;
  std::string times = "histogram";
  std::string listen = "auto";
  std::string order = "mpi";
  std::string network;
  std::string collectives = "trees";
  std::vector<std::string> latencies;
  std::vector<std::string> bandwidths;
  double compute_scale = 1;
  std::optional<std::size_t> most;
  bool critical_path = false;
  bool what_if = false;
  bool json = false;
};

constexpr const char* kHardware = "latency+bytes/bandwidth";

Result<simulate::SimulateOptions> engine_options(const SimulateCommandOptions& options) {
  simulate::SimulateOptions result;
  result.compute_scale = options.compute_scale;
  result.wants_critical_path = options.critical_path;
  result.orders_receives = options.order == "virtual";
  if (options.collectives == "trees") return result;
  auto formula =
      simulate::Formula::parse(options.collectives == "hardware" ? kHardware : options.collectives);
  if (!formula) return propagate(formula);
  result.collectives = std::move(*formula);
  return result;
}

// The network itself, or one for each latency and bandwidth.
Result<std::vector<NetworkModel>> networks_of(const SimulateCommandOptions& options) {
  const auto base = options.network.empty() ? Result<NetworkModel>(NetworkModel{})
                                            : simulate::open_network(options.network);
  if (!base) return propagate(base);
  if (options.network.empty() && (options.latencies.empty() || options.bandwidths.empty())) {
    return fail(ErrorCode::kUsage,
                "which network? Give --network, e.g. latency=5us,bandwidth=1GB/s, "
                "or both --latency and --bandwidth");
  }
  std::vector<NetworkModel> result;
  const std::vector<std::string> kAsItIs = {""};
  for (const std::string& latency : options.latencies.empty() ? kAsItIs : options.latencies) {
    for (const std::string& bandwidth : options.bandwidths.empty() ? kAsItIs : options.bandwidths) {
      NetworkModel network = *base;
      if (!latency.empty()) {
        const auto value = simulate::parse_seconds(latency);
        if (!value) return propagate(value);
        network.set_latency(*value);
      }
      if (!bandwidth.empty()) {
        const auto value = simulate::parse_bandwidth(bandwidth);
        if (!value) return propagate(value);
        network.set_bandwidth(*value);
      }
      result.push_back(network);
    }
  }
  return result;
}

// What the time would be without one of its causes.
std::vector<present::Predicted> what_ifs(const NetworkModel& network, double scale) {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  NetworkModel no_latency = network;
  no_latency.set_latency(0);
  no_latency.handshake_s = 0;
  NetworkModel no_bytes = network;
  no_bytes.set_bandwidth(kInfinite);
  NetworkModel nothing = no_latency;
  nothing.set_bandwidth(kInfinite);
  nothing.gap_s = nothing.overhead_s = 0;
  return {{"as given", network, scale, {}},
          {"zero latency", no_latency, scale, {}},
          {"infinite bandwidth", no_bytes, scale, {}},
          {"a network for free", nothing, scale, {}},
          {"computation x 0.5", network, scale * 0.5, {}},
          {"no computation", network, 0, {}}};
}

// Several networks side by side, as many as there are processors: none has to do with another.
class SideBySide {
public:
  SideBySide(const trace::Trace& trace, const simulate::SimulateOptions& engine,
             std::vector<present::Predicted>& all)
      : trace_(trace), engine_(engine), all_(all), errors_(all.size()) {}

  /// @error  that of the first network which has one
  Status run() {
    std::vector<std::future<void>> others;
    try {
      for (std::size_t i = 1; i < workers(); ++i)
        others.push_back(std::async(std::launch::async, [this] { work(nullptr); }));
      ProgressLine line("calls");
      work(&line);
    } catch (...) {
      is_stopped_ = true;
      throw;
    }
    for (auto& other : others) other.get();
    for (const auto& error : errors_) {
      if (error) return tl::unexpected(*error);
    }
    return {};
  }

private:
  // Each keeps what all ranks are at; and a platform is another process.
  std::size_t workers() const {
    constexpr std::size_t kMost = 8;
    constexpr std::int64_t kMostRanks = 1024;
    const bool is_apart =
        std::any_of(all_.begin(), all_.end(), [](const auto& e) { return e.network.platform; });
    if (is_apart || trace_.run.ranks > kMostRanks) return 1;
    return std::min({kMost, all_.size(), std::size_t{std::thread::hardware_concurrency()}});
  }

  // Whoever asked for it looks on, and may stop it.
  void work(ProgressLine* line) {
    simulate::SimulateOptions engine = engine_;
    engine.progress = [this, line](std::uint64_t done, std::uint64_t total) {
      if (is_stopped_) throw Stopped{};
      if (line != nullptr) line->show(done, total);
    };
    for (std::size_t i = next_++; i < all_.size() && !is_stopped_; i = next_++) {
      engine.compute_scale = all_[i].compute_scale;
      engine.wants_critical_path = engine_.wants_critical_path && i == 0;
      auto prediction = simulate::simulate(trace_, all_[i].network, engine);
      if (prediction) {
        all_[i].prediction = std::move(*prediction);
      } else {
        errors_[i] = prediction.error();
        next_ = all_.size(); // those before it go on
      }
    }
  }

  const trace::Trace& trace_;
  const simulate::SimulateOptions& engine_;
  std::vector<present::Predicted>& all_;
  std::vector<std::optional<Error>> errors_; // by network
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> is_stopped_ = false;
};

Result<std::vector<present::Predicted>> predict(const trace::Trace& trace,
                                                const SimulateCommandOptions& options) {
  const auto networks = networks_of(options);
  if (!networks) return propagate(networks);
  auto engine = engine_options(options);
  if (!engine) return propagate(engine);
  std::vector<present::Predicted> all;
  for (const NetworkModel& network : *networks)
    all.push_back({"", network, options.compute_scale, {}});
  if (options.what_if) all = what_ifs(networks->front(), options.compute_scale);
  engine->receives = std::make_shared<const trace::ResolvedReceives>(trace); // once for all
  if (auto done = SideBySide(trace, *engine, all).run(); !done) return propagate(done);
  return all;
}

// Whether the output can be the picture of a sweep, before anything is simulated.
Status check_picture(const SimulateCommandOptions& options, bool is_sweep) {
  const std::string& path = options.output;
  if (path.empty()) return {};
  if (!is_sweep)
    return fail(ErrorCode::kUsage,
                "-o is the picture of a sweep (--latency, --bandwidth), the model "
                "file of --calibrate, or the trace of a program that runs");
  if (!path.ends_with(".svg") && !path.ends_with(".png"))
    return fail(ErrorCode::kUsage,
                "cannot tell the picture's format from its name; end it in .svg "
                "or .png",
                {path, {}, {}, {}});
  return check_output(path, options.force ? Overwrite::kReplace : Overwrite::kRefuse);
}

Status write_picture(const std::vector<present::Predicted>& all, const trace::Trace& trace,
                     const SimulateCommandOptions& options) {
  const std::string& path = options.output;
  const auto format =
      path.ends_with(".png") ? present::PictureFormat::kPng : present::PictureFormat::kSvg;
  const auto picture = present::draw_sweep(all, format, trace.run.command);
  if (!picture) return propagate(picture);
  return write_file(path, *picture, options.force ? Overwrite::kReplace : Overwrite::kRefuse);
}

// Programs read all; people ten, unless they say otherwise.
std::size_t most_shown(const SimulateCommandOptions& options) {
  if (!options.most) return options.json ? ~std::size_t{0} : kMostForPeople;
  return *options.most == 0 ? ~std::size_t{0} : *options.most;
}

int simulate_command(const SimulateCommandOptions& options) {
  if (options.what_if || options.critical_path || !options.latencies.empty() ||
      !options.bandwidths.empty()) {
    return complain("a program that runs has one network; record it with -o, and ask the trace for "
                    "--what-if, --critical-path, --latency and --bandwidth");
  }
  const auto networks = networks_of(options);
  if (!networks) return complain(networks.error());
  const auto engine = engine_options(options);
  if (!engine) return complain(engine.error());
  const LiveOptions live{options.words, options.output, options.times,       options.mpi,
                         options.force, options.json,   most_shown(options), options.listen};
  return simulate_live(live, networks->front(), *engine);
}

int simulate_trace(const SimulateCommandOptions& options) {
  if (options.order != "mpi")
    return complain("--order is for a program that runs: a trace has the order that was recorded");
  const bool is_sweep = !options.latencies.empty() || !options.bandwidths.empty();
  if (is_sweep && (options.what_if || options.critical_path)) {
    return complain("--latency and --bandwidth give a table; ask for --what-if or --critical-path "
                    "with a single network");
  }
  if (auto can = check_picture(options, is_sweep); !can) return complain(can.error());
  if (options.words.size() != 1) return complain("one archive is simulated at a time");
  const std::string& file = options.words.front();
  const auto trace = open_trace(file);
  if (!trace) return complain(trace.error());
  if (const auto allowed = allow_play(*trace, file); !allowed) return complain(allowed.error());
  const auto all = predict(*trace, options);
  if (!all) {
    Error error = all.error();
    const bool is_of_run = error.code == ErrorCode::kUnsupported && error.place.file.empty();
    if (is_of_run) error.place.file = file;
    return complain(error);
  }
  warn(file, all->front().prediction.remarks);
  warn(file, trace::sharing_text(trace::sharing_of(*trace)));
  if (!options.output.empty()) {
    if (auto drawn = write_picture(*all, *trace, options); !drawn) return complain(drawn.error());
  }
  sites::Resolver resolver(*trace);
  const present::SimulationShown shown{*trace, resolver, most_shown(options)};
  const bool is_list = is_sweep || options.what_if;
  if (options.json) {
    auto json = is_list ? present::list_json(*all) : present::prediction_json(shown, all->front());
    if (is_list && options.critical_path)
      json["critical_path"] = present::prediction_json(shown, all->front())["critical_path"];
    return put(escape::json_text(json) + "\n");
  }
  if (options.what_if && options.critical_path)
    return put(present::prediction_text(shown, all->front()) + "\n" + present::what_if_text(*all));
  if (options.what_if) return put(present::what_if_text(*all));
  return put(is_sweep ? present::sweep_text(*all) : present::prediction_text(shown, all->front()));
}

int simulate_calibrate(const SimulateCommandOptions& options) {
  return calibrate({options.words, options.output, options.mpi, options.force, options.json});
}

} // namespace

nlohmann::json sweep_document(const trace::Trace& trace) {
  SimulateCommandOptions options;
  options.latencies = {"0.5us", "1us", "2us", "5us", "20us", "100us"};
  options.bandwidths = {"0.1GB/s", "1GB/s", "5GB/s", "12.5GB/s", "50GB/s"};
  const auto all = predict(trace, options);
  if (!all) return {{"why_not", all.error().message}};
  return present::list_json(*all);
}

void add_simulate(CLI::App& app, Chosen& chosen) {
  auto options = std::make_shared<SimulateCommandOptions>();
  CLI::App* command =
      app.add_subcommand("simulate", "The time that a run would take on another network");
  command
      ->add_option("run", options->words,
                   "A .rondo archive; or, behind --, a program with its launcher, to be run while "
                   "the network's model keeps its time; with --calibrate, a launcher alone")
      ->required()
      ->type_name("FILE | -- COMMAND");
  command
      ->add_option(
          "--network", options->network,
          "latency=5us,bandwidth=1GB/s (and overhead=, rendezvous=, handshake=), LogGP as "
          "L=5us,o=1us,g=2us,G=0.1ns,S=64kB, or a file with such settings; with contention, "
          "by SimGrid: 'torus 8x8x4, 100Gbps, 1us', crossbar, fat tree, dragonfly, complete, "
          "or a platform as FILE.xml")
      ->type_name("MODEL|FILE");
  command
      ->add_option("--collectives", options->collectives,
                   "Collective operations as messages (trees), as one operation of the network "
                   "(hardware), or at the cost of a formula of latency, bandwidth, overhead, gap, "
                   "ranks and bytes")
      ->capture_default_str()
      ->type_name("trees|hardware|FORMULA");
  command->add_option("--scale-compute", options->compute_scale, "Computation times X; 0 for none")
      ->check(number_from_zero())
      ->capture_default_str()
      ->type_name("X");
  command->add_option("--latency", options->latencies, "A table: these latencies, 1us,2us,5us")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("TIME,...");
  command->add_option("--bandwidth", options->bandwidths, "A table: these bandwidths, 1GB/s,10GB/s")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("RATE,...");
  command
      ->add_option("--listen", options->listen,
                   "Where ranks of a program that runs may be: on this host (here), on others too, "
                   "which reach this one by TCP (any), or as the launcher's options say (auto)")
      ->check(CLI::IsMember({"auto", "here", "any"}))
      ->capture_default_str();
  command
      ->add_option(
          "--order", options->order,
          "Of a program that runs, which message a receive from any source takes: the one that "
          "MPI gives it, or the one that arrives first in virtual time, until which the rank waits")
      ->check(CLI::IsMember({"mpi", "virtual"}))
      ->capture_default_str();
  command->add_flag("--what-if", options->what_if,
                    "Also the time without latency, without limits of bandwidth, with half of the "
                    "computation, ...");
  command->add_flag(
      "--critical-path", options->critical_path,
      "The critical path: what the runtime depends on, and each call site's share of it");
  command
      ->add_option(
          "--top", options->most,
          "How many pairs and call sites to show; 0 for all (default: 10, with --json all)")
      ->type_name("N")
      ->check(whole_number());
  add_json(*command, options->json);
  command->add_flag(
      "--calibrate", options->calibrates,
      "Measure the network between two ranks of a launcher and write its LogGP model");
  command
      ->add_option("-o,--output", options->output,
                   "The picture of a sweep, .svg or .png; of --calibrate, the model file; of a "
                   "program that runs, the archive with virtual times")
      ->type_name("FILE");
  add_force(*command, options->force);
  command
      ->add_option("--times", options->times,
                   "Of that archive: virtual times as histograms, of every call (full), or none")
      ->check(CLI::IsMember({"none", "histogram", "full"}))
      ->capture_default_str();
  command
      ->add_option("--mpi", options->mpi,
                   "The MPI, if it cannot be told from the program or the launcher")
      ->check(CLI::IsMember({"openmpi", "mpich"}));
  command->footer(
      "Every call is played in virtual time; what each costs is in docs/simulate.md. Messages "
      "slow\neach other down only at a rank's own port (LogGP) or on the links of a platform.\n"
      "Examples:\n"
      "  rondo simulate app.rondo --network latency=5us,bandwidth=1GB/s --critical-path\n"
      "  rondo simulate app.rondo --network L=2us,o=0.5us,g=1us,G=0.1ns,S=64kB --what-if\n"
      "  rondo simulate --network latency=5us,bandwidth=1GB/s -- mpirun -n 16 ./app\n"
      "  rondo simulate app.rondo --latency 1us,2us,5us --bandwidth 1GB/s,10GB/s,inf\n"
      "  rondo simulate app.rondo --network 'torus 8x8x4, 100Gbps, 1us, rendezvous=64kB'\n"
      "  rondo simulate app.rondo --latency 1us,10us,100us --bandwidth 1GB/s,10GB/s -o sweep.svg\n"
      "  rondo simulate --calibrate -o cluster.network -- mpirun -n 2\n"
      "  rondo simulate app.rondo --network cluster.network --collectives "
      "'2*latency*log2(ranks)+bytes/bandwidth'");
  command->callback([options, &chosen] {
    chosen.run = [options, has_dashes = chosen.has_dashes] {
      if (options->calibrates) return simulate_calibrate(*options);
      return is_command(options->words, has_dashes) ? simulate_command(*options)
                                                    : simulate_trace(*options);
    };
  });
}

} // namespace rondo::cli
