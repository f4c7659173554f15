// SPDX-License-Identifier: Apache-2.0
// Plays one rank's calls in virtual time.
#pragma once

#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/collective_part.hpp"
#include "simulate/ranks/call_source.hpp"
#include "simulate/ranks/open_requests.hpp"
#include "simulate/ranks/process_topologies.hpp"
#include "simulate/ranks/unknown_receives.hpp"
#include "simulate/transport/stage.hpp"

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

namespace rondo::simulate::internal {

/// Why no model plays a call, as Stage::unsupported has it behind the function's name.
constexpr const char* kOtherProcesses = "starts or meets processes outside the run";

/// What the threads of a rank have in common.
struct RankObjects {
  struct Window {
    std::int64_t comm = trace::kWorldSlot;
    std::uint64_t number = 0; // among those made on that communicator
    std::vector<std::int32_t> origins; // exposed to, by MPI_Win_post
    std::vector<std::int32_t> targets; // of MPI_Win_start
    double posted_s = 0; // when the last of them opened its window
    std::int64_t poster = -1; // that one
    std::uint32_t poster_actor = 0; // its program
  };
  std::unordered_map<std::uint32_t, std::uint64_t> operations; // in the background, by communicator
  std::map<std::array<std::int64_t, 4>, std::uint32_t> lines;
  ProcessTopologies topologies;
  std::unordered_map<std::int64_t, Window> windows;
  std::unordered_map<std::uint32_t, std::uint64_t> windows_made; // by communicator
};

/// Plays one rank's calls, or those of one of its threads.
class RankProgram : public Activity {
public:
  /// @param source  must outlive the object
  RankProgram(Stage& stage, CallSource& source, std::int64_t rank);
  /// A rank that others start. @param start_s  when, in virtual time
  RankProgram(Stage& stage, CallSource& source, std::int64_t rank, double start_s);
  /// A further thread of the rank that `first` plays.
  RankProgram(Stage& stage, CallSource& source, const RankProgram& first);

  /// The call that is being played, as text.
  std::string call_text() const { return source_.text(); }
  std::uint64_t calls() const { return calls_; }
  /// Ends it where it is, if it has not ended.
  void stop();
  /// Whether receives are posted whose messages nobody knows yet.
  bool has_unknown() const { return unknown_.has_posted(); }
  /// A receive that the program has posted and MPI has not got: so many such are before it. Its
  /// message is known now. @param envelope  in ranks of the communicator
  void take_held(std::int64_t held_before, Envelope envelope);
  /// MPI has got those of the first calls.
  void give_up_held(std::uint64_t calls) { unknown_.give_up_held(calls); }
  /// Where its time went, if it plays a further thread.
  const RankPrediction& beside() const { return beside_; }
  /// Whether nothing that it began is under way.
  bool is_quiet() const;
  /// So many calls, which took so long, were made besides.
  void passed(std::uint64_t calls, double seconds) {
    calls_ += calls;
    clock_ += seconds;
  }

protected:
  Work next_work() override;
  void completed(const Request& request, double before) override;
  CallName call_name() const override { return {call_->function->id, call_->site}; }

private:
  using CallView = trace::CallView;
  using Slot = OpenRequests::Slot;
  struct Target { // what a call's channel was last time
    std::int64_t comm = 0, peer = -1, tag = -1;
    std::uint32_t channel = 0;
  };
  struct Outstanding { // one-sided, under way
    std::int64_t window = 0;
    std::int64_t target = 0;
    Request* request = nullptr;
  };
  using Window = RankObjects::Window;

  RankPrediction& mine();
  void end();
  void end_call();
  void compute();
  void spend_inside();
  bool sends_only() const;
  bool adds_to_graph() const {
    return transport_.graph() != nullptr && stage_.options.graph_has_calls;
  }
  RunGraph::Spot spot() const { return {rank_, call_name()}; }
  void begin_call();
  void dispatch(const CallView& call);
  void unsupported(const std::string& why);
  double formula_cost(std::int64_t ranks, std::uint64_t bytes);

  // rank_transfers.cpp
  void transfer(const CallView& call, Slot* slot, std::uint32_t line);
  Request* post_receive(const CallView& call, bool is_blocking, std::uint32_t line);
  Request* post_send(const CallView& call, std::uint32_t line);
  void give(Slot* slot, Request* request);
  void probe(const CallView& call);
  std::optional<std::uint32_t> channel_of(std::int64_t comm, std::int64_t peer, std::int64_t tag,
                                          bool is_send, std::uint32_t line);

  // rank_wildcards.cpp
  Request* post_unknown(UnknownReceive receive, const CallView& call, bool is_blocking);
  void bind(const UnknownReceive& receive);
  std::vector<UnknownReceives::Completion> completions(const CallView& call);
  void cancel(std::int64_t reference);

  // rank_requests.cpp
  void make_slot();
  void start(std::int64_t reference);
  void ready(const CallView& call);
  void send_partitions(Slot& slot);
  void start_all(const CallView& call);
  void complete(const CallView& call);
  void complete_one(std::int64_t reference, bool keeps);
  void free_request(std::int64_t reference);
  std::uint32_t line_of(const CallView& call);

  // rank_collectives.cpp
  void collective(const CallView& call, Slot* slot);
  CollectivePart part_of(const trace::CollectiveWords& where, std::span<const std::int64_t> words,
                         std::int64_t comm);
  void play_part(const CollectivePart& part, std::int64_t comm, bool is_background, Slot* slot,
                 std::uint32_t line);
  void meet_all(std::int64_t comm, bool is_background);
  void make_comm(const CallView& call);
  void start_processes(const CallView& call);

  // rank_windows.cpp
  void window_call(const CallView& call);
  void one_sided(const CallView& call);
  void note_post(const Request& request);
  void wait_for_post(std::int64_t window);
  void flush(std::int64_t window, std::int64_t target);
  std::optional<LockQueue::Lock> lock_of(const CallView& call);
  void lock(const CallView& call);
  void unlock(const CallView& call);
  void notify(const std::vector<std::int32_t>& peers, std::int64_t window, std::int64_t tag,
              bool is_send);

  CallView own_call() const { return {trace::meaning_of(*call_->function), call_->words}; }
  std::span<const std::int64_t> array(std::int64_t index) const { return source_.array(index); }
  std::int64_t named_word(std::string_view field) const;
  std::uint64_t type_bytes(std::int64_t type);
  std::uint64_t bytes(std::int64_t count, std::int64_t type);

  Stage& stage_;
  CallSource& source_;
  const trace::CallInstance* call_ = nullptr;
  bool is_in_call_ = false;
  double call_start_ = 0;
  double behind_s_ = 0; // what the call takes besides, at its end
  std::optional<CallSource::Interval> recorded_; // of the call, where it is played at its time
  std::uint64_t calls_ = 0;
  OpenRequests open_;
  std::vector<Target> targets_; // by symbol and side
  std::shared_ptr<RankObjects> objects_;
  bool is_first_ = true; // thread of its rank
  RankPrediction beside_; // of a further thread
  std::vector<Outstanding> outstanding_;
  std::function<void()> then_; // what the call does once it has waited
  UnknownReceives unknown_;
};

} // namespace rondo::simulate::internal
