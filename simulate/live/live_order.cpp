// SPDX-License-Identifier: Apache-2.0
#include "simulate/live/live_order.hpp"

#include "simulate/apart.hpp"

#include <algorithm>
#include <array>
#include <csignal>

namespace rondo::simulate::internal {

Result<std::unique_ptr<Carrier>> live_carrier(const Platform& platform, std::int64_t ranks) {
  constexpr std::array kTaken{SIGINT, SIGSEGV, SIGABRT};
  std::array<struct sigaction, kTaken.size()> before{};
  for (std::size_t i = 0; i < kTaken.size(); ++i) ::sigaction(kTaken[i], nullptr, &before[i]);
  auto made = simgrid_carrier(platform, ranks);
  for (std::size_t i = 0; i < kTaken.size(); ++i) ::sigaction(kTaken[i], &before[i], nullptr);
  return made;
}

Status check_platform(const NetworkModel& model) {
  if (!model.platform) return {};
  if (auto ready = simgrid_is_there(*model.platform); !ready) return ready;
  const auto work = [&](const Tell&) {
    const auto made = simgrid_carrier(*model.platform, 1);
    return made ? std::string() : made.error().text();
  };
  const auto said = run_apart(work, [](std::string_view) {});
  if (!said) return propagate(said);
  return said->empty() ? Status() : fail(ErrorCode::kUsage, *said);
}

Status OrderedTime::run() {
  set_gate();
  return carrier_.run([this](Shipment& shipment, double time) {
    run_.expect_words(); // who was silent may have waited for this
    run_.delivered(shipment, time);
    run_.play();
    set_gate();
  });
}

void OrderedTime::hold_up() {
  next_gate_s_ = kNever;
  while (!has_ended_ && !may_pass()) has_ended_ = serve_();
  set_gate();
}

// Where all ranks wait in the model, and nothing is under way that could end that, the program
// relies on what the model does not have. Ranks that are expected to be silent may yet speak.
bool OrderedTime::may_pass() {
  double horizon_s = run_.horizon_s();
  while (horizon_s == kNever && carrier_.under_way() == 0) {
    if (run_.expects_silence()) return false;
    if (run_.is_refused() || !run_.let_go()) return false;
    run_.play();
    horizon_s = run_.horizon_s();
  }
  return horizon_s > carrier_.now_s();
}

void OrderedTime::set_gate() {
  if (has_ended_) {
    while (carrier_.under_way() == 0 && !run_.is_refused() && run_.let_go()) run_.play();
    return;
  }
  double moment_s = run_.horizon_s();
  if (moment_s == kNever && carrier_.under_way() == 0) moment_s = carrier_.now_s();
  if (moment_s == kNever || moment_s >= next_gate_s_) return;
  next_gate_s_ = std::max(moment_s, carrier_.now_s());
  carrier_.call_at(next_gate_s_, [this] { hold_up(); });
}

} // namespace rondo::simulate::internal
