// SPDX-License-Identifier: Apache-2.0
// A rank's end of a live run (docs/simulate.md): its calls go to the timekeeper, which plays them
// against a network model, and virtual times come back. The rank waits for them only where it must:
// when the program asks what time it is, at the end, and when too many are outstanding. What the
// program computes is its threads' CPU time. If the timekeeper is gone, the program goes on in real
// time.
//
// Used by one thread at a time, as the recorder is. Where several call MPI at once, a thread that
// waits for an answer lets the others in. Threads are named by the numbers of their streams.
#pragma once

#include "record/handles/late_receives.hpp"
#include "record/live/live_thread.hpp"
#include "rondo/trace/live_wire.hpp"
#include "rondo/trace/trace.hpp"

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mpi.h>
#include <utility>
#include <vector>

namespace rondo::record {

class LiveLink {
public:
  using Times = LiveThread::Times;
  /// That lets other threads into the recorder, and keeps them out again.
  struct Doors {
    std::function<void()> open, close;
  };

  /// nullptr unless this is a live run and its timekeeper answers.
  /// @param wants_times  of every call, for the trace
  /// @param is_spawned   the rank is one of those that the run's ranks have started
  static std::unique_ptr<LiveLink> connect(std::int64_t rank, std::int64_t ranks, bool wants_times,
                                           bool is_spawned);
  ~LiveLink();
  LiveLink(const LiveLink&) = delete;
  LiveLink& operator=(const LiveLink&) = delete;

  /// Several threads call MPI at once.
  void has_threads(Doors doors) { doors_ = std::move(doors); }

  bool is_open() const { return socket_ >= 0; }

  /// What the calling thread has computed since rest() counts, until take_computing_ns(). If it
  /// slept meanwhile it waited for other threads, which the timekeeper is told.
  /// @param sleeps  how often it ever slept, where several threads call MPI
  /// @return  what it computed, not scaled, in nanoseconds
  std::uint64_t collect(std::uint32_t thread, std::uint64_t sleeps);
  /// What it did since collect() does not count.
  void rest(std::uint32_t thread);
  std::uint64_t take_computing_ns(std::uint32_t thread);
  /// The part of it that was said when the thread had slept.
  std::uint64_t take_said_computing_ns(std::uint32_t thread) {
    return std::exchange(of(thread).said_computing_ns, 0);
  }

  void say_new(const trace::Trace& definitions);
  void say_array(std::uint32_t thread, std::int64_t index, const std::vector<std::int64_t>& values);
  /// Arrays are numbered anew from here on.
  void forget_arrays(std::uint32_t thread) { of(thread).arrays_said = 1; }
  /// Definitions begin anew: all that there were have been said.
  void forget_definitions() { comms_said_ = groups_said_ = datatypes_said_ = 0; }
  void say_call(std::uint32_t thread, std::uint64_t computing_ns, const std::int64_t* event,
                std::size_t size);
  /// @param event  the call's words as far as they are known
  void enter(std::uint32_t thread, std::uint16_t function, const std::int64_t* event,
             std::size_t size);
  /// From a call that was said before it was made.
  void say_returned(std::uint32_t thread);
  /// Whether sends and collective operations are said before they are made.
  bool says_ahead() const { return says_ahead_; }
  /// Whether receives with wildcards take the message that the timekeeper says.
  bool orders_receives() const { return orders_receives_; }
  struct Question { // which message may this receive take?
    std::int64_t held_before = -1; // that are not MPI's yet; -1: it is the call itself
    std::int64_t comm = 0, source = 0, tag = 0;
  };
  struct Answer {
    enum class Kind : std::uint8_t { kMpiChooses, kNotYet, kMessage };
    Kind kind = Kind::kMpiChooses;
    std::size_t which = 0; // of the questions
    int source = 0, tag = 0;
  };
  /// Waits until that is known. @param tests  that have found nothing, with this one; 0: it waits
  Answer ask_which(std::int64_t tests, const std::vector<Question>& questions);
  void say_given_up(std::int64_t receives);
  /// Whether the message is there, or comes soon; if not, MPI chooses from there on.
  bool comes(int source, int tag, MPI_Comm comm);
  LateReceives& late() { return late_; }
  /// For MPI_Irecv: whether its message is to be chosen later.
  bool holds(int source) const {
    return orders_receives_ && source == MPI_ANY_SOURCE && socket_ >= 0 && !doors_.open;
  }
  /// Communicator, source and tag of a receive or probe; nothing of other calls.
  std::vector<std::int64_t> envelope(const std::int64_t* event, std::size_t size) const;
  /// Waits until it has said which; without a word from it, MPI chooses.
  /// @param source,tag  what the program gives, and then what the receive is to have
  void choose(std::uint16_t function, const std::int64_t* event, MPI_Comm comm, int& source,
              int& tag);
  void say_bye();

  // Processes that are started, see live_processes.cpp.
  struct Members { // of a communicator, by their ranks in the run; -1: not of the run
    std::vector<std::int64_t> local, remote;
    bool have_met = false; // in it, parents and those that they started
  };
  /// Waits until it is the rank's turn to start processes.
  void ask_leave(std::uint32_t thread, std::int64_t comm);
  void say_no_spawn();
  /// Waits for those that a call on this communicator has started. Empty if they do not come.
  std::vector<std::int64_t> children_of(std::uint32_t thread, std::int64_t comm);
  const std::vector<std::int64_t>& parents() const { return parents_; }
  /// Takes over the group.
  void meet(MPI_Group group, std::vector<std::int64_t> ranks) {
    relatives_.push_back({group, std::move(ranks)});
  }
  std::vector<std::int64_t> ranks_of(MPI_Group group, MPI_Group world) const;
  /// Says a communicator or group by these members once it is new.
  void name_members(std::int64_t comm, Members members) { members_[comm] = std::move(members); }
  void name_group(std::int64_t slot, std::vector<std::int64_t> ranks) {
    groups_[slot] = std::move(ranks);
  }
  /// The thread makes no more calls.
  void end_thread(std::uint32_t thread);
  /// Nothing more will be said; the program goes on in real time.
  void lose(const char* why);

  /// Times of a thread's calls in their order, as far as they have come.
  bool has_times(std::uint32_t thread) { return !of(thread).times.empty(); }
  Times take_times(std::uint32_t thread);
  void look_for_times();
  /// Waits until the end of the thread's last call is known, with the times of all up to it.
  void catch_up(std::uint32_t thread);

  /// Virtual time since MPI_Init, as a thread asks for it. @param sleeps  as for collect()
  std::uint64_t ask_ns(std::uint32_t thread, std::uint64_t sleeps);
  /// The same as far as it is known.
  std::uint64_t now_ns(std::uint32_t thread) const;

private:
  LiveLink(int socket, std::int64_t rank, bool wants_times);
  LiveThread& of(std::uint32_t thread);
  void say_sleep(std::uint32_t thread, std::uint64_t until_ns);
  void wait_for_answer(std::uint32_t thread);
  bool greet(const std::int64_t* token, std::int64_t ranks, bool is_spawned);
  std::vector<trace::RankRange> in_run(const std::vector<trace::RankRange>& ranges) const;
  void send_all();
  bool receive(int patience_ms);
  void take(const trace::live::Item& item);

  int socket_;
  std::int64_t rank_;
  bool wants_times_;
  bool is_welcome_ = false;
  bool orders_receives_ = false;
  bool says_ahead_ = false;
  double scale_ = 1;
  std::vector<bool> may_block_; // by function
  std::vector<bool> is_local_; // says nothing that other ranks wait for
  trace::live::Outbox outbox_;
  trace::live::Inbox inbox_;
  std::vector<std::unique_ptr<LiveThread>> threads_;
  Doors doors_;
  std::size_t comms_said_ = 0, groups_said_ = 0, datatypes_said_ = 0;
  std::uint64_t clock_cost_ns_ = 0; // of reading the CPU's clock
  std::vector<std::int64_t> chosen_; // the last answer, see kFrom
  LateReceives late_{*this};
  std::int64_t first_rank_ = 0; // of this MPI_COMM_WORLD in the run
  std::vector<std::int64_t> parents_; // of this rank's MPI_COMM_WORLD
  std::vector<std::int64_t> children_; // the last answer
  struct Relatives {
    MPI_Group group = MPI_GROUP_NULL;
    std::vector<std::int64_t> ranks;
  };
  std::vector<Relatives> relatives_;
  std::map<std::int64_t, Members> members_; // by slot
  std::map<std::int64_t, std::vector<std::int64_t>> groups_; // by slot
  std::uint64_t lost_ns_ = 0; // when the timekeeper was, in real time
};

} // namespace rondo::record
