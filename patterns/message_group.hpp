// SPDX-License-Identifier: Apache-2.0
// Messages among ranks that hang together, with ranks numbered from 0: what shapes are looked for
// in.
#pragma once

#include "rondo/patterns/catalogue.hpp"
#include "rondo/topology/adjacency.hpp"
#include "rondo/topology/recognize.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace rondo::patterns::internal {

using topology::Vertex;

inline std::size_t index(Vertex v) { return static_cast<std::size_t>(v); }

struct GroupMessage {
  Vertex from = 0;
  Vertex to = 0;
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  double bytes = 0;
  double times = 1;
  std::size_t depth = 0; // from 1
  double least_bytes = -1; // as in PatternMessage
  double most_bytes = -1;
  std::uint32_t site = 0; // likewise
};

struct MessageGroup {
  std::vector<std::int64_t> ranks; // world ranks by number
  std::vector<GroupMessage> messages; // none to itself
  std::size_t depth = 0; // of the deepest
  bool in_order = true; // no message waits for itself; else depths are unknown

  Vertex size() const { return static_cast<Vertex>(ranks.size()); }
  /// The receivers by sender among the messages of a depth; empty if that is no permutation.
  std::vector<Vertex> permutation_at(std::size_t wanted) const;
  bool same_bytes() const;
};

/// The depths of messages, from 1; 0 for those that wait for each other in a circle.
std::vector<std::size_t> depths_of(const std::vector<PatternMessage>& messages);

/// Layers of messages, from 1: on each rank all of one layer are sent and received before any of
/// the next one. Messages that stand crosswise on two ranks, as those of an exchange, share a
/// layer.
/// @complexity  O(messages log messages)
/// @source      [tarjan1972]
std::vector<std::size_t> layers_of(const std::vector<PatternMessage>& messages);

/// The ranks that hang together by these messages, by their lowest rank; those with messages to
/// themselves alone too.
/// @param depths   of all messages; those of a group are counted from its first
std::vector<MessageGroup> groups_of(const std::vector<PatternMessage>& messages,
                                    const std::vector<std::size_t>& depths);

/// What a group does.
struct Shape {
  PatternName name;
  std::string what; // goes before "over 16 ranks" or "over 4 groups of 4 ranks"
  std::string how; // behind it: "in 4 rounds"; may be empty
  std::vector<std::string> evidence;
  std::string collective;
  Vertex root = -1;
  std::string also =
      {}; // "halo exchange on a 2x2 grid": what the same messages may be; may be empty
};

// The detectors: each gives a shape only if all messages of the group fit it.
std::optional<Shape> butterfly(const MessageGroup& group);
std::optional<Shape> dissemination(const MessageGroup& group);
std::optional<Shape> all_to_all(const MessageGroup& group);
std::optional<Shape> tree(const MessageGroup& group);
std::optional<Shape> master_worker(const MessageGroup& group);
std::optional<Shape> ring(const MessageGroup& group);
/// Exchanges on all levels of a multigrid: V-cycle, W-cycle or F-cycle.
std::optional<Shape> multigrid(const MessageGroup& group);
std::optional<Shape> lattice(const MessageGroup& group);
std::optional<Shape> pair(const MessageGroup& group);
/// Messages that are exchanges in one dimension after the other: one in all of them.
std::optional<Shape> exchange_by_dimension(const MessageGroup& group);
/// Scatters and gathers whose root swaps messages with the others at the same time are none: pieces
/// of an exchange with neighbours, in the order of the calls. They lose their name.
void drop_pieces_of_exchanges(const std::vector<PatternMessage>& messages,
                              std::vector<NamedPhase>& phases);
/// Exchanges of every other pair on a chain or ring, and then of the pairs between them. Pairs and
/// any round of something else look like it among few ranks, so it is asked for pairs alone.
std::optional<Shape> red_black(const MessageGroup& group);

/// On a grid that the program made, what goes to neighbours is a halo exchange, whatever else it
/// may be; so are swaps like a butterfly's that no collective would do.
void name_halo_exchanges(const std::vector<PatternMessage>& messages,
                         const PatternSurroundings& others, std::vector<NamedPhase>& phases);

/// Calls exchanges in pairs transposes where the ranks, or what comes before or behind, show it.
void name_transposes(const std::vector<PatternMessage>& messages, const PatternSurroundings& others,
                     std::vector<NamedPhase>& phases);

/// Calls exchanges of some and of all ranks of a grid in turn a V-cycle, and halving and doubling
/// with a collective in the middle.
void name_v_cycles(const std::vector<PatternMessage>& messages, const PatternSurroundings& others,
                   std::vector<NamedPhase>& phases);

/// Whether exchanges of some ranks among those of others may be levels that have not been told
/// apart.
bool may_have_levels(const std::vector<PatternMessage>& messages,
                     const std::vector<NamedPhase>& phases);
bool has_v_cycle(const std::vector<NamedPhase>& phases);

/// The topology of who sends to whom in a group, by any number of messages.
topology::Recognition recognized(const MessageGroup& group, topology::Graph& graph);

/// From one cell of a grid to another, the short way round.
std::vector<Vertex> step_of(const topology::Topology& grid, Vertex from, Vertex to);

/// Collectives that could be called instead, and why, in sentences.
std::vector<std::string> advice_for(const std::vector<NamedPhase>& phases);

/// "0-6:2": without the word before it.
std::string ranks_text(const std::vector<std::int64_t>& ranks);

/// The smallest and the largest message of all executions.
std::pair<double, double> bytes_range(const MessageGroup& group);

/// "8 B each", "about 8 kB each", "8 B to 64 B"; "0 B to 64 B, 23 B on average" where the same
/// message differs from execution to execution.
std::string bytes_text(const MessageGroup& group);

} // namespace rondo::patterns::internal
