// SPDX-License-Identifier: Apache-2.0
// Ranks that take what comes first: what they hear from whom is not the program's choice.
#pragma once

#include "rondo/patterns/catalogue.hpp"
#include "rondo/trace/matching.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace rondo::patterns::internal {

/// Counts messages that their receiver took because they came first: by MPI_ANY_SOURCE, behind a
/// probe of that, or by a request that MPI_Waitany and the like chose.
class MasterFinder {
public:
  explicit MasterFinder(const trace::Trace& trace);

  /// No rank has receives that take what comes first.
  bool has_none() const { return taken_.empty(); }
  void note(const trace::Message& message);
  /// Those who took from several so; whether not the same from all in turn, and answered: masters.
  /// @complexity  O(messages log messages) of those that were taken so
  std::map<std::int64_t, bool> found() const;
  /// Those that the rank took from so, if they have to do with nobody else: ranks that also speak
  /// with each other follow an order of their own. Else nobody.
  std::set<std::int64_t> workers_of(std::int64_t rank) const;
  /// The same of a master, whose workers may speak with each other. It hears from them in no other
  /// way, and none of them takes what comes first, as ranks do that are neighbours of each other.
  std::set<std::int64_t> workers_of_master(std::int64_t rank) const;

private:
  using Stream = std::pair<std::int64_t, std::uint32_t>; // rank and thread
  /// Of a receiver, the k-th messages of all its senders: the first and the last call that got one.
  struct Round {
    std::uint64_t first = ~std::uint64_t{0};
    std::uint64_t last = 0;
  };
  struct Heard {
    bool is_in_turn = true; // no message of a round came behind one of the next
    std::vector<Round> rounds; // as long as it is
  };
  static void note_round(Heard& heard, std::uint64_t round, std::uint64_t call);
  bool hears_in_turn(std::int64_t rank) const;

  std::map<Stream, std::vector<bool>> takes_first_; // by symbol
  std::map<std::int64_t, std::map<std::int64_t, std::uint64_t>> taken_; // receiver, sender
  std::map<std::int64_t, Heard> heard_; // by receiver
  std::map<std::int64_t, std::set<std::int64_t>> partners_; // by rank, both ways
  std::map<std::int64_t, std::set<std::int64_t>> sent_; // by receivers that do so, to whom
  std::set<std::int64_t> asks_; // receivers that do so, but not always
};

/// The messages of a master, and those of its workers among themselves, if there are both: what
/// they are is asked of each. The first are empty if not.
struct MasterApart {
  std::vector<PatternMessage> of_master;
  std::vector<PatternMessage> of_workers;
};
MasterApart master_apart(const std::vector<PatternMessage>& messages,
                         const PatternSurroundings& others);

/// What a master gets and gives is no gather and no scatter: how much goes to whom depends on who
/// comes first. Where all messages are of one master, they are a master and workers.
void name_masters(const std::vector<PatternMessage>& messages, const PatternSurroundings& others,
                  std::vector<NamedPhase>& phases);

} // namespace rondo::patterns::internal
