// SPDX-License-Identifier: Apache-2.0
// Writes one rank's calls as the actions of a time-independent trace, call by call.
//
//   Export run(trace, flops_per_second);
//   RankActions actions(run, *trace.class_of(rank), rank);
//   while (actions.next(text)) ...
//
// What no action says is counted in Export::refused; then the lines are worth nothing.
#pragma once

#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/call_reader.hpp"
#include "rondo/trace/collective_part.hpp"
#include "rondo/trace/communicators.hpp"
#include "rondo/trace/computation.hpp"
#include "rondo/trace/persistent_slots.hpp"
#include "rondo/trace/resolved_receives.hpp"

#include <cstdint>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace rondo::convert::internal {

constexpr std::int64_t kMostInt = std::numeric_limits<std::int32_t>::max(); // what SimGrid reads

struct Refusal {
  std::uint64_t times = 0;
  std::string_view lowered_as{}; // if it may be approximated; empty if not
};

/// What all ranks of a trace have in common while it is written.
struct Export {
  Export(const trace::Trace& written, double speed, bool lowers)
      : trace(written), comms(written), receives(written), flops_per_second(speed),
        approximates(lowers) {}

  const trace::Trace& trace;
  trace::Communicators comms;
  trace::MeanScales scales{};
  trace::ResolvedReceives receives;
  double flops_per_second;
  bool approximates; // calls that no action says become others
  /// Added to the tags of each communicator's messages, as actions know no communicators. Filled in
  /// by spread_tags() once all calls have been seen.
  std::map<std::uint32_t, std::int64_t> tag_offsets{};
  std::int64_t highest_tag = 0;
  bool has_steps = false; // messages of collective operations, with the tag behind the highest
  std::map<std::string, Refusal> refused{}; // by call and why
  std::map<std::string, std::uint64_t> lowered{}; // call and what it became -> times
  std::map<std::string, std::uint64_t> left_out{}; // calls that cost nothing in a replay

  void spread_tags();
};

class RankActions {
public:
  /// All must outlive the object.
  RankActions(Export& run, const trace::RankClass& rank_class, std::int64_t rank);

  /// Appends the lines of the next call, if it has any; false at the end.
  bool next(std::string& out);

private:
  using Words = std::vector<std::int64_t>;
  struct Key { // by which an action names a request
    std::int64_t source = 0, dest = 0, tag = 0;
    std::uint64_t operation = 0; // or the number of a collective operation that is yet to be played
    friend bool operator==(const Key&, const Key&) = default;
  };
  using Keys = std::vector<Key>; // of one request
  struct Slot {
    const trace::Function* function = nullptr;
    Words words;
    Keys active;
  };
  struct Amount {
    std::int64_t count = 0;
    int type = 0; // SimGrid's number
  };
  struct Operation { // collective, as messages
    std::uint32_t comm = 0;
    std::vector<trace::CollectiveStep> steps;
  };
  struct Type {
    std::int64_t size_bytes = 0;
    int number = -1; // SimGrid's, -1 if it has none
  };

  void call();
  void transfer(const trace::Function& function, const Words& words, Slot* slot);
  std::optional<Key> receive_key(const trace::Function& function, const Words& words);
  std::optional<Key> send_key(const trace::Function& function, const Words& words);
  std::int64_t tag_on(std::int64_t comm, std::int64_t tag);
  void post(std::string_view action, std::int64_t peer, const Key& key, Amount amount);
  void make_slot();
  void start(std::int64_t reference);
  Keys* keys_of(std::int64_t reference);
  void complete();
  void probe(const trace::CallView& call);
  void communicator();
  Keys take(std::int64_t reference);
  void complete_one(std::int64_t reference);
  void complete_all(std::span<const std::int64_t> references);
  void wait(const Key& key);
  void free_request(std::int64_t reference);
  void add_empty_request();

  // collective_actions.cpp
  void collective();
  void rooted(std::string_view action);
  void listed();
  Amount list_of(int word, int type_word, std::vector<std::int64_t>& counts);
  void put(std::string_view action, std::initializer_list<std::int64_t> arguments);

  // lowered_actions.cpp
  /// Whether a call is to become another; else it is refused.
  bool lowers(std::string_view why, std::string_view as);
  void lower_collective(const trace::Function& function, const Words& words, Slot* slot);
  void play_until(std::uint64_t number);
  void play_all(std::uint32_t comm);
  void play(const Operation& operation);

  void line(std::string_view action);
  void argument(std::int64_t value);
  void refuse(std::string_view why);
  Type type_of(std::int64_t word);
  Amount amount(std::int64_t count, std::int64_t type);
  std::span<const std::int64_t> array(std::int64_t index) const;
  std::int64_t word(std::string_view field) const;

  Export& run_;
  std::int64_t rank_;
  trace::EnvelopeReader envelopes_;
  trace::CallReader reader_;
  trace::Computation computation_;
  const trace::CallInstance* call_ = nullptr;
  std::uint64_t calls_ = 0;
  double flops_ = 0; // computed since the last line
  std::string* out_ = nullptr;
  std::unordered_map<std::int64_t, Type> types_;
  std::uint64_t made_ = 0; // requests that have ages
  std::uint64_t first_open_ = 1; // number of open_'s first
  std::deque<std::optional<Keys>> open_; // empty: completed
  trace::PersistentSlots<Slot> slots_;
  std::map<std::uint64_t, Operation> operations_; // started and not played yet, by number
  std::uint64_t started_ = 0;
  std::size_t open_keys_ = 0; // that a waitall of SimGrid's would wait for
};

} // namespace rondo::convert::internal
