// SPDX-License-Identifier: Apache-2.0
// One rank's calls as the operations of a GOAL schedule, call by call.
//
//   GoalExport run(trace, approximates);
//   GoalRankCalls calls(run, *trace.class_of(rank), rank);
//   while (calls.next(text)) ...
//
// What no operation says is counted in GoalExport::refused; then the lines are worth nothing.
#pragma once

#include "convert/calls/spread_tags.hpp"
#include "convert/goal/goal_text.hpp"
#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/call_reader.hpp"
#include "rondo/trace/collective_part.hpp"
#include "rondo/trace/communicators.hpp"
#include "rondo/trace/computation.hpp"
#include "rondo/trace/persistent_slots.hpp"
#include "rondo/trace/resolved_receives.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rondo::convert::internal {

/// What all ranks of a trace have in common while it is written.
struct GoalExport {
  GoalExport(const trace::Trace& written, bool leaves_out)
      : trace(written), comms(written), receives(written), approximates(leaves_out) {}

  const trace::Trace& trace;
  trace::Communicators comms;
  trace::ClassTimes times{};
  trace::ResolvedReceives receives;
  bool approximates; // calls that no operation says are left out
  SpreadTags tags{};
  std::map<std::string, std::uint64_t> refused{}; // call and why -> times
  std::map<std::string, std::uint64_t> lowered{}; // collective operation and algorithm -> calls
  std::map<std::string, std::uint64_t> left_out{};
  std::uint64_t unknown_sizes = 0;

  void spread_tags();
};

class GoalRankCalls {
public:
  /// All must outlive the object.
  GoalRankCalls(GoalExport& run, const trace::RankClass& rank_class, std::int64_t rank);

  /// Appends the lines of the next call, if it has any; false at the end.
  bool next(std::string& out);

private:
  using Words = std::vector<std::int64_t>;
  using Labels = std::vector<GoalText::Label>;
  struct Slot {
    const trace::Function* function = nullptr;
    Words words;
    Labels active;
  };

  void call();
  void transfer(const trace::CallView& call, Labels& made);
  std::optional<GoalText::Message> receive_of(const trace::CallView& call);
  std::optional<GoalText::Message> send_of(const trace::CallView& call);
  std::int64_t tag_on(std::int64_t comm, std::int64_t tag);
  void collective(const trace::Function& function, const trace::CallView& call, bool goes_on,
                  Labels& made);
  void set_received(const trace::CallView& call, trace::CollectivePart& part);
  void play(const trace::CollectivePart& part, std::int64_t tag);
  void start(std::int64_t reference);
  Labels* labels_of(std::int64_t reference);
  void add_labels(std::int64_t reference, Labels& labels);
  void complete(const trace::CallView& call);
  void refuse(std::string_view why);

  std::uint64_t bytes(std::int64_t count, std::int64_t type);
  std::span<const std::int64_t> array(std::int64_t index) const;

  GoalExport& run_;
  std::int64_t rank_;
  trace::EnvelopeReader envelopes_;
  trace::CallReader reader_;
  trace::Computation computation_;
  GoalText text_;
  const trace::CallInstance* call_ = nullptr;
  std::uint64_t calls_ = 0;
  double computed_ns_ = 0; // and not yet said
  std::unordered_map<std::int64_t, std::int64_t> type_sizes_;
  std::uint64_t made_ = 0; // requests that have ages
  std::unordered_map<std::uint64_t, Labels> open_; // by number
  trace::PersistentSlots<Slot> slots_;
};

} // namespace rondo::convert::internal
