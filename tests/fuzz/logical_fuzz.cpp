// SPDX-License-Identifier: Apache-2.0
// Fuzz target of logical programs as text: parse_logical_text().
#include "rondo/logical/logical_text.hpp"
#include "tests/fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto program =
      rondo::logical::parse_logical_text(rondo::fuzz::text_of(bytes, size), "input");
  rondo::fuzz::use(program ? 1 : 0);
  return 0;
}
