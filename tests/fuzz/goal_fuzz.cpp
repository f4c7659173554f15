// SPDX-License-Identifier: Apache-2.0
// Fuzz target of GOAL schedules: read_goal() of a text.
#include "rondo/convert/goal.hpp"
#include "tests/fuzz/input_file.hpp"
#include "tests/fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const rondo::fuzz::InputFolder kFolder;
  const auto imported = rondo::convert::read_goal(kFolder.write("run.goal", bytes, size), {});
  rondo::fuzz::use(imported ? imported->trace.classes.size() : 0);
  return 0;
}
