// SPDX-License-Identifier: Apache-2.0
// Fuzz target of matrices as CSV: parse_csv().
#include "rondo/matrix/matrix_files.hpp"
#include "tests/fuzz/target.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const auto matrix = rondo::matrix::parse_csv(rondo::fuzz::text_of(bytes, size), "input");
  if (matrix) rondo::fuzz::use(matrix->entries().size());
  return 0;
}
