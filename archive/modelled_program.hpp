// SPDX-License-Identifier: Apache-2.0
// Packed programs in fewer bytes: each of their numbers by the chance that it has where it stands;
// docs/formats/rondo.md says which numbers are compared with which.
#pragma once

#include "rondo/base/budget.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::archive {

/// @param packed   what pack() makes of each program
/// @complexity     O(bytes)
std::string pack_modelled_programs(const std::vector<std::string_view>& packed);

/// The packed programs, none of no bytes; nothing if the bytes are not what
/// pack_modelled_programs() makes, or not worth what they cost. Whether these are programs
/// unpack_program() says.
std::optional<std::vector<std::string>> unpack_modelled_programs(std::string_view bytes,
                                                                 Budget* budget);

/// How many bytes the packed programs have together, if that is true.
std::uint64_t packed_size_of(std::string_view modelled);

} // namespace rondo::archive
