// SPDX-License-Identifier: Apache-2.0
// Statements that differ in no more than values, peers and datatypes: neighbours of that kind are
// one place of the program that ranks, or iterations, go through with other words.
#pragma once

#include "rondo/logical/logical_text.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace rondo::logical::internal {

/// Statements behind one another, wherever they stand.
using Body = std::span<const Statement>;
using Bodies = std::vector<Body>;

/// CallStatement::what and remarks, from its words.
void put_words_together(CallStatement& call);

/// The mean of the times, the sites and shares of both. @complexity O(what both have)
void add_executions_of(CallStatement& into, const CallStatement& call);

/// The same of calls that other ranks make: none of them makes both. @complexity O(what both have)
void add_executions_of_others(CallStatement& into, const CallStatement& call);

/// Equal for statements that join_alike() can join.
std::string skeleton_of(const Statement& statement);
/// The same, but for the communicators that they name, and for the directions of `if west:`.
std::string skeleton_on_any(const Statement& statement);

/// Whether their skeletons are equal, without writing them. @complexity O(what both have in front)
bool are_alike(const Statement& a, const Statement& b);
bool are_alike(const CallStatement& a, const CallStatement& b);
bool are_alike(Body a, Body b);

/// One body for several of equal skeletons: peers and datatypes are choices ("west|east"), numbers
/// ranges, or a progression ("45,46..93") where each body is one iteration, as directions are then
/// a list ("west, east").
/// @param bodies   not empty, of equal skeletons
/// @param is_list  they are iterations one after the other
/// @param weights  how often each stands there; as long as `bodies`
std::vector<Statement> join_alike(const Bodies& bodies, bool is_list,
                                  const std::vector<std::uint64_t>& weights);

/// Words that differ among the bodies.
std::size_t differing_words(const Bodies& bodies);

/// Words that differ and of which join_alike() as a list says less than the bodies; nothing if a
/// list cannot say how directions, tags and types differ, or amounts are many.
/// @param lists_amounts     each of them, where directions do not count on either
/// @param is_one_statement  all are at one place of the source: on a communicator each, perhaps
std::optional<std::size_t> words_lost_in_list(const Bodies& bodies, bool lists_amounts = false,
                                              bool is_one_statement = false);

/// Whether whom the bodies turn to in some word counts on from body to body: "child 3", "child 2",
/// "child 1" or "+1", "+2", "+4".
bool directions_count_on(const Bodies& bodies);

/// Whether each call follows the same topologies in all bodies, or none.
bool are_on_one_topology(const Bodies& bodies);

/// Whether the bodies differ in nothing but amounts, of which there are few.
bool differs_in_few_amounts(const Bodies& bodies);

/// Whether calls, and nothing else, differ in nothing but numbers.
bool differs_in_numbers(const Bodies& bodies);

/// Whether some peers are not the same in all bodies.
bool differs_in_peers(const Bodies& bodies);

/// Calls below whose peers differ among the bodies though each of them has a single direction.
bool differs_in_directions(const Bodies& bodies);

/// The same for bodies that come one by one.
class DirectionsMet {
public:
  /// @param body  of the skeleton of the others; it must stay
  void add(Body body);
  bool differ() const;
  bool has_any() const { return !peers_.empty(); }

private:
  struct Peer { // at one place of the bodies
    const SaidWord* first;
    bool are_equal = true;
    bool are_directions = true;
  };
  void add(Body body, std::size_t& at);

  std::vector<Peer> peers_;
};

/// The lines that statements take.
std::uint64_t lines_of(Body statements);

} // namespace rondo::logical::internal
