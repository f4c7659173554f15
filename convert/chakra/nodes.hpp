// SPDX-License-Identifier: Apache-2.0
// The nodes of one rank's Chakra trace: messages of protobuf, each behind its length. Only the
// fields that say something of communication are taken; convert/chakra/et_def.proto names them.
#pragma once

#include "rondo/base/budget.hpp"
#include "rondo/base/result.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::convert::internal {

enum class ChakraKind : std::uint8_t { kOther, kSend, kReceive, kCollective };

struct ChakraNode {
  std::uint64_t id = 0;
  ChakraKind kind = ChakraKind::kOther;
  std::uint64_t start_us = 0;
  std::uint64_t duration_us = 0;
  std::vector<std::uint64_t> needs{}; // ids of nodes that must have ended
  std::optional<std::int64_t> operation{}; // comm_type
  std::optional<std::int64_t> bytes{}; // comm_size
  std::optional<std::int64_t> peer{}; // comm_dst of a send, comm_src of a receive
  std::optional<std::int64_t> root{};
  std::int64_t tag = 0;
  std::string group{}; // its process group's name, empty for all ranks
  bool has_attributes = false;
};

/// The nodes of a file in its order. @param bytes   all of it
/// @error  kFormat, kDamaged, kUnsupported without a place
Result<std::vector<ChakraNode>> parse_chakra(std::string_view bytes, Budget& budget);

} // namespace rondo::convert::internal
