// SPDX-License-Identifier: Apache-2.0
// How much one rank's program takes when it has been cut out of a merged one: what a reader of
// untrusted bytes adds up before it makes more of them.
#pragma once

#include "rondo/trace/merged_program.hpp"

#include <cstdint>

namespace rondo::trace {

/// Bytes that one of the things which size_of() counts takes in memory.
constexpr std::uint64_t kBytesOfThing = 16;

/// Terms, words of calls, numbers in columns and arrays, and pieces of text, each counted by the
/// memory that it takes.
/// @complexity O(calls + loops + columns + arrays + texts)
std::uint64_t size_of(const Program& program);

} // namespace rondo::trace
