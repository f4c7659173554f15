// SPDX-License-Identifier: Apache-2.0
// A loop nest stands for a sequence of symbols. Its terms are symbols and loops; a loop is a body
// of terms and a column with one trip count for each time the loop is entered, in the order of
// execution (0 skips it). A body that stands in several places is stored once. No loop contains
// itself.
//
//   NestReader r(nest);
//   while (auto symbol = r.next()) use(*symbol);
//
// Invariant: reading the nest consumes every trip count of every loop.
#pragma once

#include "rondo/trace/column.hpp"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace rondo::trace {

/// Longest sequence that a nest or a column may stand for: what any machine can do, and sums do not
/// overflow.
constexpr std::uint64_t kMaxLength = std::uint64_t{1} << 62;

inline std::uint64_t saturating_add(std::uint64_t a, std::uint64_t b) {
  return a + b < a ? ~std::uint64_t{0} : a + b;
}

/// A symbol or a loop, in one word.
struct Term {
  std::uint32_t code = 0; // index * 2, + 1 for a loop

  static Term symbol(std::uint32_t index) { return {index * 2}; }
  static Term loop(std::uint32_t index) { return {index * 2 + 1}; }
  bool is_loop() const { return (code & 1) != 0; }
  std::uint32_t index() const { return code >> 1; }
  friend bool operator==(Term, Term) = default;
};

struct Loop {
  std::vector<Term> body;
  Column trip_counts;
  friend bool operator==(const Loop&, const Loop&) = default;
};

class Nest {
public:
  Nest() = default;
  Nest(std::vector<Loop> loops, std::vector<Term> top)
      : loops_(std::move(loops)), top_(std::move(top)) {}

  const std::vector<Loop>& loops() const { return loops_; }
  const std::vector<Term>& top() const { return top_; }

  /// Terms in the top sequence and in every loop's body: the size of the program.
  std::size_t terms() const;

  /// How often each symbol occurs when the nest is expanded.
  /// @param symbols   number of symbols; the result has this length
  /// @complexity      O(terms + numbers stored in trip counts), not the length of the expansion
  std::vector<std::uint64_t> occurrences(std::size_t symbols) const;

  /// True if every index is in range, no loop contains itself, every column has the length that the
  /// expansion consumes, the expansion has at most kMaxLength symbols and does not iterate long
  /// without any: what a reader of untrusted bytes must check before expanding. The sums that
  /// columns of differences know are believed; if they are wrong, readers end early.
  /// @complexity      as occurrences
  bool is_valid(std::size_t symbols) const;

  friend bool operator==(const Nest&, const Nest&) = default;

private:
  /// How often each loop is entered (in `entries`) and iterates (in `iterations`); false if columns
  /// do not fit.
  bool count_executions(std::vector<std::uint64_t>& entries,
                        std::vector<std::uint64_t>& iterations) const;
  /// False if the expansion is too long, or iterates much without symbols.
  bool is_busy(const std::vector<std::uint64_t>& entries,
               const std::vector<std::uint64_t>& iterations) const;
  /// Loops so that each comes before those in its body; empty if there is a cycle or a bad index.
  std::vector<std::uint32_t> outermost_first() const;

  std::vector<Loop> loops_;
  std::vector<Term> top_;
};

/// Expands a nest lazily. Memory is O(depth + loops). The nest must outlive the reader.
class NestReader {
public:
  explicit NestReader(const Nest& nest);
  std::optional<std::uint32_t> next();
  /// As many of the next symbols as `out` has room for; fewer at the end only.
  /// @return how many
  std::size_t read(std::span<std::uint32_t> out);

  /// From here on read() also stops, with fewer symbols or none, before each further iteration of
  /// an outermost loop of at least `least` iterations, and goes on from there when it is called
  /// again. A loop is left alone after `most` stops in vain, and for good after a few times of
  /// that.
  /// @param moves_inward  from there to a loop within that goes round more often than is left of it
  void stop_at_iterations(std::uint64_t least, std::uint64_t most, bool moves_inward = false);
  bool is_at_iteration() const { return stops_ && stops_->is_at_one; }
  /// Of the loop that it stopped in, with the one that comes.
  std::uint64_t iterations_left() const { return frames_[stops_->frame].iterations_left; }
  /// Tells one time that a loop is gone through, and stopped in, from another.
  std::uint64_t stopped_loop() const { return stops_->entries; }
  /// Those of each loop that were read.
  const std::vector<ColumnReader>& trip_counts() const { return trip_counts_; }
  /// Leaves iterations of the loop out that it stopped in, fewer than are left of it.
  /// @param trips  by loop: how many trip counts those would read, which come again `times` times
  void skip_iterations(std::uint64_t iterations, std::span<const std::uint64_t> trips,
                       std::uint64_t times = 1);

  class Position;
  Position position() const;
  /// How often what was read since then comes next, as far as that is known at once: all of it were
  /// passes of one loop, the counts of those within are runs. Maybe more often.
  /// @complexity O(loops)
  std::uint64_t repeats_since(const Position& before) const;
  /// Leaves out so many times what was read since then, at most repeats_since() times.
  void leave_out_again(const Position& before, std::uint64_t times);

private:
  /// Steps from one symbol to the next; NestBuilder makes far fewer. A nest that takes more ends
  /// there.
  static constexpr int kMaxIdleSteps = 1 << 16;

  struct Frame {
    const std::vector<Term>* body;
    const Term* next;
    const Term* end;
    std::uint64_t iterations_left;
  };
  struct Stops { // at iterations
    static constexpr std::size_t kNone = ~std::size_t{0};
    static constexpr std::uint8_t kMostVain = 3;
    std::uint64_t least = 0;
    std::uint64_t most = 0;
    bool moves_inward = false;
    bool is_at_one = false;
    std::size_t frame = kNone; // of the loop that is stopped in
    std::uint32_t loop = 0; // that
    std::uint64_t count = 0; // of stops in it, since iterations were skipped
    bool has_skipped = false;
    std::uint64_t entries = 0;
    std::vector<std::uint8_t> in_vain; // times, by loop
  };
  /// The frame of the loop that has gone on, if all others are as they were.
  std::optional<std::size_t> moved_since(const Position& before) const;
  void enter(const std::vector<Term>& body, std::uint64_t iterations);
  void enter_loop(std::uint32_t loop, std::uint64_t iterations);
  bool stops_here();
  void stop_no_more();
  const Nest* nest_;
  std::vector<ColumnReader> trip_counts_;
  std::vector<Frame> frames_;
  std::optional<Stops> stops_;
};

class NestReader::Position {
  friend class NestReader;
  std::vector<Frame> frames_;
  std::vector<std::uint64_t> taken_; // trip counts, by loop
};

} // namespace rondo::trace
