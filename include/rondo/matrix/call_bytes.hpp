// SPDX-License-Identifier: Apache-2.0
// How many bytes a single call moves, by the one definition that all commands have
// (trace_traffic.hpp): for those that read a program call by call.
//
//   const CallBytes bytes(trace, program, rank);
//   use(bytes.of(*call->function, call->words));
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace rondo::matrix {

/// The bytes of one rank's calls. Not thread-safe: it remembers what it found.
class CallBytes {
public:
  /// Trace and program must outlive it.
  /// @complexity  O(definitions of the trace)
  CallBytes(const trace::Trace& trace, const trace::Program& program, std::int64_t rank);
  ~CallBytes();
  CallBytes(const CallBytes&) = delete;
  CallBytes& operator=(const CallBytes&) = delete;

  /// The words that say how much a call moves, its peer among them, which may be MPI_PROC_NULL.
  static std::vector<int> words_of(const trace::Function& function);

  /// What a send sends, what a rank hands to a collective operation, what a one-sided call moves in
  /// both directions, and what is read from or written to a file; 0 for all other calls, receives
  /// among them. Of a call that makes a persistent request, what each start moves.
  /// @param words  of the call, as this rank has them; at least those of words_of()
  /// @complexity   O(elements of its lists of counts)
  std::uint64_t of(const trace::Function& function, std::span<const std::int64_t> words) const;

private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

} // namespace rondo::matrix
