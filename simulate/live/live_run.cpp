// SPDX-License-Identifier: Apache-2.0
#include "simulate/live/live_run.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <limits>

namespace rondo::simulate::internal {

LiveRun::LiveRun(const NetworkModel& model, const SimulateOptions& options, std::int64_t ranks)
    : options_(options), stage_(model, options_, ranks), calls_(static_cast<std::size_t>(ranks)),
      programs_(static_cast<std::size_t>(ranks)), is_silent_(static_cast<std::size_t>(ranks)) {
  if (options_.orders_receives) stage_.transport.keep_pending();
}

void LiveRun::add(std::int64_t rank, bool wants_times) {
  const auto index = static_cast<std::size_t>(rank);
  calls_[index] = std::make_unique<LiveCalls>(comms_, rank, ranks(), wants_times);
  programs_[index] = std::make_unique<RankProgram>(stage_, *calls_[index], rank);
  stage_.transport.make_ready(*programs_[index]);
}

void LiveRun::set_carrier(Carrier* carrier) {
  carrier_ = carrier;
  stage_.transport.set_carrier(carrier);
}

double LiveRun::horizon_s() const {
  double earliest = std::numeric_limits<double>::infinity();
  for (std::size_t i = 0; i < programs_.size(); ++i) {
    if (!programs_[i]) return 0; // it has not come yet
    const bool may_speak = programs_[i]->is_idle() && !calls_[i]->has_ended() && !is_silent_[i];
    if (may_speak) earliest = std::min(earliest, calls_[i]->end_s());
  }
  return earliest;
}

void LiveRun::expect_silence() {
  for (std::size_t i = 0; i < programs_.size(); ++i)
    is_silent_[i] = programs_[i] && programs_[i]->is_idle();
}

bool LiveRun::expects_silence() const {
  return std::find(is_silent_.begin(), is_silent_.end(), true) != is_silent_.end();
}

void LiveRun::play() {
  for (std::size_t i = 0; i < programs_.size(); ++i) {
    if (!programs_[i]) continue;
    if (calls_[i]->other_threads() > 0)
      stage_.unsupported["calls of a second thread"] = calls_[i]->other_threads();
    const bool has_more = !calls_[i]->is_empty() || calls_[i]->has_ended();
    if (programs_[i]->is_idle() && has_more) stage_.transport.make_ready(*programs_[i]);
  }
  if (!is_refused()) stage_.play([] {});
}

bool LiveRun::is_played(std::int64_t rank) const {
  const RankProgram& program = *programs_[static_cast<std::size_t>(rank)];
  return program.is_over() || (program.is_idle() && calls(rank)->is_empty());
}

bool LiveRun::knows_pending(std::int64_t rank) const {
  const RankProgram& program = *programs_[static_cast<std::size_t>(rank)];
  return program.is_idle() && calls(rank)->is_empty() && !program.has_unknown();
}

bool LiveRun::has_waiting() const {
  return std::any_of(programs_.begin(), programs_.end(), [](const auto& program) {
    return program && !program->is_over() && !program->is_idle();
  });
}

bool LiveRun::is_stuck() const {
  const bool may_go_on = std::any_of(programs_.begin(), programs_.end(), [](const auto& program) {
    return !program || program->is_idle();
  });
  return !may_go_on && has_waiting();
}

bool LiveRun::let_go() {
  const std::size_t sends = stage_.transport.let_go_sends();
  sends_let_go_ += sends;
  if (sends > 0) return true;
  std::size_t waits = 0;
  for (const auto& activity : stage_.background) waits += activity->let_go();
  for (const auto& program : programs_) {
    if (waits == 0 && program) waits = program->let_go();
  }
  waits_let_go_ += waits;
  return waits > 0;
}

bool LiveRun::is_refused() const { return !stage_.unsupported.empty(); }

Result<Prediction> LiveRun::prediction() const {
  if (is_refused()) return list_unsupported(stage_);
  Prediction result = stage_.prediction();
  result.remarks.insert(result.remarks.end(), remarks_.begin(), remarks_.end());
  if (sends_let_go_ > 0) {
    result.remarks.push_back(fmt::format(
        "{} sends above {} bytes went without waiting for their receivers: the program relies on "
        "more buffering than this network has",
        sends_let_go_, stage_.transport.model().eager_bytes));
  }
  if (carrier_ != nullptr && carrier_->late() > 0) {
    result.remarks.push_back(
        fmt::format("{} messages left later than they should have: their senders were in calls of "
                    "MPI while another rank asked for the time",
                    carrier_->late()));
  }
  if (waits_let_go_ > 0) {
    result.remarks.push_back(
        fmt::format("{} waits were given up in which the model stood still and the program did not",
                    waits_let_go_));
  }
  return result;
}

} // namespace rondo::simulate::internal
