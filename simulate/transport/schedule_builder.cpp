// SPDX-License-Identifier: Apache-2.0
#include "simulate/transport/schedule_builder.hpp"

#include <utility>

namespace rondo::simulate::internal {

ScheduleBuilder::ScheduleBuilder(std::int64_t ranks, std::uint64_t most_steps)
    : ranks_(static_cast<std::size_t>(ranks)), most_(most_steps), activities_(ranks_) {}

ScheduleBuilder::Activity& ScheduleBuilder::of(std::uint32_t activity) {
  if (activity >= activities_.size()) activities_.resize(std::size_t{activity} + 1);
  return activities_[activity];
}

void ScheduleBuilder::add(std::uint32_t activity, Entry entry) {
  Activity& mine = of(activity);
  mine.is_computing = entry.step.kind == Kind::kCompute;
  if (++steps_ > most_) return;
  mine.entries.push_back(entry);
}

std::uint32_t ScheduleBuilder::channel_of(const ChannelKey& key) {
  return channels_.try_emplace(key, static_cast<std::uint32_t>(channels_.size())).first->second;
}

std::uint32_t ScheduleBuilder::made(const Request& request) {
  return requests_[&request] = next_request_++;
}

void ScheduleBuilder::compute(std::uint32_t activity, double seconds) {
  if (!of(activity).is_computing) {
    add(activity, {{.kind = Kind::kCompute}});
    of(activity).computing_s.push_back(0);
  }
  of(activity).computing_s.back() += seconds;
}

void ScheduleBuilder::send(std::uint32_t activity, const ChannelKey& key, std::uint64_t bytes,
                           SendMode mode, const Request& request) {
  const auto how = mode == SendMode::kBuffered      ? ScheduleStep::Mode::kBuffered
                   : mode == SendMode::kSynchronous ? ScheduleStep::Mode::kSynchronous
                                                    : ScheduleStep::Mode::kStandard;
  add(activity, {{.kind = Kind::kSend, .mode = how, .peer = key.dest, .bytes = bytes},
                 channel_of(key),
                 made(request)});
}

void ScheduleBuilder::receive(std::uint32_t activity, const ChannelKey& key,
                              const Request& request) {
  add(activity, {{.kind = Kind::kReceive, .peer = key.source}, channel_of(key), made(request)});
}

void ScheduleBuilder::probe(std::uint32_t activity, const ChannelKey& key, const Request& request) {
  add(activity, {{.kind = Kind::kProbe, .peer = key.source}, channel_of(key), made(request)});
}

void ScheduleBuilder::put(std::uint32_t activity, std::uint64_t bytes, bool there_and_back,
                          const Request& request, const Request* other) {
  const auto how =
      there_and_back ? ScheduleStep::Mode::kSynchronous : ScheduleStep::Mode::kStandard;
  const std::uint32_t number = made(request);
  if (other != nullptr) requests_[other] = number;
  add(activity, {{.kind = Kind::kPut, .mode = how, .bytes = bytes}, 0, number});
}

void ScheduleBuilder::begin(std::uint32_t activity, std::uint32_t starter, const Request& done) {
  add(starter, {{.kind = Kind::kBegin}, 0, made(done), activity});
}

// Requests that were over when they were made are not known, and nobody has to wait for them.
void ScheduleBuilder::wait(std::uint32_t activity, const Request& request) {
  const auto known = requests_.find(&request);
  if (known == requests_.end()) return;
  Activity& mine = of(activity);
  mine.waits = true;
  if (!mine.entries.empty() && mine.entries.back().request == known->second &&
      !mine.entries.back().step.waits && mine.entries.back().step.kind != Kind::kWait &&
      mine.entries.back().step.kind != Kind::kBegin) {
    mine.entries.back().step.waits = true;
    return;
  }
  add(activity, {{.kind = Kind::kWait}, 0, known->second});
}

void ScheduleBuilder::finish(std::uint32_t activity) {
  Activity& mine = of(activity);
  if (!std::exchange(mine.waits, false) || mine.entries.empty()) return;
  mine.entries.back().step.finishes = true;
}

// Puts what goes on behind programs where it began, and says messages by their numbers among those
// of their sender to their receiver. A channel's sends and receives are those of one activity, so
// their order there is that in which they were written down.
class ScheduleBuilder::Composer {
public:
  explicit Composer(const ScheduleBuilder& all) : all_(all), schedules_(all.ranks_) {}

  std::vector<RankSchedule> compose() {
    sent_.resize(all_.channels_.size());
    received_.assign(all_.channels_.size(), 0);
    for (const bool numbers_sends : {true, false}) {
      for (std::size_t rank = 0; rank < all_.ranks_; ++rank) {
        own_requests_.clear();
        if (numbers_sends) to_.clear();
        append(rank, all_.activities_[rank], numbers_sends);
      }
    }
    return std::move(schedules_);
  }

private:
  void append(std::size_t rank, const Activity& activity, bool numbers_sends) {
    RankSchedule& mine = schedules_[rank];
    std::size_t computed = 0;
    for (const Entry& entry : activity.entries) {
      if (numbers_sends) {
        if (entry.step.kind == Kind::kSend) sent_[entry.channel].push_back(to_[entry.step.peer]++);
      } else {
        if (entry.step.kind == Kind::kCompute)
          mine.computing_s.push_back(activity.computing_s[computed++]);
        mine.steps.push_back(numbered(entry));
      }
      if (entry.step.kind != Kind::kBegin) continue;
      if (entry.activity < all_.activities_.size())
        append(rank, all_.activities_[entry.activity], numbers_sends);
      if (!numbers_sends) mine.steps.push_back({.kind = Kind::kEnd});
    }
  }

  ScheduleStep numbered(const Entry& entry) {
    ScheduleStep step = entry.step;
    if (step.kind == Kind::kWait) {
      step.number = own_requests_[entry.request];
      return step;
    }
    if (step.kind == Kind::kCompute) return step;
    own_requests_.try_emplace(entry.request, own_requests_.size());
    if (step.kind != Kind::kReceive && step.kind != Kind::kProbe) return step;
    const std::size_t index = received_[entry.channel];
    if (step.kind == Kind::kReceive) ++received_[entry.channel];
    const std::vector<std::uint64_t>& sent = sent_[entry.channel];
    step.number = index < sent.size() ? sent[index] : kNobody;
    return step;
  }

  static constexpr std::uint64_t kNobody = ~std::uint64_t{0} >> 12; // sent what is received
  const ScheduleBuilder& all_;
  std::vector<RankSchedule> schedules_;
  std::vector<std::vector<std::uint64_t>> sent_; // by channel: numbers of its messages
  std::vector<std::size_t> received_; // by channel
  std::unordered_map<std::int64_t, std::uint64_t> to_; // by receiver: messages of a rank
  std::unordered_map<std::uint32_t, std::uint64_t> own_requests_; // of a rank, by their making
};

std::vector<RankSchedule> ScheduleBuilder::build() const { return Composer(*this).compose(); }

} // namespace rondo::simulate::internal
