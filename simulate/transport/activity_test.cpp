// SPDX-License-Identifier: Apache-2.0
// Who is played when.
#include "simulate/transport/activity.hpp"

#include <algorithm>
#include <gtest/gtest.h>

namespace rondo::simulate::internal {
namespace {

constexpr std::uint32_t kNoPeer = 99;

/// Exchanges a message with its peer in each round, and writes its number down.
class Talker : public Activity {
public:
  Talker(std::uint32_t id, std::uint32_t peer, int rounds, Transport& transport, Ledger& ledger,
         std::vector<std::uint32_t>& order)
      : Activity(id, id, 0, transport, ledger), peer_(peer), rounds_left_(rounds), order_(order) {}

protected:
  Work next_work() override {
    if (rounds_left_-- == 0) return Work::kOver;
    order_.push_back(id_);
    if (peer_ == kNoPeer) return Work::kBegun;
    wait_for(transport_.send(clock_, *this, channel(id_, peer_), 8, SendMode::kStandard));
    wait_for(transport_.receive(clock_, *this, channel(peer_, id_)));
    return Work::kBegun;
  }
  void completed(const Request&, double) override {}
  CallName call_name() const override { return {}; }

private:
  std::uint32_t channel(std::uint32_t source, std::uint32_t dest) {
    return transport_.channel_of(
        {0, static_cast<std::int32_t>(source), static_cast<std::int32_t>(dest), 0, 0});
  }

  std::uint32_t peer_;
  int rounds_left_;
  std::vector<std::uint32_t>& order_;
};

// Ranks 0 and 1 exchange messages; rank 2 does something for once.
std::vector<std::uint32_t> order_of(int rounds, const NetworkModel& model) {
  std::vector<std::uint32_t> order;
  Transport transport(model, 3);
  Ledger ledger(3);
  Talker zero(0, 1, rounds, transport, ledger, order);
  Talker one(1, 0, rounds, transport, ledger, order);
  Talker two(2, kNoPeer, 1, transport, ledger, order);
  for (Talker* each : {&zero, &one, &two}) transport.make_ready(*each);
  while (Activity* const next = transport.take_ready()) next->run();
  EXPECT_EQ(order.size(), static_cast<std::size_t>(2 * rounds + 1));
  return order;
}

std::ptrdiff_t place_of_two(const std::vector<std::uint32_t>& order) {
  return std::find(order.begin(), order.end(), 2u) - order.begin();
}

TEST(Activity, GoesOnBeforeOthersWhenItIsWoken) {
  EXPECT_EQ(place_of_two(order_of(5, NetworkModel())), 10);
}

TEST(Activity, LetsOthersHaveTheirTurnWhenItHasDoneEnough) {
  constexpr int kRounds = 20'000;
  const std::ptrdiff_t place = place_of_two(order_of(kRounds, NetworkModel()));
  EXPECT_GT(place, 100);
  EXPECT_LT(place, kRounds / 2);
}

TEST(Activity, ComesInTurnsWherePortsAreTakenInThem) {
  NetworkModel model;
  model.kind = NetworkModel::Kind::kLogGP;
  EXPECT_LT(place_of_two(order_of(5, model)), 5);
}

} // namespace
} // namespace rondo::simulate::internal
