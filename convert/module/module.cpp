// SPDX-License-Identifier: Apache-2.0
// The module's side.
#include "convert/module/doors.hpp"

namespace rondo::convert::internal {

const Doors* RONDO_CONVERT_DOOR(rondo::internal::SharedState& state) {
  static constexpr Doors kDoors = {
      .detect_input = convert::detect_input,
      .has_otf2 = convert::has_otf2,
      .has_perfetto = convert::has_perfetto,
      .read_allprof = convert::read_allprof,
      .read_chakra = convert::read_chakra,
      .read_dumpi = convert::read_dumpi,
      .read_goal = convert::read_goal,
      .read_otf2 = convert::read_otf2,
      .read_paraver = convert::read_paraver,
      .read_simgrid_ti = convert::read_simgrid_ti,
      .to_json = convert::to_json,
      .write_dimemas = convert::write_dimemas,
      .write_goal = convert::write_goal,
      .write_otf2 = convert::write_otf2,
      .write_paraver = convert::write_paraver,
      .write_simgrid_ti = convert::write_simgrid_ti,
      .write_timeline = convert::write_timeline,
  };
  rondo::internal::share_state(state);
  return &kDoors;
}

} // namespace rondo::convert::internal
