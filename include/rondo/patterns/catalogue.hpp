// SPDX-License-Identifier: Apache-2.0
// The catalogue of documented communication patterns: what is it that the messages of a pattern do,
// whatever the numbers of the ranks? A name is given only to messages that all fit it.
//
//   const Documentation known = documented(joined, pattern);
//   for (const NamedPhase& phase : known.phases) std::cout << phase.what << '\n';
//
// Messages are put in order by what must come first: a message comes after those that its sender
// has received before it. Its depth is the length of the longest chain of messages that ends with
// it. Messages of equal depth do not depend on each other.
#pragma once

#include "rondo/patterns/communication_patterns.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rondo::patterns {

/// One message of a pattern, for all of its executions.
struct PatternMessage {
  std::int64_t from = 0; // world ranks
  std::int64_t to = 0;
  std::uint64_t sent = 0; // when, in steps of the sender
  std::uint64_t received = 0; // when it was there, in steps of the receiver; kNever: at the end
  double bytes = 0; // of one message
  double times = 1; // for one execution of the pattern
  double least_bytes = -1; // if messages differ from execution to execution: the smallest
  double most_bytes = -1; // and the largest; else -1
  std::uint32_t place = 0; // of the sending call in the program of all ranks, from 1; 0: not known
  std::uint32_t site = 0; // of the sending call in the source, from 1; 0: not known
  static constexpr std::uint64_t kNever = ~std::uint64_t{0};
};

/// What a pattern has besides its messages.
struct PatternSurroundings {
  std::vector<std::int64_t> ranks; // world ranks that take part, with messages or without
  /// By world rank: when it calls collectives, in its steps, as PatternMessage counts them.
  std::map<std::int64_t, std::vector<std::uint64_t>> collectives;
  std::vector<topology::SuggestedGrid> grids; // that the program made of all its ranks
  std::map<std::int64_t, bool> takers; // CommunicationPatterns::takers
  bool in_turns = false; // messages_of(); then several messages may have one place
};

/// What is documented, in the order of the catalogue (docs/patterns.md).
enum class PatternName : std::uint8_t {
  kHaloExchange,
  kWavefront,
  kRingShift,
  kPipeline,
  kButterfly,
  kBinomialTreeBroadcast,
  kBinomialTreeReduce,
  kBinaryTreeBroadcast,
  kBinaryTreeReduce,
  kScatter,
  kGather,
  kPairwiseAllToAll,
  kBruckAllToAll,
  kDisseminationBarrier,
  kMasterWorker,
  kTranspose,
  kVCycle,
  kWCycle,
  kFCycle,
  kPairExchange,
};

/// "halo exchange", "V-cycle", ...
std::string_view to_text(PatternName name);

/// Messages of a pattern that have a name together.
struct NamedPhase {
  PatternName name = PatternName::kPairExchange;
  std::string also; // another name that the messages fit as well: "halo exchange on a 2x2 grid"
  std::string what; // "butterfly over 16 ranks in 4 rounds"
  std::string scope; // "within each of 4 groups of 4 ranks (0-3; 4-7; ...), in 2 rounds"
  std::vector<std::string> evidence; // what was checked, in sentences
  std::string collective; // what it does over again: "MPI_Allreduce", or several; may be empty
  std::vector<std::vector<std::int64_t>> groups; // ranks that do so among themselves
  std::vector<std::pair<std::int64_t, std::int64_t>> pairs; // sender and receiver of each message
  double least_bytes = 0; // of its messages in all executions: the smallest
  double most_bytes = 0; // and the largest
  std::size_t messages = 0;
  std::size_t rounds = 0; // depths that it takes
  std::size_t times = 1; // one after the other
  bool has_root = false;
  std::int64_t root = 0;
  bool takes_first = false; // the root takes what comes first
};

struct Documentation {
  std::vector<NamedPhase> phases; // in the order of the messages; empty: unknown
  std::size_t unnamed = 0; // messages that fit nothing, where others do
  std::vector<std::string> advice; // collectives that could be called instead
  bool in_turns = false; // these are the messages of messages_of() in turns
  bool is_known() const { return !phases.empty(); }
};

/// All names that a phase may have.
std::vector<PatternName> documented_names();

/// Whether a phase is called so, or may be: a butterfly over four ranks is also a halo exchange.
bool has_name(const NamedPhase& phase, PatternName name);

/// The name that somebody means who writes "Halo-Exchange".
std::optional<PatternName> documented_name(std::string_view text);

/// What the messages are, all of them: as a whole, as the same thing within several groups of
/// ranks, or as one thing after the other.
/// @return   unknown if any message remains that fits none
/// @complexity  O(messages * degree), times the square of the number of depths if it is not one
///              thing as a whole; and that of recognize() for lattices
/// @source      [thakur2005], [bruck1997] and [hensgen1988] for what the collectives do,
///              [logicalization] for lattices; finding them in messages is ours
Documentation documented(const std::vector<PatternMessage>& messages,
                         const PatternSurroundings& others = {});

/// The same for a pattern that was found in a trace.
Documentation documented(const CommunicationPatterns& found, const CommunicationPattern& pattern);

/// The messages within a pattern; collectives are none.
/// @param in_turns   an event with which one loop ends and the next begins, and that a partner has
///                   as two, is several messages, one after the other
std::vector<PatternMessage> messages_of(const CommunicationPatterns& found,
                                        const CommunicationPattern& pattern, bool in_turns = false);

} // namespace rondo::patterns
