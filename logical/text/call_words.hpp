// SPDX-License-Identifier: Apache-2.0
// A call of a merged program in words: whom it turns to, by direction where there is one, how much,
// of which type, on which communicator.
#pragma once

#include "logical/places/names.hpp"
#include "logical/places/place_values.hpp"
#include "logical/text/number_text.hpp"
#include "logical/text/told_by_rounds.hpp"
#include "logical/text/word_values.hpp"
#include "rondo/logical/logical_program.hpp"
#include "rondo/logical/logical_text.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace rondo::logical::internal {

class CallWords {
public:
  /// What the words of one program's calls are made of. All of it must outlive the CallWords.
  struct From {
    const LogicalProgram& logical;
    const Names& names;
    const trace::MergedProgram& program;
    const std::vector<bool>& left_out; // by merged call; empty: nothing is
    const std::vector<std::size_t>& rank_of_cell;
    const PlaceValues& place_values;
    Values& values;
    NumberText& numbers;
  };

  explicit CallWords(const From& from)
      : logical_(from.logical), names_(from.names), program_(from.program),
        left_out_(from.left_out), rank_of_cell_(from.rank_of_cell),
        place_values_(from.place_values), values_(from.values), numbers_(from.numbers) {}

  /// The name and words of a call, and nothing else of the statement.
  /// @param place   where it stands, if known: which values its words have there
  /// @param rounds  of the loop that it stands in, each time; 0: none, or not known
  /// @complexity   O(ranks * values of its words)
  CallStatement say(std::uint32_t index, std::optional<std::uint32_t> place,
                    std::uint64_t rounds = 0);

  /// Of a collective call that several statements of the source make in turn, with an amount of its
  /// own each: each of them; nothing of others.
  /// @param rounds      of the loop that it stands in alone
  /// @param executions  of a rank at that place
  std::vector<CallStatement> say_in_turn(std::uint32_t index, std::optional<std::uint32_t> place,
                                         std::uint64_t rounds, std::uint64_t executions,
                                         std::uint64_t statements);

  /// The peer of a call that say() found to have this one only, in one direction; else nothing.
  std::optional<Peer> only_peer(std::uint32_t index) const;

  /// What is said of peers and tags that the number of the round tells, in place of all values.
  /// @param told  nullptr: nothing is told so
  void say_as_told(const ToldLoop* told) { told_ = told; }

private:
  using RankOfRank = std::map<std::int64_t, std::int64_t>;

  std::string name_of(const Peer& peer, std::int64_t cell) const;
  std::int64_t distance_in_ranks(std::int64_t from, std::int64_t to) const;
  std::int64_t round_the_end(std::int64_t distance, std::int64_t from, std::int64_t to) const;
  std::optional<std::string> steps_to(std::int64_t from, std::int64_t to) const;
  void argument(CallStatement& result, std::uint32_t index, const trace::Field& field,
                std::size_t word);
  void say_first(CallStatement& result, std::string peers);
  std::optional<std::string> peers_in_turn(std::uint32_t index, std::size_t word);
  std::optional<std::string> tags_in_turn(std::uint32_t index, std::size_t word);
  std::string peers(std::uint32_t index, std::size_t word);
  bool has_amount_in_turn(const trace::MergedCall& merged, std::uint64_t executions,
                          std::uint64_t statements);
  bool is_only_outside(const Peer& peer, std::int64_t cell, RankOfRank& outside) const;
  std::string any_of(const trace::MergedCall& merged, const std::set<std::int64_t>& asking,
                     std::int64_t comm);
  void amount(std::vector<SaidWord>& to, std::uint32_t index, const trace::Field& field,
              std::size_t word);
  // what_came.cpp
  void say_what_came(SaidWord& count, std::uint32_t index);
  std::set<std::int64_t> bytes_that_came(std::uint32_t index) const;
  void number(std::vector<SaidWord>& to, const std::string& before, std::uint32_t index,
              const trace::Field& field, std::size_t word);
  std::string object(const trace::MergedCall& merged, const trace::Field& field,
                     std::size_t word) const;

  const LogicalProgram& logical_;
  const Names& names_;
  const trace::MergedProgram& program_;
  const std::vector<bool>& left_out_;
  const std::vector<std::size_t>& rank_of_cell_;
  const PlaceValues& place_values_;
  Values& values_;
  NumberText& numbers_;
  // Of the call that is being written:
  std::optional<std::uint32_t> place_;
  std::uint64_t rounds_ = 0;
  std::int64_t comm_ = 0;
  std::set<std::size_t> said_peer_topologies_;
  std::size_t said_ = 0; // of CallStatement::words: up to the end of what the last peer has
  std::vector<SaidWord> remarks_;
  bool makes_comm_ = false; // the call that is said
  std::uint64_t statements_ = 0; // that make it in turn; 0: one does
  std::uint64_t turn_ = 0; // of these
  const ToldLoop* told_ = nullptr;
  // Of all:
  std::map<std::uint32_t, Peer> only_peer_; // of calls with one direction for all
};

} // namespace rondo::logical::internal
