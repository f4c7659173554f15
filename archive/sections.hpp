// SPDX-License-Identifier: Apache-2.0
// A .rondo file from what its sections hold, whatever that is: the writer's last step, and how
// tests make files that are sound outside and damaged inside.
#pragma once

#include "archive/layout.hpp"

#include <string>
#include <vector>

namespace rondo::archive {

struct RawSection {
  SectionKind kind;
  std::string bytes;
};

std::string join_sections(const std::vector<RawSection>& sections);

} // namespace rondo::archive
