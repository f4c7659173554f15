// SPDX-License-Identifier: Apache-2.0
// Operations that are played at once and message by message: the same times.
#include "simulate/transport/gatherings.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <random>

namespace rondo::simulate::internal {
namespace {

/// Comes to an operation, and is over behind it.
class Comer : public Activity {
public:
  Comer(std::uint32_t id, double clock, CollectivePart part, Gatherings& gatherings,
        Transport& transport, Ledger& ledger)
      : Activity(id, id, clock, transport, ledger), part_(std::move(part)),
        gatherings_(gatherings) {}

  std::vector<std::pair<std::int64_t, double>> met; // whom, and when those came

protected:
  Work next_work() override {
    if (has_come_) return Work::kOver;
    has_come_ = true;
    gatherings_.come(0, part_, *this, transport_);
    return Work::kBegun;
  }
  void completed(const Request& request, double) override {
    if (request.other_rank >= 0) met.emplace_back(request.other_rank, request.other_start);
  }
  CallName call_name() const override { return {}; }

private:
  CollectivePart part_;
  Gatherings& gatherings_;
  bool has_come_ = false;
};

class Meeting {
public:
  Meeting(std::vector<CollectivePart> parts, const NetworkModel& model)
      : transport_(model, parts.size()), ledger_(parts.size()) {
    std::mt19937 random(7);
    for (CollectivePart& part : parts) {
      const auto id = static_cast<std::uint32_t>(part.rank);
      comers.push_back(std::make_unique<Comer>(id, random() % 100, std::move(part), gatherings,
                                               transport_, ledger_));
    }
  }
  void come(std::size_t first, std::size_t last) {
    for (std::size_t i = first; i < last; ++i) transport_.make_ready(*comers[i]);
    while (Activity* const next = transport_.take_ready()) next->run();
  }
  std::size_t over() const {
    return static_cast<std::size_t>(
        std::ranges::count_if(comers, [](const auto& each) { return each->is_over(); }));
  }
  std::uint64_t messages() const { return transport_.messages(); }

  Gatherings gatherings;
  std::vector<std::unique_ptr<Comer>> comers;

private:
  Transport transport_;
  Ledger ledger_;
};

std::vector<CollectivePart> parts_of(Operation operation, std::int64_t ranks) {
  std::vector<CollectivePart> parts;
  for (std::int64_t rank = 0; rank < ranks; ++rank)
    parts.push_back({.operation = operation,
                     .rank = rank,
                     .members = Members::consecutive(0, ranks),
                     .block = 1000});
  return parts;
}

NetworkModel network() {
  NetworkModel model;
  model.latency_s = 3;
  model.overhead_s = 0.5;
  model.byte_s = 0.001;
  return model;
}

TEST(Gatherings, TakeAsLongAsTheirMessages) {
  for (const Operation operation : {Operation::kBarrier, Operation::kAllreduce}) {
    for (std::int64_t ranks = 2; ranks < 20; ++ranks) {
      const auto all = static_cast<std::size_t>(ranks);
      Meeting at_once(parts_of(operation, ranks), network());
      at_once.come(0, all - 1);
      EXPECT_EQ(at_once.over(), 0U);
      at_once.come(all - 1, all);
      Meeting by_messages(parts_of(operation, ranks), network());
      by_messages.come(0, all - 1);
      EXPECT_TRUE(by_messages.gatherings.give_up());
      by_messages.come(all - 1, all);
      EXPECT_TRUE(by_messages.gatherings.give_up());
      by_messages.come(0, 0);
      for (const Meeting* each : {&at_once, &by_messages}) {
        EXPECT_TRUE(each->gatherings.is_empty());
        EXPECT_EQ(each->over(), all);
      }
      EXPECT_EQ(at_once.messages(), by_messages.messages());
      for (std::size_t i = 0; i < all; ++i) {
        EXPECT_EQ(at_once.comers[i]->clock(), by_messages.comers[i]->clock()) << i << " of " << all;
        EXPECT_EQ(at_once.comers[i]->met, by_messages.comers[i]->met) << i << " of " << all;
      }
    }
  }
}

TEST(Gatherings, WithSendsThatWaitGoByMessages) {
  NetworkModel model = network();
  model.eager_bytes = 100;
  Meeting meeting(parts_of(Operation::kAllreduce, 4), model);
  meeting.come(0, 4);
  EXPECT_EQ(meeting.over(), 4U);
  EXPECT_TRUE(meeting.gatherings.is_empty());
}

// As archives that nobody recorded may have it.
TEST(Gatherings, OfRanksThatDoNotAgreeAreNoDamage) {
  std::vector<CollectivePart> parts = parts_of(Operation::kBarrier, 4);
  parts[1].operation = Operation::kAllreduce;
  Meeting differ(parts, network());
  differ.come(0, 4);
  EXPECT_TRUE(differ.gatherings.is_empty());
  parts[1].rank = 0;
  parts[2].members = Members::consecutive(0, 3);
  Meeting twice(parts, network());
  twice.come(0, 4);
  while (twice.gatherings.give_up()) twice.come(0, 0);
  EXPECT_TRUE(twice.gatherings.is_empty());
}

TEST(Gatherings, AreThoseThatNobodyLeavesBefore) {
  CollectivePart part = parts_of(Operation::kBarrier, 4)[1];
  EXPECT_TRUE(Gatherings::knows(part, 4));
  EXPECT_FALSE(Gatherings::knows(part, 3));
  part.operation = Operation::kBcast;
  EXPECT_FALSE(Gatherings::knows(part, 4));
}

} // namespace
} // namespace rondo::simulate::internal
