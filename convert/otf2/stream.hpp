// SPDX-License-Identifier: Apache-2.0
// Folds the events of one OTF2 location into its program. A region of an MPI function is a call;
// the records inside of it say its words. A receive that does not block is held back, and what
// comes after it, until the record of its message was read, which stands where it was completed.
//
//   Otf2Stream stream(run, place);
//   stream.enter(region, tick);
//   stream.message({...});
//   stream.leave(tick);
//   fold::RecordingPart part = stream.finish();
#pragma once

#include "convert/calls/object_slots.hpp"
#include "convert/otf2/call_paths.hpp"
#include "convert/otf2/layout.hpp"
#include "convert/otf2/object_records.hpp"

#include <array>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <unordered_map>
#include <vector>

namespace rondo::convert::internal {

/// What the archive leaves open and what was left out, over all locations.
struct Otf2Counts {
  std::uint64_t no_receiver = 0; // sends without a record
  std::uint64_t no_sender = 0; // receives without a record
  std::uint64_t null_peers = 0;
  std::uint64_t unfinished = 0; // receives that never end
  std::uint64_t unheard_requests = 0; // completed, but made by no call that is there
  std::uint64_t guessed_requests = 0;
  std::uint64_t open_tests = 0;
  std::uint64_t stray = 0; // messages in calls of other functions, or outside of calls
  std::uint64_t operations = 0; // reductions
  std::uint64_t lists = 0;
  std::uint64_t silent_collectives = 0; // without a record
  std::uint64_t worldwide_collectives = 0; // likewise, and the archive has no communicators
  std::uint64_t unknown_comms = 0;
  std::uint64_t quiet_regions = 0; // that no MPI call stands in
  std::uint64_t flushes = 0;
  std::uint64_t endless = 0;
  std::uint64_t unfinished_ranks = 0;
  std::uint64_t added_ends = 0; // ranks
  std::map<std::string, std::uint64_t> left_out; // calls by name
  std::map<std::string, std::uint64_t> silent; // calls without a record of their message, by name
  std::map<std::string, std::uint64_t> telling; // locations with one that has it, by name

  static constexpr auto members() {
    using Counts = Otf2Counts;
    return std::array{&Counts::no_receiver,
                      &Counts::no_sender,
                      &Counts::null_peers,
                      &Counts::unfinished,
                      &Counts::unheard_requests,
                      &Counts::guessed_requests,
                      &Counts::open_tests,
                      &Counts::stray,
                      &Counts::operations,
                      &Counts::lists,
                      &Counts::silent_collectives,
                      &Counts::worldwide_collectives,
                      &Counts::unknown_comms,
                      &Counts::quiet_regions,
                      &Counts::flushes,
                      &Counts::endless,
                      &Counts::unfinished_ranks,
                      &Counts::added_ends};
  }
  static constexpr auto by_name() {
    return std::array{&Otf2Counts::left_out, &Otf2Counts::telling, &Otf2Counts::silent};
  }
  std::vector<Remark> remarks() const; // none with count 0
};

/// A size as a word; unknown if it cannot be one.
inline std::int64_t size_word(std::uint64_t bytes) {
  return bytes >> 62 == 0 ? static_cast<std::int64_t>(bytes) : trace::kNothing;
}

struct Otf2Message {
  enum class Kind : std::uint8_t { kSend, kIsend, kReceive, kIreceive } kind = Kind::kSend;
  std::int64_t peer = 0; // in the communicator
  OTF2_CommRef comm = 0;
  std::int64_t tag = 0;
  std::int64_t bytes = 0;
  std::uint64_t request = 0; // kIsend, kIreceive
};

struct Otf2Collective {
  OTF2_CommRef comm = 0;
  std::uint32_t root = 0;
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
};

/// What all streams of a range of ranks share.
struct Otf2Run {
  const Otf2Definitions& definitions;
  const Otf2Layout& layout;
  const ImportOptions& options;
  Otf2Counts& counts;
  std::string command; // of the first rank that says one
  std::uint64_t last_tick = 0; // of all events
};

class Otf2Stream {
public:
  Otf2Stream(Otf2Run& run, std::size_t rank, std::uint32_t thread, CallPaths& paths);
  Otf2Stream(const Otf2Stream&) = delete;
  Otf2Stream& operator=(const Otf2Stream&) = delete;

  void enter(OTF2_RegionRef region, std::uint64_t tick);
  void leave(std::uint64_t tick);
  void flushed(std::uint64_t tick, std::uint64_t stop_tick);
  void saw(std::uint64_t tick); // an event of any kind

  void message(const Otf2Message& message, std::uint64_t tick); // but kIreceive
  void makes_request(std::uint64_t request, std::uint64_t tick); // a receive or collective one
  void received(const Otf2Message& message, std::uint64_t tick); // kIreceive
  void completes(std::uint64_t request);
  void tests(std::uint64_t request);
  void collective(const Otf2Collective& operation);
  void collective_done(const Otf2Collective& operation, std::uint64_t request);
  void makes_comm(OTF2_CommRef comm);
  // stream_objects.cpp; false if the record is on none of MPI's windows and files
  bool on_window(const Otf2WindowRecord& said);
  bool transfer_ended(OTF2_RmaWinRef window, std::uint64_t transfer, bool is_remote);
  bool on_file(const Otf2FileRecord& said);
  bool access_ended(OTF2_IoHandleRef handle, std::uint64_t operation);

  bool has_calls() const { return made_calls_ > 0; }
  /// The run's span stays open: it is that of all ranks.
  fold::RecordingPart finish(std::vector<trace::CallSite> sites);

private:
  struct Open { // the call under way
    const Otf2Region* region = nullptr;
    std::uint64_t begin_ns = 0;
    std::uint64_t computation_ns = 0;
    std::uint32_t site = 0;
    std::uint64_t nested = 0; // MPI functions that it called itself
    std::vector<Otf2Message> messages{};
    std::vector<std::uint64_t> made{}; // requests without a message yet
    std::vector<std::int64_t> done{}; // words of requests
    std::vector<std::int64_t> tested{};
    std::optional<Otf2Collective> collective{};
    std::optional<OTF2_CommRef> new_comm{};
    std::optional<Otf2WindowRecord> window{};
    std::optional<Otf2FileRecord> file{};

    void clear() { // but for the memory of its lists, which the next call has use for
      region = nullptr;
      nested = 0;
      messages.clear();
      made.clear();
      done.clear();
      tested.clear();
      collective.reset();
      new_comm.reset();
      window.reset();
      file.reset();
    }
  };
  struct Held {
    const CallForm* form = nullptr;
    CallWords words;
    CallSpan span{};
    bool is_open = false; // waits for a message, or for the end of a collective operation
  };
  struct Request {
    std::uint64_t number = 0; // from 1, of those that this stream made
    std::uint64_t call = 0; // number of the held call, from 0
  };

  std::uint64_t time(std::uint64_t tick) const;
  void begin_call(const Otf2Region& region, std::uint64_t time_ns);
  void end_call(std::uint64_t time_ns);
  void end_in_call(std::uint64_t end_ns);
  bool add_call(const CallForm& form, Open& open, CallSpan span);
  void add_strays(Open& open, CallSpan span);
  void add_end(const CallForm& form);
  void take_stray(Open open, std::uint64_t tick);
  void hold(const CallForm& form, CallWords& words, const CallSpan& span,
            std::optional<std::uint64_t> request, bool is_open);
  std::int64_t take_request(std::uint64_t request);
  void release();

  // stream_words.cpp
  bool fill_messages(const CallForm& form, Open& open, CallWords& words,
                     std::optional<std::uint64_t>& request);
  void note_record(const CallForm& form, bool has_record);
  std::int64_t peer_of(const Otf2Message& message);
  void fill_send(const CallForm& form, const Otf2Message& message, CallWords& words);
  void fill_receive(const CallForm& form, const Otf2Message& message, CallWords& words);
  void fill_collective(const CallForm& form, const Otf2Collective& operation, CallWords& words);
  void fill_completion(const CallForm& form, Open& open, CallWords& words);
  void fill_new_comm(const CallForm& form, OTF2_CommRef made, CallWords& words);
  std::vector<std::int64_t> guess(const CallForm& form, std::size_t known);
  std::int64_t slot_of(OTF2_CommRef comm);

  // stream_objects.cpp
  bool fill_object(const CallForm& form, Open& open, CallWords& words,
                   std::optional<std::uint64_t>& request);
  void fill_window(const CallForm& form, const Otf2WindowRecord& said, CallWords& words);
  void fill_file(const CallForm& form, const Otf2FileRecord& said, CallWords& words);
  std::int64_t group_slot(OTF2_GroupRef ref);

  Otf2Run& run_;
  std::size_t rank_;
  std::uint32_t thread_;
  CallPaths& paths_;
  bool adds_ends_; // MPI_Init and MPI_Finalize, which the tool does not record
  RankProgram program_;
  std::vector<CallPaths::Frame> stack_;
  std::uint64_t too_deep_ = 0; // frames beyond what is kept

  std::uint64_t last_tick_ = 0;
  std::uint64_t free_ns_ = 0; // end of the call before
  std::uint64_t computation_ns_ = 0; // since then, of pieces that have ended
  bool has_begun_ = false;
  Open call_;
  Open* open_ = nullptr; // the call, if one is under way
  CallWords words_{CallForm{}}; // of the call that is put together
  std::vector<bool> telling_; // by function: a call of it had a record of its message
  std::deque<Held> held_;
  std::uint64_t released_ = 0; // calls
  std::uint64_t made_calls_ = 0;
  std::unordered_map<std::uint64_t, Request> requests_; // open, by the archive's number
  std::deque<std::uint64_t> silent_; // numbers of those that the archive has no number of
  std::uint64_t made_ = 0; // requests
  ObjectSlots windows_;
  ObjectSlots files_;
  std::unordered_map<std::uint64_t, std::uint32_t> targets_; // of transfers under way
  std::unordered_map<OTF2_GroupRef, std::int64_t> group_slots_; // that calls named
  std::vector<trace::GroupDefinition> groups_;
};

} // namespace rondo::convert::internal
