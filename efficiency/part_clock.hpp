// SPDX-License-Identifier: Apache-2.0
// Which part of the program each rank is in while a run is played, how long it stays, and how long
// sends wait.
#pragma once

#include "efficiency/late_receivers.hpp"
#include "rondo/efficiency/parts.hpp"
#include "rondo/simulate/observer.hpp"
#include "simulate/ranks/further_threads.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace rondo::efficiency::internal {

class PartClock : public simulate::Observer {
public:
  /// @param numbers  null: all is one part, and no seconds are kept
  PartClock(const trace::Trace& trace, PartNumbers* numbers)
      : ranks_(static_cast<std::size_t>(trace.run.ranks)),
        threads_(simulate::further_threads(trace)), part_(ranks_ + threads_.size()),
        computing_s_(threads_.empty() ? 0 : part_.size()) {
    if (numbers == nullptr) return;
    trackers_.resize(part_.size());
    seconds_.resize(part_.size());
    for (std::size_t i = 0; i < part_.size(); ++i) {
      const std::uint32_t thread = i < ranks_ ? 0 : threads_[i - ranks_].thread;
      if (const trace::RankClass* c = trace.class_of(rank_of(static_cast<std::int64_t>(i)), thread))
        trackers_[i].emplace(*numbers, *c->program);
    }
  }

  /// Ranks, and further threads behind them.
  std::size_t actors() const { return part_.size(); }
  /// Whose thread it is.
  std::int64_t rank_of(std::int64_t actor) const {
    const auto index = static_cast<std::size_t>(actor);
    return index < ranks_ ? actor : threads_[index - ranks_].rank;
  }
  std::uint32_t thread_of(std::int64_t actor) const {
    const auto index = static_cast<std::size_t>(actor);
    return index < ranks_ ? 0 : threads_[index - ranks_].thread;
  }

  /// Of the call that the rank has come to.
  std::uint32_t part(std::int64_t rank) const { return part_[static_cast<std::size_t>(rank)]; }
  const LateReceivers& late_receivers() const { return late_receivers_; }
  /// Of each rank's threads the mean, if any has several; else empty.
  std::vector<double> computing_s() const {
    if (threads_.empty()) return {};
    std::vector<double> sums(ranks_);
    std::vector<double> threads(ranks_);
    for (std::size_t i = 0; i < computing_s_.size(); ++i) {
      const auto rank = static_cast<std::size_t>(rank_of(static_cast<std::int64_t>(i)));
      sums[rank] += computing_s_[i];
      ++threads[rank];
    }
    for (std::size_t rank = 0; rank < ranks_; ++rank) sums[rank] /= threads[rank];
    return sums;
  }
  /// By rank and part; of the thread that is longest in it.
  std::vector<std::vector<double>> take_seconds() {
    for (std::size_t i = ranks_; i < seconds_.size(); ++i) {
      auto& sums = seconds_[static_cast<std::size_t>(rank_of(static_cast<std::int64_t>(i)))];
      sums.resize(std::max(sums.size(), seconds_[i].size()));
      for (std::size_t part = 0; part < seconds_[i].size(); ++part)
        sums[part] = std::max(sums[part], seconds_[i][part]);
    }
    if (seconds_.size() > ranks_) seconds_.resize(ranks_);
    return std::move(seconds_);
  }

  void comes_to(std::int64_t rank, const trace::CallInstance& call) override {
    const auto index = static_cast<std::size_t>(rank);
    if (!trackers_.empty() && trackers_[index]) part_[index] = trackers_[index]->next(call);
  }
  void computed(std::int64_t rank, simulate::CallPlace, double from_s, double to_s) override {
    pass(rank, to_s - from_s);
    if (!threads_.empty()) computing_s_[static_cast<std::size_t>(rank)] += to_s - from_s;
  }
  void called(std::int64_t rank, simulate::CallPlace, double from_s, double to_s) override {
    pass(rank, to_s - from_s);
  }
  void met(const simulate::Met& met) override { late_receivers_.met(met, rank_of(met.rank)); }
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

  std::size_t ranks_;
  std::vector<simulate::FurtherThread> threads_;
  std::vector<std::uint32_t> part_; // by actor
  std::vector<std::optional<PartTracker>> trackers_; // by actor; empty without parts
  std::vector<double> computing_s_; // by actor; empty if no rank has several threads
  std::vector<std::vector<double>> seconds_;
  std::vector<std::vector<double>> before_; // the period
  LateReceivers late_receivers_;
};

IdealRun ideal_run(const simulate::Prediction& played, std::uint64_t eager_bytes, PartClock& clock);

/// How many threads of each rank call MPI, 1 at least: its times are the mean of theirs.
std::vector<std::uint64_t> threads_of_ranks(const trace::Trace& trace);

} // namespace rondo::efficiency::internal
