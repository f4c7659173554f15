// SPDX-License-Identifier: Apache-2.0
// Reads one stream of calls as what it posts: sends, receives and collectives, each in its order.
#pragma once

#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/call_reader.hpp"
#include "rondo/trace/communicators.hpp"
#include "rondo/trace/persistent_slots.hpp"
#include "trace/messages/posting_queue.hpp"

#include <array>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rondo::trace::internal {

class PostedCalls;

/// The requests of one rank that something must still be learnt of. Shared by its threads: one may
/// complete what another one posted, and be read before it.
class OpenRequests {
public:
  struct Key {
    std::uint32_t thread = 0;
    bool is_slot = false;
    std::uint64_t number = 0; // the slot, or how many requests the thread had made with it
    friend auto operator<=>(const Key&, const Key&) = default;
  };
  struct Entry {
    Posted* posted = nullptr;
    PostedCalls* owner = nullptr;
    PostingQueue* queue = nullptr;
    bool is_cancelled = false;
  };

  bool empty() const { return open_.empty(); }
  void add(const Key& key, const Entry& entry);
  void complete(const Key& key, const StatusWords& outcome, bool is_foreign);
  void cancel(const Key& key);
  /// It was cancelled by another thread, of which nobody knows when.
  void foresee_cancel(const Key& key) { foreseen_.insert(key); }
  bool foresees_cancels() const { return !foreseen_.empty(); }
  /// Nobody will ask what becomes of it. A receive that was cancelled gets no message, as far as
  /// anybody knows.
  void give_up(const Key& key);

private:
  static void settle(const Entry& entry, const StatusWords& outcome);

  std::map<Key, Entry> open_;
  std::vector<std::map<Key, Entry>::node_type> spare_; // of requests that have completed
  std::map<Key, std::deque<StatusWords>> early_; // completed by a thread that was read first
  std::set<Key> foreseen_; // to be cancelled
};

/// What was not posted, in numbers.
struct PostLosses {
  std::uint64_t cancelled = 0;
  std::uint64_t unknown_peers = 0;
  std::uint64_t unknown_requests = 0;
};

/// Tells the rank's requests which of them this thread cancels for others. Persistent ones are left
/// out, as these are started more than once.
/// @complexity O(calls)
void foresee_cancels(const Trace& trace, const RankClass& rank_class, std::int64_t rank,
                     OpenRequests& open);

class PostedCalls {
public:
  /// All must outlive the object.
  PostedCalls(const Trace& trace, const RankClass& rank_class, std::int64_t rank,
              const Communicators& comms, OpenRequests& open, PostSink& sink);

  /// Reads one call; false at the end of the stream.
  bool step();
  /// At the end of all streams: requests that were never completed are known to be what they are.
  void close();
  /// Posts from the front of a queue what is known.
  void drain(PostingQueue& queue);
  void drain_all();
  /// What found no channel: receives of unknown source.
  template <class Visit> void for_each_held(Visit visit) const {
    for (const auto& [key, queue] : queues_) {
      for (const Posted& post : queue) visit(post);
    }
  }

  std::int64_t rank() const { return reader_.rank(); }
  const PostLosses& losses() const { return losses_; }

private:
  friend class OpenRequests;

  struct Request { // made once, started often
    const CallMeaning* means = nullptr;
    const Function* function = nullptr;
    std::vector<std::int64_t> words;
    std::uint32_t line = 0;
  };
  struct ChannelWords {
    std::int64_t comm = 0, peer = 0, tag = 0;
    std::uint32_t side = 0; // 0 receive, 1 send; 2 * line added
    bool is_send() const { return side % 2 == 1; }
    friend bool operator==(const ChannelWords&, const ChannelWords&) = default;
  };
  struct HashChannelWords {
    std::size_t operator()(const ChannelWords& words) const;
  };
  struct Target { // what the words of a channel mean
    ChannelWords words;
    std::uint32_t comm = Communicators::kUnknown;
    std::uint32_t channel = kNoChannel;
    std::int64_t peer = -1;
  };

  using QueueKey = std::pair<std::int64_t, std::int64_t>; // communicator and side, tag
  struct LastQueue {
    QueueKey key;
    PostingQueue* queue = nullptr;
  };
  static constexpr std::size_t kLastTargets = 4; // a power of two
  struct LastUsed { // by a call of the program, and most often used by it again
    std::array<Target, kLastTargets> targets; // by hash
    std::size_t newest = 0; // of those
    std::array<LastQueue, 2> queues; // by side
    std::int64_t type = kNothing;
    std::uint64_t type_bytes = 0;
  };

  using Key = std::optional<OpenRequests::Key>;

  void transfer(const CallView& call, const Key& key, std::uint32_t line, std::uint32_t symbol);
  void send(const CallView& call, const Key& key, std::uint32_t line, std::uint32_t symbol);
  void receive(const CallView& call, const Key& key, std::uint32_t line, std::uint32_t symbol);
  void matched_probe(const CallView& call, std::uint32_t symbol);
  void collective(const CallView& call, std::uint16_t function, std::uint32_t line,
                  std::uint32_t symbol);
  void act(const CallView& call, const CallInstance& instance);
  void make_request(const CallView& call, const CallInstance& instance);
  void start_all(const CallView& call, std::uint32_t symbol);
  void start(std::int64_t reference, std::uint32_t symbol);
  void complete(const CallView& call);
  void complete_array(const CallView& call);
  void complete_one(std::int64_t reference, const StatusWords& outcome);
  void free_request(std::int64_t reference);

  Posted posted(bool is_send, const Target& target, std::uint32_t symbol) const;
  LastUsed& last_of(std::uint32_t symbol) { return last_used_[last_used_by_[symbol]]; }
  const Target& target_of(const ChannelWords& words, std::uint32_t symbol);
  Target new_target(const ChannelWords& words);
  std::uint64_t bytes_of(const CallView& call, std::uint32_t symbol);
  void put(Posted& post, const Key& key);
  void resolve(Posted& post, const StatusWords& outcome);
  OpenRequests::Key key_of(std::int64_t reference) const;
  PostingQueue& queue_of(const Posted& post);
  const std::vector<std::int64_t>& array_of(std::int64_t word) const;
  std::uint32_t line_of(const CallView& call);

  CallReader reader_;
  const Communicators* comms_;
  OpenRequests* open_;
  PostSink* sink_;
  std::uint32_t thread_;
  bool is_single_threaded_;
  bool may_cancel_ = false; // so outcomes of requests are waited for
  bool has_any_tag_ = false;
  std::uint64_t calls_ = 0;
  std::uint64_t made_ = 0; // requests that have ages
  PersistentSlots<Request> slots_;
  std::unordered_map<ChannelWords, Target, HashChannelWords> targets_;
  std::vector<const CallMeaning*> meanings_; // by symbol
  std::vector<std::uint32_t> last_used_by_; // symbol -> index
  std::vector<LastUsed> last_used_; // of calls that send, receive or start
  std::unordered_map<std::int64_t, std::uint64_t> type_bytes_;
  std::map<QueueKey, PostingQueue> queues_;
  std::size_t held_ = 0; // in all queues
  std::map<std::array<std::int64_t, 4>, std::uint32_t> lines_;
  PostLosses losses_;
};

} // namespace rondo::trace::internal
