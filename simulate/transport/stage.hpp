// SPDX-License-Identifier: Apache-2.0
// What all ranks of a simulation have in common.
#pragma once

#include "simulate/transport/activity.hpp"
#include "simulate/transport/gatherings.hpp"
#include "simulate/transport/joined_graphs.hpp"
#include "simulate/transport/lock_queue.hpp"
#include "simulate/transport/meetings.hpp"

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace rondo::simulate::internal {

class Drift;
class RankProgram;

struct Stage {
  Stage(const NetworkModel& model, const SimulateOptions& simulate_options, std::int64_t ranks)
      : options(simulate_options), transport(model, static_cast<std::size_t>(ranks)),
        ledger(static_cast<std::size_t>(ranks)), next_id(static_cast<std::uint32_t>(ranks)) {
    transport.set_observer(options.observer);
    transport.set_graph(options.graph);
    if (options.collectives_are_eager) transport.set_step_mode(SendMode::kBuffered);
  }

  /// Plays until nothing can go on. @param progress  is called now and then
  template <class Progress> void play(Progress progress) {
    for (std::uint64_t turn = 0; Activity* next = transport.take_ready(); ++turn) {
      next->run();
      if (!unsupported.empty()) return;
      if (turn % 1024 == 0)
        std::erase_if(background, [](const auto& activity) { return activity->is_over(); });
      if (turn % 256 == 0) progress();
    }
  }
  Prediction prediction() const;

  const SimulateOptions& options;
  Transport transport;
  Ledger ledger;
  Meetings meetings;
  Gatherings gatherings;
  bool gathers = false; // whether those are used
  /// Calls with processes outside the run take the time that was recorded, and wait for none of
  /// them, as nothing is known of those.
  bool passes_outsiders = false;
  JoinedGraphs graphs;
  std::optional<LockQueue> locks; // of windows, if they are waited for
  std::deque<std::unique_ptr<BackgroundActivity>> background;
  std::uint32_t next_id; // of activities; ranks have the first ones
  std::vector<RankProgram*> at_iterations; // waiting there to be told to go on
  std::size_t ended = 0; // ranks
  Drift* drift = nullptr; // of the ranks from pass to pass of a loop, while that is looked at
  std::uint64_t calls = 0;
  std::map<std::string, std::uint64_t> free_calls; // played, but without cost: function -> times
  std::uint64_t unknown_sizes = 0;
  std::uint64_t unknown_requests = 0;
  std::map<std::string, std::uint64_t> unsupported; // what no model can play
};

tl::unexpected<Error> list_unsupported(const Stage& stage);

} // namespace rondo::simulate::internal
