// SPDX-License-Identifier: Apache-2.0
// Writes one thread's calls as the events of an OTF2 location, as Score-P would have written them.
//
//   Otf2Export run(trace, options);
//   findings.add(Otf2Events(run, rank_class, rank, writer).write());
#pragma once

#include "convert/calls/call_times.hpp"
#include "convert/calls/numbered_requests.hpp"
#include "convert/calls/received_sizes.hpp"
#include "convert/otf2/file_modes.hpp"
#include "convert/otf2/otf2_objects.hpp"
#include "rondo/convert/otf2.hpp"
#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/call_reader.hpp"
#include "rondo/trace/communicators.hpp"
#include "rondo/trace/persistent_slots.hpp"
#include "rondo/trace/resolved_receives.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <otf2/otf2.h>
#include <string>
#include <string_view>
#include <unordered_map>
#include <variant>
#include <vector>

namespace rondo::convert::internal {

/// What all locations of an archive have in common while they are written, side by side where the
/// run has neither windows nor files: nothing of it changes then.
struct Otf2Export {
  Otf2Export(const trace::Trace& written, const Otf2OutOptions& window);

  const trace::Trace& trace;
  const Otf2OutOptions& options;
  trace::Communicators comms;
  trace::ResolvedReceives receives;
  ReceivedSizes sizes;
  std::vector<std::string> regions{}; // names, by number
  std::vector<OTF2_RegionRef> region_of{}; // by number of the function
  bool has_objects = false; // windows or files
  Otf2Objects objects{};
};

/// What was found while a location was written.
struct Otf2Findings {
  struct Made { // a communicator that calls made
    OTF2_CommRef parent = OTF2_UNDEFINED_COMM;
    std::vector<std::int64_t> dims{}; // of a grid
    std::vector<std::int64_t> periods{};
  };
  std::map<OTF2_CommRef, Made> made{};
  std::uint64_t last_ns = 0;
  std::uint64_t events = 0;
  std::uint64_t reconstructed = 0; // streams without stamps
  std::uint64_t outside = 0; // calls that the window leaves out
  std::map<std::string, std::uint64_t> unsaid{}; // what OTF2 has no record of -> times

  void add(const Otf2Findings& later);
};

class Otf2Events {
public:
  /// All must outlive the object.
  Otf2Events(Otf2Export& run, const trace::RankClass& rank_class, std::int64_t rank,
             OTF2_EvtWriter* writer);

  /// All calls of the stream that are in the window. Once.
  Otf2Findings write();

private:
  using Words = std::vector<std::int64_t>;
  struct Receive {
    std::uint32_t source = 0;
    OTF2_CommRef comm = 0;
    std::uint32_t tag = 0;
    std::uint64_t bytes = 0;
  };
  struct Operation {
    OTF2_CollectiveOp op = OTF2_COLLECTIVE_OP_BARRIER;
    OTF2_CommRef comm = 0;
    std::uint32_t root = OTF2_COLLECTIVE_ROOT_NONE;
    std::uint64_t sent = 0;
    std::uint64_t received = 0;
  };
  struct Access { // to a file
    std::uint64_t id = 0; // 0: none
    OTF2_IoHandleRef handle = OTF2_UNDEFINED_IO_HANDLE;
    std::uint64_t bytes = 0;
  };
  struct File {
    OTF2_IoHandleRef ref = OTF2_UNDEFINED_IO_HANDLE;
    Access begun{}; // by a call whose end is another call
  };
  struct Transfer { // of one-sided communication
    std::uint64_t id = 0;
    std::uint32_t target = 0;
  };
  struct Window {
    OTF2_RmaWinRef ref = OTF2_UNDEFINED_RMA_WIN;
    std::vector<Transfer> transfers{}; // that may still be under way at their targets
    OTF2_GroupRef group = OTF2_UNDEFINED_GROUP; // of the last MPI_Win_start or MPI_Win_post
  };
  /// What the words of a transfer or collective operation say; words alike say the same.
  struct Exchange {
    bool is_collective = false;
    std::optional<Operation> operation{}; // nothing: OTF2 has no record of it
    bool sends = false;
    std::uint32_t dest = 0;
    OTF2_CommRef comm = 0;
    std::uint32_t tag = 0;
    std::uint64_t bytes = 0;
    bool receives = false;
    bool receives_unknown = false; // from a rank that nobody knows
    Receive receive{}; // as it was asked for
    std::int64_t sender = -1; // rank of the run
    std::int64_t received_tag = 0;
    bool is_wild = false;
    const trace::Communicators::View* view = nullptr;
  };
  struct Known { // of the calls with one symbol
    Words words; // of the last one
    Exchange exchange;
  };
  struct Nothing {};
  struct Send {};
  struct Unreceived {}; // a receive that gets no message, as far as is known
  struct OneSided {
    OTF2_RmaWinRef window = OTF2_UNDEFINED_RMA_WIN;
  };
  struct Pending { // request under way
    std::uint64_t id = 0; // 0: nothing to say of it
    std::variant<Nothing, Send, Receive, Unreceived, Operation, OneSided, Access> what{};
  };
  struct Slot {
    Exchange exchange;
    std::string_view function;
    Pending active;
  };

  bool is_in_window() const;
  void records();
  void made(const Pending& pending);
  void say_comm(const trace::CallMeaning& means);
  void keep_matched(const trace::CallView& call);
  Pending take_matched(const trace::CallView& call, bool is_blocking);
  void say_receive(const Receive& from, std::uint64_t id, bool is_blocking);
  void say_end(const Pending& request);
  const Exchange& exchange_of(const trace::CallView& call);
  Exchange read_exchange(const trace::CallView& call) const;
  Pending exchange(const Exchange& said, std::string_view function, bool is_blocking);
  std::optional<Receive> received(const Exchange& said);
  std::optional<Operation> operation_of(const trace::CallView& call) const;
  void fill_sizes(const trace::CallView& call, const trace::Communicators::View& view,
                  Operation& operation) const;
  std::uint64_t list_bytes(std::int64_t counts, std::int64_t type) const;
  void start(std::int64_t reference);
  void forget(std::int64_t reference);
  void complete(const trace::CallView& call);
  void complete_one(std::int64_t reference);
  void test_one(std::int64_t reference);
  Pending* pending(std::int64_t reference);
  std::int64_t argument(std::string_view name) const; // that few functions have
  std::uint64_t bytes(std::int64_t count, std::int64_t type) const;
  const std::vector<std::int64_t>& array(std::int64_t index) const;
  void unsaid(std::string_view function);
  void unsaid(); // but for the call's region

  // otf2_windows.cpp
  void make_window(const trace::CallView& call);
  void window_call(const trace::CallView& call);
  void end_on_all(const Window& window, OTF2_CollectiveOp operation);
  void end_transfers(Window& window, std::int64_t target);
  void sync_group(Window& window, std::int64_t slot);
  OTF2_GroupRef group_of(std::int64_t slot);
  void lock(const Window& window, std::int64_t target);
  void flush(Window& window, std::int64_t target);
  void start_transfer(Window& window, const trace::CallView& call, std::int64_t target);
  static std::uint32_t target_word(std::int64_t target);

  // otf2_files.cpp
  void file_call(const trace::CallView& call);
  void open_file(const trace::CallView& call);
  void access_file(const trace::CallView& call);
  void seek(const File& file, OTF2_IoSeekOption whence);

  Otf2Export& run_;
  Otf2Findings found_;
  std::int64_t rank_;
  OTF2_EvtWriter* writer_;
  trace::CallReader reader_;
  CallTimes times_;
  const trace::CallInstance* call_ = nullptr;
  std::uint64_t calls_ = 0;
  bool writes_ = true; // this call; requests of others are followed all the same
  std::uint64_t begin_ns_ = 0;
  std::uint64_t end_ns_ = 0;
  std::unordered_map<std::int64_t, std::uint64_t> type_sizes_;
  std::uint32_t thread_;
  bool may_cancel_; // so that each receive must be looked up
  trace::EnvelopeReader envelopes_;
  std::vector<Known> known_; // by symbol
  NumberedRequests<Pending> open_;
  std::unordered_map<std::int64_t, Receive> matched_; // by the message's word
  trace::PersistentSlots<Slot> slots_;
  std::uint64_t ids_ = 0;
  std::unordered_map<std::int64_t, Window> windows_; // by slot
  std::unordered_map<OTF2_CommRef, std::uint64_t> windows_made_;
  std::unordered_map<std::int64_t, File> files_; // by slot
  std::unordered_map<OTF2_CommRef, std::uint64_t> files_opened_;
};

} // namespace rondo::convert::internal
