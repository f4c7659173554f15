// SPDX-License-Identifier: Apache-2.0
// How long ranks computed before a call, pass by pass: from the times of every call, or from the
// courses that the trace has of places that vary. The program is walked once for that, as a course
// belongs to a pair of calls, and several pairs may be one place of the benchmark.
#pragma once

#include "rondo/generate/benchmark.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

namespace rondo::generate::internal {

class Passes {
public:
  /// Of the calls of a merged program, by its symbols. @complexity O(calls of the ranks that have
  /// courses, or of all ranks)
  Passes(const trace::Trace& trace, std::size_t index, Times times);

  using OfRanks = std::map<std::int64_t, std::vector<double>>; // seconds

  /// Of ranks that are known, where the call before is one of those. Empty if none is.
  OfRanks of(std::uint32_t symbol, const std::function<bool(std::uint32_t)>& from) const;
  /// The rank that stands for one that is not known: one that does the same. Itself if it is known.
  std::int64_t like(std::int64_t rank) const;

private:
  struct Pass {
    std::uint32_t before = 0;
    double seconds = 0;
  };

  void walk(const trace::Trace& trace, const trace::RankClass& of, std::int64_t rank, bool is_full);

  std::map<std::uint32_t, std::map<std::int64_t, std::vector<Pass>>> passes_; // symbol -> rank ->
  std::map<std::int64_t, std::int64_t> like_;
};

/// Rows for all ranks, scaled to each rank's own mean. Long ones become blocks of passes and
/// what is apart from these, unless they are to be exact.
/// @param means   of all ranks, in seconds; 0 for one that does not come there
Course course_of(const Passes& passes, const Passes::OfRanks& known,
                 const std::vector<double>& means, bool is_exact);

} // namespace rondo::generate::internal
