// SPDX-License-Identifier: Apache-2.0
// Family files for tests.
#pragma once

#include "rondo/topology/family.hpp"

#include <string>
#include <vector>

namespace rondo::topology::testing {

/// NPB's CG as a user would write it.
extern const char* const kCgFamily;

struct FamilyExample {
  const char* text;
  std::vector<Vertex> ranks; // with members
};

/// One of each shape; none is a family that Rondo knows.
extern const std::vector<FamilyExample> kFamilyExamples;

/// Parsed; a failure of the test if that is refused.
std::vector<Family> families(const std::string& text);

} // namespace rondo::topology::testing
