// SPDX-License-Identifier: Apache-2.0
// Passes of loops that come again exactly, so that they are counted and not played.
//
// Ranks stop before each further pass of a long loop. When all stand there and nothing is under
// way, their clocks are the whole state of the run: what follows depends on them alone, by sums and
// maxima. Such a system gets into a regime in which each period of some passes moves every clock by
// as much as the period before ([baccelli1992, ch. 3]). If also the next calls are those of the
// period before, what is played next is known.
//
// A period that moves all clocks by the same says so alone. In courses, where a block of passes
// stands for others, it is known before it is played how often a block comes: then its first time
// may be that period.
#pragma once

#include "simulate/transport/ledger.hpp"
#include "simulate/transport/stage.hpp"

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace rondo::simulate::internal {

class RankProgram;
class TraceCalls;

/// How far ranks move apart from period to period: who is met without waiting for it now may be
/// waited for later.
class Drift {
public:
  explicit Drift(std::vector<double> period_s) : period_s_(std::move(period_s)) {}
  /// @param late_s  by how much the other came later; less than nothing if it was there before
  void met(std::int64_t rank, std::int64_t other, double late_s);
  /// How many periods are alike, as far as meetings tell; 0 if none is.
  double most() const { return most_; }
  const std::vector<double>& period_s() const { return period_s_; }

private:
  std::vector<double> period_s_; // by rank: how long a period is for it
  double most_ = 1e18;
};

/// Not for models with ports, which are more to remember than clocks.
class Repetition {
public:
  /// All must outlive the object.
  Repetition(Stage& stage, std::vector<RankProgram*> programs, std::vector<TraceCalls*> sources);

  /// All ranks that have not ended stand at an iteration: looks for a repetition, and leaves out
  /// what can be counted.
  /// @complexity O(ranks); O(columns of ranks) at ends of what may be a period
  void look();

private:
  struct Place { // of a rank in its calls; of a step: how far it goes
    std::uint64_t loop = 0;
    std::uint64_t left = 0; // iterations
    std::uint64_t calls = 0;
    std::vector<std::uint64_t> values; // taken of each column and course
    friend bool operator==(const Place&, const Place&) = default;
  };
  using Places = std::vector<Place>; // by program
  struct Counts { // of all ranks
    Ledger::Sums sums;
    std::map<std::string, std::uint64_t> free_calls;
    std::uint64_t unknown_sizes = 0, unknown_requests = 0;
    std::uint64_t messages = 0, bytes = 0;
    std::uint32_t next_id = 0;
    Places places;
  };
  using Clocks = std::vector<double>; // by program

  bool is_quiet() const;
  Places places() const;
  Counts counts() const;
  Places steps(const Places& from, const Places& to) const;
  void note_clocks();
  void note_steps();
  std::vector<double> period_s() const;
  std::size_t find_period() const;
  bool has_moved_alike(std::size_t period) const;
  bool has_moved_as_one(std::size_t period) const;
  bool is_as_before(const Counts& now) const;
  bool moves_as_one() const;
  void begin(std::size_t period);
  bool is_at_block() const;
  void look_for_block();
  void end_block();
  void end_period();
  void watch_next(Counts&& now);
  std::uint64_t times_ahead(const Places& now, const Places& steps) const;
  void leave_out(std::uint64_t times, const Counts& now);
  void give_up();
  void give_up_period();

  Stage& stage_;
  std::vector<RankProgram*> programs_;
  std::vector<TraceCalls*> sources_;
  bool follows_courses_ = false;
  std::deque<Clocks> clocks_; // at the last looks
  std::size_t most_period_ = 0; // looks
  std::size_t period_ = 0; // looks; 0: none is known
  std::size_t least_period_ = 1; // that is tried
  std::uint64_t pause_ = 1; // looks after periods of all lengths were tried in vain
  std::uint64_t pauses_left_ = 0;
  std::size_t looks_left_ = 0; // to the period's end
  std::optional<Counts> before_; // the period before the one under way
  Counts since_; // that began
  int tried_ = 0; // periods behind that
  std::uint64_t alike_ = 0; // periods from there on
  std::optional<Drift> drift_;
  bool is_block_ = false; // the period: how it moves clocks is not known yet
  Places block_from_; // where passes began that are as many as in a block
  std::size_t block_looks_ = 0; // since then
  Places block_steps_; // of the last such passes
  std::size_t no_block_ = 0; // looks for which none is looked for
};

} // namespace rondo::simulate::internal
