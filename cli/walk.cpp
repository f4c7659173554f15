// SPDX-License-Identifier: Apache-2.0
#include "cli/walk.hpp"

#include "cli/open_trace.hpp"
#include "cli/session.hpp"
#include "rondo/base/budget.hpp"
#include "rondo/base/units.hpp"
#include "rondo/convert/detect.hpp"
#include "rondo/trace/call_reader.hpp"

#include <algorithm>
#include <filesystem>
#include <fmt/core.h>

namespace rondo::cli {
namespace {

constexpr std::uint64_t kMostCalls = 1'000'000'000;
constexpr double kNsOfCall = 500; // the order of it: printing, matching and playing differ
constexpr double kNsOfPlace = 60; // measured: 57 where a file stood for 2^31
constexpr double kLong_ns = 20e9; // what a person wonders at

// Measured (bench/runs/2026-11-26-endings): a rank keeps what its last execution of each call was,
// where its message went, and the message while it is under way.
constexpr double kBytesOfCall = 270;
constexpr double kBytesOfHeldTerm = 160; // of a trace that is open
constexpr double kBytesOfRank = 10240;
// However small the file: many ranks that do the same are in a few hundred bytes.
constexpr double kWorthOfRank = 65536;

// Measured on 1000 ranks that each have 1000 calls of their own, which are in 8 kB
// (bench/runs/2026-11-26-endings has the machine): patterns took 500 B a call of the ranks'
// programs and 8 us, logical 120 B and 8 us.
constexpr double kBytesOfReadTerm = 500;
constexpr double kStepsOfReadTerm = 1000;

// What the file at `path` may cost; nothing for formats that have a line for each call.
std::optional<Budget> budget_of(const std::string& path) {
  std::error_code error;
  const auto size = std::filesystem::file_size(path, error);
  const auto kind = convert::detect_input(path);
  if (error || !kind || *kind != convert::InputKind::kRondo) return std::nullopt;
  return Budget::of_file(size);
}

bool varies(const trace::Call& call) {
  return std::any_of(call.words.begin(), call.words.end(), trace::is_column);
}

// How often loops that have loops in them go round: only innermost ones are taken as one thing.
std::uint64_t outer_iterations(const trace::Nest& nest) {
  std::uint64_t iterations = 0;
  for (const trace::Loop& loop : nest.loops()) {
    const bool is_outer = std::any_of(loop.body.begin(), loop.body.end(),
                                      [](trace::Term term) { return term.is_loop(); });
    const std::int64_t rounds = is_outer ? loop.trip_counts.sum() : 0;
    iterations = trace::saturating_add(iterations, rounds > 0 ? static_cast<std::uint64_t>(rounds)
                                                              : std::uint64_t{0});
  }
  return iterations;
}

// Terms with every loop written out where it stands, once; inner loops stand first.
std::uint64_t places_in(const trace::Nest& nest) {
  std::vector<std::uint64_t> inside;
  const auto sum_of = [&](const std::vector<trace::Term>& terms) {
    std::uint64_t sum = terms.size();
    for (const trace::Term term : terms)
      if (term.is_loop()) sum = trace::saturating_add(sum, inside[term.index()]);
    return sum;
  };
  for (const trace::Loop& loop : nest.loops()) inside.push_back(sum_of(loop.body));
  return sum_of(nest.top());
}

std::uint64_t calls_of(const trace::Program& program, Walk walk) {
  std::uint64_t calls = walk == Walk::kVarying  ? outer_iterations(program.nest)
                        : walk == Walk::kPlaces ? places_in(program.nest)
                                                : 0;
  const auto occurrences = program.nest.occurrences(program.calls.size());
  for (std::size_t i = 0; i < occurrences.size(); ++i) {
    const bool has_varying_only = walk == Walk::kVarying || walk == Walk::kPlaces;
    if (has_varying_only && !varies(program.calls[i])) continue;
    calls = trace::saturating_add(calls, occurrences[i]);
  }
  return calls;
}

double time_of_ns(double calls, Walk walk) {
  return calls * (walk == Walk::kPlaces ? kNsOfPlace : kNsOfCall);
}

std::string work_of(double calls, Walk walk) {
  return fmt::format("{} calls to go through one by one, about {}", human_count(calls),
                     human_duration(time_of_ns(calls, walk)));
}

} // namespace

std::uint64_t calls_in(const trace::Trace& trace, Walk walk, std::optional<std::int64_t> rank) {
  std::uint64_t calls = 0;
  for (const trace::RankClass& c : trace.classes) {
    if (rank && !c.ranks.contains(*rank)) continue;
    const std::uint64_t of_each = calls_of(*c.program, walk);
    const bool is_one = rank || walk != Walk::kAll;
    const auto ranks = is_one ? 1 : static_cast<std::uint64_t>(c.ranks.size());
    const bool fits = ranks == 0 || of_each <= ~std::uint64_t{0} / ranks;
    calls = trace::saturating_add(calls, fits ? of_each * ranks : ~std::uint64_t{0});
  }
  return calls;
}

void remark_walk(const trace::Trace& trace, const std::string& file, Walk walk,
                 std::optional<std::int64_t> rank) {
  const auto many = static_cast<double>(calls_in(trace, walk, rank));
  if (time_of_ns(many, walk) > kLong_ns)
    remark(fmt::format("{}: {}; Ctrl-C stops it", file, work_of(many, walk)));
}

Status allow_walk(const trace::Trace& trace, const std::string& file, Walk walk,
                  std::optional<std::int64_t> rank) {
  const std::uint64_t calls = calls_in(trace, walk, rank);
  const auto many = static_cast<double>(calls);
  const std::string what = work_of(many, walk);
  if (calls > limited(kMostCalls)) {
    return fail(ErrorCode::kUnsupported,
                fmt::format("has {}; {} allows it{}", what, limit_advice(many, kMostCalls),
                            rank ? "" : ", and rondo print shows the loops"),
                {file, {}, {}, {}});
  }
  remark_walk(trace, file, walk, rank);
  return {};
}

double play_excess(const trace::Trace& trace, const std::string& file) {
  const auto budget = budget_of(file);
  if (!budget) return 0;
  double bytes = 0;
  double most = static_cast<double>(budget->bytes_left());
  for (const trace::RankClass& c : trace.classes) {
    const auto ranks = static_cast<double>(c.ranks.size());
    bytes += ranks * (kBytesOfRank + kBytesOfCall * static_cast<double>(c.program->calls.size())) +
             kBytesOfHeldTerm * static_cast<double>(c.program->nest.terms());
    most += ranks * kWorthOfRank * limit_factor();
  }
  return bytes / most;
}

double read_excess(const trace::Trace& trace, const std::string& file) {
  const auto budget = budget_of(file);
  if (!budget) return 0;
  double terms = 0;
  double most_bytes = static_cast<double>(budget->bytes_left());
  for (const trace::RankClass& c : trace.classes) {
    terms += static_cast<double>(c.program->nest.terms());
    most_bytes += static_cast<double>(c.ranks.size()) * kWorthOfRank * limit_factor();
  }
  return std::max(terms * (kBytesOfReadTerm + kBytesOfHeldTerm) / most_bytes,
                  terms * kStepsOfReadTerm / static_cast<double>(budget->steps_left()));
}

Status allow_read(const trace::Trace& trace, const std::string& file) {
  const double excess = read_excess(trace, file);
  if (excess <= 1) return {};
  return fail(ErrorCode::kUnsupported,
              fmt::format("takes {:.1f} times the memory or work to read that a file of its size "
                          "may; {} allows it",
                          excess, limit_advice(excess * limit_factor(), 1)),
              {file, {}, {}, {}});
}

Status allow_play(const trace::Trace& trace, const std::string& file) {
  const double excess = play_excess(trace, file);
  if (excess > 1) {
    return fail(ErrorCode::kUnsupported,
                fmt::format("takes {:.1f} times the memory to play that a file of its size may; {} "
                            "allows it",
                            excess, limit_advice(excess * limit_factor(), 1)),
                {file, {}, {}, {}});
  }
  return allow_walk(trace, file);
}

Result<trace::Trace> read_for_walk(const std::string& file, Walk walk) {
  auto trace = open_trace(file);
  if (!trace) return trace;
  if (auto allowed = allow_walk(*trace, file, walk); !allowed) return propagate(allowed);
  return trace;
}

} // namespace rondo::cli
