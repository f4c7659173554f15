// SPDX-License-Identifier: Apache-2.0
// Fuzz target of Chakra traces: read_chakra() of one rank's file.
#include "rondo/convert/chakra.hpp"
#include "tests/fuzz/input_file.hpp"
#include "tests/fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const rondo::fuzz::InputFolder kFolder;
  rondo::convert::ImportOptions options;
  options.all_times = true;
  const auto imported =
      rondo::convert::read_chakra(kFolder.write("run.0.et", bytes, size), options);
  rondo::fuzz::use(imported ? imported->trace.classes.size() : 0);
  return 0;
}
