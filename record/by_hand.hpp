// SPDX-License-Identifier: Apache-2.0
// Wrappers written by hand; the generated entry points call them. Ids are those of
// record/mpi_calls.toml: the generated wrappers assert it.
#pragma once

#include <cstdint>
#include <mpi.h>

namespace rondo::record {

constexpr std::uint16_t kMpiInit = 8;
constexpr std::uint16_t kMpiInitThread = 9;
constexpr std::uint16_t kMpiFinalize = 10;
constexpr std::uint16_t kMpiAbort = 11;
constexpr std::uint16_t kMpiPcontrol = 12;
constexpr std::uint16_t kMpiWait = 39;
constexpr std::uint16_t kMpiTest = 42;
constexpr std::uint16_t kMpiWaitany = 41;
constexpr std::uint16_t kMpiTestany = 44;
constexpr std::uint16_t kMpiWaitall = 40;
constexpr std::uint16_t kMpiTestall = 43;
constexpr std::uint16_t kMpiWaitsome = 4;
constexpr std::uint16_t kMpiTestsome = 45;
constexpr std::uint16_t kMpiRequestGetStatus = 46;
constexpr std::uint16_t kPhaseBegin = 401;
constexpr std::uint16_t kPhaseEnd = 402;
/// Whether an event is one of these two, by its first word.
inline bool is_mark(std::int64_t header) {
  return static_cast<std::uint16_t>(header - kPhaseBegin) <= kPhaseEnd - kPhaseBegin;
}
constexpr std::uint16_t kPause = 403;
constexpr std::uint16_t kResume = 404;

/// The word of a thread level; generated.
std::int64_t choice_thread_level(int value);
/// The number of an error class in the table's list, above all of them for others; generated.
std::int64_t error_number(int error_class);

/// MPI_Wtime goes on from here when the live run is over.
void end_virtual_clock(std::uint64_t now_ns);

} // namespace rondo::record
