// SPDX-License-Identifier: Apache-2.0
// Fuzz target of liballprof's texts: read_allprof() of a folder with one rank.
#include "rondo/convert/allprof.hpp"
#include "tests/fuzz/input_file.hpp"
#include "tests/fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  static const rondo::fuzz::InputFolder kFolder;
  kFolder.write("pmpi-trace-rank-0.txt", bytes, size);
  rondo::convert::ImportOptions options;
  options.all_times = true;
  const auto imported = rondo::convert::read_allprof(kFolder.path(), options);
  rondo::fuzz::use(imported ? imported->trace.classes.size() : 0);
  return 0;
}
