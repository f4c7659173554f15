// SPDX-License-Identifier: Apache-2.0
// Which call gave a communicator its process topology, where communicators with different ones have
// stood in the same slot, one after the other: that follows from the order of the program.
#pragma once

#include "matrix/traffic/trace_words.hpp"
#include "rondo/trace/call_meaning.hpp"
#include "rondo/trace/program.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <unordered_map>
#include <vector>

namespace rondo::matrix::internal {

/// A call that made a communicator with a process topology, with one choice of its words.
struct TopologyMaker {
  std::size_t number = 0; // among all of the program
  trace::Call call; // no word is a column; words that do not matter are kNothing
  std::shared_ptr<const TopologyMaker> old; // who made the communicator that it was made from
};

/// Plays the calls that make communicators with process topologies, in the order of the program.
class CurrentTopologies {
public:
  /// @param program  must outlive it
  explicit CurrentTopologies(const trace::Program& program);

  /// The word that says on which communicator a neighbourhood collective is; -1 for all other
  /// functions, and where no slot has had different topologies: then its slot says it all.
  int comm_word_of(const trace::Function& function) const;
  bool is_maker(std::size_t symbol) const { return makers_[symbol] != nullptr; }

  /// @param executions  at once, of which the last one counts
  void play(std::size_t symbol, std::uint64_t executions);

  /// Who made the communicator that a call with these words is on; nullptr: nobody gave it a
  /// process topology, or the word is -1.
  std::shared_ptr<const TopologyMaker> of(const std::vector<trace::Word>& words,
                                          int comm_word) const;

private:
  struct Maker {
    Maker(const trace::Program& program, const trace::Call& made, const std::vector<int>& words)
        : call(&made), means(&trace::meaning_of(*trace::find_function(made.function))),
          reader(program, made, words) {}
    const trace::Call* call;
    const trace::CallMeaning* means;
    WordReader reader;
    std::map<std::vector<std::int64_t>, std::shared_ptr<const TopologyMaker>> made; // by its words
  };

  std::shared_ptr<const TopologyMaker> made_by(Maker& maker);

  std::vector<std::unique_ptr<Maker>> makers_; // by symbol; null: makes none
  std::unordered_map<std::int64_t, std::shared_ptr<const TopologyMaker>> current_; // by slot
  std::size_t made_ = 0;
  bool differ_ = false;
};

} // namespace rondo::matrix::internal
