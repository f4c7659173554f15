// SPDX-License-Identifier: Apache-2.0
// Fuzz target of files of topology families: parse_families().
#include "rondo/topology/family.hpp"
#include "tests/fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto families = rondo::topology::parse_families(rondo::fuzz::text_of(bytes, size), "input");
  if (families) rondo::fuzz::use(families->size());
  return 0;
}
