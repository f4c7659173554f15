// SPDX-License-Identifier: Apache-2.0
// Items of a rank's history in few bytes, bit by bit as they were. Columns of differences, packed
// by zstd: times of a recording are whole nanoseconds, whose differences are short.
#pragma once

#include "efficiency/history.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace rondo::efficiency::internal {

/// Never empty where there are items.
std::string pack(std::span<const Computed> items);
std::string pack(std::span<const Waited> items);
std::string pack(std::span<const std::uint32_t> items);
/// @param packed  as many items
void unpack(std::string_view packed, std::span<Computed> items);
void unpack(std::string_view packed, std::span<Waited> items);
void unpack(std::string_view packed, std::span<std::uint32_t> items);

} // namespace rondo::efficiency::internal
