// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/commands/convert_output.hpp"
#include "cli/common.hpp"
#include "cli/help/formats.hpp"
#include "cli/names.hpp"
#include "cli/numbers.hpp"
#include "cli/processes.hpp"
#include "cli/progress_line.hpp"
#include "cli/walk.hpp"
#include "rondo/archive/archive.hpp"
#include "rondo/archive/part_files.hpp"
#include "rondo/base/files.hpp"
#include "rondo/base/units.hpp"
#include "rondo/convert/allprof.hpp"
#include "rondo/convert/chakra.hpp"
#include "rondo/convert/detect.hpp"
#include "rondo/convert/dumpi.hpp"
#include "rondo/convert/goal.hpp"
#include "rondo/convert/otf2.hpp"
#include "rondo/convert/paraver.hpp"
#include "rondo/convert/readers.hpp"
#include "rondo/convert/simgrid_ti.hpp"
#include "rondo/fold/refold.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>
#include <fmt/core.h>
#include <map>
#include <optional>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

namespace rondo::cli {
namespace {

const std::map<std::string, convert::OutputKind> kKinds = {
    {"rondo", convert::OutputKind::kRondo},       {"json", convert::OutputKind::kJson},
    {"csv", convert::OutputKind::kCsv},           {"ti", convert::OutputKind::kSimgridTi},
    {"otf2", convert::OutputKind::kOtf2},         {"goal", convert::OutputKind::kGoal},
    {"perfetto", convert::OutputKind::kPerfetto}, {"chrome", convert::OutputKind::kChrome},
    {"paraver", convert::OutputKind::kParaver},   {"dimemas", convert::OutputKind::kDimemas}};

const std::map<std::string, fold::Folding> kFoldings = {{"none", fold::Folding::kNone},
                                                        {"loops", fold::Folding::kLoops},
                                                        {"full", fold::Folding::kFull}};

// What a trace that is there already can be made into: times can only become fewer.
Status reduce_times(trace::Trace& trace, const ConvertOptions& options) {
  if (options.times.empty()) return {};
  const bool has_histograms =
      std::any_of(trace.classes.begin(), trace.classes.end(),
                  [](const trace::RankClass& c) { return !c.program->times.empty(); });
  const bool has_wanted =
      options.times == "none" || (options.times == "full" ? !trace.stamps.empty() : has_histograms);
  if (!has_wanted) {
    return fail(ErrorCode::kUsage,
                fmt::format("has no {}; leave --times out, or record the run with --times {}",
                            options.times == "full" ? "times of every call" : "times",
                            options.times),
                {options.input, {}, {}, {}});
  }
  if (options.times != "full") trace.stamps.clear();
  if (options.times == "none") trace::drop_times(trace);
  return {};
}

// Traces without call sites fold best with the settings of the reader that makes such.
fold::ProgramOptions program_options(const trace::Trace& trace) {
  return trace.sites.size() > 1 ? fold::ProgramOptions{} : convert::SimgridTiOptions{}.program;
}

trace::Trace refolded(trace::Trace&& trace, const ConvertOptions& options) {
  if (options.fold.empty()) return std::move(trace);
  ProgressLine line("streams");
  auto result =
      fold::refold(trace, kFoldings.at(options.fold), program_options(trace),
                   [&line](std::uint64_t done, std::uint64_t total) { line.show(done, total); });
  if (result.streams_without_times > 0) {
    warn(options.input,
         {fmt::format("times of {} streams are left out: they were summed up over ranks",
                      result.streams_without_times)});
  }
  return std::move(result.trace);
}

Result<std::optional<trace::Trace>> finish_reading(Result<trace::Trace>&& trace,
                                                   const ConvertOptions& options) {
  if (!trace) return propagate(trace);
  if (!options.fold.empty()) {
    if (auto allowed = allow_walk(*trace, options.input); !allowed) return propagate(allowed);
  }
  if (auto reduced = reduce_times(*trace, options); !reduced) return propagate(reduced);
  return refolded(std::move(*trace), options);
}

Result<trace::Trace> read_parts(const ConvertOptions& options) {
  const auto runs = archive::runs_in(options.input);
  if (!runs) return propagate(runs);
  const std::string& run = options.run.empty() ? runs->front() : options.run;
  if (options.run.empty() && runs->size() > 1) {
    std::string others;
    for (std::size_t i = 1; i < runs->size(); ++i) others += " " + (*runs)[i];
    warn(options.input,
         {"this is the run written last, '" + run + "'; --run takes one of the others:" + others});
  }
  ProgressLine line("ranks");
  auto collected =
      archive::collect(options.input, run, [&line](std::uint64_t done, std::uint64_t total) {
        line.show(done, total);
      });
  if (!collected) return propagate(collected);
  warn(options.input, collected->remarks);
  return std::move(collected->trace);
}

// Reader: Result<Imported>(path, Options). Nothing where another process has it.
template <class Options, class Reader>
Result<std::optional<trace::Trace>> read_by(Reader reader, const ConvertOptions& options,
                                            Options wanted) {
  ProgressLine line;
  wanted.program.times = options.times != "none";
  wanted.program.folds = options.fold != "none";
  wanted.merges = options.fold.empty() || options.fold == "full";
  wanted.all_times = options.times == "full" || options.stamps;
  wanted.progress = [&line](std::uint64_t done, std::uint64_t total) { line.show(done, total); };
  wanted.processes = options.processes;
  if (wanted.processes.mine > 0) wanted.progress = {}; // the first one's is that of all
  auto imported = reader(options.input, wanted);
  if (!imported) return propagate(imported);
  if (imported->is_elsewhere) return std::optional<trace::Trace>();
  for (const convert::Remark& remark : imported->remarks) warn(options.input, {remark.text()});
  return std::optional(std::move(imported->trace));
}

Result<std::optional<trace::Trace>> read_simgrid_ti(const ConvertOptions& options) {
  convert::SimgridTiOptions ti;
  ti.flops_per_second = options.flops_per_second;
  return read_by(convert::read_simgrid_ti, options, ti);
}

// Formats whose ranks have files of their own.
bool is_shared(convert::InputKind kind) {
  return kind == convert::InputKind::kOtf2 || kind == convert::InputKind::kAllprof ||
         kind == convert::InputKind::kDumpi || kind == convert::InputKind::kSimgridTi;
}

Result<std::optional<trace::Trace>> read_input(const ConvertOptions& options) {
  const auto kind = convert::detect_input(options.input);
  if (!kind) return propagate(kind);
  if (options.processes.all > 1 && !is_shared(*kind)) {
    if (options.processes.mine > 0) return std::optional<trace::Trace>();
    warn(options.input, {"is read by the first process alone, as its ranks have no files of "
                         "their own"});
  }
  switch (*kind) {
  case convert::InputKind::kRondo:
    return finish_reading(archive::read(options.input), options);
  case convert::InputKind::kParts:
    return finish_reading(read_parts(options), options);
  case convert::InputKind::kParaver:
    return read_by(convert::read_paraver, options, convert::ImportOptions{});
  case convert::InputKind::kOtf2:
    return read_by(convert::read_otf2, options, convert::ImportOptions{});
  case convert::InputKind::kAllprof:
    return read_by(convert::read_allprof, options, convert::ImportOptions{});
  case convert::InputKind::kChakra:
    return read_by(convert::read_chakra, options, convert::ImportOptions{});
  case convert::InputKind::kDumpi:
    return read_by(convert::read_dumpi, options, convert::ImportOptions{});
  case convert::InputKind::kGoal:
    return read_by(convert::read_goal, options, convert::ImportOptions{});
  case convert::InputKind::kSimgridTi:
    break;
  }
  return read_simgrid_ti(options);
}

// What the archive says of where calls stand: more, if the program's files are here; or nothing.
void set_names(trace::Trace& trace, const ConvertOptions& options) {
  if (!options.names) {
    trace.names.clear();
  } else if (options.resolve) {
    const std::size_t found = fill_names(trace, options.input);
    fmt::print(stderr, "rondo: {}: {} call {} got names\n", options.input, found,
               found == 1 ? "site" : "sites");
  }
}

bool has_window(convert::OutputKind kind) {
  return kind == convert::OutputKind::kPerfetto || kind == convert::OutputKind::kChrome ||
         kind == convert::OutputKind::kOtf2 || kind == convert::OutputKind::kParaver;
}

// Whether a format is one of times of every call.
bool is_timed(convert::OutputKind kind) {
  return has_window(kind) || kind == convert::OutputKind::kGoal ||
         kind == convert::OutputKind::kDimemas;
}

// Whether a format has calls that it cannot say.
bool may_approximate(convert::OutputKind kind) {
  return kind == convert::OutputKind::kSimgridTi || kind == convert::OutputKind::kGoal ||
         kind == convert::OutputKind::kDimemas || kind == convert::OutputKind::kOtf2 ||
         kind == convert::OutputKind::kParaver;
}

Status check_place(const ConvertOptions& options, convert::OutputKind kind) {
  const auto wrong = [&](const char* what) { return fail(ErrorCode::kUsage, what); };
  if (kind == convert::OutputKind::kSimgridTi && options.output == "-")
    return wrong("SimGrid's traces are a folder; name one");
  if (kind == convert::OutputKind::kOtf2 && !options.output.ends_with(".otf2"))
    return wrong("an OTF2 archive is several files; name the one that ends in .otf2");
  if (kind == convert::OutputKind::kParaver && !options.output.ends_with(".prv"))
    return wrong("a Paraver trace is three files; name the one that ends in .prv");
  if (kind == convert::OutputKind::kDimemas && options.output == "-")
    return wrong("a Dimemas trace begins with where it ends; name a file");
  return {};
}

Result<convert::Processes> find_processes(const ConvertOptions& options) {
  auto processes = processes_of(options.part, options.output);
  if (processes) processes->patience = std::chrono::seconds(options.wait_s);
  return processes;
}

Status check_options(const ConvertOptions& options, convert::OutputKind kind) {
  if (kind != convert::OutputKind::kRondo && kind != convert::OutputKind::kCsv) {
    if (auto has = convert::has_readers(); !has) return has;
  }
  if (options.times == "full" && kind != convert::OutputKind::kRondo &&
      kind != convert::OutputKind::kSimgridTi && !is_timed(kind)) {
    return fail(ErrorCode::kUsage,
                "times of every call are kept in archives only: convert to .rondo, and "
                "rondo print --flat --json shows them",
                {options.output, {}, {}, {}});
  }
  if (options.approximates && !may_approximate(kind))
    return fail(ErrorCode::kUsage, "--approximate is for formats that cannot say all calls: .otf2, "
                                   ".prv, .dim, .goal and .ti");
  const bool cuts = !options.ranks.empty() || !options.from.empty() || !options.until.empty();
  if (cuts && !has_window(kind))
    return fail(ErrorCode::kUsage, "--ranks, --from and --until cut timelines (OUTPUT.pftrace, "
                                   ".chrome.json, .otf2, .prv)");
  if (const auto part = timeline_options(options); !part) return propagate(part);
  return check_place(options, kind);
}

int run_convert(ConvertOptions options) {
  if (options.lists) {
    fmt::print("{}", format_table());
    return kDone;
  }
  if (options.input.empty() || options.output.empty())
    return complain("needs an input and an output; --list says what it reads and writes");
  const Overwrite overwrite = options.force ? Overwrite::kReplace : Overwrite::kRefuse;
  const auto kind = options.to.empty() ? convert::output_kind(options.output)
                                       : Result<convert::OutputKind>(kKinds.at(options.to));
  if (!kind) return complain(kind.error());
  if (auto fits = check_options(options, *kind); !fits) return complain(fits.error());
  auto processes = find_processes(options);
  if (!processes) return complain(processes.error());
  options.processes = std::move(*processes);
  options.stamps = is_timed(*kind) && options.times.empty();
  const bool is_folder =
      *kind == convert::OutputKind::kSimgridTi || *kind == convert::OutputKind::kOtf2;
  const auto ready =
      is_folder || options.processes.mine > 0 ? Status() : check_output(options.output, overwrite);
  if (!ready) return complain(ready.error());
  const std::size_t cores = options.jobs > 0
                                ? options.jobs
                                : static_cast<std::size_t>(tbb::this_task_arena::max_concurrency());
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, cores);
  auto trace = read_input(options);
  if (!trace) return complain(trace.error());
  if (!*trace) return kDone; // the first process writes it
  set_names(**trace, options);
  const auto written = write_converted(**trace, *kind, options, overwrite);
  return written ? kDone : complain(written.error());
}

} // namespace

void add_convert(CLI::App& app, Chosen& chosen) {
  auto options = std::make_shared<ConvertOptions>();
  CLI::App* command = app.add_subcommand("convert", "Bring a trace from one format into another");
  command->add_option("input", options->input, "What to read; its contents say what it is")
      ->type_name("FILE|FOLDER");
  command->add_option("output", options->output, "What to write; its extension says how")
      ->type_name("FILE|FOLDER");
  command
      ->add_option("--to", options->to,
                   "Format of the output, whatever its name: ti is a folder of SimGrid's "
                   "time-independent traces")
      ->check(CLI::IsMember({"rondo", "json", "csv", "ti", "otf2", "paraver", "dimemas", "goal",
                             "perfetto", "chrome"}));
  command
      ->add_option("--times", options->times,
                   "Keep times as histograms for each place, of every single call besides (full), "
                   "or not at all (default: what the input has; histograms of other tools' traces)")
      ->check(CLI::IsMember({"none", "histogram", "full"}));
  command
      ->add_option("--fold", options->fold,
                   "To compare: every rank's calls one by one (none), loops of every rank by "
                   "itself (loops), or as usual: loops, shared by ranks that do the same (full). "
                   "An archive stays as it is unless this says otherwise")
      ->check(CLI::IsMember({"none", "loops", "full"}));
  command
      ->add_option("--flops-per-second", options->flops_per_second,
                   "Computing speed that turns amounts of computation into time, or time into "
                   "amounts")
      ->check(number_above_zero())
      ->capture_default_str();
  command->add_flag(
      "--approximate", options->approximates,
      "Calls that the format of the output cannot say become what is nearest to them, or are left "
      "out, and lines on stderr say which; without this they are listed, and nothing is written "
      "(.otf2, .prv, .dim, .goal, .ti)");
  command
      ->add_option("--ranks", options->ranks,
                   "Of a timeline, OTF2 or Paraver trace: only these ranks, such as 0-3,8")
      ->type_name("LIST");
  command
      ->add_option("--from", options->from,
                   "Of a timeline, OTF2 or Paraver trace: only calls that do not end before, such "
                   "as 1.5s or 20ms")
      ->type_name("TIME");
  command
      ->add_option("--until", options->until,
                   "Of a timeline, OTF2 or Paraver trace: only calls that begin by then")
      ->type_name("TIME");
  command
      ->add_option("-j,--jobs", options->jobs,
                   "Cores to read with: ranks that have files of their own are read side by side "
                   "(default: all)")
      ->type_name("N")
      ->check(CLI::Range(1, 4096));
  command
      ->add_option("--part", options->part,
                   "Which of several processes this is that read the trace together, 0/4 being the "
                   "first of four (default: as mpirun or srun says)")
      ->type_name("I/N");
  command
      ->add_option("--wait", options->wait_s,
                   "Seconds to wait for another of these processes that gives no sign of life")
      ->type_name("SECONDS")
      ->check(CLI::Range(1, 86400))
      ->capture_default_str();
  command
      ->add_option("--run", options->run,
                   "Of a folder of parts: the run to take (default: the one written last)")
      ->type_name("NAME");
  command->add_flag("!--no-names", options->names,
                    "Leave names of functions, files and lines out; --resolve fills in those that "
                    "are missing, where the program's files are");
  command->add_flag("--list", options->lists,
                    "Say which formats are read and written, and which of them this build has");
  command->add_flag("--force", options->force, "Replace the output if it is there");
  command->footer(
      "Reads\n"
      "  a .rondo archive\n"
      "  OUTPUT.parts, a folder that a recorder leaves behind where rondo record did not watch"
      " over it: what the ranks of a killed run had written, or a recording too large for"
      " memory. The folder stays as it is.\n"
      "  SimGrid's time-independent traces (smpirun -trace-ti): a folder with a file for each"
      " rank (0.txt, 1.txt, ..., packed by gzip or zstd or not), a .tar or .tar.zst of such a"
      " folder, the text file that lists the ranks' files, or one text of all ranks. They tell "
      "what was computed, not"
      " how long it took: time between calls is the amount by --flops-per-second, time in calls"
      " is 0. What they do not tell at all (senders to MPI_ANY_SOURCE, operations of"
      " reductions) stays open; a line on stderr says how often.\n"
      "  OTF2 archives (traces.otf2, or the folder with it) of Score-P, TAU and others; --times"
      " full keeps times of every call. Regions that are not MPI become call sites; what says"
      " nothing of MPI is left out and counted.\n"
      "  liballprof's text traces (as ATLAHS takes them): a folder with a file for each rank,"
      " or one of the files, packed by gzip or zstd or not.\n"
      "  DUMPI traces of SST (PREFIX.meta, one of PREFIX-0000.bin, ..., or their folder);"
      " --times full keeps wall times.\n"
      "  GOAL schedules as texts (LogGOPSim, ATLAHS), packed or not: sends and receives become"
      " MPI_Isend and MPI_Irecv, what is required is waited for, computation is the time before"
      " calls.\n"
      "  Chakra's execution traces (PREFIX.0.et, PREFIX.1.et, ..., or their folder): sends,"
      " receives and collective operations begin without blocking and are waited for before"
      " what depends on them.\n"
      "  Paraver traces (.prv, .prv.gz), with the .pcf and .row beside them; --times full keeps"
      " times of every call. Counters, functions and the like are left out; a line on stderr"
      " says how many.\n"
      "Writes\n"
      "  .rondo   an archive for all other commands\n"
      "  .json    the whole trace, folded: run, definitions, loop nest of every class of ranks,"
      " times\n"
      "  .csv     the communication matrix: src,dst,messages,bytes\n"
      "  .ti      (a folder) SimGrid's time-independent trace: rank-0.txt, ... and trace.list,"
      " which smpirun -replay runs. Receives from any source name the sender that came; calls"
      " that no action says stop it with a list, or become others with --approximate.\n"
      "  .otf2    an OTF2 archive as Score-P would have written it: the anchor, definitions and"
      " a folder of events. Without stamps of every call in the input, times are reconstructed"
      " from means, which a line says. Operations of neighbours stop it with a list, or are written"
      " without their messages with --approximate.\n"
      "  .prv     a Paraver trace as Extrae would have written it, with .pcf and .row: states,"
      " calls, messages. Calls on windows, files and of neighbours stop it with a list, or are"
      " written without what they move with --approximate.\n"
      "  .dim     a trace for Dimemas: computation, messages and collective operations of each"
      " rank. Operations that it does not have stop it with a list, or become the nearest with"
      " --approximate.\n"
      "  .goal    a GOAL schedule: collective operations become messages, and the head says by"
      " which algorithm. Calls that a schedule cannot say stop it with a list, or are left out"
      " with --approximate.\n"
      "  .pftrace, .perfetto   a timeline for Perfetto: a track a rank and thread, slices,"
      " flows of messages\n"
      "  .chrome.json   the same as Chrome's JSON, for small traces\n"
      "mpirun -n 8 rondo convert IN OUT reads ranges of ranks in eight processes, on one"
      " machine or several that see both places, and writes the same. They hand what they read"
      " to the first one, by way of a folder OUT.meeting.\n"
      "Exit status: 0 done, 2 bad usage or input.\n"
      "Examples\n"
      "  rondo convert lu.A.16/ lu.rondo --times none\n"
      "  rondo convert lu.A.16.tar.zst lu.csv\n"
      "  rondo convert scorep-run/traces.otf2 run.rondo --times full\n"
      "  rondo convert epoch.prv.gz epoch.rondo --times full\n"
      "  rondo convert app.rondo app.json\n"
      "  rondo convert app.rondo app.ti --flops-per-second 1e9 --approximate\n"
      "  rondo convert app.rondo app.otf2\n"
      "  rondo convert app.rondo app.prv\n"
      "  rondo convert app.rondo app.dim --approximate\n"
      "  rondo convert app.rondo app.goal\n"
      "  rondo convert app.rondo app.pftrace --ranks 0-15 --from 2s --until 2.1s\n"
      "  rondo convert app.rondo small.rondo --times none\n"
      "  rondo convert app.rondo flat.rondo --fold none");
  command->callback([options, &chosen] {
    chosen.run = [options, &chosen] {
      options->resolve = chosen.resolve;
      return run_convert(*options);
    };
  });
}

} // namespace rondo::cli
