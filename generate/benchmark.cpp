// SPDX-License-Identifier: Apache-2.0
#include "rondo/generate/benchmark.hpp"

#include "generate/lower/function_names.hpp"
#include "generate/lower/limits.hpp"
#include "generate/lower/lowering.hpp"
#include "generate/lower/repeats.hpp"
#include "generate/lower/statement_act.hpp"
#include "generate/lower/threads.hpp"
#include "rondo/trace/ran_programs.hpp"

#include <algorithm>
#include <map>
#include <memory>

namespace rondo::generate {
namespace {

std::vector<std::string> notes_of(const trace::Trace& trace, const BenchmarkOptions& options,
                                  std::uint64_t queries) {
  std::uint64_t calls = 0;
  for (const trace::RankFacts& facts : trace.ranks) calls += facts.calls;
  static const std::map<Times, std::string> kTimes{
      {Times::kCourse,
       "Computation before a call is each rank's mean, where ranks differ; where passes differ, it "
       "is theirs, one after the other, to 6 %."},
      {Times::kFull, "Computation before a call is what it was each time, where that differs."},
      {Times::kMean, "Computation before a call is the mean of the ranks that do the same."},
      {Times::kRank, "Computation before a call is each rank's own mean, where ranks differ."},
      {Times::kHistogram,
       "Computation before a call is drawn from what was recorded, the same in every run."},
      {Times::kNone, "Computation was left out."}};
  std::vector<std::string> notes{"All " + std::to_string(calls - queries) +
                                     " MPI calls, with their arguments and in their order.",
                                 kTimes.at(options.times),
                                 "Messages hold zeros; files are scratch files."};
  if (queries > 0)
    notes.push_back(std::to_string(queries) +
                    " calls of MPI_Type_get_contents, and those that free what it gave, are left "
                    "out: no other rank hears of them.");
  const bool has_threads =
      std::ranges::any_of(trace.classes, [](const trace::RankClass& of) { return of.thread > 0; });
  if (has_threads)
    notes.emplace_back(
        "Threads begin as soon as what they use is there, and end before it is gone.");
  return notes;
}

// Takes the first call out of the statements, or out of each branch with which they begin.
void take_first_calls(std::vector<Statement>& statements, std::vector<Statement>& taken) {
  for (std::size_t i = 0; i < statements.size(); ++i) {
    Statement& first = statements[i];
    if (first.kind == Statement::Kind::kIf) { // ranks that are not in it go on to the next one
      take_first_calls(first.body, taken);
      take_first_calls(first.otherwise, taken);
      if (!first.otherwise.empty()) return;
    } else if (first.kind == Statement::Kind::kCall) {
      taken.push_back(std::move(first));
      statements.erase(statements.begin() + static_cast<std::ptrdiff_t>(i));
      return;
    } else {
      return;
    }
  }
}

// Before MPI_Init no rank knows which one it is, so the call stands before all conditions.
Status begin_with_init(Benchmark& benchmark) {
  std::vector<Statement> first;
  take_first_calls(benchmark.main, first);
  for (const Statement& call : first) {
    if (internal::act_of(call) != trace::Act::kInit || call.name != first.front().name)
      return fail(
          ErrorCode::kUnsupported,
          "has ranks that do not all begin with the same call, MPI_Init or MPI_Init_thread");
  }
  if (!first.empty()) benchmark.main.insert(benchmark.main.begin(), std::move(first.front()));
  return {};
}

double seconds_of(const trace::Trace& trace) {
  std::uint64_t longest = 0;
  for (const trace::RankFacts& facts : trace.ranks) longest = std::max(longest, facts.span_ns);
  return static_cast<double>(longest) * 1e-9;
}

} // namespace

Result<Benchmark> benchmark_of(const trace::Trace& trace, const BenchmarkOptions& options) {
  internal::Queries queries = internal::queries_of(trace);
  if (const Status possible = internal::check_limits(trace, queries); !possible)
    return propagate(possible);
  Benchmark benchmark;
  benchmark.title = trace::program_name(trace);
  benchmark.ranks = trace.run.ranks;
  benchmark.recorded_seconds = seconds_of(trace);
  benchmark.notes = notes_of(trace, options, queries.calls);
  internal::Shared shared(benchmark);
  shared.queries = std::move(queries);
  std::vector<std::unique_ptr<internal::Lowering>> programs;
  for (std::size_t i = 0; i < trace.programs.size(); ++i) {
    programs.push_back(std::make_unique<internal::Lowering>(trace, i, options, shared));
    programs.back()->survey();
  }
  internal::ThreadBodies threads;
  for (std::size_t i = 0; i < programs.size(); ++i) {
    const std::uint32_t thread = trace.programs[i]->thread;
    programs[i]->run(thread == 0 ? benchmark.main : threads[thread]);
  }
  if (const Status begins = begin_with_init(benchmark); !begins) return propagate(begins);
  if (const Status begin = internal::add_threads(benchmark, std::move(threads)); !begin)
    return propagate(begin);
  internal::share_repeats(benchmark);
  internal::name_functions(benchmark, options.functions);
  if (options.site) internal::say_sites(benchmark, options.site);
  return benchmark;
}

bool operator==(const Statement& a, const Statement& b) {
  return a.kind == b.kind && a.name == b.name && a.arguments == b.arguments && a.value == b.value &&
         a.body == b.body && a.otherwise == b.otherwise && a.full == b.full &&
         a.is_part == b.is_part;
}

} // namespace rondo::generate
