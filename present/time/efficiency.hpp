// SPDX-License-Identifier: Apache-2.0
// Where the time of runs goes, as text and JSON.
#pragma once

#include "rondo/efficiency/balance.hpp"
#include "rondo/efficiency/factors.hpp"
#include "rondo/efficiency/parts.hpp"
#include "rondo/efficiency/wait_states.hpp"
#include "rondo/sites/resolver.hpp"

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace rondo::present {

struct EfficiencyShown {
  std::string name; // of the run
  const trace::Trace& trace;
  sites::Resolver& resolver;
  const efficiency::Factors& factors;
  const efficiency::WaitStates* waits = nullptr; // null: they could not be found
  std::string why_no_waits{};
  std::vector<efficiency::Balanced> balanced{};
  std::optional<efficiency::Balanced> in_turns{};
  std::optional<efficiency::EvenInAll> in_all{};
  std::optional<efficiency::Balanced> at_once{}; // as one_after_the_other() has it
  std::optional<efficiency::WaitedLater> later{};
  /// As fronts_of() says them; nothing: not looked for.
  std::optional<std::vector<std::string>> fronts{};
  std::optional<efficiency::Parts> parts{}; // if the run is looked at in parts
  efficiency::PartsBy by = efficiency::PartsBy::kPhase;
  std::size_t most = 10; // lines of a list
  bool has_colour = false;
  bool ranks_are_columns =
      false; // in JSON, a list of each kind of time instead of an object a rank
};

/// With one decimal, as factors are multiplied; never 0 for more than nothing.
std::string factor_percent(double share);

/// A cell of a table, darker the more a factor loses; as it is without colour.
std::string heat_cell(const std::string& cell, double factor, bool has_colour);

/// A sentence with a list of lines below it, as one line with the first of these.
std::string in_one_line(const std::string& text);

/// One run: its factors, waits and causes; or its factors and those of its parts.
std::string efficiency_text(const EfficiencyShown& shown);
nlohmann::json efficiency_json(const EfficiencyShown& shown);

/// Several runs side by side, against the first.
std::string scaling_text(const std::vector<std::string>& names,
                         const std::vector<efficiency::Factors>& runs, efficiency::ScalingKind kind,
                         bool has_colour = false);
nlohmann::json scaling_json(const std::vector<std::string>& names,
                            const std::vector<efficiency::Factors>& runs,
                            efficiency::ScalingKind kind);

} // namespace rondo::present
