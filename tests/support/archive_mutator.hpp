// SPDX-License-Identifier: Apache-2.0
// Changes an archive where it hurts: inside its sections, number by number, with lengths and
// checksums that fit again. A fuzzer or a test that turned over bits of the file would only ever
// learn that checksums work.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <string_view>

namespace rondo::support {

/// The archive with one to four changes, the same ones for the same state of `random`; an empty
/// text if `file` has no sections that could be changed. Sections are stored without compression.
std::string mutated_archive(std::string_view file, std::mt19937_64& random);

} // namespace rondo::support
