// SPDX-License-Identifier: Apache-2.0
// The head of a .rondo file, in little-endian:
//   magic[8]  version u32  sections u32
//   for each section:  kind u16  codec u16  0 u32  raw size u64  stored size u64  xxh3 of the
//   stored bytes u64 xxh3 of all bytes so far u64
// The sections' stored bytes follow in the same order, without gaps.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace rondo::archive {

// A byte above 127 and a line end catch transfers as text.
constexpr std::string_view kMagic{"\x93RONDO\r\n", 8};
constexpr std::size_t kHeadSize = 16;
constexpr std::size_t kEntrySize = 32;
constexpr std::uint32_t kMaxSections = 1024;

enum class SectionKind : std::uint16_t { kProgram = 1, kTimes = 2, kStamps = 3, kNames = 4 };
enum class Codec : std::uint16_t { kNone = 0, kZstd = 1 };

} // namespace rondo::archive
