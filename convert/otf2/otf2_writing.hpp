// SPDX-License-Identifier: Apache-2.0
// Writes one thread's calls as the events of an OTF2 location, as Score-P would have written them.
//
//   Otf2Export run(trace);
//   Otf2Events events(run, rank_class, rank, writer);
//   events.write();
#pragma once

#include "convert/calls/call_times.hpp"
#include "convert/calls/received_sizes.hpp"
#include "convert/calls/word_lookup.hpp"
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
#include <utility>
#include <vector>

namespace rondo::convert::internal {

/// What all locations of an archive have in common while it is written.
struct Otf2Export {
  Otf2Export(const trace::Trace& written, const Otf2OutOptions& window)
      : trace(written), options(window), comms(written), receives(written), sizes(written) {}

  const trace::Trace& trace;
  const Otf2OutOptions& options;
  trace::Communicators comms;
  trace::ResolvedReceives receives;
  ReceivedSizes sizes;
  std::map<std::string, OTF2_RegionRef> regions{}; // by function
  std::vector<OTF2_RegionRef> region_of{}; // the same by number of the function, where it is known
  struct Made { // a communicator that calls made
    OTF2_CommRef parent = OTF2_UNDEFINED_COMM;
    std::vector<std::int64_t> dims{}; // of a grid
    std::vector<std::int64_t> periods{};
  };
  std::map<OTF2_CommRef, Made> made{};
  Otf2Objects objects{};
  std::uint64_t last_ns = 0;
  std::uint64_t reconstructed = 0; // streams without stamps
  std::uint64_t outside = 0; // calls that the window leaves out
  std::map<std::string, std::uint64_t> unsaid{}; // what OTF2 has no record of -> times

  OTF2_RegionRef region(const trace::Function& function);
};

class Otf2Events {
public:
  /// All must outlive the object.
  Otf2Events(Otf2Export& run, const trace::RankClass& rank_class, std::int64_t rank,
             OTF2_EvtWriter* writer);

  /// All calls of the stream that are in the window.
  void write();

private:
  using Words = std::vector<std::int64_t>;
  using Names = std::initializer_list<std::string_view>;
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
  struct Pending { // request under way
    std::uint64_t id = 0; // 0: nothing to say of it
    bool is_send = false;
    std::optional<Receive> receive{};
    std::optional<Operation> operation{};
    std::optional<OTF2_RmaWinRef> window{};
    std::optional<Access> access{};
  };
  struct Slot {
    const trace::Function* function = nullptr;
    Words words;
    Pending active;
  };

  bool is_in_window() const;
  void records();
  void made(Pending&& pending);
  void say_comm(const trace::CallMeaning& means);
  void keep_matched(const trace::CallView& call);
  Pending take_matched(const trace::CallView& call, bool is_blocking);
  void say_receive(const Pending& pending, bool is_blocking);
  Pending transfer(const trace::Function& function, const Words& words, bool is_blocking);
  std::optional<Receive> receive_of(const trace::Function& function, const Words& words);
  std::optional<Operation> operation_of(const trace::Function& function, const Words& words);
  void fill_sizes(const trace::Function& function, const Words& words, std::uint64_t ranks,
                  Operation& operation) const;
  std::uint64_t list_bytes(const trace::Function& function, const Words& words,
                           std::string_view counts, std::string_view type) const;
  void start(std::int64_t reference);
  void complete(const trace::CallView& call);
  void complete_one(std::int64_t reference);
  void test_one(std::int64_t reference);
  Pending* pending(std::int64_t reference);
  std::int64_t word(const trace::Function& function, const Words& words, Names names) const;
  std::uint64_t bytes(std::int64_t count, std::int64_t type) const;
  std::uint64_t part_bytes(const trace::Function& function, const Words& words, Names count,
                           Names type) const;
  std::vector<std::int64_t> array(std::int64_t index) const;
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
  std::int64_t rank_;
  OTF2_EvtWriter* writer_;
  trace::CallReader reader_;
  CallTimes times_;
  mutable WordLookup known_words_; // answers do not change
  const trace::CallInstance* call_ = nullptr;
  std::uint64_t calls_ = 0;
  bool writes_ = true; // this call; requests of others are followed all the same
  std::uint64_t begin_ns_ = 0;
  std::uint64_t end_ns_ = 0;
  std::unordered_map<std::int64_t, std::uint64_t> type_sizes_;
  std::uint32_t thread_;
  trace::EnvelopeReader envelopes_;
  std::unordered_map<std::uint64_t, Pending> open_; // by number
  std::unordered_map<std::int64_t, Receive> matched_; // by the message's word
  trace::PersistentSlots<Slot> slots_;
  std::uint64_t made_ = 0;
  std::uint64_t ids_ = 0;
  std::unordered_map<std::int64_t, Window> windows_; // by slot
  std::unordered_map<OTF2_CommRef, std::uint64_t> windows_made_;
  std::unordered_map<std::int64_t, File> files_; // by slot
  std::unordered_map<OTF2_CommRef, std::uint64_t> files_opened_;
};

} // namespace rondo::convert::internal
