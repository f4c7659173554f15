// SPDX-License-Identifier: Apache-2.0
// What each MPI function, or each call site, costs each rank: calls, time inside MPI and bytes.
// What a profiler of MPI calls reports at the end of a run, from the folded program: nothing is
// gone through call by call but what visit_traffic() does.
//
//   for (const CallRow& row : call_table(trace, CallsBy::kFunction).rows)
//     use(row.function->name, row.time_ns.sum, row.time_ns.most, row.time_ns.most_rank);
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace rondo::matrix {

enum class CallsBy : std::uint8_t {
  kFunction,
  kSite, // one row for each function that is called at a call site
};

/// One number of each rank, and what is worth saying of them all.
struct RankValues {
  std::vector<std::uint64_t> values; // by world rank
  std::uint64_t sum = 0;
  std::uint64_t least = 0;
  double mean = 0; // over all ranks, also those with nothing
  std::uint64_t most = 0;
  std::int64_t least_rank = 0; // the first of several
  std::int64_t most_rank = 0;
  friend bool operator==(const RankValues&, const RankValues&) = default;
};

struct CallRow {
  const trace::Function* function = nullptr;
  std::uint32_t site = 0; // index into the trace's call sites; 0 for kFunction
  RankValues calls;
  RankValues time_ns; // inside MPI; all 0 without times
  RankValues bytes; // that its calls move: CallBytes
  /// MPI_Init, MPI_Finalize and their like: the time of the start and the end is no communication.
  bool is_frame() const { return function != nullptr && function->role == trace::Role::kEnv; }
  friend bool operator==(const CallRow&, const CallRow&) = default;
};

struct CallTable {
  std::vector<CallRow> rows; // most time first, then most calls, then by name; frames last
  CallRow total; // of all rows but frames; function is nullptr
  std::uint64_t run_ns = 0; // sum over ranks, from the end of MPI_Init to MPI_Finalize
  /// Whether each rank's times are sums of single measurements: by function in all recordings that
  /// have trace::TimeSums. Otherwise the sum over ranks is, and how it is split is known to 2.2 %
  /// of each mean.
  bool is_exact = false;
  friend bool operator==(const CallTable&, const CallTable&) = default;
};

/// Calls that failed are counted, and move nothing; threads of a rank are summed up.
/// @complexity  O(terms + columns) for each class, then O(choices of words + places) for each rank;
///              with all times kept, O(calls)
CallTable call_table(const trace::Trace& trace, CallsBy by);

struct CallTables {
  CallTable functions;
  CallTable sites;
};

/// Both, in the time of one.
CallTables call_tables(const trace::Trace& trace);

} // namespace rondo::matrix
