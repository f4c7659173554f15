// SPDX-License-Identifier: Apache-2.0
// Fuzz target of formulas of network models: Formula.
#include "rondo/simulate/formula.hpp"
#include "tests/fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto formula = rondo::simulate::Formula::parse(rondo::fuzz::text_of(bytes, size));
  if (!formula) return 0;
  rondo::fuzz::use(formula->value({}) > 0 ? 1 : 0);
  return 0;
}
