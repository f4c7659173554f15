// SPDX-License-Identifier: Apache-2.0
// What librondo_convert.so, which has the readers and writers of other tools' formats, and whoever
// loads it agree on.
#pragma once

#include "base/shared_state.hpp"
#include "convert/door.hpp"
#include "rondo/convert/allprof.hpp"
#include "rondo/convert/chakra.hpp"
#include "rondo/convert/detect.hpp"
#include "rondo/convert/dumpi.hpp"
#include "rondo/convert/goal.hpp"
#include "rondo/convert/json.hpp"
#include "rondo/convert/otf2.hpp"
#include "rondo/convert/paraver.hpp"
#include "rondo/convert/simgrid_ti.hpp"
#include "rondo/convert/timeline.hpp"

namespace rondo::convert::internal {

/// The module's functions, each as its header says.
struct Doors {
  decltype(&convert::detect_input) detect_input;
  decltype(&convert::has_otf2) has_otf2;
  decltype(&convert::has_perfetto) has_perfetto;
  decltype(&convert::read_allprof) read_allprof;
  decltype(&convert::read_chakra) read_chakra;
  decltype(&convert::read_dumpi) read_dumpi;
  decltype(&convert::read_goal) read_goal;
  decltype(&convert::read_otf2) read_otf2;
  decltype(&convert::read_paraver) read_paraver;
  decltype(&convert::read_simgrid_ti) read_simgrid_ti;
  decltype(&convert::to_json) to_json;
  decltype(&convert::write_dimemas) write_dimemas;
  decltype(&convert::write_goal) write_goal;
  decltype(&convert::write_otf2) write_otf2;
  decltype(&convert::write_paraver) write_paraver;
  decltype(&convert::write_simgrid_ti) write_simgrid_ti;
  decltype(&convert::write_timeline) write_timeline;
};

using OpenDoors = const Doors*(rondo::internal::SharedState& state);

/// All that the module exports. Its name, from CMake, has a sum of the headers whose types cross:
/// a module of other sources is not taken.
extern "C" __attribute__((visibility("default"))) OpenDoors RONDO_CONVERT_DOOR;

} // namespace rondo::convert::internal
