// SPDX-License-Identifier: Apache-2.0
// rondo generate: a small program with MPI that says the same.
#include "cli/commands.hpp"
#include "cli/common.hpp"
#include "cli/progress_line.hpp"
#include "cli/walk.hpp"
#include "rondo/generate/averages.hpp"
#include "rondo/generate/benchmark.hpp"
#include "rondo/generate/skeleton.hpp"
#include "rondo/generate/wildcards.hpp"
#include "rondo/generate/writers.hpp"
#include "rondo/sites/resolver.hpp"
#include "rondo/trace/sharing.hpp"

#include <CLI/CLI.hpp>
#include <cmath>
#include <filesystem>
#include <fmt/core.h>
#include <map>

namespace rondo::cli {
namespace {

struct GenerateOptions {
  std::string file;
  std::string folder;
  std::string language = "c";
  std::string times = "course";
  std::string skeleton; // "10s", or a share
  bool average_counts = false;
  bool names = false;
  bool wildcards = false;
  bool force = false;
};

generate::Times times_of(const std::string& text) {
  if (text == "course") return generate::Times::kCourse;
  if (text == "full") return generate::Times::kFull;
  if (text == "rank") return generate::Times::kRank;
  if (text == "histogram") return generate::Times::kHistogram;
  return text == "none" ? generate::Times::kNone : generate::Times::kMean;
}

Result<generate::BenchmarkFiles> files_of(const generate::Benchmark& benchmark,
                                          const GenerateOptions& options) {
  const generate::WriterOptions how{RONDO_VERSION, options.names};
  if (options.language == "python") return generate::write_python(benchmark, how);
  if (options.language == "json") return generate::write_json(benchmark, how);
  return generate::write_c(benchmark, how);
}

// Each file beside its name first; those that are there stay, unless they may be replaced.
int write_files(const generate::BenchmarkFiles& files, const GenerateOptions& options) {
  const std::filesystem::path folder = options.folder;
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed)
    return complain(
        Error{ErrorCode::kIo, "can't be made: " + failed.message(), {options.folder, {}, {}, {}}});
  for (const auto& [name, text] : files) {
    if (!options.force && std::filesystem::exists(folder / name))
      return complain(Error{ErrorCode::kExists,
                            "is there already; --force replaces it",
                            {(folder / name).string(), {}, {}, {}}});
  }
  for (const auto& [name, text] : files) {
    if (const int status = put(text, (folder / name).string(), true); status != kDone)
      return status;
  }
  return kDone;
}

// "10s" or "500ms" of the recorded time, "10%" or "0.1".
Result<double> share_of(const std::string& text, double recorded_seconds) {
  const bool is_milliseconds = text.ends_with("ms");
  if (!text.ends_with("s")) {
    const auto share = parse_fraction(text);
    if (share && (*share <= 0 || *share >= 1))
      return fail(ErrorCode::kUsage, "--skeleton: '" + text + "' is no share between 0 and 1");
    return share;
  }
  char* end = nullptr;
  const double value = std::strtod(text.c_str(), &end);
  if (end == text.c_str() || std::string_view(end) != (is_milliseconds ? "ms" : "s") || value <= 0)
    return fail(ErrorCode::kUsage,
                "--skeleton: '" + text + "' is no time like 10s and no share like 10%");
  const double seconds = is_milliseconds ? value * 1e-3 : value;
  if (seconds >= recorded_seconds) {
    return fail(
        ErrorCode::kUsage,
        fmt::format("--skeleton: the recorded run took {:.3g} s, which is not longer than {}",
                    recorded_seconds, text));
  }
  return seconds / recorded_seconds;
}

Status make_skeleton(const std::string& file, generate::Benchmark& benchmark,
                     const std::string& how) {
  const auto share = share_of(how, benchmark.recorded_seconds);
  if (!share) return propagate(share);
  if (generate::shorten(benchmark, *share) == 0)
    return fail(ErrorCode::kUnsupported, "has no loop of eight iterations or more that all ranks "
                                         "go through; there is nothing to shorten");
  benchmark.notes.push_back(fmt::format("It is a skeleton: loops are shortened to {:.3g} %, and it "
                                        "says how long the whole would take.",
                                        *share * 100));
  constexpr double kMuch = 0.15; // of the mean rank's computation
  const generate::Unevenness uneven = generate::unevenness_of(benchmark);
  if (std::abs(uneven.off) < kMuch) return {};
  benchmark.notes.push_back(fmt::format(
      "Ranks are slow in a few passes of their own, which a skeleton has too many or too few of: "
      "by its passes rank {} computes {:.0f} % of the mean rank's computation too {}. The time "
      "that it tells may be off by as much; use a larger share, or the whole benchmark.",
      uneven.rank, std::abs(uneven.off) * 100, uneven.off > 0 ? "much" : "little"));
  warn(file, std::vector{benchmark.notes.back()});
  return {};
}

// A sentence for each function, however many places it is called from.
std::vector<std::string> notes_of(const generate::AveragedCounts& averages) {
  std::map<std::string, generate::AveragedCalls> by_function;
  for (const generate::AveragedCalls& own : averages.averaged) {
    auto& all = by_function[own.function];
    all.calls += own.calls;
    all.recorded_elements += own.recorded_elements;
    all.made_elements += own.made_elements;
  }
  std::vector<std::string> notes;
  for (const auto& [function, all] : by_function) {
    const auto more = all.made_elements - all.recorded_elements;
    const std::string sum =
        more == 0 ? "as many elements as were recorded"
                  : fmt::format("{} elements {} than the {} that were recorded", std::abs(more),
                                more > 0 ? "more" : "fewer", all.recorded_elements);
    notes.push_back(fmt::format("{} of {} {} blocks of one size, the average over ranks "
                                "and iterations; in all {}.",
                                count_of(all.calls, "call"), function,
                                all.calls == 1 ? "has" : "have", sum));
  }
  if (averages.kept > 0 || averages.averaged.empty())
    notes.push_back(
        fmt::format("{} with lists of counts: kept as they are, since no average suits both sides.",
                    count_of(averages.kept, "call")));
  return notes;
}

// The trace from which the benchmark is made, and what was changed in it.
trace::Trace prepared(const trace::Trace& trace, const GenerateOptions& options,
                      std::vector<std::string>& notes) {
  ProgressLine line("ranks");
  generate::ResolvingOptions how{.keeps_wildcards = options.wildcards};
  how.progress = [&](std::uint64_t done, std::uint64_t all) { line.show(done, all); };
  generate::ResolvedWildcards made = generate::resolved_to_be_short(trace, std::move(how));
  if (made.resolved > 0) {
    notes.push_back(fmt::format(
        "{} that took messages from any source or with any tag: they ask for what came.",
        count_of(made.resolved, "call")));
  }
  if (options.average_counts) {
    generate::AveragedCounts averages = generate::average_counts(made.trace);
    for (std::string& note : notes_of(averages)) notes.push_back(std::move(note));
    return std::move(averages.trace);
  }
  return std::move(made.trace);
}

int generate_benchmark(const GenerateOptions& options) {
  const auto trace = read_for_walk(options.file, Walk::kOfClasses);
  if (!trace) return complain(trace.error());
  if (options.times == "full" && trace->stamps.empty()) {
    return complain(
        Error{ErrorCode::kUnsupported,
              "does not have the times of every call; record with `rondo record --times "
              "full`, or generate with other --times",
              {options.file, {}, {}, {}}});
  }
  generate::BenchmarkOptions how;
  how.times = times_of(options.times);
  std::vector<std::string> notes;
  const trace::Trace made = prepared(*trace, options, notes);
  sites::Resolver resolver(made);
  how.functions = [&](std::uint32_t site) { return resolver.functions(site); };
  if (options.names) how.site = [&](std::uint32_t site) { return resolver.text(site); };
  auto benchmark = generate::benchmark_of(made, how);
  if (!benchmark) {
    Error error = benchmark.error();
    error.place.file = options.file;
    return complain(error);
  }
  for (std::string& note : notes) benchmark->notes.push_back(std::move(note));
  if (!options.skeleton.empty()) {
    if (const Status shortened = make_skeleton(options.file, *benchmark, options.skeleton);
        !shortened) {
      Error error = shortened.error();
      if (error.code != ErrorCode::kUsage) error.place.file = options.file;
      return complain(error);
    }
  }
  auto files = files_of(*benchmark, options);
  if (!files) {
    Error error = files.error();
    error.place.file = options.file;
    return complain(error);
  }
  const int status = write_files(*files, options);
  if (status == kDone) warn(options.file, trace::sharing_text(trace::sharing_of(*trace)));
  return status;
}

} // namespace

void add_generate(CLI::App& app, Chosen& chosen) {
  auto options = std::make_shared<GenerateOptions>();
  CLI::App* command =
      app.add_subcommand("generate", "A readable benchmark that makes the same calls");
  command->add_option("FILE", options->file, "A .rondo archive")->required()->type_name("FILE");
  command->add_option("-o,--output", options->folder, "Folder to write the benchmark to")
      ->required()
      ->type_name("DIR");
  command
      ->add_option("--language", options->language,
                   "C, Python with mpi4py, or the intermediate form for writers of other languages")
      ->check(CLI::IsMember({"c", "python", "json"}))
      ->capture_default_str();
  command
      ->add_option(
          "--times", options->times,
          "Computation before a call: each rank's mean, and pass by pass as it was where "
          "that varies; the mean of the ranks that do the same; each rank's; drawn from "
          "the histogram (the same in every run); every one exactly (of archives that were "
          "recorded with --times full); or none")
      ->check(CLI::IsMember({"course", "mean", "rank", "histogram", "full", "none"}))
      ->capture_default_str();
  command
      ->add_option("--skeleton", options->skeleton,
                   "Shorten the loops that all ranks go through, to about this time (10s) or share "
                   "(10%); the benchmark then says how long the whole would take")
      ->type_name("TIME|SHARE");
  command->add_flag("--average-counts", options->average_counts,
                    "Give MPI_Alltoallv and its like blocks of one size, the average over ranks "
                    "and iterations, in place of tables; the sum stays the same");
  command->add_flag("--names", options->names,
                    "Name the recorded program and its call sites in comments");
  command->add_flag(
      "--wildcards", options->wildcards,
      "Keep MPI_ANY_SOURCE and MPI_ANY_TAG; without it, each receive asks for what came");
  add_force(*command, options->force);
  command->footer("Status 0: written; 2: bad input, or calls that can't be generated, which are "
                  "listed. Example:\n"
                  "  rondo generate app.rondo -o bench && make -C bench CC=mpicc.openmpi");
  command->callback(
      [options, &chosen] { chosen.run = [options] { return generate_benchmark(*options); }; });
}

} // namespace rondo::cli
