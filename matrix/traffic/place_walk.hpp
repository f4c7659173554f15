// SPDX-License-Identifier: Apache-2.0
// Goes through one rank's program and says of every execution at which place of the merged program
// it happens. A loop is gone through once, with the number of its iterations, where the order of
// what happens in it does not matter; iteration by iteration only where it does.
#pragma once

#include "rondo/matrix/layers.hpp"
#include "rondo/trace/merged_program.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <utility>
#include <vector>

namespace rondo::matrix::internal {

/// Numbers the places of a merged program as they are come upon. ProgramPlace 0 is the whole.
class PlaceTree {
public:
  explicit PlaceTree(const trace::MergedProgram& merged);

  /// The place of a term of the body of `parent`, which is a loop or the whole.
  std::uint32_t child(std::uint32_t parent, std::uint32_t term);

  /// Counts executions, until the next rank's are counted.
  void count(std::uint32_t place, std::uint64_t executions) { executions_[place] += executions; }
  void finish_rank();

  std::optional<trace::Term> what(std::uint32_t place) const { return places_[place].what; }

  /// The places in the order of the program, the whole first.
  /// @param number  on return, of every place as child() gave it, its index in the result
  /// @complexity    O(places)
  std::vector<ProgramPlace> in_program_order(std::vector<std::uint32_t>& number) const;

private:
  // Terms are asked for in the order of the body, mostly all of them again and again.
  struct Children {
    std::vector<std::pair<std::uint32_t, std::uint32_t>> places; // by term
    std::size_t next = 0; // of them: behind the last one that was asked for
  };

  void add(std::uint32_t parent, std::uint32_t term);

  const trace::MergedProgram* merged_;
  std::vector<ProgramPlace> places_;
  std::vector<std::uint64_t> executions_; // of the rank that is being counted
  std::vector<Children> children_; // by place
};

class PlaceWalk {
public:
  using Visit = std::function<void(std::uint32_t symbol, std::uint32_t place, std::uint64_t times)>;

  /// @param projection  of `merged`, to the rank
  PlaceWalk(const trace::MergedProgram& merged, const trace::Projection& projection,
            PlaceTree& places);

  /// Symbols of one group are visited in the order in which they execute, each with a number of
  /// times that all come before the next visit to the group.
  /// @param group  a number of the caller's choice
  void keep_order(std::uint32_t symbol, std::size_t group);

  /// @complexity  O(terms), times the iterations of loops in which a group occurs at two places
  void run(const Visit& visit);

private:
  struct Content { // of a loop
    std::vector<bool> some; // by group: does it occur
    bool is_repeated = false; // any group occurs more than once
  };

  void number_terms();
  void find_contents();
  void add(Content& content, std::size_t group) const;
  void walk(const std::vector<trace::Term>& terms, const std::vector<std::uint32_t>& positions,
            std::uint32_t place, std::uint64_t times);
  std::uint64_t next_iterations(std::uint32_t loop, std::uint64_t entries);

  const trace::MergedProgram* merged_;
  const trace::Projection* projection_;
  PlaceTree* places_;
  std::vector<std::vector<std::uint32_t>> positions_; // by loop: positions in the merged body
  std::vector<std::uint32_t> top_positions_;
  std::map<std::size_t, std::size_t> group_number_;
  std::vector<std::vector<std::size_t>> groups_of_symbol_;
  std::vector<Content> contents_; // by loop
  std::vector<trace::ColumnReader> trip_counts_; // by loop
  const Visit* visit_ = nullptr;
};

} // namespace rondo::matrix::internal
