// SPDX-License-Identifier: Apache-2.0
// A rank, or one of its threads, whose calls are played: what the parts that play them have in
// common. These are the call at hand, what its words stand for, and what the rank has begun.
#pragma once

#include "rondo/trace/call_meaning.hpp"
#include "simulate/ranks/call_source.hpp"
#include "simulate/ranks/open_requests.hpp"
#include "simulate/ranks/process_topologies.hpp"
#include "simulate/transport/stage.hpp"

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rondo::simulate::internal {

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
  struct File {
    std::int64_t comm = trace::kWorldSlot;
    Request* begun = nullptr; // access of all that is to be ended
  };
  std::unordered_map<std::int64_t, File> files;
  std::unordered_map<std::uint32_t, std::uint64_t> windows_made; // by communicator
};

/// What RankProgram and the parts that play a kind of its calls work on.
class RankActivity : public Activity {
public:
  using Interval = CallSource::Interval;
  using Activity::wait_for;

  /// @param source  must outlive the object
  RankActivity(std::uint32_t id, std::int64_t rank, double start_s, Stage& stage,
               CallSource& source, std::shared_ptr<RankObjects> objects);

  Stage& stage() { return stage_; }
  CallSource& source() { return source_; }
  Transport& transport() { return transport_; }
  RankObjects& objects() { return *objects_; }
  OpenRequests& open() { return open_; }
  /// Which the transport moves on by what sending takes.
  double& running_clock() { return clock_; }

  /// The call that is being played; how many there were, with it.
  const trace::CallInstance& call() const { return *call_; }
  trace::CallView call_view() const { return {trace::meaning_of(*call_->function), call_->words}; }
  std::uint64_t calls() const { return calls_; }
  double call_start_s() const { return call_start_; }
  /// Where calls are played at the times that were recorded: those of this one.
  const std::optional<Interval>& recorded() const { return recorded_; }

  // What words of calls stand for.
  std::span<const std::int64_t> array(std::int64_t index) const { return source_.array(index); }
  std::int64_t named_word(std::string_view field) const;
  /// Sizes that the trace does not know count as 0, and are counted.
  std::uint64_t bytes(std::int64_t count, std::int64_t type);

  /// No model plays this call.
  void unsupported(const std::string& why);
  /// What the call does once it has waited.
  void do_then(std::function<void()> what) { then_ = std::move(what); }
  /// Whether what it waits for next stays open: MPI_Request_get_status.
  void keep_requests(bool keeps) { keeps_requests_ = keeps; }
  /// An operation that goes on behind the rank, and that has yet to begin.
  BackgroundActivity& new_background(Request* done);
  /// It has waited for that rank.
  void note_wait(std::int64_t other, double seconds) {
    mine().waiting_s += seconds;
    ledger_.waited(rank_, other, seconds);
  }

  CallName call_name() const final { return {call_->function->id, call_->site}; }

protected:
  /// Where its time goes.
  RankPrediction& mine() {
    return is_first_ ? ledger_.ranks[static_cast<std::size_t>(rank_)] : beside_;
  }

  Stage& stage_;
  CallSource& source_;
  std::shared_ptr<RankObjects> objects_;
  OpenRequests open_;
  const trace::CallInstance* call_ = nullptr;
  bool is_access_ = false; // the call: begins to access windows
  std::uint64_t calls_ = 0;
  double call_start_ = 0;
  std::optional<Interval> recorded_;
  std::function<void()> then_;
  bool is_first_ = true; // thread of its rank
  RankPrediction beside_; // of a further thread
};

} // namespace rondo::simulate::internal
