// SPDX-License-Identifier: Apache-2.0
// Recording a live run: calls go to the timekeeper, and into the trace when their virtual times
// have come.
#include "record/by_hand.hpp"
#include "record/process/no_cancel.hpp"
#include "record/recorder.hpp"

#include <algorithm>
#include <cstdio>

namespace rondo::record {
namespace {

constexpr std::size_t kMostUntimed = 1 << 14; // calls; then the program waits for their times

} // namespace

void Recorder::go_live() {
  live = LiveLink::connect(world_rank, objects.world_size(), settings_.keeps, objects.is_spawned());
  if (!live) return;
  objects.go_live(*live);
  if (needs_lock) live->has_threads({[this] { leave(); }, [this] { enter(); }});
  shares_processors_ = false; // its clock is another one
  facts_.startup_ns = 0; // MPI_Init takes no virtual time
  for (trace::Affinity& affinity : definitions_.affinities)
    affinity.computation_is_cpu_time = false;
  run_.notes = "times are virtual: a network model kept them while the program ran";
}

// A rank that stands in a send until somebody receives, or in a collective operation until others
// come, has said it all the same. What MPI refuses counts as made.
void Recorder::say_ahead(Stream& stream, const std::int64_t* event, std::size_t size) {
  if (!live->says_ahead() || is_lost_) return;
  const std::uint64_t computing_ns = live->take_computing_ns(stream.thread);
  ahead_[&stream] = {stream.calls_begun, computing_ns};
  live->say_new(definitions_);
  live->say_call(stream.thread, computing_ns, event, size);
}

void Recorder::commit_live(Stream& stream, const std::int64_t* event, std::size_t size) {
  const auto ahead = ahead_.find(&stream);
  const bool was_said = ahead != ahead_.end() && ahead->second.number == stream.calls_begun;
  const std::uint64_t computing_ns =
      was_said ? ahead->second.computing_ns : live->take_computing_ns(stream.thread);
  say_if_no_spawn(event);
  if (was_said) {
    live->say_returned(stream.thread);
  } else {
    live->say_new(definitions_);
    live->say_call(stream.thread, computing_ns, event, size);
  }
  const std::uint64_t before_ns = live->take_said_computing_ns(stream.thread);
  std::deque<Untimed>& mine = untimed_[stream.thread];
  if (settings_.keeps) mine.push_back({&stream, before_ns + computing_ns, {event, event + size}});
  const bool is_due = clock_.ticks() >= next_checkpoint_ticks_.load(std::memory_order_relaxed);
  if (mine.size() > kMostUntimed || (is_due && !needs_lock)) {
    live->catch_up(stream.thread);
  } else if (mine.size() % 64 == 0) {
    live->look_for_times();
  }
  record_times_known();
  if (!live->is_open()) leave_live();
  // Once all calls have their times nothing is left that their arrays have to be kept for.
  if (is_due && settings_.keeps && !has_untimed()) checkpoint();
  if (is_due && !settings_.keeps) {
    next_checkpoint_ticks_ = kNever;
    start_program(stream);
  }
  live->rest(stream.thread);
}

bool Recorder::has_untimed() const {
  return std::any_of(untimed_.begin(), untimed_.end(),
                     [](const auto& calls) { return !calls.second.empty(); });
}

void Recorder::record_times_known() {
  for (auto& [thread, calls] : untimed_) {
    while (live->has_times(thread) && !calls.empty()) {
      const Untimed call = std::move(calls.front());
      calls.pop_front();
      const LiveLink::Times times = live->take_times(thread);
      if (objects.is_spawned() && live_start_ns_ == 0) live_start_ns_ = times.start_ns;
      add(*call.stream, call.event.data(), call.event.size(),
          {times.start_ns, call.computing_ns, times.inside_ns});
    }
  }
}

// The timekeeper is gone: calls whose times never came have none, and real time goes on from where
// virtual time was.
void Recorder::leave_live() {
  if (is_lost_) return;
  is_lost_ = true;
  const std::uint64_t now_ns = live->now_ns(0);
  for (const auto& [thread, calls] : untimed_) {
    for (const Untimed& call : calls)
      add(*call.stream, call.event.data(), call.event.size(),
          {live->now_ns(thread), call.computing_ns, 0});
  }
  untimed_.clear();
  origin_ticks_ = clock_.ticks() - clock_.to_ticks(now_ns);
  for (const auto& stream : streams_) stream->last_end_ticks = clock_.ticks();
  run_.notes = "times are virtual up to where the timekeeper was lost, real from there";
}

void Recorder::end_live() {
  live->catch_up(0);
  for (const auto& [thread, calls] : untimed_) {
    if (!calls.empty()) live->catch_up(thread);
  }
  record_times_known();
  live->say_bye();
  if (!live->is_open()) leave_live();
  end_virtual_clock(live->now_ns(0));
}

// What it recorded is folded for good when it is over: its calls have to have their times.
void Recorder::end_live_thread(std::uint32_t thread) {
  const NoCancel here;
  live->catch_up(thread);
  record_times_known();
  live->end_thread(thread);
  if (!live->is_open()) leave_live();
}

} // namespace rondo::record
