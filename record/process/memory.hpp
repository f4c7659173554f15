// SPDX-License-Identifier: Apache-2.0
// The recorder's own memory: operator new and delete of this library, apart from the program's
// malloc. So recording cannot disturb the program's allocator nor be disturbed by it, its memory
// is counted, and a signal handler may allocate although the program was inside malloc.
#pragma once

#include <cstddef>

namespace rondo::record {

/// Bytes handed out and not given back; 0 where the library is built with a sanitizer, which has
/// an allocator of its own.
std::size_t memory_in_use();
/// Bytes taken from the system: those in use, and what is kept for the next that is wanted.
std::size_t memory_mapped();
/// The most that was taken from the system at a time.
std::size_t memory_peak();
/// Calls `alarm` when more memory is taken from the system while memory_in_use() is above `bytes`.
void watch_memory(std::size_t bytes, void (*alarm)());

} // namespace rondo::record
