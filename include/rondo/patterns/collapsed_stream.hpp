// SPDX-License-Identifier: Apache-2.0
// A stream of events without its contiguous repetitions: what stands twice in a row is kept once,
// with the number of its executions. Works while the stream is being read, and on folded programs,
// whose loops need not be gone through again and again.
//
//   CollapsedStream stream;
//   for (const auto symbol : symbols) stream.push(symbol);
//   stream.items();   // a b a b c  ->  a (2 times), b (2 times), c
//
// - After each symbol, the shortest piece that equals the one just before it is taken away, until
//   there is none. So the result depends on the symbols alone, and never holds a square of up to
//   kLongestPeriod symbols, but for those that begin with what stands very often.
// - Items and tandem repeats are good at any time, also before the end of the stream.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <unordered_map>
#include <vector>

namespace rondo::patterns {

using Symbol = std::uint32_t;
using Word = std::vector<Symbol>;

/// What is pushed.
struct StreamEvent {
  Symbol symbol = 0;
  std::uint64_t bytes = 0; // is summed up
  std::uint64_t inside_ns = 0; // likewise
  std::uint32_t source = 0; // where it comes from; that of the first execution is kept
  std::uint32_t phase = 0; // EventTable::phase(); likewise
};

/// A symbol of the collapsed stream, for all of its executions.
struct CollapsedItem {
  Symbol symbol = 0;
  std::uint32_t source = 0;
  std::uint64_t bytes = 0;
  std::uint64_t inside_ns = 0; // of its executions and of what was skipped behind them
  std::uint64_t executions = 1;
  std::uint64_t first = 0; // position in the whole stream, from 0
  std::uint64_t last = 0;
  std::uint32_t phase = 0;
  friend bool operator==(const CollapsedItem&, const CollapsedItem&) = default;
};

/// A word that stood twice in a row somewhere, as it is in the collapsed stream.
struct TandemRepeat {
  Word word;
  std::uint64_t times = 0; // it followed itself
  friend bool operator==(const TandemRepeat&, const TandemRepeat&) = default;
};

class CollapsedStream {
public:
  static constexpr std::size_t kLongestPeriod = 1 << 16;

  /// @complexity O(1) amortised but for rare streams, in which kMostTries pieces are compared
  void push(const StreamEvent& event);
  void push(Symbol symbol) { push(StreamEvent{symbol}); }

  /// As if `body` had pushed what it does `count` times.
  /// @param body   pushes the same events each time that it is called
  /// @complexity   that of few calls of the body, where the collapsed stream becomes steady
  void repeat(std::uint64_t count, const std::function<void()>& body);

  /// Counts a symbol that is not looked at.
  void skip(std::uint64_t inside_ns = 0);

  /// From now on keeps where each symbol goes, for item_of_positions(). Must be called before the
  /// first symbol. Memory: 8 bytes for each symbol that is pushed or skipped, those of passes that
  /// repeat() leaves out aside.
  void track() { is_tracking_ = true; }
  /// Index of the item that a symbol went into, in the order in which they were pushed or skipped;
  /// kNoItem for skipped ones; empty without track().
  /// @complexity O(length)
  std::vector<std::uint32_t> item_of_positions() const;
  /// The pass of a loop that stands for passes which repeat() has left out behind it: their symbols
  /// went into the same items. Of nested ones the outer first.
  struct LongPass {
    std::uint64_t begin = 0; // of its symbols, as item_of_positions() counts
    std::uint64_t end = 0;
    std::uint64_t times = 0; // itself and those left out
  };
  std::vector<LongPass> long_passes() const;
  static constexpr std::uint32_t kNoItem = 0xffffffff;

  const std::vector<CollapsedItem>& items() const { return items_; }
  /// Symbols pushed or skipped.
  std::uint64_t length() const { return position_; }
  /// @complexity O(their sizes)
  std::vector<TandemRepeat> tandem_repeats() const;

private:
  static constexpr std::size_t kGram = 8; // longer periods are found by their last symbols
  static constexpr int kMostTries = 256;
  static constexpr std::uint32_t kNone = 0xffffffff;

  struct Place { // beside an item
    std::uint64_t hash = 0; // of the stream up to it
    std::uint64_t gram = 0; // hash of the kGram symbols up to it
    std::uint32_t before = kNone; // index of the item before with the same gram
    std::uint64_t at = 0; // its first symbol in kept_at_
  };
  using Tail = std::vector<CollapsedItem>;
  using Journal = std::map<std::uint64_t, std::uint64_t>; // hash of a tandem repeat -> times

  bool fold_once();
  bool is_square(std::size_t period) const;
  void fold(std::size_t period);
  void pop();
  std::uint64_t gram_of_tail() const;
  void note_tandem(std::size_t period);
  std::uint64_t hash_here() const;
  Tail tail_from(std::size_t index) const;
  static bool is_linear(const Tail& a, const Tail& b, const Tail& c);
  void add_passes(std::uint64_t passes, const Tail& before, std::uint64_t length);
  std::uint64_t passes_to_leave_out(std::uint64_t left, std::vector<std::uint64_t>& begins);
  std::uint64_t kept_now(std::uint64_t at) const;

  std::vector<CollapsedItem> items_;
  std::vector<Place> places_;
  std::unordered_map<std::uint64_t, std::uint32_t> last_gram_; // hash -> index of its last item
  std::unordered_map<std::uint64_t, TandemRepeat> tandems_; // by hash of the word
  Journal* journal_ = nullptr; // of the pass of a loop
  std::size_t lowest_ = 0; // index of an item that the pass changed
  std::uint64_t position_ = 0;
  bool is_tracking_ = false;
  std::vector<std::uint64_t> kept_at_; // symbol -> the one whose item took it in
  std::vector<LongPass> long_passes_; // inner ones first
};

} // namespace rondo::patterns
