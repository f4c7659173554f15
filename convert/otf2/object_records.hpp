// SPDX-License-Identifier: Apache-2.0
// What the records inside of a call say of the window or the file that it is on. A call may have
// several records (its begin and its end); they are put together into one of these.
#pragma once

#include "convert/otf2/file_modes.hpp"

#include <cstdint>
#include <optional>
#include <otf2/otf2.h>

namespace rondo::convert::internal {

struct Otf2WindowRecord {
  OTF2_RmaWinRef window = OTF2_UNDEFINED_RMA_WIN;
  std::optional<std::uint32_t> target{}; // rank in the window's communicator
  std::uint64_t there_bytes = 0; // of a transfer
  std::uint64_t back_bytes = 0;
  std::optional<std::uint64_t> transfer{}; // its number, if this is one
  std::optional<OTF2_LockType> lock{};
  std::optional<OTF2_GroupRef> group{};
};

struct Otf2FileRecord {
  OTF2_IoHandleRef handle = OTF2_UNDEFINED_IO_HANDLE;
  std::optional<std::uint64_t> bytes{}; // that were asked for
  std::optional<std::uint64_t> operation{}; // its number, if one begins
  std::optional<std::int64_t> offset{};
  OTF2_IoSeekOption whence = OTF2_IO_SEEK_FROM_START;
  std::optional<Otf2Opening> opening{};
};

/// Numbers of the requests that such calls make, apart from those of messages.
constexpr std::uint64_t window_request(std::uint64_t number) {
  return number | std::uint64_t{1} << 63;
}
constexpr std::uint64_t file_request(std::uint64_t number) {
  return number | std::uint64_t{1} << 62;
}

} // namespace rondo::convert::internal
