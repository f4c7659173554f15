// SPDX-License-Identifier: Apache-2.0
// Computation of a replay: nothing useful is computed, but the calls come when they came.
#pragma once

#include "rondo/trace/computation.hpp"

#include <cstdint>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rondo::generate {

enum class ReplayTimes : std::uint8_t {
  kCourse, // of this rank, pass by pass where that varies
  kMean, // mean of the ranks that execute the same
  kRank, // of this rank, where known
  kHistogram, // drawn from the place's histogram, the same in every run
  kFull, // of every call, where the trace has them
  kNone, // no computation at all
};
enum class Compute : std::uint8_t { kSpin, kSleep };

struct PaceOptions {
  ReplayTimes times = ReplayTimes::kCourse;
  Compute compute = Compute::kSpin;
  double scale = 1; // of all computation
  /// Ranks of a node are more than its processors: then computation is time that a rank has one.
  bool shares_processors = false;
};

class Pace {
public:
  /// The trace must outlive the object.
  Pace(const trace::Trace& trace, const trace::RankClass& of, std::int64_t rank,
       const PaceOptions& options);

  /// The stream's first call, MPI_Init, has returned.
  void begin(std::uint32_t symbol);
  /// Waits until the call's turn has come: its computation after the end of the call before.
  /// What the replay itself took since then counts.
  void before(std::uint32_t symbol);
  /// The call has returned.
  void after();

private:
  struct Place {
    std::uint64_t mean_ns = 0;
    std::vector<std::pair<double, std::uint64_t>> bins; // share of times up to it, ns; may be empty
    std::uint64_t number = 0; // of the histogram
    std::uint64_t drawn = 0; // times
  };

  void add(const trace::PlaceTimes& times, std::optional<std::size_t> index);
  std::uint64_t next_of(Place& place); // ns
  std::uint64_t next_ns(std::uint32_t before, std::uint32_t symbol); // 0 if nothing is known

  void sleep_towards(std::uint64_t end_ns);
  void have_processor(std::uint64_t ns, std::uint64_t since_ns) const;

  std::unordered_map<std::uint64_t, Place> places_; // by call before and call
  std::optional<trace::Computation> by_call_; // by stamps or courses
  std::uint64_t rank_;
  PaceOptions options_;
  std::uint32_t before_ = trace::PlaceTimes::kStart;
  std::uint64_t end_ns_ = 0; // of the call before
  std::int64_t owed_ns_ = 0; // sleep: short ones are saved up, what was too long is taken off
};

} // namespace rondo::generate
