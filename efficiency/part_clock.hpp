// SPDX-License-Identifier: Apache-2.0
// Which part of the program each rank is in while a run is played, how long it stays, and how long
// sends wait.
#pragma once

#include "efficiency/late_receivers.hpp"
#include "rondo/efficiency/parts.hpp"
#include "rondo/simulate/observer.hpp"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace rondo::efficiency::internal {

class PartClock : public simulate::Observer {
public:
  /// @param numbers  null: all is one part, and no seconds are kept
  PartClock(const trace::Trace& trace, PartNumbers* numbers)
      : part_(static_cast<std::size_t>(trace.run.ranks)) {
    if (numbers == nullptr) return;
    trackers_.resize(part_.size());
    seconds_.resize(part_.size());
    for (std::size_t rank = 0; rank < part_.size(); ++rank) {
      if (const trace::RankClass* c = trace.class_of(static_cast<std::int64_t>(rank)))
        trackers_[rank].emplace(*numbers, *c->program);
    }
  }

  /// Of the call that the rank has come to.
  std::uint32_t part(std::int64_t rank) const { return part_[static_cast<std::size_t>(rank)]; }
  const LateReceivers& late_receivers() const { return late_receivers_; }
  /// By rank and part.
  std::vector<std::vector<double>> take_seconds() { return std::move(seconds_); }

  void comes_to(std::int64_t rank, const trace::CallInstance& call) override {
    const auto index = static_cast<std::size_t>(rank);
    if (!trackers_.empty() && trackers_[index]) part_[index] = trackers_[index]->next(call);
  }
  void computed(std::int64_t rank, simulate::CallPlace, double from_s, double to_s) override {
    pass(rank, to_s - from_s);
  }
  void called(std::int64_t rank, simulate::CallPlace, double from_s, double to_s) override {
    pass(rank, to_s - from_s);
  }
  void met(const simulate::Met& met) override { late_receivers_.met(met); }
  void received(const simulate::Received&) override {}
  void completed_send(std::int64_t, double, std::uint64_t) override {}

  bool can_count() const override { return true; }
  void period_begins() override {
    before_ = seconds_;
    late_receivers_.period_begins();
  }
  bool repeats_itself() override { return true; }
  void repeated(std::uint64_t times, const std::vector<double>&) override {
    for (std::size_t rank = 0; rank < seconds_.size(); ++rank)
      repeat(seconds_[rank], before_[rank], times);
    late_receivers_.repeated(times);
  }

protected:
  /// What was added to sums since they were `before` is added so many times more.
  static void repeat(std::vector<double>& sums, const std::vector<double>& before,
                     std::uint64_t times) {
    for (std::size_t i = 0; i < sums.size(); ++i)
      sums[i] += static_cast<double>(times) * (sums[i] - (i < before.size() ? before[i] : 0));
  }

private:
  void pass(std::int64_t rank, double seconds) {
    if (seconds_.empty()) return;
    auto& own = seconds_[static_cast<std::size_t>(rank)];
    const std::uint32_t part = part_[static_cast<std::size_t>(rank)];
    if (part >= own.size()) own.resize(std::size_t{part} + 1);
    own[part] += seconds;
  }

  std::vector<std::uint32_t> part_; // by rank
  std::vector<std::optional<PartTracker>> trackers_; // by rank; empty without parts
  std::vector<std::vector<double>> seconds_;
  std::vector<std::vector<double>> before_; // the period
  LateReceivers late_receivers_;
};

IdealRun ideal_run(const simulate::Prediction& played, std::uint64_t eager_bytes, PartClock& clock);

} // namespace rondo::efficiency::internal
