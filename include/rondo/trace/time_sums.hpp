// SPDX-License-Identifier: Apache-2.0
// What a rank's time went into, exact in ns: its calls of each MPI function, and each phase that
// the program marks. Histograms, which ranks share, tell ranks apart by means that are kept to 2 %.
//
//   if (const TimeSum* sum = trace.ranks[3].sums.of_function(function.id)) use(sum->inside_ns);
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::trace {

struct TimeSum {
  std::uint64_t computation_ns = 0; // before the calls
  std::uint64_t inside_ns = 0; // in them
  TimeSum& operator+=(const TimeSum& other) {
    computation_ns += other.computation_ns;
    inside_ns += other.inside_ns;
    return *this;
  }
  friend bool operator==(const TimeSum&, const TimeSum&) = default;
};

/// Of one rank, all its threads. Empty where times were not kept, or by an older recorder.
struct TimeSums {
  struct Function {
    std::uint16_t id = 0;
    TimeSum time;
    friend bool operator==(const Function&, const Function&) = default;
  };
  struct Phase {
    std::string name; // empty: outside of all
    TimeSum time;
    friend bool operator==(const Phase&, const Phase&) = default;
  };
  std::vector<Function> functions; // ascending
  std::vector<Phase> phases; // each once, ascending; empty if the program marks none

  /// nullptr for one that the rank did not call.
  const TimeSum* of_function(std::uint16_t id) const;
  const TimeSum* of_phase(std::string_view name) const;
  void add_function(std::uint16_t id, const TimeSum& time);
  void add_phase(std::string_view name, const TimeSum& time);
  /// Whether they are sums of all that the rank's calls took: not if times were given up on the
  /// way.
  bool functions_add_up_to(const TimeSum& all) const;
  bool phases_add_up_to(const TimeSum& all) const;

  bool empty() const { return functions.empty() && phases.empty(); }
  friend bool operator==(const TimeSums&, const TimeSums&) = default;
};

} // namespace rondo::trace
