// SPDX-License-Identifier: Apache-2.0
#include "tests/topology/family_files.hpp"

#include <gtest/gtest.h>

namespace rondo::topology::testing {

const char* const kCgFamily =
    R"(# NAS CG: halving exchanges within rows, and the transpose partner
family npb-cg
only if 2^log2(n) = n and n > 1
let rows = 2^(log2(n)/2)
let columns = n/rows
neighbour r xor 2^k for k in 0 .. log2(columns)-1
neighbour (r mod rows)*rows + r/rows                  if columns = rows
neighbour 2*((r/2 mod rows)*rows + r/2/rows) + r mod 2 if columns != rows
)";

const std::vector<FamilyExample> kFamilyExamples = {
    {"family knight\nmesh any open, any open\noffsets (1,2) (2,1) (-1,2) (-2,1)", {30, 42, 64}},
    {"family brick\nmesh any periodic, 8 periodic\noffsets (0,1) (1,1) (2,3)", {56, 64, 88}},
    {"family far\nxor 1 2 4 7 8", {16}},
    {"family odd-even\nneighbour r+1\nneighbour (r+5) mod n if r mod 2 = 0", {20, 31, 50}},
    {"family wide\nlet m = sqrt(n)\nonly if m*m = n\nlet row = r/m\n"
     "neighbour (r+1) mod n\nneighbour (row+1)*m + (r+row) mod m",
     {25, 36, 49, 100}},
    {"family hops\nparameter a in 2 .. 6\nneighbour r + a\nneighbour r + 1 if r mod a != 0", {40}},
};

std::vector<Family> families(const std::string& text) {
  auto parsed = parse_families(text, "test.family");
  if (parsed) return *parsed;
  ADD_FAILURE() << parsed.error().text();
  return {};
}

} // namespace rondo::topology::testing
