// SPDX-License-Identifier: Apache-2.0
// Fuzz target of network models, as settings and as files: parse_network(), parse_network_file().
#include "rondo/simulate/network_model.hpp"
#include "tests/fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const std::string_view text = rondo::fuzz::text_of(bytes, size);
  const auto settings = rondo::simulate::parse_network(text);
  const auto file = rondo::simulate::parse_network_file(text, "input");
  rondo::fuzz::use((settings ? 1U : 0U) + (file ? 1U : 0U));
  return 0;
}
