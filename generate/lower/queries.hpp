// SPDX-License-Identifier: Apache-2.0
// Calls that ask MPI for what it knows without another rank, and that a benchmark leaves out:
// MPI_Type_get_contents, with what frees the datatypes that it gave. How often a library asks
// hinders nobody.
#pragma once

#include "rondo/trace/call_reader.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <map>
#include <unordered_set>
#include <utility>
#include <vector>

namespace rondo::generate::internal {

bool is_query(const trace::Function& function);

/// The datatypes of one stream that queries gave. It has to be told of each call, in order.
class QueriedTypes {
public:
  enum class Part : std::uint8_t {
    kNone, // the call has nothing to do with them
    kQuery, // it asks
    kFree, // it frees what a query gave
    kUse, // it does something else with it
  };
  Part next(const trace::Program& program, const trace::CallInstance& call);

private:
  Part use(const trace::Program& program, const trace::CallInstance& call);
  std::unordered_set<std::int64_t> slots_;
};

/// What of the queries is in a trace.
struct Queries {
  std::uint64_t calls = 0; // of all ranks, with those that free
  bool are_used = false; // datatypes of theirs are used for more than to be asked and freed
  /// Of calls of merged programs that free datatypes of queries: by rank, for each execution, 1 if
  /// it frees another one, and so is made; else 0.
  using Place = std::pair<const trace::MergedProgram*, std::uint32_t>;
  std::map<Place, std::map<std::int64_t, std::vector<std::int64_t>>> frees;
};

/// @complexity  O(calls of the ranks whose programs have queries)
Queries queries_of(const trace::Trace& trace);

} // namespace rondo::generate::internal
