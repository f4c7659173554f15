// SPDX-License-Identifier: Apache-2.0
// An archive taken apart and put together again without asking whether it is sound: lengths and
// checksums are made to fit whatever the sections hold.
#pragma once

#include "archive/sections.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace rondo::support {

/// The raw bytes of each section as far as they can be had; nothing if the head makes no sense.
/// Checksums are not looked at.
std::vector<archive::RawSection> sections_of(std::string_view file);

/// A file of these sections, without compression's cost.
std::string plain_archive(const std::vector<archive::RawSection>& sections);

} // namespace rondo::support
