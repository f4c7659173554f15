// SPDX-License-Identifier: Apache-2.0
// Predictions as text and JSON.
#pragma once

#include "rondo/simulate/simulate.hpp"
#include "rondo/sites/resolver.hpp"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace rondo::present {

/// One prediction and what it was made for.
struct Predicted {
  std::string name; // of a what-if; empty if there is none
  simulate::NetworkModel network;
  double compute_scale = 1;
  simulate::Prediction prediction;
  std::optional<double> run_seconds{}; // of a live run: how long it took
};

struct SimulationShown {
  const trace::Trace& trace;
  sites::Resolver& resolver;
  std::size_t most = 10; // pairs and call sites that are listed
};

std::string prediction_text(const SimulationShown& shown, const Predicted& predicted);
nlohmann::json network_json(const simulate::NetworkModel& network);
nlohmann::json prediction_json(const SimulationShown& shown, const Predicted& predicted);

/// Several: a table of latencies and bandwidths, or a line for each name.
std::string sweep_text(const std::vector<Predicted>& all);
std::string what_if_text(const std::vector<Predicted>& all);
nlohmann::json list_json(const std::vector<Predicted>& all);

} // namespace rondo::present
