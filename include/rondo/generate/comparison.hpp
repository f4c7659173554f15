// SPDX-License-Identifier: Apache-2.0
// Whether two traces say the same: rank for rank and thread for thread the same calls in the same
// order, with the same peers, tags, counts, datatypes, roots, operations and communicators. Call
// sites, times and facts of the run do not matter.
//
//   Comparison comparison = compare(a, b);
//   if (!comparison.same()) show(comparison.differences);
//
// docs/compare.md says what counts as the same.
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace rondo::generate {

struct ComparisonOptions {
  bool wildcards = false; // what receives asked for, not what came
  bool polls = false; // number and place of polls that found nothing
};

/// A call of one of the two traces, for people to find.
struct CallPlace {
  std::uint64_t call = 0; // its number in the stream, from 0
  bool is_end = false; // there is no such call: the stream ends before
  std::string line; // docs/formats/call-lines.md; empty at the end
  std::string loops; // "loop 125, iteration 3: loop 4, iteration 0"; empty outside loops
  std::vector<std::string> before; // lines of the calls before, the nearest last
};

enum class DifferenceKind : std::uint8_t {
  kCall, // something of a call: Difference::field
  kOneEnds, // one stream has more calls
  kRecordedInOneOnly, // the other trace has no such stream
};

/// Ranks whose calls differ first at the same place.
struct Difference {
  std::vector<std::int64_t> ranks; // ascending; those of the first one are shown
  std::uint32_t thread = 0;
  DifferenceKind kind = DifferenceKind::kCall;
  std::string field; // of kCall: an argument ("count"), "function", "error" or "what came"
  CallPlace a; // of the first rank
  CallPlace b;
};

struct Comparison {
  std::int64_t ranks_a = 0;
  std::int64_t ranks_b = 0;
  std::uint64_t calls_a = 0;
  std::uint64_t calls_b = 0;
  std::uint64_t idle_polls_a = 0; // polls that found nothing, among the calls
  std::uint64_t idle_polls_b = 0;
  std::uint64_t queries_a = 0; // MPI_Type_get_contents, which nobody else hears of, among the calls
  std::uint64_t queries_b = 0; // of ranks whose programs are not equal anyway
  std::int64_t ranks_that_differ = 0;
  std::vector<Difference> differences; // by first rank; of the first ones only, see compare()
  std::vector<std::string> remarks; // what makes the answer less sure: incomplete traces
  bool same() const { return ranks_a == ranks_b && ranks_that_differ == 0; }
};

/// @param most      groups of ranks that are kept in `differences`
/// @param progress  told of streams done and in all
/// @complexity      O(size of the program) for ranks whose programs and definitions are equal, else
///                  O(calls up to the first difference) for each rank; nothing is compared if the
///                  numbers of ranks differ
Comparison compare(const trace::Trace& a, const trace::Trace& b,
                   const ComparisonOptions& options = {}, std::size_t most = 4,
                   const std::function<void(std::uint64_t, std::uint64_t)>& progress = {});

/// What one function took in both.
struct FunctionTiming {
  struct Side {
    std::uint64_t calls = 0;
    std::uint64_t bytes = 0; // sent point-to-point, or handed to a collective
    std::uint64_t inside_ns = 0; // in the calls, all ranks together
  };
  std::string function;
  Side a;
  Side b;
};

struct TraceTiming {
  std::uint64_t computation_ns = 0; // between calls, all ranks together
  std::uint64_t inside_ns = 0;
  std::uint64_t span_ns = 0; // of the rank that took longest
};

struct TimingComparison {
  std::vector<FunctionTiming> functions; // most time in A and B together first
  TraceTiming a;
  TraceTiming b;
};

/// @complexity  that of matrix::visit_traffic()
TimingComparison compare_times(const trace::Trace& a, const trace::Trace& b);

} // namespace rondo::generate
