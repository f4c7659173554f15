// SPDX-License-Identifier: Apache-2.0
// Calls as the recorder hands them to a ProgramBuilder, and ranks that record them.
//
//   RankRecorder rank(3, 8);                      // rank 3 of 8
//   rank.call("MPI_Send", {{"count", 5}, {"dest", 4}, {"tag", 7}});
//   RecordingPart part = rank.part();
#pragma once

#include "rondo/fold/merge.hpp"
#include "rondo/fold/program_builder.hpp"
#include "rondo/trace/call_reader.hpp"

#include <cstdint>
#include <initializer_list>
#include <string_view>
#include <utility>
#include <vector>

namespace rondo::support {

using Event = std::vector<std::int64_t>; // header, site, words
using NamedWord = std::pair<std::string_view, std::int64_t>;

/// The event of a call; communicators are MPI_COMM_WORLD and all other words 0 unless named.
Event event_of(std::string_view function, std::initializer_list<NamedWord> words,
               std::uint32_t site = 0);

class RankRecorder {
public:
  RankRecorder(std::int64_t rank, std::int64_t ranks, fold::ProgramOptions options = {});

  void call(std::string_view function, std::initializer_list<NamedWord> words = {},
            std::uint32_t site = 0);
  void record(const Event& event);

  std::int64_t rank() const { return rank_; }
  const std::vector<Event>& events() const { return events_; }
  fold::ProgramBuilder& builder() { return builder_; }
  /// Every call's times, the recorder taking 5 ns between calls.
  const std::vector<trace::CallTime>& times() const { return times_; }
  std::uint64_t computation_ns() const { return computation_ns_; } // recorded in all
  std::uint64_t inside_ns() const { return inside_ns_; }

  /// Ends the recording. Call sites 0 to 15 are known.
  fold::RecordingPart part();
  /// The same with the times of every call.
  fold::RecordingPart part_with_stamps();

private:
  std::int64_t rank_;
  std::int64_t ranks_;
  fold::ProgramBuilder builder_;
  std::vector<Event> events_;
  std::vector<trace::CallTime> times_;
  std::uint64_t computation_ns_ = 0;
  std::uint64_t inside_ns_ = 0;
};

/// What one rank called according to a trace.
std::vector<Event> events_of(const trace::Trace& trace, std::int64_t rank);

/// Makes the merged programs that a trace made by hand would have: one for each class. What its
/// programs contradict is contradicted in them.
void set_programs(trace::Trace& trace);

/// The part of a single rank, as a trace.
trace::Trace trace_of(RankRecorder& rank);

} // namespace rondo::support
