// SPDX-License-Identifier: Apache-2.0
#include "cli/commands.hpp"
#include "cli/common.hpp"
#include "cli/names.hpp"
#include "cli/progress_line.hpp"
#include "cli/walk.hpp"
#include "rondo/archive/archive.hpp"
#include "rondo/archive/part_files.hpp"
#include "rondo/base/files.hpp"
#include "rondo/base/units.hpp"
#include "rondo/convert/allprof.hpp"
#include "rondo/convert/detect.hpp"
#include "rondo/convert/json.hpp"
#include "rondo/convert/otf2.hpp"
#include "rondo/convert/paraver.hpp"
#include "rondo/convert/simgrid_ti.hpp"
#include "rondo/fold/refold.hpp"
#include "rondo/matrix/matrix_files.hpp"
#include "rondo/matrix/trace_traffic.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/core.h>
#include <map>

namespace rondo::cli {
namespace {

struct ConvertOptions {
  std::string input;
  std::string output;
  std::string times; // empty: all that the input has
  std::string fold; // empty: as the input is
  std::string run;
  std::string to; // empty: by the output's extension
  double flops_per_second = 1e9;
  bool approximates = false;
  bool stamps = false; // the output has one for each call
  bool lists = false;
  bool force = false;
  bool resolve = false; // fill names in
  bool names = true; // keep those that there are
};

const std::map<std::string, convert::OutputKind> kKinds = {{"rondo", convert::OutputKind::kRondo},
                                                           {"json", convert::OutputKind::kJson},
                                                           {"csv", convert::OutputKind::kCsv},
                                                           {"ti", convert::OutputKind::kSimgridTi},
                                                           {"otf2", convert::OutputKind::kOtf2}};

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

Result<trace::Trace> finish_reading(Result<trace::Trace>&& trace, const ConvertOptions& options) {
  if (!trace) return std::move(trace);
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

// Reader: Result<Imported>(path, Options).
template <class Options, class Reader>
Result<trace::Trace> read_by(Reader reader, const ConvertOptions& options, Options wanted) {
  ProgressLine line;
  wanted.program.times = options.times != "none";
  wanted.program.folds = options.fold != "none";
  wanted.merges = options.fold.empty() || options.fold == "full";
  wanted.all_times = options.times == "full" || options.stamps;
  wanted.progress = [&line](std::uint64_t done, std::uint64_t total) { line.show(done, total); };
  auto imported = reader(options.input, wanted);
  if (!imported) return propagate(imported);
  for (const convert::Remark& remark : imported->remarks) warn(options.input, {remark.text()});
  return std::move(imported->trace);
}

Result<trace::Trace> read_simgrid_ti(const ConvertOptions& options) {
  convert::SimgridTiOptions ti;
  ti.flops_per_second = options.flops_per_second;
  return read_by(convert::read_simgrid_ti, options, ti);
}

Result<trace::Trace> read_input(const ConvertOptions& options) {
  const auto kind = convert::detect_input(options.input);
  if (!kind) return propagate(kind);
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

Status write_csv(const trace::Trace& trace, const ConvertOptions& options, Overwrite overwrite) {
  const auto made = matrix::matrix_of(trace);
  if (!made) return propagate(made);
  warn(options.input, made->loss.sentences());
  return write_file(options.output, matrix::to_csv(made->matrix), overwrite);
}

Status write_ti(const trace::Trace& trace, const ConvertOptions& options, Overwrite overwrite) {
  if (auto allowed = allow_walk(trace, options.input); !allowed) return allowed;
  const auto written = convert::write_simgrid_ti(
      trace, options.output, {options.flops_per_second, options.approximates}, overwrite);
  if (!written) {
    Error error = written.error();
    if (error.place.file.empty()) error.place.file = options.input;
    return tl::unexpected<Error>(std::move(error));
  }
  warn(options.input, written->remarks);
  return {};
}

Status write_otf2(const trace::Trace& trace, const ConvertOptions& options, Overwrite overwrite) {
  if (auto allowed = allow_walk(trace, options.input); !allowed) return allowed;
  const auto written = convert::write_otf2(trace, options.output, overwrite);
  if (!written) return propagate(written);
  warn(options.input, *written);
  return {};
}

Status write_output(const trace::Trace& trace, convert::OutputKind kind,
                    const ConvertOptions& options, Overwrite overwrite) {
  switch (kind) {
  case convert::OutputKind::kRondo:
    return archive::write(trace, options.output, overwrite);
  case convert::OutputKind::kJson: // columns are written as values
    if (auto allowed = allow_walk(trace, options.input, Walk::kVarying); !allowed) return allowed;
    return write_file(options.output, convert::to_json(trace), overwrite);
  case convert::OutputKind::kSimgridTi:
    return write_ti(trace, options, overwrite);
  case convert::OutputKind::kOtf2:
    return write_otf2(trace, options, overwrite);
  case convert::OutputKind::kCsv:
    break;
  }
  return write_csv(trace, options, overwrite);
}

void list_formats() {
  const char* const otf2 = convert::has_otf2() ? "" : "; this build has no libotf2";
  fmt::print("format     in   out  what it is\n"
             "rondo      yes  yes  archives of Rondo, and folders of parts of one (in)\n"
             "otf2       {:<3}  {:<3}  OTF2 archives of Score-P, TAU and others{}\n"
             "paraver    yes  no   .prv, .prv.gz with .pcf and .row beside them\n"
             "allprof    yes  no   liballprof's texts, a folder of rank files\n"
             "simgrid    yes  yes  SimGrid's time-independent traces (.ti)\n"
             "json       no   yes  the whole trace, folded\n"
             "csv        no   yes  the communication matrix\n",
             convert::has_otf2() ? "yes" : "no", convert::has_otf2() ? "yes" : "no", otf2);
}

int run_convert(ConvertOptions options) {
  if (options.lists) {
    list_formats();
    return kDone;
  }
  if (options.input.empty() || options.output.empty())
    return complain("needs an input and an output; --list says what it reads and writes");
  const Overwrite overwrite = options.force ? Overwrite::kReplace : Overwrite::kRefuse;
  const auto kind = options.to.empty() ? convert::output_kind(options.output)
                                       : Result<convert::OutputKind>(kKinds.at(options.to));
  if (!kind) return complain(kind.error());
  options.stamps = *kind == convert::OutputKind::kOtf2 && options.times.empty();
  if (options.times == "full" && *kind != convert::OutputKind::kRondo &&
      *kind != convert::OutputKind::kSimgridTi && *kind != convert::OutputKind::kOtf2) {
    return complain({ErrorCode::kUsage,
                     "times of every call are kept in archives only: convert to .rondo, and "
                     "rondo print --flat --json shows them",
                     {options.output, {}, {}, {}}});
  }
  if (options.approximates && *kind != convert::OutputKind::kSimgridTi)
    return complain("--approximate is for SimGrid's traces (OUTPUT.ti)");
  if (*kind == convert::OutputKind::kSimgridTi && options.output == "-")
    return complain("SimGrid's traces are a folder; name one");
  if (*kind == convert::OutputKind::kOtf2 && !options.output.ends_with(".otf2"))
    return complain("an OTF2 archive is several files; name the one that ends in .otf2");
  const bool is_folder =
      *kind == convert::OutputKind::kSimgridTi || *kind == convert::OutputKind::kOtf2;
  const auto ready = is_folder ? Status() : check_output(options.output, overwrite);
  if (!ready) return complain(ready.error());
  auto trace = read_input(options);
  if (!trace) return complain(trace.error());
  set_names(*trace, options);
  const auto written = write_output(*trace, *kind, options, overwrite);
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
      ->check(CLI::IsMember({"rondo", "json", "csv", "ti", "otf2"}));
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
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  command->add_flag("--approximate", options->approximates,
                    "Of a SimGrid trace that is written: calls that its format cannot say become "
                    "what is nearest to them; lines on stderr say which and how often");
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
      "  OUTPUT.parts, a folder that a recorder leaves behind where rondo record did not "
      "watch over it: what the\n"
      "  ranks of a killed run had written, or a recording too large for memory. The "
      "folder stays as it is.\n"
      "  SimGrid's time-independent traces (smpirun -trace-ti): a folder with a file "
      "for each rank (0.txt, 1.txt,\n"
      "  ...), a .tar or .tar.zst of such a folder, or the text file that lists the "
      "ranks' files. They tell what was\n"
      "  computed, not how long it took: time between calls is the amount by "
      "--flops-per-second, time in calls is 0.\n"
      "  What they do not tell at all (senders to MPI_ANY_SOURCE, operations of "
      "reductions) stays open; a line on\n"
      "  stderr says how often.\n"
      "  OTF2 archives (traces.otf2, or the folder with it) of Score-P, TAU and others; --times "
      "full "
      "keeps times of every\n"
      "  call. Regions that are not MPI become call sites; what says nothing of MPI is left out "
      "and counted.\n"
      "  liballprof's text traces (as ATLAHS takes them): a folder with a file for each rank, or "
      "one of the files.\n"
      "  Paraver traces (.prv, .prv.gz), with the .pcf and .row beside them; --times full keeps "
      "times of\n"
      "  every call. Counters, functions and the like are left out; a line on stderr says how "
      "many.\n"
      "Writes\n"
      "  .rondo   an archive for all other commands\n"
      "  .json    the whole trace, folded: run, definitions, loop nest of every class "
      "of ranks, times\n"
      "  .csv     the communication matrix: src,dst,messages,bytes\n"
      "  .ti      (a folder) SimGrid's time-independent trace: rank-0.txt, ... and trace.list, "
      "which "
      "smpirun -replay\n"
      "           runs. Receives from any source name the sender that came; calls that no action "
      "says stop it with\n"
      "           a list, or become others with --approximate.\n"
      "  .otf2    an OTF2 archive as Score-P would have written it: the anchor, definitions and a "
      "folder of events.\n"
      "           Without stamps of every call in the input, times are reconstructed from means, "
      "which a line says.\n"
      "Exit status: 0 done, 2 bad usage or input.\n"
      "Examples\n"
      "  rondo convert lu.A.16/ lu.rondo --times none\n"
      "  rondo convert lu.A.16.tar.zst lu.csv\n"
      "  rondo convert scorep-run/traces.otf2 run.rondo --times full\n"
      "  rondo convert epoch.prv.gz epoch.rondo --times full\n"
      "  rondo convert app.rondo app.json\n"
      "  rondo convert app.rondo app.ti --flops-per-second 1e9 --approximate\n"
      "  rondo convert app.rondo app.otf2\n"
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
