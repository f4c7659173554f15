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
/// folding does not pay. Memory O(size of the nest) for repetitive streams.
/// @source       [xu2010mascots, sec. 4] for folding tails greedily, [karprabin1987] for comparing
/// them by prefix hashes; the cursor, variable trip counts and skipped loops are ours
class NestBuilder {
public:
  static constexpr std::uint32_t kNothing = 0xffffffff;

  /// @param folds  false: the nest is the stream, without any loop
  explicit NestBuilder(bool folds = true) : folds_(folds) {}

  void push(std::uint32_t symbol) {
    ++size_;
    if (symbol != expected_) return push_unexpected(symbol);
    accept_expected();
  }

  /// The same as push(expected()) within a loop's body; else false, and nothing has changed.
  bool push_next_in_body() {
    if (ahead_.step != Step::kNextTerm) return false;
    const trace::Term* next = ahead_.next;
    if (next == ahead_.end) {
      next = ahead_.begin;
      if (ahead_.frame->completed + 1 >= ahead_.frame->predicted || next->is_loop()) return false;
      ahead_.step = Step::kNextIteration;
    } else if (next->is_loop()) {
      return false;
    }
    ++size_;
    ++ahead_.frame->index;
    expected_ = next->index();
    ahead_.next = next + 1;
    return true;
  }
  /// The same if the expected symbol is the first one of another iteration.
  bool push_round_body() {
    if (ahead_.step != Step::kNextIteration) return false;
    const bool is_alone = ahead_.next == ahead_.end;
    if (is_alone && ahead_.frame->completed + 2 >= ahead_.frame->predicted) return false;
    const trace::Term* const next = is_alone ? ahead_.begin : ahead_.next;
    if (next->is_loop()) return false;
    ++size_;
    next_iteration(*ahead_.frame);
    expected_ = next->index();
    ahead_.step = is_alone ? Step::kNextIteration : Step::kNextTerm;
    ahead_.next = next + 1;
    return true;
  }

  /// The symbol that would cost least as the next one; kNothing outside loops.
  std::uint32_t expected() const { return expected_; }

  std::uint64_t size() const { return size_; } // symbols pushed
  std::size_t terms() const; // size of the nest so far
  /// Symbols that no loop explained when they came.
  std::uint64_t unexplained() const { return unexplained_; }
  /// A symbol that has not come yet in the place of others, if nothing is folded: these, in order.
  std::vector<std::uint32_t> rename(const std::vector<std::uint32_t>& others, std::uint32_t to);

  /// Ends the stream: the builder is empty then. `polishing` is that of the trip counts.
  trace::Nest finish(Polishing polishing = Polishing::kAll);

private:
  friend class NestPeriod;
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
  /// Frames from the outermost to the innermost. Cursors are copied at every border of a loop, and
  /// few are deep: the copy always moves the first frames, which takes a few instructions.
  class Frames {
  public:
    Frames() : frames_(kAtOnce) {}
    bool empty() const { return size_ == 0; }
    std::size_t size() const { return size_; }
    const Frame& operator[](std::size_t depth) const { return frames_[depth]; }
    Frame& back() { return frames_[size_ - 1]; }
    const Frame& back() const { return frames_[size_ - 1]; }
    void push(const Frame& frame) {
      if (size_ == frames_.size()) frames_.resize(2 * size_);
      frames_[size_++] = frame;
    }
    void pop() { --size_; }
    void clear() { size_ = 0; }
    void copy(const Frames& other);
    void swap(Frames& other) noexcept {
      frames_.swap(other.frames_);
      std::swap(size_, other.size_);
    }

  private:
    static constexpr std::size_t kAtOnce = 4;
    std::vector<Frame> frames_; // from size_ on meaningless; at least kAtOnce
    std::size_t size_ = 0;
  };
  struct Path { // where the cursor gets by a choice of staying in, leaving and entering loops
    Frames frames;
    std::vector<TripCount> trip_counts;
  };
  enum class Step : std::uint8_t { kNextTerm, kNextIteration, kLeave, kEnter, kPath, kUnknown };
  /// How the cursor came over the last border of a loop: kNextIteration, kPath for all else, or
  /// kNextTerm where that cannot be undone.
  using Crossing = Step;
  /// The step to the expected symbol; for the first two kinds also the innermost frame, its body
  /// and the term after the expected one. A copy knows nothing, because it would point into another
  /// builder; predict() finds it out again.
  struct Ahead {
    Ahead() = default;
    Ahead(const Ahead&) {}
    Ahead(Ahead&&) noexcept = default;
    Ahead& operator=(const Ahead&) { return *this = Ahead(); }
    Ahead& operator=(Ahead&&) noexcept = default;
    Frame* frame = nullptr;
    const trace::Term* begin = nullptr;
    const trace::Term* next = nullptr;
    const trace::Term* end = nullptr;
    Step step = Step::kUnknown;
  };

  void accept_expected() {
    if (ahead_.step > Step::kNextIteration) return cross_border();
    ahead_.step == Step::kNextTerm ? void(++ahead_.frame->index) : next_iteration(*ahead_.frame);
    predict_ahead();
  }
  void cross_border();
  void push_unexpected(std::uint32_t symbol);
  bool take_other_path(std::uint32_t symbol);
  bool go_on(std::uint32_t symbol);
  bool leave_early(std::uint32_t symbol);
  bool take_border_back(std::uint32_t symbol);
  bool search_path(Path& path, std::size_t matched, int& budget, bool wrapped) const;
  bool search_border(Path& path, std::size_t matched, int& budget, bool wrapped) const;
  void take(Path& path);
  void commit_counts();
  void next_iteration(Frame& frame) {
    ++frame.completed;
    frame.index = 0;
    first_index_ = 0;
    crossing_ = Crossing::kNextIteration;
  }
  void leave();
  void enter();
  void begin_crossing();
  void predict();
  /// predict() where ahead_ stands on the term after the cursor: within a body or round it, a step
  /// needs neither the body nor the other frames.
  void predict_ahead() {
    const bool is_at_end = ahead_.next == ahead_.end;
    const trace::Term* expected = is_at_end ? ahead_.begin : ahead_.next;
    const bool ends = is_at_end && ahead_.frame->completed + 1 >= ahead_.frame->predicted;
    if (ends || expected->is_loop()) return predict_border();
    expected_ = expected->index();
    ahead_.step = is_at_end ? Step::kNextIteration : Step::kNextTerm;
    ahead_.next = expected + 1;
  }
  void predict_border();
  bool predict_one_border();
  void predict_path();
  const trace::Term* term_after_loop() const;
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

  // What an expected symbol looks at stands together, up to the frames.
  std::uint32_t expected_ = kNothing;
  std::int32_t first_index_ = 0; // of the cursor after the border
  std::uint64_t size_ = 0;
  Ahead ahead_;
  // Symbols after a border may fit several ways over it. The way taken can be taken back until the
  // next border: its trip counts are not yet committed, the frames before it are kept.
  Crossing crossing_ = Crossing::kNextTerm;
  bool folds_;
  Frames frames_; // empty: no loop is open
  Path predicted_;
  Path other_; // scratch of take_other_path and close
  std::vector<std::uint32_t> word_; // scratch: the symbols that a path is searched for
  Frames frames_before_; // for kPath; kNextIteration is undone in place
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
