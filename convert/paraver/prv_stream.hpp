// SPDX-License-Identifier: Apache-2.0
// One thread's calls as records of a Paraver trace, in the order of time. Whoever merges streams
// lets the one write whose next record is the earliest.
//
//   PrvStream stream(run, rank_class, rank);
//   while (stream.is_open()) { at = stream.next_ns(); stream.write(queue); }
#pragma once

#include "convert/calls/call_messages.hpp"
#include "convert/paraver/collective_sizes.hpp"
#include "convert/paraver/extrae_values.hpp"
#include "convert/paraver/prv_clock.hpp"
#include "convert/paraver/prv_places.hpp"
#include "convert/paraver/prv_queue.hpp"
#include "rondo/convert/paraver.hpp"

#include <cstdint>
#include <map>
#include <string>

namespace rondo::convert::internal {

/// What all streams of a trace share while it is written.
struct PrvRun {
  PrvRun(const trace::Trace& written, const ParaverOutOptions& window)
      : trace(written), options(window), messages(written), places(written, messages.comms) {}

  const trace::Trace& trace;
  const ParaverOutOptions& options;
  MessageRun messages;
  PrvPlaces places;
  std::uint64_t duration_ns = 0;
  std::uint64_t outside = 0; // calls that the window leaves out
  std::map<std::int64_t, std::map<std::int64_t, std::string>> functions{}; // by type and value
};

class PrvStream {
public:
  PrvStream(PrvRun& run, const trace::RankClass& rank_class, std::int64_t rank);

  bool is_open() const { return phase_ != Phase::kDone; }
  std::uint64_t next_ns() const { return next_ns_; }
  /// The records of that time.
  void write(PrvQueue& queue);

private:
  enum class Phase : std::uint8_t { kRun, kBegin, kEnd, kTail, kDone };

  void take_next();
  void begin(PrvQueue& queue);
  void exchange(PrvQueue& queue);
  void state(std::string& out, std::uint64_t begin_ns, std::uint64_t end_ns, int state) const;
  void event(std::string& out, std::uint64_t time_ns, std::int64_t value) const;
  void say_collective(std::string& out) const;
  ExtraeCall known_call();

  PrvRun& run_;
  std::int64_t rank_;
  std::string prefix_;
  trace::CallReader reader_;
  PrvClock clock_;
  CallMessages messages_;
  CollectiveSizes sizes_;
  std::uint64_t tail_ns_ = 0; // of computation behind the last call; set when that has come
  bool has_tail_;

  Phase phase_ = Phase::kRun;
  std::uint64_t next_ns_ = 0;
  const trace::CallInstance* call_ = nullptr;
  CallInterval interval_;
  ExtraeCall said_;
  bool is_wanted_ = true; // the call is in the window
  std::map<std::uint16_t, ExtraeCall> calls_; // by function
};

} // namespace rondo::convert::internal
