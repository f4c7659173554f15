// SPDX-License-Identifier: Apache-2.0
// Fuzz target of files of patterns to look for: parse_pattern().
#include "rondo/patterns/pattern_file.hpp"
#include "tests/fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto pattern = rondo::patterns::parse_pattern(rondo::fuzz::text_of(bytes, size), "input");
  rondo::fuzz::use(pattern ? 1 : 0);
  return 0;
}
