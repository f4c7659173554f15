// SPDX-License-Identifier: Apache-2.0
// Memory for a replay: address space that is far larger than any message and costs nothing where it
// is not touched.
#pragma once

#include <cstddef>
#include <cstdint>

namespace rondo::generate {

/// Zeroed address space. What is not touched at all takes no memory.
class ReservedMemory {
public:
  enum class Read : std::uint8_t {
    kOneForAll, // pages that are read only are all one page of zeros, and take no memory
    kOwn, // each page is one of its own, as in a program that has written what it sends
  };
  /// As much of `bytes` as the system grants, at least a MiB; is_there() says if there is any.
  explicit ReservedMemory(std::size_t bytes, Read pages = Read::kOneForAll);
  ~ReservedMemory();
  ReservedMemory(ReservedMemory&& other) noexcept;
  ReservedMemory(const ReservedMemory&) = delete;
  ReservedMemory& operator=(const ReservedMemory&) = delete;

  bool is_there() const { return start_ != nullptr; }
  char* start() const { return start_; }
  std::size_t bytes() const { return bytes_; }
  /// A quarter in, as datatypes may have negative displacements.
  char* message() const { return start_ + bytes_ / 4; }

private:
  char* start_ = nullptr;
  std::size_t bytes_ = 0;
};

} // namespace rondo::generate
