// SPDX-License-Identifier: Apache-2.0
// A .rondo file from what its sections hold, whatever that is: the writer's last step, and how
// tests make files that are sound outside and damaged inside.
#pragma once

#include "archive/layout.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace rondo::archive {

struct RawSection {
  SectionKind kind;
  std::string bytes;
};

std::string join_sections(std::vector<RawSection> sections);

/// The bytes that a program or times section takes in a file.
std::uint64_t stored_size(std::string raw);

} // namespace rondo::archive
