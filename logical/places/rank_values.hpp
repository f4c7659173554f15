// SPDX-License-Identifier: Apache-2.0
// The words of a class's calls that depend on the rank: peers and roots, and what else is a
// function of it. Each value once, however often the calls are made, so that ranks can be compared
// without their calls being played.
//
//   const RankValues values(trace, rank_class, false);
//   values.each(rank, positions, [&](const RankValues::Value& value) { ... });
#pragma once

#include "logical/places/peer_words.hpp"
#include "rondo/trace/call_reader.hpp"
#include "rondo/trace/trace.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace rondo::logical::internal {

class RankValues {
public:
  struct Value {
    enum class Kind : std::uint8_t { kPeer, kRoot, kOther };
    Kind kind = Kind::kOther;
    std::uint32_t symbol = 0; // of the class's program
    std::int64_t comm = 0;
    std::int64_t value = 0; // as the rank's call has it: of peers and roots the rank in `comm`
    bool is_own_number = false;
  };

  /// @param of  must outlive this
  /// @param has_outcomes  whether statuses, and arrays, are told of too
  /// @complexity  O(size of the program and its columns)
  RankValues(const trace::RankClass& of, bool has_outcomes);

  /// False if columns differ between the ranks: only playing the calls tells of these.
  bool is_complete() const { return is_complete_; }

  /// Words of a call that are numbers of each rank's own: colours, tags and what else names no
  /// rank, says no amount and does not vary from call to call.
  const std::vector<std::size_t>& own_numbers(std::uint32_t symbol) const {
    return own_numbers_[symbol];
  }
  /// Nothing if the word is none of these.
  std::optional<std::int64_t> own_number(std::int64_t symbol, std::size_t word, std::int64_t rank,
                                         const trace::Positions& positions) const;

  /// Calls visit(Value) for all values of a rank of the class, in the same order for each rank.
  template <class Visit>
  void each(std::int64_t rank, const trace::Positions& positions, Visit visit) const {
    for (const Entry& entry : entries_) {
      const auto& position = positions.of(entry.comm);
      for (const trace::Word& word : entry.values) {
        const std::int64_t value = trace::value_of_word(program_, word, rank, position);
        if (entry.array == nullptr) {
          visit(Value{entry.kind, entry.symbol, entry.comm, value, entry.is_own_number});
        } else {
          each_in_array(entry, rank, value, visit);
        }
      }
    }
  }

private:
  struct Entry { // of one word of a call
    Value::Kind kind = Value::Kind::kOther;
    std::uint32_t symbol = 0;
    std::int64_t comm = 0;
    const trace::Field* array = nullptr; // that the values are indices of
    std::vector<trace::Word> values;
    bool is_own_number = false;
  };

  // Ranks in arrays are as far from the own one in MPI_COMM_WORLD.
  template <class Visit>
  void each_in_array(const Entry& entry, std::int64_t rank, std::int64_t index, Visit visit) const {
    visit(Value{Value::Kind::kOther, entry.symbol, entry.comm, index, false});
    if (trace::is_special(index)) return;
    std::vector<std::int64_t> values = program_.arrays[static_cast<std::size_t>(index)];
    for_each_rank_in_array(*entry.array, values, [&](std::int64_t& value) {
      visit(Value{Value::Kind::kPeer, entry.symbol, entry.comm,
                  trace::is_special(value) ? value : value + rank, false});
    });
  }

  void add_call(std::uint32_t symbol, bool has_outcomes);
  std::vector<trace::Word> values_of(const trace::Word& word) const;

  const trace::Program& program_;
  bool is_complete_ = true;
  std::vector<Entry> entries_;
  std::vector<std::vector<std::size_t>> own_numbers_; // by symbol
};

} // namespace rondo::logical::internal
