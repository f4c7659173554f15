// SPDX-License-Identifier: Apache-2.0
// How Extrae says which MPI function a call is: an event whose type tells the kind and whose value
// the function, and the state that a thread is in meanwhile.
#pragma once

#include "rondo/trace/functions.hpp"

#include <cstdint>
#include <span>
#include <string_view>

namespace rondo::convert::internal {

/// Events of these types begin MPI calls, whose functions their values are, and end them with 0:
/// point-to-point, collective, other, one-sided, files.
constexpr std::int64_t kFirstMpiEvent = 50000001;
constexpr std::size_t kMpiEvents = 5;
constexpr std::int64_t kFirstSizeEvent = 50100001; // sent, received, root, communicator

/// Extrae numbers MPI's functions so in all its traces, from 1; "" where it has functions that
/// Rondo has no use for. Numbers from 140 on differ between its versions and are not here.
std::span<const std::string_view> extrae_functions();

struct ExtraeCall {
  std::int64_t type = 0; // kFirstMpiEvent ...
  std::int64_t value = 0; // above 1000 for functions that Extrae has no fixed number for
  int state = 0;
};

/// @complexity  O(log functions)
ExtraeCall extrae_call(const trace::Function& function);

} // namespace rondo::convert::internal
