// SPDX-License-Identifier: Apache-2.0
// Fuzz target of DUMPI traces: read_dumpi() of one rank's file.
#include "rondo/convert/dumpi.hpp"
#include "tests/fuzz/input_file.hpp"
#include "tests/fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const rondo::fuzz::InputFolder kFolder;
  rondo::convert::ImportOptions options;
  options.all_times = true;
  const auto imported =
      rondo::convert::read_dumpi(kFolder.write("run-0000.bin", bytes, size), options);
  rondo::fuzz::use(imported ? imported->trace.classes.size() : 0);
  return 0;
}
