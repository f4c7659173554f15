// SPDX-License-Identifier: Apache-2.0
// Folds a sequence of symbols into a loop nest while it happens. In a steady loop a symbol costs
// one compare with the expected one and one step of a cursor ("predict and verify"); only symbols
// that were not expected reach the slow path, which closes the open loop and looks for a repetition
// at the tail of the sequence.
//
//   NestBuilder builder;
//   for (auto symbol : stream) builder.push(symbol);
//   trace::Nest nest = builder.finish();        // expands to exactly the stream
//
// Invariants
//  1. The stream is: finished_ expanded, then the open loop's iterations up to the cursor.
//  2. A loop's trip counts are appended in the order in which its executions end, those of the last
//     border once the cursor passes the next one.
//  3. At most one loop is open; inner loops of it are frames of the cursor.
#pragma once

#include "rondo/fold/column_builder.hpp"
#include "rondo/trace/nest.hpp"

#include <cstdint>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rondo::fold {

/// @complexity   O(1) per symbol in loops; off them a bounded number of compares, fewer where
/// folding does not
///               pay. Memory O(size of the nest) for repetitive streams.
/// @source       [xu2010mascots, sec. 4] for folding tails greedily, [karprabin1987] for comparing
/// them by
///               prefix hashes; the cursor, variable trip counts and skipped loops are ours
class NestBuilder {
public:
  static constexpr std::uint32_t kNothing = 0xffffffff;

  /// @param folds  false: the nest is the stream, without any loop
  explicit NestBuilder(bool folds = true) : folds_(folds) {}

  void push(std::uint32_t symbol) {
    ++size_;
    if (symbol != expected_) return push_unexpected(symbol);
    if (step_ != Step::kNextTerm || ahead_.next == ahead_.end || ahead_.next->is_loop())
      return accept_expected();
    ++frames_.back().index; // within a body, which needs no look at loops
    expected_ = (ahead_.next++)->index();
  }

  /// The symbol that would cost least as the next one; kNothing outside loops.
  std::uint32_t expected() const { return expected_; }

  std::uint64_t size() const { return size_; } // symbols pushed
  std::size_t terms() const; // size of the nest so far
  /// Symbols that no loop explained when they came.
  std::uint64_t unexplained() const { return unexplained_; }

  /// Ends the stream. The builder is empty afterwards.
  trace::Nest finish();

private:
  /// Trip count of a loop that has outrun its prediction: it goes on until a symbol says otherwise.
  static constexpr std::uint64_t kUnlimited = ~std::uint64_t{0};

  struct Element { // of the finished sequence
    trace::Term term;
    std::int32_t previous; // position of the same term before, or -1
    std::uint64_t hash; // of the sequence up to and including this element
  };
  struct Frame { // of the cursor: body[index] of the innermost frame is the term matched last
    std::uint32_t loop;
    std::int32_t index;
    std::uint64_t completed; // iterations before this one
    std::uint64_t predicted; // iterations expected in all
  };
  struct Body {
    std::vector<trace::Term> terms;
    ColumnBuilder trip_counts;
    std::uint64_t last_count = 0; // of the execution that ended last, committed or not
  };
  using TripCount =
      std::pair<std::uint32_t, std::uint64_t>; // loop, iterations: to be recorded on a match
  struct Path { // where the cursor gets by a choice of staying in, leaving and entering loops
    std::vector<Frame> frames;
    std::vector<TripCount> trip_counts;
  };
  /// The terms of the innermost body after the expected one. A copy has none, because it would
  /// point into another builder; to have none is always right.
  struct Ahead {
    Ahead() = default;
    Ahead(const Ahead&) {}
    Ahead(Ahead&&) noexcept = default;
    Ahead& operator=(const Ahead&) { return *this = Ahead(); }
    Ahead& operator=(Ahead&&) noexcept = default;
    const trace::Term* next = nullptr;
    const trace::Term* end = nullptr;
  };
  enum class Step : std::uint8_t { kNextTerm, kNextIteration, kPath };
  /// How the cursor came over the last border of a loop: kNextTerm where that cannot be undone.
  using Crossing = Step;

  void accept_expected();
  void push_unexpected(std::uint32_t symbol);
  bool take_other_path(std::uint32_t symbol);
  bool take_border_back(std::uint32_t symbol);
  bool search_path(Path& path, std::size_t matched, int& budget, bool wrapped) const;
  bool search_border(Path& path, std::size_t matched, int& budget, bool wrapped) const;
  void take(Path& path);
  void commit_counts();
  void predict();
  void predict_path();
  void close();
  void append(trace::Term term);
  void append_loop(std::uint32_t loop, std::uint64_t iterations);
  void fold_tail();
  int allowed_probes();
  bool fold_square();
  bool is_square(std::size_t period);
  bool reopen_loop();
  void open(std::uint32_t loop, std::uint64_t completed);
  std::uint32_t find_body(std::size_t size, std::uint64_t hash) const;
  std::uint32_t add_body(std::size_t size, std::uint64_t hash);
  bool has_rotated_body(std::size_t size) const;
  std::uint64_t body_hash(std::size_t size) const;
  std::uint64_t rotation_hash(std::size_t size) const;
  void drop_tail(std::size_t count);
  std::uint64_t hash_of(std::size_t begin, std::size_t end) const;

  bool folds_;
  std::uint32_t expected_ = kNothing;
  Step step_ = Step::kNextTerm;
  Ahead ahead_; // with kNextTerm only
  std::uint64_t size_ = 0;
  std::vector<Frame> frames_; // empty: no loop is open
  Path predicted_;
  Path other_; // scratch of take_other_path and close
  std::vector<std::uint32_t> word_; // scratch: the symbols that a path is searched for
  // Symbols after a border may fit several ways over it. The way taken can be taken back until the
  // next border: its trip counts are not yet committed, the frames before it are kept.
  Crossing crossing_ = Crossing::kNextTerm;
  std::int32_t first_index_ = 0; // of the cursor after the border
  std::vector<Frame> frames_before_; // for kPath; kNextIteration is undone in place
  std::vector<TripCount> uncommitted_;
  std::vector<Element> finished_;
  std::vector<std::size_t> loop_positions_; // of the loops in finished_, ascending
  std::vector<std::int32_t> last_position_; // by term code, -1 if none
  std::vector<std::uint64_t> powers_{1}; // of the hash's base
  std::vector<Body> bodies_; // by loop
  std::unordered_multimap<std::uint64_t, std::uint32_t> body_by_hash_;
  std::unordered_multimap<std::uint64_t, std::uint32_t> body_by_rotation_;
  std::size_t body_terms_ = 0;
  std::uint64_t unexplained_ = 0;
  std::uint64_t size_at_attempt_ = 0;
  std::uint64_t wasted_probes_ = 0; // less what folding has made good
  std::uint64_t attempts_ = 0; // since folding does not pay
};

} // namespace rondo::fold
