// SPDX-License-Identifier: Apache-2.0
#include "record/stream_times.hpp"

#include <algorithm>
#include <iterator>

namespace rondo::record {

void StreamTimes::close_stretch() {
  sums_.add_phase(innermost(), since_mark());
  at_mark_ = all_;
}

void StreamTimes::begin_phase(std::string_view name) {
  close_stretch();
  open_.emplace_back(name);
}

void StreamTimes::end_phase(std::string_view name) {
  close_stretch();
  const auto open = std::find(open_.rbegin(), open_.rend(), name);
  if (open != open_.rend()) open_.erase(std::next(open).base());
}

void StreamTimes::add_phases_to(trace::TimeSums& sums) const {
  for (const trace::TimeSums::Phase& phase : sums_.phases) sums.add_phase(phase.name, phase.time);
  sums.add_phase(innermost(), since_mark());
}

} // namespace rondo::record
