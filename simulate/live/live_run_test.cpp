// SPDX-License-Identifier: Apache-2.0
#include "simulate/live/live_order.hpp"

#include "tests/support/recorded.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <random>
#include <utility>
#include <vector>

namespace rondo::simulate::internal {
namespace {

namespace live = trace::live;
using support::Caller;
using support::kDouble;
using support::kWorld;
using support::recorded;
using trace::Trace;

NetworkModel model(std::uint64_t eager_bytes) {
  NetworkModel result;
  result.latency_s = result.handshake_s = 5e-6;
  result.byte_s = 1e-9;
  result.eager_bytes = eager_bytes;
  return result;
}

// A rank of a trace that says its calls one by one.
class Speaker {
public:
  Speaker(const Trace& trace, std::int64_t rank, LiveRun& run)
      : rank_(rank), run_(run), reader_(trace, *trace.class_of(rank), rank) {
    run_.add(rank, true);
    for (const trace::DatatypeDefinition& type : trace.datatypes)
      say(live::ItemKind::kDatatype, {type.slot, type.size_bytes});
    const auto& arrays = reader_.program().arrays;
    for (std::size_t i = 1; i < arrays.size(); ++i)
      say(live::ItemKind::kArray, {0, static_cast<std::int64_t>(i)}, arrays[i]);
  }

  bool say_next() {
    const trace::CallInstance* call = reader_.next();
    if (call == nullptr) {
      run_.calls(rank_)->end();
      return false;
    }
    say(live::ItemKind::kCall,
        {0, 1000 + rank_, fold::header_word(call->function->id, call->error), 0}, call->words);
    return true;
  }

private:
  void say(live::ItemKind kind, std::initializer_list<std::int64_t> words,
           std::span<const std::int64_t> more = {}) {
    live::Outbox out;
    out.put(kind, words, more);
    live::Inbox in;
    in.append(out.data(), out.size_bytes());
    const auto item = in.next();
    ASSERT_TRUE(item.has_value());
    EXPECT_TRUE(run_.calls(rank_)->take(*item));
  }

  std::int64_t rank_;
  LiveRun& run_;
  trace::CallReader reader_;
};

// The ranks speak in any order, some far ahead of others.
Prediction live_prediction(const Trace& trace, const NetworkModel& network, unsigned seed) {
  const SimulateOptions options;
  LiveRun run(network, options, trace.run.ranks);
  std::vector<std::unique_ptr<Speaker>> speakers;
  for (std::int64_t rank = 0; rank < trace.run.ranks; ++rank)
    speakers.push_back(std::make_unique<Speaker>(trace, rank, run));
  std::mt19937 random(seed);
  while (!speakers.empty()) {
    const std::size_t i = random() % speakers.size();
    for (unsigned n = random() % 30; n > 0 && speakers[i]; --n) {
      if (!speakers[i]->say_next()) speakers[i].reset();
    }
    if (!speakers[i]) speakers.erase(speakers.begin() + static_cast<std::ptrdiff_t>(i));
    run.play();
  }
  run.play();
  EXPECT_FALSE(run.has_waiting());
  auto prediction = run.prediction();
  EXPECT_TRUE(prediction.has_value());
  return prediction ? *prediction : Prediction{};
}

void post(Caller& s, std::int64_t source, std::int64_t tag) {
  s.call(
      "MPI_Irecv",
      {{"count", 100}, {"datatype", kDouble}, {"source", source}, {"tag", tag}, {"comm", kWorld}});
}

// A call that completes a request, and says whom it heard from, with tag 0.
void wait(Caller& s, std::string_view name, std::int64_t request, std::int64_t source) {
  const trace::Function& function = *trace::find_function(name);
  std::vector<std::int64_t> event(fold::kEventHead + function.words(), trace::kNothing);
  const auto word = [&](std::string_view field) {
    return fold::kEventHead + static_cast<std::size_t>(function.word_of(field));
  };
  event[0] = fold::header_word(function.id, 0);
  event[1] = 0;
  if (name == "MPI_Waitany") {
    event[word("array_of_requests")] = s.array({4, 2, 0});
    event[word("index")] = request;
  } else {
    event[word("request")] = request;
  }
  event[word("status")] = source;
  event[word("status") + 1] = 0;
  s.builder.record(event.data(), event.size(), 0, 0);
}

Trace exchanges(unsigned seed) {
  return recorded(5, [seed](Caller& s) {
    std::mt19937 random(seed); // the same on all ranks
    for (int i = 0; i < 60; ++i) {
      const auto shift = static_cast<std::int64_t>(random() % 5);
      const auto count = static_cast<std::int64_t>(random() % 200);
      if (random() % 3 == 0) s.call("MPI_Barrier", {{"comm", kWorld}});
      post(s, (s.rank + 5 - shift) % 5, 0);
      s.call("MPI_Isend", {{"count", count},
                           {"datatype", kDouble},
                           {"dest", (s.rank + shift) % 5},
                           {"tag", 0},
                           {"comm", kWorld}});
      s.call("MPI_Waitall", {{"array_of_requests", s.array({2, 0})}, {"array_of_statuses", 0}});
    }
  });
}

class LiveSeeds : public testing::TestWithParam<unsigned> {};

TEST_P(LiveSeeds, OrderOfArrivalDoesNotMatter) {
  const Trace trace = exchanges(GetParam());
  for (const std::uint64_t eager : {NetworkModel::kNever, std::uint64_t{400}}) {
    const Prediction first = live_prediction(trace, model(eager), GetParam());
    const Prediction other = live_prediction(trace, model(eager), GetParam() + 1000);
    for (std::size_t rank = 0; rank < 5; ++rank) {
      EXPECT_DOUBLE_EQ(first.ranks[rank].end_s, other.ranks[rank].end_s);
      EXPECT_NEAR(first.ranks[rank].computing_s,
                  static_cast<double>(first.ranks[rank].calls) *
                      (1e-6 + static_cast<double>(rank) * 1e-9),
                  1e-12);
    }
    // Without what was computed it is the time of the trace.
    EXPECT_GT(first.seconds, simulate(trace, model(eager))->seconds);
    EXPECT_EQ(first.messages, simulate(trace, model(eager))->messages);
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, LiveSeeds, testing::Range(0u, 20u));

// Two receives from anywhere, and one from rank 1 behind them, which gets its second message.
TEST(LiveRun, ReceivesFromAnywhereTakeWhatTheirStatusesSay) {
  const Trace trace = recorded(3, [](Caller& s) {
    if (s.rank == 1) {
      for (const std::int64_t count : {1, 100}) s.send(0, count);
    }
    if (s.rank != 0) s.call("MPI_Barrier", {{"comm", kWorld}});
    if (s.rank == 2) s.send(0, 50);
    if (s.rank != 0) return;
    post(s, trace::kAnySource, 0);
    post(s, trace::kAnySource, trace::kAnyTag);
    post(s, 1, 0);
    wait(s, "MPI_Waitany", 1, 1); // the second one heard from rank 1 first
    s.call("MPI_Barrier", {{"comm", kWorld}});
    wait(s, "MPI_Wait", trace::request_by_age(2), 2);
    s.call("MPI_Wait", {{"request", trace::request_by_age(0)}});
  });
  const Prediction found = live_prediction(trace, model(NetworkModel::kNever), 1);
  const Prediction again = live_prediction(trace, model(NetworkModel::kNever), 2);
  EXPECT_EQ(found.messages, 3u + 2 * 3);
  EXPECT_DOUBLE_EQ(found.ranks[0].end_s, again.ranks[0].end_s);
  EXPECT_GT(found.ranks[0].end_s, 3 * 5e-6); // two steps of the barrier, and then rank 2's
}

// Both send first: with a rendezvous nobody would ever receive.
TEST(LiveRun, LetsSendsGoThatNobodyReceives) {
  const Trace trace = recorded(2, [](Caller& s) {
    s.send(1 - s.rank, 1000);
    s.call("MPI_Recv", {{"count", 1000},
                        {"datatype", kDouble},
                        {"source", 1 - s.rank},
                        {"tag", 0},
                        {"comm", kWorld}});
  });
  const SimulateOptions options;
  LiveRun run(model(100), options, 2);
  std::vector<std::unique_ptr<Speaker>> speakers;
  for (std::int64_t rank = 0; rank < 2; ++rank) {
    speakers.push_back(std::make_unique<Speaker>(trace, rank, run));
    while (speakers.back()->say_next()) {
    }
    run.play();
    EXPECT_EQ(run.is_stuck(), rank == 1); // not before all have said what they do
  }
  run.let_go();
  run.play();
  EXPECT_FALSE(run.has_waiting());
  const auto found = run.prediction();
  ASSERT_TRUE(found.has_value());
  EXPECT_NEAR(found->seconds, 1.001e-6 + 5e-6 + 8e-6, 1e-12);
  ASSERT_EQ(found->remarks.size(), 1u);
  EXPECT_NE(found->remarks[0].find("2 sends above 100 bytes"), std::string::npos);
}

// One cable for all messages, which takes them in the order in which they leave.
class Cable : public Carrier {
public:
  void carry(double start, std::int64_t, std::int64_t, std::uint64_t bytes,
             Shipment* shipment) override {
    late_ += start < now_ ? 1 : 0;
    ++under_way_;
    call_at(start, [this, bytes, shipment] {
      free_ = std::max(free_, now_) + static_cast<double>(bytes) * 1e-9;
      call_at(free_ + 5e-6, [this, shipment] {
        --under_way_;
        (*delivered_)(*shipment, now_);
      });
    });
  }
  std::int64_t hosts() const override { return 1; }
  double latency_s(std::int64_t, std::int64_t) override { return 5e-6; }
  Status run(const std::function<void(Shipment&, double)>& delivered) override {
    delivered_ = &delivered;
    while (!todo_.empty()) {
      const auto next = todo_.extract(todo_.begin());
      now_ = next.key();
      next.mapped()();
    }
    return {};
  }
  void call_at(double time, std::function<void()> work) override {
    todo_.emplace(std::max(time, now_), std::move(work));
  }
  double now_s() const override { return now_; }
  std::size_t under_way() const override { return under_way_; }
  std::uint64_t late() const override { return late_; }

private:
  std::multimap<double, std::function<void()>> todo_;
  const std::function<void(Shipment&, double)>* delivered_ = nullptr;
  double now_ = 0;
  double free_ = 0;
  std::size_t under_way_ = 0;
  std::uint64_t late_ = 0;
};

Prediction ordered_prediction(const Trace& trace, const NetworkModel& network, unsigned seed) {
  const SimulateOptions options;
  LiveRun run(network, options, trace.run.ranks);
  Cable cable;
  run.set_carrier(&cable);
  std::vector<std::unique_ptr<Speaker>> speakers;
  for (std::int64_t rank = 0; rank < trace.run.ranks; ++rank)
    speakers.push_back(std::make_unique<Speaker>(trace, rank, run));
  std::mt19937 random(seed);
  OrderedTime time(run, cable, [&] {
    const std::size_t i = random() % speakers.size();
    for (unsigned n = random() % 30; n > 0 && speakers[i]; --n) {
      if (!speakers[i]->say_next()) speakers[i].reset();
    }
    if (!speakers[i]) speakers.erase(speakers.begin() + static_cast<std::ptrdiff_t>(i));
    run.play();
    return speakers.empty();
  });
  EXPECT_TRUE(time.run().has_value());
  EXPECT_FALSE(run.has_waiting());
  auto prediction = run.prediction();
  EXPECT_TRUE(prediction.has_value());
  return prediction ? *prediction : Prediction{};
}

// Who speaks first in the real run must not decide whose message is first on the cable.
TEST_P(LiveSeeds, TimePassesInOrderWhereMessagesAreInEachOthersWay) {
  const Trace trace = exchanges(GetParam());
  for (const std::uint64_t eager : {NetworkModel::kNever, std::uint64_t{400}}) {
    const Prediction first = ordered_prediction(trace, model(eager), GetParam());
    const Prediction other = ordered_prediction(trace, model(eager), GetParam() + 1000);
    for (std::size_t rank = 0; rank < 5; ++rank)
      EXPECT_DOUBLE_EQ(first.ranks[rank].end_s, other.ranks[rank].end_s);
    EXPECT_TRUE(first.remarks.empty()); // no message was late, none let go
    EXPECT_GT(first.seconds, live_prediction(trace, model(eager), 1).seconds);
  }
}

TEST(LiveRun, RefusesWordsThatMakeNoSense) {
  const SimulateOptions options;
  LiveRun run(model(100), options, 2);
  run.add(0, false);
  const std::int64_t cut[] = {0, 0, 65535, 0};
  EXPECT_FALSE(run.calls(0)->take({live::ItemKind::kCall, cut}));
  const std::int64_t open_range[] = {3, 1000000};
  EXPECT_FALSE(run.calls(0)->take({live::ItemKind::kComm, open_range}));
  EXPECT_FALSE(run.calls(0)->take({live::ItemKind::kArray, open_range}));
  const std::int64_t group[] = {5, 1, 0, 2, 73}; // its number; one range
  EXPECT_TRUE(run.calls(0)->take({live::ItemKind::kGroup, group}));
  const std::int64_t huge_stride[] = {5, 1, 0, std::int64_t{1} << 60, 73};
  EXPECT_FALSE(run.calls(0)->take({live::ItemKind::kGroup, huge_stride}));
}

} // namespace
} // namespace rondo::simulate::internal
