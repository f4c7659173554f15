// SPDX-License-Identifier: Apache-2.0
// The words of the text for what a logical program has: directions, communicators, calls.
#pragma once

#include "rondo/logical/logical_program.hpp"
#include "rondo/trace/short_name.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::logical::internal {

using trace::short_name;

/// Slots of communicators that have all ranks, in their order or another.
std::set<std::int64_t> comms_of_all_ranks(const trace::Trace& trace);

class Names {
public:
  /// @complexity  O(directions + families of communicators squared * ranks)
  explicit Names(const LogicalProgram& logical);

  /// Of each peer topology; equal ones are numbered.
  const std::vector<std::string>& peer_topologies() const { return peer_topologies_; }
  /// "east"; "east of 4x4 torus" where a peer topology before it has a direction of that name too.
  std::string direction(const Peer& peer) const;
  /// As everywhere: what the program calls it, or how it was made ("split#1").
  std::string communicator(std::int64_t slot) const;
  /// What a process outside of MPI_COMM_WORLD is called, by how the communicator was made:
  /// "spawned", "parent", "remote"; "unknown" if that does not say.
  std::string other_process(std::int64_t slot) const;
  /// " (rows)", " (columns)", " (all ranks)"; nothing for one that has no role we know.
  std::string role(std::int64_t slot) const;

private:
  void find_roles();

  const LogicalProgram& logical_;
  std::vector<std::string> peer_topologies_;
  std::map<std::string, std::size_t> first_with_; // direction -> first peer topology that has it
  std::map<std::int64_t, std::string> roles_; // by slot
};

} // namespace rondo::logical::internal
