// SPDX-License-Identifier: Apache-2.0
// Fuzz target of descriptions of platforms with contention: parse_topology().
#include "rondo/simulate/platform.hpp"
#include "tests/fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto platform = rondo::simulate::parse_topology(rondo::fuzz::text_of(bytes, size));
  rondo::fuzz::use(platform ? 1 : 0);
  return 0;
}
