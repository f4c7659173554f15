// SPDX-License-Identifier: Apache-2.0
// What the ranks of a recording send to processes outside their MPI_COMM_WORLD: those that they
// spawned, those that spawned them, and those that they connected with. They are no ranks of the
// matrix, but numbers in the communicator that leads to them.
//
//   for (const OtherLayer& layer : other_traffic_of(trace).layers)
//     for (const OtherEntry& entry : layer.entries) use(entry.rank, entry.process, entry.bytes);
//
// Messages are counted where they are sent, so what these processes sent is in their recording.
#pragma once

#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::matrix {

enum class OtherKind : std::uint8_t { kSpawned, kParents, kConnected, kUnknown };
/// "spawned", "parents", "connected", "others"
std::string_view name_of(OtherKind kind);

/// What one rank sends to one process. A one-sided call that fetches counts as a message, too.
struct OtherEntry {
  std::int64_t rank = 0; // in MPI_COMM_WORLD
  std::int64_t process = 0; // from 0, among the communicator's processes outside, in its order
  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
  friend bool operator==(const OtherEntry&, const OtherEntry&) = default;
};

/// The traffic on one communicator with processes outside MPI_COMM_WORLD.
struct OtherLayer {
  OtherKind kind = OtherKind::kUnknown; // of a communicator made from another one: of that
  std::string comm; // as trace::CommunicatorNames has it
  std::int64_t processes = 0;
  std::vector<OtherEntry> entries; // by rank, then process
  std::uint64_t collective_calls = 0; // of the ranks of this recording; they are not in entries
  std::uint64_t collective_bytes = 0; // handed over in these

  std::uint64_t messages() const;
  std::uint64_t bytes() const;
  /// "spawned (comm spawn#1)"
  std::string name() const;
};

struct OtherTraffic {
  std::int64_t ranks = 0; // of MPI_COMM_WORLD
  std::vector<OtherLayer> layers; // in the order in which the communicators were made
};

/// Communicators without any traffic are there, too. Calls that failed are left out.
/// @complexity  O(communicators), and that of visit_traffic() if some of them has other processes
OtherTraffic other_traffic_of(const trace::Trace& trace);

} // namespace rondo::matrix
