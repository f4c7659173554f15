// SPDX-License-Identifier: Apache-2.0
#include "rondo/simulate/simulate.hpp"

#include "rondo/base/sort_stably.hpp"
#include "rondo/base/units.hpp"
#include "rondo/simulate/schedule.hpp"
#include "rondo/trace/outsiders.hpp"
#include "simulate/apart.hpp"
#include "simulate/ranks/further_threads.hpp"
#include "simulate/ranks/rank_program.hpp"
#include "simulate/ranks/trace_calls.hpp"
#include "simulate/repetition.hpp"
#include "simulate/transport/pass.hpp"
#include "simulate/transport/schedule_builder.hpp"
#include "trace/mpi_names.hpp"

#include <algorithm>
#include <charconv>
#include <fmt/core.h>
#include <memory>

namespace rondo::simulate {
namespace {

using namespace internal;
using trace::Trace;

constexpr std::size_t kMostShown = 8; // ranks and calls in an error

// Calls that no model plays.
void look_through(const Trace& trace, bool plays_threads, Stage& stage) {
  for (const trace::RankClass& c : trace.classes) {
    const auto executions = c.program->nest.occurrences(c.program->calls.size());
    for (std::size_t i = 0; i < executions.size(); ++i) {
      const trace::Function& function = *trace::find_function(c.program->calls[i].function);
      const std::uint64_t times = executions[i] * static_cast<std::uint64_t>(c.ranks.size());
      const trace::Act act = trace::meaning_of(function).act;
      const std::string name(function.name);
      if (times == 0 || c.program->calls[i].error != 0) continue;
      if (act == trace::Act::kProcess && !stage.options.at_recorded_times)
        stage.unsupported[name + " " + kOtherProcesses] += times;
      if (!plays_threads && c.thread != 0 && function.role != trace::Role::kMarker)
        stage.unsupported[name + " in a second thread"] += times;
    }
  }
}

// Without MPI_Win_lock locks are shared by all.
bool locks_windows(const Trace& trace) {
  const auto& classes = trace.classes;
  return std::any_of(classes.begin(), classes.end(), [](const trace::RankClass& c) {
    const auto& calls = c.program->calls;
    return std::any_of(calls.begin(), calls.end(), [](const trace::Call& call) {
      return trace::find_function(call.function)->name == mpi::Win_lock;
    });
  });
}

// All ranks are played together until none can go on.
class Replay {
public:
  Replay(const Trace& trace, const NetworkModel& model, const SimulateOptions& options)
      : trace_(trace), context_(trace, options.receives), stage_(model, options, trace.run.ranks) {}

  void set_carrier(Carrier* carrier) {
    carrier_ = carrier;
    stage_.transport.set_carrier(carrier);
  }

  void set_schedule(ScheduleBuilder* schedule) { stage_.transport.set_schedule(schedule); }

  Status run(bool keeps_delays, const PathParts* follows) {
    if (keeps_delays) stage_.ledger.keep_delays();
    if (follows != nullptr) stage_.ledger.follow(follows);
    const bool is_of_ranks = stage_.transport.schedule() != nullptr;
    look_through(trace_, !is_of_ranks, stage_);
    if (!stage_.unsupported.empty()) return list_unsupported(stage_);
    if (stage_.options.at_recorded_times) {
      if (auto used = context_.use_recorded_times(); !used) return used;
      stage_.passes_outsiders = trace::has_outsiders(trace_);
    }
    const bool knows_order = !stage_.options.at_recorded_times && carrier_ == nullptr &&
                             stage_.transport.schedule() == nullptr;
    if (knows_order && locks_windows(trace_)) stage_.locks.emplace();
    stage_.gathers = carrier_ == nullptr && !is_of_ranks && !stage_.transport.model().has_ports();
    for (std::int64_t rank = 0; rank < trace_.run.ranks; ++rank) {
      const trace::RankClass* c = trace_.class_of(rank);
      if (c == nullptr) continue;
      sources_.push_back(
          std::make_unique<TraceCalls>(context_, *c, rank, stage_.options.compute_scale));
      programs_.push_back(std::make_unique<RankProgram>(stage_, *sources_.back(), rank));
      stage_.transport.make_ready(*programs_.back());
    }
    if (!is_of_ranks) add_threads();
    for (const trace::RankFacts& facts : trace_.ranks) total_ += facts.calls;
    if (may_count(keeps_delays || follows != nullptr)) count_repeats();
    play();
    if (carrier_ != nullptr) {
      const auto carried = carrier_->run([this](Shipment& shipment, double time) {
        stage_.transport.delivered(shipment, time);
        play();
      });
      if (!carried) return carried;
    }
    if (!stage_.unsupported.empty()) return list_unsupported(stage_);
    return check_ends();
  }

  Prediction prediction() const {
    Prediction result = stage_.prediction();
    const auto& guessed = context_.receives->remarks();
    result.remarks.insert(result.remarks.begin(), guessed.begin(), guessed.end());
    if (threads_ == 0) return result;
    // A rank's row is that of its first thread, up to where the last of them ends.
    for (std::size_t i = programs_.size() - threads_; i < programs_.size(); ++i) {
      RankPrediction& rank = result.ranks[static_cast<std::size_t>(programs_[i]->rank())];
      rank.calls += programs_[i]->beside().calls;
      rank.end_s = std::max(rank.end_s, programs_[i]->beside().end_s);
      result.seconds = std::max(result.seconds, rank.end_s);
    }
    result.remarks.push_back(fmt::format(
        "calls of {} further {}: where their time went is said of their ranks' first threads, and "
        "what threads wait for in each other is not known",
        threads_, threads_ == 1 ? "thread" : "threads"));
    return result;
  }

  PathParts path() const { return stage_.ledger.critical_path(); }
  const Ledger& ledger() const { return stage_.ledger; }

private:
  // Until everybody waits for a message. On a platform that is so after each message, and counting
  // calls takes a while.
  void add_threads() {
    for (const FurtherThread& each : further_threads(trace_)) {
      const auto first = std::find_if(programs_.begin(), programs_.end(), [&](const auto& program) {
        return program->rank() == each.rank;
      });
      if (first == programs_.end()) continue;
      sources_.push_back(std::make_unique<TraceCalls>(context_,
                                                      *trace_.class_of(each.rank, each.thread),
                                                      each.rank, stage_.options.compute_scale));
      programs_.push_back(std::make_unique<RankProgram>(stage_, *sources_.back(), **first));
      stage_.transport.make_ready(*programs_.back());
      ++threads_;
    }
  }

  void play() {
    do {
      stage_.play([this] {
        const std::uint64_t turns = carrier_ == nullptr ? programs_.size() : kTurnsAReport;
        if (!stage_.options.progress || turns_++ % turns != 0) return; // it asks all ranks
        stage_.options.progress(calls(), total_);
      });
    } while (goes_on());
  }

  bool may_count(bool wants_path) const {
    const SimulateOptions& options = stage_.options;
    return threads_ == 0 && options.counts_repeats && !wants_path && !options.at_recorded_times &&
           carrier_ == nullptr && !stage_.transport.model().has_ports() &&
           (options.observer == nullptr || options.observer->can_count());
  }

  void count_repeats() {
    std::vector<RankProgram*> programs;
    std::vector<TraceCalls*> sources;
    for (const auto& program : programs_) programs.push_back(program.get());
    for (const auto& source : sources_) sources.push_back(source.get());
    repetition_.emplace(stage_, std::move(programs), std::move(sources));
  }

  // Ranks that stand at iterations go on: those that stand there alone as others wait for them.
  // Then somebody gets the lock that he waits for, and operations are given up whose last ranks
  // never come.
  bool goes_on() {
    if (!stage_.unsupported.empty()) return false;
    if (stage_.at_iterations.empty()) {
      return (stage_.locks && stage_.locks->grant_next(stage_.transport)) ||
             stage_.gatherings.give_up();
    }
    if (stage_.at_iterations.size() + stage_.ended == programs_.size()) repetition_->look();
    for (RankProgram* program : std::exchange(stage_.at_iterations, {}))
      stage_.transport.make_ready(*program);
    return true;
  }

  std::uint64_t calls() const {
    std::uint64_t sum = 0;
    for (const auto& program : programs_) sum += program->calls();
    return sum;
  }

  // What was recorded of a run that was cut short may lack receives: such sends go.
  void let_go() {
    constexpr int kMost = 64; // times, as all channels are looked through
    for (int times = 0; times < kMost && stage_.transport.let_go_sends() > 0; ++times) play();
  }

  Status check_ends() {
    if (stage_.options.may_stop) let_go();
    if (stage_.options.stuck_send_bytes != nullptr)
      *stage_.options.stuck_send_bytes = stage_.transport.smallest_waiting_send();
    if (stage_.options.may_stop) {
      for (const auto& program : programs_) program->stop();
      return {};
    }
    std::string stuck;
    std::size_t count = 0;
    for (const auto& program : programs_) {
      if (program->is_over()) continue;
      if (++count > kMostShown) continue;
      stuck += fmt::format("\n  rank {}, call {}: {}", program->rank(), program->calls(),
                           program->call_text());
    }
    if (count == 0) return {};
    if (count > kMostShown) stuck += fmt::format("\n  and {} more ranks", count - kMostShown);
    return fail(ErrorCode::kUnsupported,
                fmt::format("the replay does not go on: {} of {} ranks wait for something that "
                            "never comes; {}{}",
                            count, trace_.run.ranks, why_stuck(), stuck));
  }

  std::string why_stuck() const {
    if (!trace_.run.complete)
      return "the recording is incomplete ('rondo info' says how each rank ended)";
    const std::uint64_t eager = stage_.transport.model().eager_bytes;
    std::string why = "is the recording whole ('rondo info --messages')?";
    if (eager != NetworkModel::kNever)
      why += fmt::format(" If it is, messages above {} bytes wait for their receivers", eager);
    return why;
  }

  const Trace& trace_;
  TraceContext context_;
  Stage stage_;
  std::vector<std::unique_ptr<TraceCalls>> sources_;
  std::vector<std::unique_ptr<RankProgram>> programs_;
  std::size_t threads_ = 0; // further ones: the last programs
  std::optional<Repetition> repetition_;
  Carrier* carrier_ = nullptr;
  std::uint64_t total_ = 0; // calls
  static constexpr std::uint64_t kTurnsAReport = 4096;
  std::uint64_t turns_ = 0;
};

CriticalPath path_of(const Ledger& followed, const PathParts& parts) {
  CriticalPath path;
  path.last_rank = parts.last_rank;
  path.hops = parts.hops;
  for (const auto& [name, share] : followed.shares()) {
    path.computing_s += share.computing_s;
    path.communicating_s += share.communicating_s;
    path.shares.push_back({name.function, name.site, share.computing_s, share.communicating_s});
  }
  sort_stably(path.shares.begin(), path.shares.end(), [](const PathShare& a, const PathShare& b) {
    return a.computing_s + a.communicating_s > b.computing_s + b.communicating_s;
  });
  return path;
}

Result<Pass> play_here(const Trace& trace, const NetworkModel& model,
                       const SimulateOptions& options, const PathParts* follows) {
  Replay replay(trace, model, options);
  std::unique_ptr<Carrier> carrier;
  if (model.platform) {
    auto made = simgrid_carrier(*model.platform, trace.run.ranks);
    if (!made) return propagate(made);
    carrier = std::move(*made);
    replay.set_carrier(carrier.get());
  }
  const bool keeps_delays = options.wants_critical_path && follows == nullptr;
  if (auto done = replay.run(keeps_delays, follows); !done) return propagate(done);
  Pass pass{replay.prediction(), {}};
  if (keeps_delays) pass.path = replay.path();
  if (follows != nullptr) pass.prediction.path = path_of(replay.ledger(), *follows);
  return pass;
}

// SimGrid can be started once in a process, and ends it where it does not like a platform.
Result<Pass> play_apart(const Trace& trace, const NetworkModel& model,
                        const SimulateOptions& options, const PathParts* follows) {
  if (auto ready = simgrid_is_there(*model.platform); !ready) return propagate(ready);
  const auto work = [&](const Tell& tell) {
    SimulateOptions telling = options;
    telling.progress = [&tell](std::uint64_t done, std::uint64_t total) {
      tell(fmt::format("{} {}", done, total));
    };
    return bytes_of(play_here(trace, model, telling, follows));
  };
  const auto told = [&](std::string_view text) {
    std::uint64_t done = 0;
    std::uint64_t total = 0;
    const char* const end = text.data() + text.size();
    const char* const space = std::from_chars(text.data(), end, done).ptr;
    if (space != end) std::from_chars(space + 1, end, total);
    if (options.progress) options.progress(done, total);
  };
  const auto bytes = run_apart(work, told);
  if (bytes) return pass_of(*bytes);
  Error error = bytes.error();
  if (error.code == ErrorCode::kUnsupported) {
    error.message = "SimGrid cannot simulate this platform: " + error.message;
    if (model.platform->kind == Platform::Kind::kFile) error.place.file = model.platform->file;
  }
  return tl::unexpected<Error>(std::move(error));
}

Result<Pass> play(const Trace& trace, const NetworkModel& model, const SimulateOptions& options,
                  const PathParts* follows) {
  return model.platform ? play_apart(trace, model, options, follows)
                        : play_here(trace, model, options, follows);
}

constexpr double kMostSeconds = 0x1p63 * 1e-9; // times of traces are nanoseconds in 64 bits

// A file has links of several kinds, so a formula does not know which are meant.
bool has_unknown_links(const Formula& formula, const NetworkModel& model) {
  return (formula.has("latency") && model.link_latency_s() < 0) ||
         (formula.has("bandwidth") && model.link_bandwidth() < 0);
}

} // namespace

Result<Prediction> simulate(const Trace& trace, const NetworkModel& model,
                            const SimulateOptions& options) {
  if (!is_cost(options.compute_scale))
    return fail(ErrorCode::kUsage, "computation is scaled by a finite number from 0 on");
  if (options.collectives && has_unknown_links(*options.collectives, model)) {
    return fail(ErrorCode::kUsage,
                fmt::format("the formula '{}' names the latency or bandwidth of a link, of which "
                            "'{}' may have several; write numbers",
                            options.collectives->text(), model.platform->file));
  }
  auto pass = play(trace, model, options, nullptr);
  if (!pass) return propagate(pass);
  if (!(pass->prediction.seconds < kMostSeconds))
    return fail(ErrorCode::kUsage,
                "the run would take more than 292 years; are the network and the "
                "factor of computation meant?");
  if (!options.wants_critical_path) return std::move(pass->prediction);
  auto again = play(trace, model, options, &pass->path);
  if (!again) return propagate(again);
  pass->prediction.path = std::move(again->prediction.path);
  return std::move(pass->prediction);
}

Result<std::vector<RankSchedule>> schedule_of(const Trace& trace, std::uint64_t most_steps) {
  SimulateOptions options;
  options.counts_repeats = false;
  ScheduleBuilder builder(trace.run.ranks, most_steps);
  Replay replay(trace, NetworkModel{}, options);
  replay.set_schedule(&builder);
  if (auto done = replay.run(false, nullptr); !done) return propagate(done);
  if (!builder.is_whole())
    return fail(
        ErrorCode::kUnsupported,
        fmt::format("it has more than {} computations, sends, receives and waits, with those "
                    "of collective operations",
                    human_count(static_cast<double>(most_steps))));
  return builder.build();
}

} // namespace rondo::simulate
