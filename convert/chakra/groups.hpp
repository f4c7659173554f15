// SPDX-License-Identifier: Apache-2.0
// The process groups of a Chakra trace. Who is in a group stands in no node: it is read from the
// file that ASTRA-sim takes beside the traces, or it is all ranks with operations of its name.
#pragma once

#include "convert/chakra/nodes.hpp"
#include "rondo/base/result.hpp"
#include "rondo/trace/trace.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace rondo::convert::internal {

struct ChakraGroup {
  std::int64_t slot = trace::kNothing; // by which calls refer to it; kNothing: members are unknown
  std::vector<std::int64_t> members; // ranks, in order
};

class ChakraGroups {
public:
  explicit ChakraGroups(std::int64_t ranks) : ranks_(ranks) {}

  /// Members by name: {"1": [0, 1], "2": [2, 3]}. @param json   the file's text
  /// @error  kFormat without a place
  Status read_members(std::string_view json);
  /// Counts a rank's operations of each group.
  void count(std::int64_t rank, const std::vector<ChakraNode>& nodes);
  /// To be called when all ranks are counted. A group whose members no file says is the ranks that
  /// have operations of its name, if each has as many of each kind: all members take part.
  void settle();

  const ChakraGroup& find(const std::string& name) const { return groups_.at(name); }
  /// Of groups that have slots of their own.
  std::vector<trace::CommDefinition> definitions() const;
  /// A rank's groups among them.
  std::vector<const ChakraGroup*> groups_of(std::int64_t rank) const;

private:
  using Kinds = std::array<std::uint64_t, 16>; // operations by comm_type; the last: others
  std::int64_t slot_of(const std::vector<std::int64_t>& members);

  std::int64_t ranks_;
  std::map<std::string, std::map<std::int64_t, Kinds>> counts_; // by name and rank
  std::map<std::string, std::vector<std::int64_t>> said_;
  std::map<std::string, ChakraGroup> groups_;
  std::vector<std::int64_t> slots_taken_; // by rank: its groups have slots below
};

} // namespace rondo::convert::internal
