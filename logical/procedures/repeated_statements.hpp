// SPDX-License-Identifier: Apache-2.0
// Sequences of statements that come again in a text as it stands, and which of them become calls of
// procedures, in whichever way these are chosen: what does not depend on the way is found once.
#pragma once

#include "logical/procedures/statement_graph.hpp"
#include "logical/procedures/value_slots.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace rondo::logical::internal {

/// How procedures are chosen. No way is the best one for all programs.
struct Way {
  std::int64_t worth = 1; // lines that a procedure has to save
  std::int64_t arguments = 1; // of calls, that count as a line
  bool longest_first = false; // else those that save most
};

/// Places that are calls of one procedure.
struct Calls {
  std::size_t length = 0;
  std::vector<std::size_t> begins;
  Parameters parameters;
};

class RepeatedStatements {
public:
  /// Which places become calls, of one procedure after the other. Equal if the same was chosen.
  using Choice = std::vector<const Calls*>;

  /// @param graph  measured here; it must stay as it is
  /// @param roots  lists of the text's parts
  RepeatedStatements(StatementGraph& graph, const std::vector<std::uint32_t>& roots);

  /// @param way  of which nothing is less than 1
  Choice chosen(const Way& way);

  /// The graph with calls in the place of what was chosen.
  StatementGraph replaced(const Choice& choice) const;

private:
  struct Repeat {
    std::size_t length = 0;
    std::vector<std::size_t> begins;
    std::int64_t saved = 0; // without parameters
    bool are_equal = true; // their shapes; else only their hashes
  };
  // All lists that are left, behind one another, each with an end.
  struct Flat {
    std::vector<std::uint32_t> nodes; // kNone: an end, or what stays where it is
    std::vector<std::uint32_t> shapes; // likewise
    std::vector<std::uint32_t> lists;
    std::vector<std::size_t> at; // in its list
    std::vector<std::int64_t> lines; // up to here
    std::vector<char> taken;
  };

  void reach(StatementGraph& graph, std::uint32_t list, std::vector<char>& seen);
  std::int64_t saved_by(std::size_t first, std::size_t length, std::size_t places,
                        std::size_t parameters) const;
  std::vector<Repeat> repeats_of(std::size_t length) const;
  bool is_free(std::size_t begin, std::size_t length) const;
  bool can_grow(const Repeat& repeat) const;
  bool are_equal(std::size_t a, std::size_t b, std::size_t length) const;
  void settle(const Repeat& repeat, Choice& choice);
  bool take(const Repeat& repeat, Choice& choice);
  ValuesAt values_at(std::size_t begin, std::size_t length,
                     std::vector<std::string>* names = nullptr) const;
  std::vector<Calls> with_few_parameters(const Repeat& repeat) const;
  std::uint32_t add_procedure(StatementGraph& graph, const Calls& calls) const;

  const StatementGraph& graph_;
  Flat flat_;
  std::vector<Repeat> repeats_; // that save a line or more, by length
  std::map<std::pair<std::size_t, std::vector<std::size_t>>, std::vector<Calls>>
      known_; // by length and places
  Way way_; // in which procedures are being chosen
  Repeat settled_; // the places that are left of one
};

} // namespace rondo::logical::internal
