// SPDX-License-Identifier: Apache-2.0
// How long each rank was inside the calls of one place in all, and how often: by place, as the
// archive has it.
#pragma once

#include "rondo/simulate/observer.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <unordered_map>
#include <vector>

namespace rondo::efficiency::internal {

class InsideTimes {
public:
  struct Place {
    std::vector<double> seconds; // by rank
    std::vector<double> calls;
  };

  /// Start-up is left out where it is known. @complexity O(places * ranks) time and memory
  explicit InsideTimes(const trace::Trace& trace);

  /// nullptr: nothing is known. @complexity O(1)
  const Place* of(simulate::CallPlace place) const {
    const auto found = places_.find(key(place));
    return found == places_.end() ? nullptr : &found->second;
  }
  Place* of(simulate::CallPlace place) {
    const auto found = places_.find(key(place));
    return found == places_.end() ? nullptr : &found->second;
  }
  template <class Visit> void for_each(Visit visit) {
    for (auto& [number, place] : places_) visit(place);
  }

private:
  static std::uint64_t key(simulate::CallPlace place) {
    return static_cast<std::uint64_t>(place.function) << 32 | place.site;
  }
  std::unordered_map<std::uint64_t, Place> places_;
};

} // namespace rondo::efficiency::internal
