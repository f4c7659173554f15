// SPDX-License-Identifier: Apache-2.0
// The program of one rank, or of a class of ranks that do the same: a loop nest over calls. A
// call's words may depend on the rank (a peer one to the right) or vary with the iteration (a
// column).
//
//   CallReader reader(trace, *trace.class_of(rank), rank);
//   while (const CallInstance* call = reader.next()) use(call->function->name, call->words);
//
// Invariant: nest is over calls; each column has one value for each execution of the call that
// refers to it.
#pragma once

#include "rondo/trace/functions.hpp"
#include "rondo/trace/nest.hpp"
#include "rondo/trace/rank_function.hpp"
#include "rondo/trace/times.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace rondo::trace {

/// One word of a call as a function of rank and iteration.
struct Word {
  enum class Form : std::uint8_t {
    kConstant, // value
    kRelative, // this rank (in the call's communicator) + value
    kRelativeModulo, // the same modulo the communicator's size
    kXor, // this rank xor value
    kColumn, // columns[value], constants for every rank
    kRelativeColumn, // this rank + columns[value]; special values stand for themselves
    kByRank, // by_rank->functions[value]
    kFunctionColumn, // by_rank->functions[columns[value]]
    kColumnByRank, // in merged programs only: the column that by_rank->functions[value] says
    kRelativeColumnByRank,
  };
  Form form = Form::kConstant;
  std::int64_t value = 0;
  friend bool operator==(const Word&, const Word&) = default;
};

struct Call {
  std::uint16_t function = 0; // id
  std::uint16_t error = 0; // class of the error: error_class_name(); 0 for MPI_SUCCESS
  std::uint32_t site = 0; // index into the trace's call sites
  std::vector<Word> words; // function->words() of them
  friend bool operator==(const Call&, const Call&) = default;
};

struct Program {
  std::vector<Call> calls; // symbol -> call
  Nest nest;
  std::vector<Column> columns;
  /// Arrays that calls refer to; ranks in them are relative to this rank in MPI_COMM_WORLD.
  std::vector<std::vector<std::int64_t>> arrays;
  std::vector<std::string> texts;
  std::vector<PlaceTimes> times; // sorted by (call, before); empty without times
  std::shared_ptr<const RankTable> by_rank; // missing if no word depends on the rank

  friend bool operator==(const Program& a, const Program& b) {
    const auto table = [](const Program& p) { return p.by_rank ? *p.by_rank : RankTable{}; };
    return a.calls == b.calls && a.nest == b.nest && a.columns == b.columns &&
           a.arrays == b.arrays && a.texts == b.texts && a.times == b.times && table(a) == table(b);
  }
};

// References to requests, in words and arrays: kNull, or one of three forms, all within one
// thread's stream. A nonblocking call's request is named by its age: how many such requests were
// made after it. A persistent request is named by its slot: the lowest free number when it was
// made. A request of another thread is named by that thread and its slot, or its number there,
// from 1. One made by a call that is not recorded is kUnrecorded.
inline std::int64_t request_by_age(std::uint64_t age) { return static_cast<std::int64_t>(age * 2); }
inline std::int64_t request_by_slot(std::uint64_t slot) {
  return static_cast<std::int64_t>(slot * 2 + 1);
}
inline bool is_persistent(std::int64_t request) { return (request & 1) != 0; }
inline std::uint64_t age_or_slot(std::int64_t request) {
  return static_cast<std::uint64_t>(request) / 2;
}

struct ForeignRequest {
  std::uint32_t thread = 0;
  bool persistent = false;
  std::uint64_t number = 0;
};
constexpr std::uint32_t kMaxThreads = 1 << 15;
inline bool is_foreign(std::int64_t request) { return request < 0; }
inline std::int64_t request_of_thread(const ForeignRequest& request) {
  const std::uint64_t number = request.number * 2 + static_cast<std::uint64_t>(request.persistent);
  return -1 - static_cast<std::int64_t>(number * kMaxThreads + request.thread % kMaxThreads);
}
inline ForeignRequest foreign_request(std::int64_t request) {
  const auto code = static_cast<std::uint64_t>(-1 - request);
  const std::uint64_t number = code / kMaxThreads;
  return {static_cast<std::uint32_t>(code % kMaxThreads), number % 2 == 1, number / 2};
}

} // namespace rondo::trace
