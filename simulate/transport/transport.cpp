// SPDX-License-Identifier: Apache-2.0
#include "simulate/transport/transport.hpp"

#include "simulate/transport/activity.hpp"
#include "simulate/transport/schedule_builder.hpp"

#include "rondo/trace/functions.hpp"

#include <algorithm>
#include <map>

namespace rondo::simulate::internal {

std::size_t HashChannelKey::operator()(const ChannelKey& key) const {
  constexpr std::uint64_t kFactor = 0x9e3779b97f4a7c15u;
  std::uint64_t hash = (std::uint64_t{key.comm} << 32 | key.line) * kFactor;
  const auto ends = std::uint64_t{static_cast<std::uint32_t>(key.source)} << 32 |
                    static_cast<std::uint32_t>(key.dest);
  hash = (hash ^ ends) * kFactor ^ hash >> 29;
  hash = (hash ^ static_cast<std::uint64_t>(key.tag)) * kFactor;
  return hash ^ hash >> 32;
}

void Transport::grow(std::size_t ranks) {
  if (!pending_.empty()) pending_.resize(ranks);
  out_.resize(ranks);
  in_.resize(ranks);
}

std::uint32_t Transport::channel_of(const ChannelKey& key) {
  const auto [found, is_new] = index_.try_emplace(key, 0);
  if (!is_new) return found->second;
  if (unused_channels_.empty()) {
    found->second = static_cast<std::uint32_t>(channels_.size());
    channels_.emplace_back();
  } else {
    found->second = unused_channels_.back();
    unused_channels_.pop_back();
  }
  channels_[found->second].key = key;
  return found->second;
}

// Channels of operations in the background serve once.
void Transport::forget(std::uint32_t channel) {
  const Channel& c = channels_[channel];
  if (!is_background(c.key.tag) || !c.sent.empty() || !c.receives.empty()) return;
  index_.erase(c.key);
  unused_channels_.push_back(channel);
}

Request* Transport::open_request() {
  if (unused_requests_.empty()) return &requests_.emplace_back();
  Request* request = unused_requests_.back();
  unused_requests_.pop_back();
  if (schedule_ != nullptr) schedule_->forget(*request);
  *request = Request{};
  return request;
}

Request* Transport::timed(double finish) {
  Request* request = open_request();
  request->finish = finish;
  request->is_done = true;
  return request;
}

void Transport::release(Request* request) {
  if (request->is_given_up) return;
  if (request->is_done) {
    unused_requests_.push_back(request);
  } else {
    request->is_released = true;
  }
}

void Transport::resolve(Request& request) {
  request.is_done = true;
  if (request.waiter != nullptr) request.waiter->one_less_pending();
  if (request.is_released) release(&request);
}

Activity* Transport::take_ready() {
  if (ready_.empty()) return nullptr;
  Activity* activity = ready_.front();
  ready_.pop_front();
  return activity;
}

Request* Transport::send(double& clock, Activity& sender, std::uint32_t channel,
                         std::uint64_t bytes, SendMode mode) {
  ++messages_;
  bytes_ += bytes;
  const std::int64_t dest = channels_[channel].key.dest;
  const bool is_eager =
      mode == SendMode::kBuffered || (mode == SendMode::kStandard && bytes <= model_.eager_bytes);
  Message message;
  message.bytes = bytes;
  message.sender = sender.rank();
  message.activity = sender.id();
  message.start = clock;
  message.order = messages_;
  message.point = sender.point();
  Request* request = open_request();
  request->kind = Request::Kind::kSend;
  request->bytes = is_eager || mode == SendMode::kStandard ? bytes : 0;
  request->owner = sender.id();
  request->posted = clock;
  if (schedule_ != nullptr)
    schedule_->send(sender.id(), channels_[channel].key, bytes, mode, *request);
  if (is_eager) {
    if (model_.has_ports())
      message.start = out_[static_cast<std::size_t>(sender.rank())].take(
          clock, model_.gap_s + model_.bytes_s(bytes));
    clock = message.start + model_.overhead_s;
    message.first_byte = clock + model_.latency_s;
    request->finish = clock;
    request->is_done = true;
    if (carrier_ != nullptr) message.shipment = ship(clock, sender.rank(), dest, bytes);
  } else {
    clock += model_.overhead_s;
    message.first_byte = clock + handshake_s(sender.rank(), dest);
    message.request = request;
  }
  message.last = sender.last_to_come(message.start);
  deliver(message, channel);
  return request;
}

// To those who wait for it there; else it waits itself.
void Transport::deliver(const Message& message, std::uint32_t channel) {
  if (channels_[channel].has_probes) show_to_probes(message, channel);
  Channel& c = channels_[channel];
  if (c.receives.empty()) {
    c.sent.push(kept(message));
    ++queued_;
    if (!pending_.empty() && c.key.tag >= 0 && !std::exchange(c.is_pending, true))
      pending_[static_cast<std::size_t>(c.key.dest)].push_back(channel);
  } else {
    Request& receive = c.receives.pop();
    --queued_;
    tell(c, message, receive);
    match(message, receive);
    forget(channel);
  }
}

void Transport::show_to_probes(const Message& message, std::uint32_t channel) {
  channels_[channel].has_probes = false;
  Queue<Request> waiting = probes_.extract(channel).mapped();
  while (!waiting.empty()) {
    --queued_;
    see(message, waiting.pop());
  }
}

Message& Transport::kept(const Message& message) {
  if (unused_messages_.empty()) return messages_under_way_.emplace_back(message);
  Message& place = *unused_messages_.back();
  unused_messages_.pop_back();
  return place = message;
}

Request* Transport::receive(double clock, const Activity& receiver, std::uint32_t channel) {
  Request* request = unbound_receive(clock, receiver);
  bind(*request, channel);
  return request;
}

Request* Transport::unbound_receive(double clock, const Activity& receiver) {
  Request* request = open_request();
  request->kind = Request::Kind::kReceive;
  request->owner = receiver.id();
  request->owner_actor = receiver.actor();
  request->owner_rank = receiver.rank();
  request->posted = clock;
  request->point = receiver.point();
  return request;
}

void Transport::bind(Request& receive, std::uint32_t channel) {
  Channel& c = channels_[channel];
  if (schedule_ != nullptr) schedule_->receive(receive.owner, c.key, receive);
  if (c.sent.empty()) {
    c.receives.push(receive);
    ++queued_;
  } else {
    Message& message = c.sent.pop();
    --queued_;
    tell(c, message, receive);
    match(message, receive);
    unused_messages_.push_back(&message);
    forget(channel);
  }
}

// Messages of the program only, not those that make up collectives.
void Transport::tell(const Channel& channel, const Message& message, const Request& receive) {
  if (observer_ == nullptr || channel.key.tag < 0) return;
  observer_->received({message.last.actor, message.start, receive.owner_actor, receive.posted,
                       message.bytes, message.request != nullptr});
}

std::vector<PendingMessage> Transport::pending(std::int64_t dest, std::uint32_t comm,
                                               std::int64_t source, std::int64_t tag) {
  std::map<std::int64_t, PendingMessage> first; // by sender
  std::erase_if(pending_[static_cast<std::size_t>(dest)], [&](std::uint32_t channel) {
    Channel& c = channels_[channel];
    if (c.sent.empty()) {
      c.is_pending = false;
      return true;
    }
    const bool fits = c.key.comm == comm && c.key.line == 0 &&
                      (source < 0 || c.key.source == source) &&
                      (tag == trace::kAnyTag || c.key.tag == tag);
    if (!fits) return false;
    const Message& message = c.sent.front();
    const PendingMessage found{c.key.source, c.key.tag, message.first_byte, message.order};
    const auto [known, is_new] = first.try_emplace(found.sender, found);
    if (!is_new && found.order < known->second.order) known->second = found;
    return false;
  });
  std::vector<PendingMessage> result;
  for (const auto& each : first) result.push_back(each.second);
  return result;
}

void Transport::withdraw(Request& receive, double clock) {
  if (receive.is_done) return;
  for (Channel& c : channels_) queued_ -= c.receives.remove(receive) ? 1 : 0;
  finish(receive, clock);
}

void Transport::finish(Request& request, double clock) {
  request.kind = Request::Kind::kTimed;
  request.finish = clock;
  resolve(request);
}

std::size_t Transport::let_go_sends() {
  std::size_t count = 0;
  for (Channel& c : channels_) {
    c.sent.for_each([&](Message& message) {
      if (message.request == nullptr) return;
      message.first_byte += model_.latency_s - model_.handshake_s;
      Request& send = *std::exchange(message.request, nullptr);
      send.finish = message.start + model_.overhead_s;
      resolve(send);
      ++count;
    });
  }
  return count;
}

std::uint64_t Transport::smallest_waiting_send() {
  std::uint64_t least = 0;
  for (Channel& c : channels_) {
    c.sent.for_each([&](const Message& message) {
      if (message.request == nullptr || message.request->bytes == 0) return;
      least = least == 0 ? message.bytes : std::min(least, message.bytes);
    });
  }
  return least;
}

Request* Transport::probe(double clock, Activity& receiver, std::uint32_t channel) {
  Request* request = open_request();
  request->kind = Request::Kind::kProbe;
  request->owner = receiver.id();
  request->owner_rank = receiver.rank();
  request->posted = clock;
  Channel& c = channels_[channel];
  if (schedule_ != nullptr) schedule_->probe(receiver.id(), c.key, *request);
  if (c.sent.empty()) {
    c.has_probes = true;
    probes_[channel].push(*request);
    ++queued_;
  } else {
    see(c.sent.front(), *request);
  }
  return request;
}

void Transport::see(const Message& message, Request& probe) {
  probe.finish = message.shipment != nullptr ? message.shipment->arrival : message.first_byte;
  probe.other_start = message.last.at_s;
  probe.other_rank = message.last.rank;
  probe.other_actor = message.last.actor;
  probe.cause_time = message.start;
  probe.cause = message.activity;
  probe.other_point = message.point;
  if (message.shipment == nullptr || message.shipment->is_there) return resolve(probe);
  message.shipment->probes.push_back(&probe);
}

void Transport::match(const Message& message, Request& receive) {
  receive.bytes = message.bytes;
  receive.finish = message.first_byte;
  receive.other_start = message.last.at_s;
  receive.other_rank = message.last.rank;
  receive.other_actor = message.last.actor;
  receive.cause_time = message.start;
  receive.cause = message.activity;
  receive.other_point = message.point;
  if (message.request != nullptr && !end_waiting_send(message, receive)) return;
  if (message.shipment != nullptr && !message.shipment->is_there) {
    message.shipment->receive = &receive;
    return;
  }
  if (message.shipment != nullptr) {
    receive.finish = message.shipment->arrival;
    unship(message.shipment);
  }
  resolve(receive);
}

// A send that has waited for its receive goes now. False if both end when the carrier says so.
bool Transport::end_waiting_send(const Message& message, Request& receive) {
  Request& send = *message.request;
  const double permitted = std::max(message.first_byte, receive.posted);
  double start = permitted + handshake_s(message.sender, receive.owner_rank);
  if (model_.has_ports())
    start = out_[static_cast<std::size_t>(message.sender)].take(
        start, model_.gap_s + model_.bytes_s(message.bytes));
  receive.finish = start + model_.latency_s;
  send.finish = start + model_.bytes_s(message.bytes);
  send.other_start = receive.posted;
  send.other_rank = receive.owner_rank;
  send.other_actor = receive.owner_actor;
  send.other_point = receive.point;
  send.cause_time = message.start;
  send.cause = message.activity;
  if (receive.posted > message.first_byte) { // the receiver came last
    send.cause_time = receive.cause_time = receive.posted;
    send.cause = receive.cause = receive.owner;
  }
  if (carrier_ != nullptr) {
    Shipment* const shipment = ship(start, message.sender, receive.owner_rank, message.bytes);
    shipment->receive = &receive;
    shipment->send = &send;
    return false;
  }
  resolve(send);
  return true;
}

// Messages with a carrier -------------------------------------------------------------------------

Shipment* Transport::ship(double start, std::int64_t from, std::int64_t to, std::uint64_t bytes) {
  Shipment* shipment = nullptr;
  if (unused_shipments_.empty()) {
    shipment = &shipments_.emplace_back();
  } else {
    shipment = unused_shipments_.back();
    unused_shipments_.pop_back();
  }
  carrier_->carry(start, from, to, bytes, shipment);
  return shipment;
}

void Transport::unship(Shipment* shipment) {
  *shipment = Shipment{};
  unused_shipments_.push_back(shipment);
}

double Transport::handshake_s(std::int64_t from, std::int64_t to) {
  const bool is_way = carrier_ != nullptr && model_.handshake_s < 0;
  return is_way ? carrier_->latency_s(from, to) : model_.handshake_s;
}

void Transport::delivered(Shipment& shipment, double time) {
  shipment.is_there = true;
  shipment.arrival = time;
  for (Request* probe : shipment.probes) {
    probe->finish = time;
    resolve(*probe);
  }
  shipment.probes.clear();
  Request* const receive = shipment.receive;
  if (receive == nullptr) return;
  receive->finish = time;
  if (Request* const send = shipment.send) {
    send->finish = time;
    resolve(*send);
  }
  unship(&shipment);
  resolve(*receive);
}

double Transport::arrival(std::int64_t rank, const Request& request) {
  const double bytes_s = model_.bytes_s(request.bytes);
  if (!model_.has_ports()) return request.finish + bytes_s;
  Port& port = in_[static_cast<std::size_t>(rank)];
  return port.take(request.finish, model_.gap_s + bytes_s) + bytes_s;
}

// With a carrier, the question for what is got takes as long as an empty way, and uses no link.
Request* Transport::one_sided(double& clock, const Activity& origin, std::int64_t target,
                              std::uint64_t bytes, bool there_and_back, Request* other) {
  ++messages_;
  bytes_ += bytes;
  const std::int64_t rank = origin.rank();
  double start = clock;
  if (model_.has_ports())
    start = out_[static_cast<std::size_t>(rank)].take(clock, model_.gap_s + model_.bytes_s(bytes));
  clock = start + model_.overhead_s;
  Request* const request = open_request();
  if (schedule_ != nullptr) schedule_->put(origin.id(), bytes, there_and_back, *request, other);
  for (Request* each : {request, other}) {
    if (each == nullptr) continue;
    each->posted = each->cause_time = clock;
    each->owner = each->cause = origin.id();
    each->finish = clock + (there_and_back ? 2 : 1) * model_.latency_s + model_.bytes_s(bytes);
    each->is_done = carrier_ == nullptr;
  }
  if (carrier_ == nullptr) return request;
  Shipment* const shipment =
      there_and_back ? ship(clock + carrier_->latency_s(rank, target), target, rank, bytes)
                     : ship(clock, rank, target, bytes);
  shipment->receive = request;
  shipment->send = other;
  return request;
}

} // namespace rondo::simulate::internal
