// SPDX-License-Identifier: Apache-2.0
// Messages under way: channels on which sends meet receives, and when their bytes are where.
#pragma once

#include "rondo/simulate/network_model.hpp"
#include "rondo/simulate/observer.hpp"
#include "rondo/simulate/run_graph.hpp"
#include "simulate/models/carrier.hpp"

#include <cstdint>
#include <deque>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rondo::simulate::internal {

class Activity;
class ScheduleBuilder;

/// Who came to something, and when.
struct Coming {
  double at_s = 0;
  std::int64_t rank = -1;
  std::uint32_t actor = 0; // its program
};

/// Something that an activity waits for.
struct Request {
  enum class Kind : std::uint8_t {
    kReceive,
    kSend,
    kTimed, // is over at a time, whoever brings that about
    kProbe,
  };
  Kind kind = Kind::kTimed;
  bool is_done = false; // its times are known
  bool is_given_up = false; // nobody waits for it, but it may still be met
  bool is_released = false; // nobody will ask: goes back when done
  bool may_be_let_go = false; // before the last has come: whether it waits, recorded times tell
  double posted = 0;
  double finish = 0; // of receives: the first byte's arrival
  std::uint64_t bytes = 0;
  double other_start = 0; // when the other side came to it
  std::int64_t other_rank = -1;
  double cause_time = 0; // what happened last before it could go on, and where
  std::uint32_t cause = 0;
  std::uint32_t owner = 0; // activity
  std::uint32_t owner_actor = 0; // whose program that is
  std::uint32_t other_actor = 0; // the other side's
  std::int64_t owner_rank = 0;
  RunGraph::Point point = 0; // where it was posted, if the run's graph is kept
  RunGraph::Point other_point = 0; // what it waits for
  Activity* waiter = nullptr;
  Request* next = nullptr; // in its queue
};

struct Message {
  double start = 0;
  double first_byte = 0; // of eager ones: arrival; of others: arrival of the question
  std::uint64_t bytes = 0;
  std::int64_t sender = 0;
  std::uint32_t activity = 0; // of the sender
  Coming last; // the sender, or who came last of those whose message it passes on
  Request* request = nullptr; // of a rendezvous: the sender's
  Shipment* shipment = nullptr; // eager, with a carrier
  std::uint64_t order = 0; // among those of its sender
  RunGraph::Point point = 0; // of its sender
  Message* next = nullptr; // in its queue
};

/// A message of the program that nobody has received yet.
struct PendingMessage {
  std::int64_t sender = 0; // world rank
  std::int64_t tag = 0;
  double arrival = 0; // of its first byte, or of the question
  std::uint64_t order = 0; // among those of its sender
};

/// First in, first out, of items that name the next one and are in one queue at a time. Most have
/// one at most, of very many, so it takes no memory apart from the items.
template <class T> class Queue {
public:
  bool empty() const { return first_ == nullptr; }
  T& front() const { return *first_; }
  void push(T& item) {
    item.next = nullptr;
    (first_ == nullptr ? first_ : last_->next) = &item;
    last_ = &item;
  }
  T& pop() { return *std::exchange(first_, first_->next); }
  /// @return whether it was there
  bool remove(const T& item) {
    T* before = nullptr;
    for (T* each = first_; each != nullptr; before = std::exchange(each, each->next)) {
      if (each != &item) continue;
      (before == nullptr ? first_ : before->next) = each->next;
      if (each == last_) last_ = before;
      return true;
    }
    return false;
  }
  template <class Change> void for_each(Change change) const {
    for (T* each = first_; each != nullptr; each = each->next) change(*each);
  }

private:
  T* first_ = nullptr;
  T* last_ = nullptr; // unless it is empty
};

/// One direction of a rank's connection to the network.
class Port {
public:
  /// The first moment from `time` on when it is free; it is busy for `length` then. What fits
  /// before the last busy period, behind what was there already, does not disturb it.
  double take(double time, double length) {
    const double early = time > gap_from_ ? time : gap_from_;
    if (early + length <= busy_from_) {
      gap_from_ = early + length;
      return early;
    }
    if (time > free_) {
      gap_from_ = free_;
      busy_from_ = time;
    }
    const double start = time > free_ ? time : free_;
    free_ = start + length;
    return start;
  }

private:
  double gap_from_ = 0; // where the gap before the last busy period begins
  double busy_from_ = 0;
  double free_ = 0;
};

struct ChannelKey {
  std::uint32_t comm = 0;
  std::int32_t source = 0; // world ranks
  std::int32_t dest = 0;
  std::uint32_t line = 0; // of partitioned requests
  std::int64_t tag = 0;
  friend bool operator==(const ChannelKey&, const ChannelKey&) = default;
};
struct HashChannelKey {
  std::size_t operator()(const ChannelKey& key) const;
};

// Tags of what is no message of the program; those are not negative.
constexpr std::int64_t kCollectiveTag = -1;
constexpr std::int64_t kWindowPostTag = -2;
constexpr std::int64_t kWindowCompleteTag = -3;
constexpr std::int64_t kFirstBackgroundTag = -16; // and below: one for each operation
inline bool is_background(std::int64_t tag) { return tag <= kFirstBackgroundTag; }

enum class SendMode : std::uint8_t { kStandard, kSynchronous, kBuffered };

class Transport {
public:
  Transport(const NetworkModel& model, std::size_t ranks)
      : model_(model), out_(ranks), in_(ranks) {}

  /// More ranks come.
  void grow(std::size_t ranks);
  /// Is told of receives that are late; it must outlive the object.
  void set_observer(Observer* observer) { observer_ = observer; }
  /// Hands all messages over to it; it must outlive the object.
  void set_carrier(Carrier* carrier) { carrier_ = carrier; }
  /// Is told of all that activities do; it must outlive the object. Not with a carrier.
  void set_schedule(ScheduleBuilder* schedule) { schedule_ = schedule; }
  ScheduleBuilder* schedule() const { return schedule_; }
  /// Is told what waits for what; it must outlive the object.
  void set_graph(RunGraph* graph) { graph_ = graph; }
  RunGraph* graph() const { return graph_; }
  const NetworkModel& model() const { return model_; }
  /// How messages are sent that collective operations are made of.
  void set_step_mode(SendMode mode) { step_mode_ = mode; }
  SendMode step_mode() const { return step_mode_; }
  std::uint32_t channel_of(const ChannelKey& key);

  /// @param clock  of the sender, moved by what sending takes it
  /// @return a request that says when the buffer is free
  Request* send(double& clock, Activity& sender, std::uint32_t channel, std::uint64_t bytes,
                SendMode mode);
  /// Whether a message of a step is sent without a question.
  bool is_step_eager(std::uint64_t bytes) const {
    return step_mode_ == SendMode::kBuffered || bytes <= model_.eager_bytes;
  }
  /// Such a message whose receiver is known; not with ports or a carrier.
  /// @return when its first byte is there
  double pass(double& clock, std::uint64_t bytes) {
    ++messages_;
    bytes_ += bytes;
    clock += model_.overhead_s;
    return clock + model_.latency_s;
  }
  Request* receive(double clock, const Activity& receiver, std::uint32_t channel);
  /// A receive whose channel is not known yet; it is posted now all the same.
  Request* unbound_receive(double clock, const Activity& receiver);
  void bind(Request& receive, std::uint32_t channel);
  /// Takes a receive back that no message has met; it is over then.
  void withdraw(Request& receive, double clock);
  /// Says that a request is over, whatever it was for.
  void finish(Request& request, double clock);
  /// Sends that wait for their receivers go as if they had not asked. @return how many
  std::size_t let_go_sends();
  /// Of those that wait because of their size the smallest one's; 0: there are none.
  /// @complexity O(channels)
  std::uint64_t smallest_waiting_send();
  Request* probe(double clock, Activity& receiver, std::uint32_t channel);
  /// One that is over at `finish`.
  Request* timed(double finish);
  Request* open_request();
  /// Over when `bytes` put now are at the other side, or got ones here.
  /// @param target  world rank; not looked at without a carrier
  /// @param other   a request that is over at the same time, or nullptr
  Request* one_sided(double& clock, const Activity& origin, std::int64_t target,
                     std::uint64_t bytes, bool there_and_back, Request* other);

  /// A receive's last byte, which takes its turn at the receiver's port.
  double arrival(std::int64_t rank, const Request& request);

  /// Has pending() know messages that are sent from now on.
  void keep_pending() { pending_.resize(in_.size()); }
  /// What a receive of `dest` in this communicator could take: of each sender its first message.
  /// @param source  world rank, -1 for any
  /// @param tag     trace::kAnyTag for any
  std::vector<PendingMessage> pending(std::int64_t dest, std::uint32_t comm, std::int64_t source,
                                      std::int64_t tag);

  void resolve(Request& request);
  /// What was carried is there.
  void delivered(Shipment& shipment, double time);
  void release(Request* request);
  /// The next activity that can go on, or nullptr.
  Activity* take_ready();
  void make_ready(Activity& activity) { ready_.push_back(&activity); }
  /// It can go on before all others that can.
  void make_next(Activity& activity) { ready_.push_front(&activity); }

  bool has_carrier() const { return carrier_ != nullptr; }
  /// Whether what comes out depends on who is played first: ports and links are taken in that
  /// order, and observers add up in it.
  bool minds_order() const {
    return carrier_ != nullptr || observer_ != nullptr || model_.has_ports();
  }
  /// Whether nobody has sent or asked for what the other side has not come to.
  bool is_quiet() const { return queued_ == 0; }
  /// So many more of what is carried.
  void passed(std::uint64_t messages, std::uint64_t bytes) {
    messages_ += messages;
    bytes_ += bytes;
  }
  std::uint64_t messages() const { return messages_; }
  std::uint64_t bytes() const { return bytes_; }

private:
  // With many ranks they are in no cache, and each message comes to one.
  struct alignas(64) Channel { // a line of the cache
    Queue<Message> sent;
    Queue<Request> receives;
    ChannelKey key;
    bool is_pending = false; // stands in pending_
    bool has_probes = false;
  };

  void match(const Message& message, Request& receive);
  void tell(const Channel& channel, const Message& message, const Request& receive);
  void see(const Message& message, Request& probe);
  void deliver(const Message& message, std::uint32_t channel);
  void show_to_probes(const Message& message, std::uint32_t channel);
  Message& kept(const Message& message);
  bool end_waiting_send(const Message& message, Request& receive);
  void forget(std::uint32_t channel);
  Shipment* ship(double start, std::int64_t from, std::int64_t to, std::uint64_t bytes);
  void unship(Shipment* shipment);
  double handshake_s(std::int64_t from, std::int64_t to);

  NetworkModel model_;
  SendMode step_mode_ = SendMode::kStandard;
  std::vector<Port> out_; // by rank
  std::vector<Port> in_;
  std::unordered_map<ChannelKey, std::uint32_t, HashChannelKey> index_;
  std::vector<Channel> channels_;
  std::vector<std::uint32_t> unused_channels_;
  std::unordered_map<std::uint32_t, Queue<Request>> probes_; // by channel: those that wait
  std::deque<Message> messages_under_way_;
  std::vector<Message*> unused_messages_;
  std::deque<Request> requests_;
  std::vector<Request*> unused_requests_;
  std::deque<Activity*> ready_;
  Observer* observer_ = nullptr;
  ScheduleBuilder* schedule_ = nullptr;
  RunGraph* graph_ = nullptr;
  std::vector<std::vector<std::uint32_t>> pending_; // by receiver: channels that may have messages
  Carrier* carrier_ = nullptr;
  std::deque<Shipment> shipments_;
  std::vector<Shipment*> unused_shipments_;
  std::uint64_t messages_ = 0;
  std::uint64_t bytes_ = 0;
  std::uint64_t queued_ = 0; // messages, receives and probes in channels
};

} // namespace rondo::simulate::internal
