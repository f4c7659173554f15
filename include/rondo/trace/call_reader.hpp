// SPDX-License-Identifier: Apache-2.0
// Plays one rank's calls back, one by one, with every word as this rank had it. Nothing is expanded
// in memory.
//
//   CallReader reader(trace, *trace.class_of(rank), rank);
//   while (const CallInstance* call = reader.next()) use(call->words);
#pragma once

#include "rondo/trace/trace.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace rondo::trace {

struct CallInstance {
  const Function* function = nullptr;
  std::uint32_t symbol = 0; // index into the program's calls
  std::uint16_t error = 0;
  std::uint32_t site = 0;
  std::vector<std::int64_t> words; // peers are ranks of the call's communicator
};

/// Where a rank stands in its communicators.
class Positions {
public:
  struct Position {
    std::int64_t rank = 0;
    std::int64_t size = 1;
    const CommDefinition* comm = nullptr;
  };
  /// @complexity O(size of the communicators' definitions)
  Positions(const Trace& trace, std::int64_t rank);
  /// Position{} for a slot that the trace does not define.
  const Position& of(std::int64_t slot) const;

private:
  static constexpr std::ptrdiff_t kPredefined = 2; // MPI_COMM_WORLD and MPI_COMM_SELF stand first
  // By slot; a vector, as its places stay when it is moved.
  std::vector<std::pair<std::int64_t, Position>> positions_;
};

/// The value that a word has for a rank, if it is no column.
/// @param position   of the rank in the call's communicator
std::int64_t value_of_word(const Program& program, const Word& word, std::int64_t world_rank,
                           const Positions::Position& position);

/// True for a word that is a column of its program: each execution takes the next value.
bool is_column(const Word& word);

/// What such a word is at an execution at which its column has this value: no column any more.
Word word_at(const Word& column, std::int64_t value);

/// A class's program as one of its ranks has it: words that differ between ranks are constants or
/// columns of its own. Times stay with the class.
/// @complexity   O(size of the program and values of the columns that differ)
Program program_of(const Trace& trace, const RankClass& rank_class, std::int64_t rank);

class CallReader {
public:
  /// Trace and class must outlive the reader; `rank` is one of the class.
  CallReader(const Trace& trace, const RankClass& rank_class, std::int64_t rank);

  /// The next call, valid until the call after; nullptr at the end, and at an iteration.
  const CallInstance* next();

  /// As NestReader::stop_at_iterations(): next() then gives nullptr there, once.
  void stop_at_iterations(std::uint64_t least, std::uint64_t most, bool moves_inward = false) {
    nest_.stop_at_iterations(least, most, moves_inward);
  }
  bool is_at_iteration() const { return is_at_iteration_; }
  std::uint64_t iterations_left() const { return nest_.iterations_left(); }
  std::uint64_t stopped_loop() const { return nest_.stopped_loop(); }
  /// At an iteration: how many values have been read of each column there is.
  /// @complexity O(columns)
  std::vector<std::uint64_t> taken() const;
  /// At an iteration: how often in a row the next calls come that read so many values of each
  /// column, as far as columns tell, and up to `most`.
  /// @complexity O(columns) where their values are alike, else O(values)
  std::uint64_t repeats(std::span<const std::uint64_t> values, std::uint64_t most);
  /// Leaves out so many iterations, fewer than are left, which read so many values: the same ones
  /// `times` times.
  void skip_iterations(std::uint64_t iterations, std::span<const std::uint64_t> values,
                       std::uint64_t times = 1);

  const Program& program() const { return *program_; }
  std::int64_t rank() const { return rank_; }
  const Positions& positions() const { return positions_; }

private:
  static constexpr std::size_t kAhead = 16; // symbols and values are read so many at a time

  struct Varying { // a word that each call has anew
    std::uint32_t word = 0;
    std::uint16_t next = 0; // of those that were read ahead
    std::uint16_t count = 0;
    std::array<std::int64_t, kAhead> ahead{}; // as this rank has them
    ColumnReader values;
    std::int64_t base = 0; // what the values are relative to
    std::uint64_t limit = 0; // indices stay below; 0 for values that are none
    const Positions::Position* position = nullptr; // of functions: where this rank stands
  };
  struct FunctionValue { // of a function of the rank, where this one stands
    const Positions::Position* position = nullptr;
    std::int64_t function = 0;
    std::int64_t value = 0;
  };

  std::uint64_t limit_of(const Field& field) const;
  void prepare(std::uint32_t symbol, std::size_t index, const Positions::Position& position,
               std::uint64_t limit);
  static std::int64_t limited(std::int64_t value, std::uint64_t limit);
  std::int64_t value_of(std::int64_t function, const Positions::Position& position);
  void read_ahead(Varying& varying);
  std::size_t read_values(Varying& varying, std::span<std::int64_t> out);
  std::uint64_t repeats(const Varying& varying, std::uint64_t values, std::uint64_t most);

  const Program* program_;
  std::int64_t rank_;
  Positions positions_;
  NestReader nest_;
  bool is_at_iteration_ = false;
  std::array<std::uint32_t, kAhead> symbols_{}; // read ahead
  std::size_t next_symbol_ = 0;
  std::size_t symbols_read_ = 0;
  std::vector<CallInstance> calls_; // by symbol, as the last call with it was
  std::vector<Varying> varying_; // by symbol
  std::vector<std::uint32_t> first_varying_; // of each symbol; one more at the end
  static constexpr std::size_t kKnownValues = 16; // a power of two
  std::array<FunctionValue, kKnownValues> known_values_{}; // those looked up last
};

} // namespace rondo::trace
