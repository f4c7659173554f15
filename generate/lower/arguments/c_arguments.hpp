// SPDX-License-Identifier: Apache-2.0
// The arguments of MPI's C binding, generated from record/mpi_calls.toml: what a benchmark has to
// pass, and which word of a recorded call says its value.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace rondo::generate::internal {

enum class ArgumentKind : std::uint8_t {
  kAddress,
  kAint,
  kArgc,
  kArgumentList,
  kArgumentLists,
  kArgv,
  kBigcount,
  kBuffer,
  kCallback,
  kChoice, // a constant whose value differs between MPIs
  kColor,
  kComm,
  kCount,
  kDatatype,
  kDispl,
  kErrcodes,
  kErrhandler,
  kFile,
  kGroup,
  kIndex,
  kInfo,
  kInt,
  kLogical,
  kMessage,
  kOffset,
  kOp,
  kOutcount,
  kPointer,
  kRank,
  kRequest,
  kRoot,
  kSession,
  kState,
  kStatus,
  kString,
  kTag,
  kWeight,
  kWin,
};

enum class Direction : std::uint8_t { kIn, kOut, kInout, kFree };

struct CArgument {
  std::string_view name;
  ArgumentKind kind;
  Direction direction;
  bool is_array;
  int word; // of a recorded call, or -1
  int length_of; // the argument whose recorded array says the value, or -1
  std::string_view type; // C's, of one element
};

/// Of the function with this id, in the order of the C binding.
std::span<const CArgument> c_arguments(std::uint16_t function);

} // namespace rondo::generate::internal
