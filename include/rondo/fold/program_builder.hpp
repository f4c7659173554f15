// SPDX-License-Identifier: Apache-2.0
// Builds the program of one stream of calls while they happen: interns calls to symbols, folds the
// symbols, keeps arguments that vary too much as columns, and sums up times by place.
//
//   ProgramBuilder builder(options);
//   builder.set_position(slot_of_comm, my_rank, size);
//   builder.record(event, size, computation_ns, inside_ns);
//   StreamProgram program = builder.finish();
//
// An event is header_word(function, error), the site's index, then the words of the function's
// fields, peers as ranks of the call's communicator. Not thread-safe; throws nothing of its own.
#pragma once

#include "rondo/fold/column_builder.hpp"
#include "rondo/fold/hash_index.hpp"
#include "rondo/fold/nest_builder.hpp"
#include "rondo/fold/nest_past.hpp"
#include "rondo/fold/stream_program.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace rondo::fold {

constexpr std::size_t kEventHead = 2; // header and site
inline std::int64_t header_word(std::uint16_t function, std::uint16_t error) {
  return static_cast<std::int64_t>(function) | static_cast<std::int64_t>(error) << 16;
}

struct ProgramOptions {
  bool times = true;
  bool folds = true; // else the program is the calls one by one, to compare with
  /// Different calls of one shape (same function, site, communicator, datatypes) beyond which the
  /// words that vary become columns; also fewer, if they come in an order that does not fold.
  std::size_t soften_after = 16;
  /// Not if each of these occurs often: without call sites one shape stands for many places.
  bool keeps_frequent = false;
  /// Calls of one shape are one call, however their words vary (flow/flow.hpp), save kAsItRepeats.
  bool one_call_a_shape = false;
};

struct alignas(32) CallTimes { // of one call, not yet added to its place
  std::uint64_t computation_ns = 0;
  std::uint64_t inside_ns = 0;
  std::uint32_t place = 0; // among the builder's
};

class alignas(128) ProgramBuilder {
public:
  explicit ProgramBuilder(ProgramOptions options = {});

  /// Says where this rank stands in a communicator; before the first call that uses it.
  void set_position(std::int64_t comm_slot, std::int64_t rank, std::int64_t size);

  /// The word for an array or a text. Equal contents have equal words.
  /// @param place   where the word is to stand in the event: if the call is the expected one, so is
  ///                its array, most probably, which is looked at first
  std::int64_t array(const std::int64_t* values, std::size_t size, std::size_t place = 0);
  /// The same for an array that is there already; else false. In rondo/fold/expected_call.hpp.
  bool is_expected_array(const std::int64_t* values, std::size_t size, std::size_t place,
                         std::int64_t& word) const;
  std::int64_t text(std::string_view text);
  /// What a word that array() or text() gave stands for.
  const std::vector<std::int64_t>& array_of(std::int64_t word) const {
    return arrays_[static_cast<std::size_t>(word)];
  }
  const std::string& text_of(std::int64_t word) const {
    return texts_[static_cast<std::size_t>(word)];
  }

  /// Before the first call: keeps the calls that were taken, 4 bytes each and some copies of the
  /// nest. A call that becomes columns is then folded anew from where it came first, and not all.
  void remember_calls();

  /// @complexity O(words) in steady loops; see NestBuilder for the rest
  void record(const std::int64_t* event, std::size_t size, std::uint64_t computation_ns,
              std::uint64_t inside_ns);
  /// Whether the event is the expected one, at a place that was just before the last time. Then it
  /// is recorded by the next two: one is for steps within a loop's body, the other for those to its
  /// first and last call. The caller puts the times where they tell it; nullptr: nothing has
  /// changed and it is for record_otherwise(), as unexpected ones. Include
  /// rondo/fold/expected_call.hpp.
  bool expects(const std::int64_t* event, std::size_t size) const;
  CallTimes* record_next_in_body();
  CallTimes* record_round_body();
  void record_otherwise(const std::int64_t* event, std::size_t size, std::uint64_t computation_ns,
                        std::uint64_t inside_ns);
  /// Times summed up before, of all calls that are recorded again with their number, until
  /// deal_out(). Those of a place after any call (PlaceTimes::kOther) go to such a place.
  std::uint32_t add_sum(const trace::PlaceTimes& times);
  /// A call whose times are part of a sum, or kNoSum.
  void record_again(const std::int64_t* event, std::size_t size, std::uint32_t sum);
  /// Gives the sums to the places that their calls have now, by how often each was reached; those
  /// without calls are lost. @complexity O(sums * bins + places reached)
  void deal_out();
  static constexpr std::uint32_t kNoSum = 0xffffffff;
  void keep_times(bool wanted);
  std::uint64_t calls() const { return nest_.size(); }
  std::size_t memory() const; // in use, estimated, in bytes

  /// Ends the stream. The builder must not be used afterwards.
  StreamProgram finish();

private:
  friend class ProgramPeriod;
  static constexpr std::uint32_t kNone = 0xffffffff;

  struct Position {
    std::int64_t rank = 0;
    std::int64_t size = 1;
  };
  struct VaryingWord {
    std::uint32_t column = 0;
    std::uint32_t word = 0; // in the event
    std::int64_t base = 0; // columns of peers are relative to this rank
  };
  struct KnownPlace {
    std::uint32_t before = trace::PlaceTimes::kOther; // which no call comes after
    std::uint32_t place = kNone;
  };
  struct Sum { // of times, and the places of its calls with how often each was reached
    trace::PlaceTimes times;
    std::vector<std::pair<std::uint32_t, std::uint64_t>> reached;
    std::uint64_t calls = 0;
  };
  struct alignas(64) Symbol { // a line of the cache
    std::size_t offset = 0; // of its words in words_
    std::uint16_t size = 0; // words with the head
    std::uint16_t exact_size = 0; // the same of an exact call, else 0
    std::uint32_t varying = 0; // its words that vary, in varying_; 0: none, an exact call
    // Cache: the places of this call looked for last. Two, because the first call of a loop's body
    // comes after the last one and after what stands before the loop, in turns.
    std::array<KnownPlace, 2> last_places;
    std::uint64_t count = 0;
    std::uint32_t places = 0; // that have this call
    std::uint32_t surprises = 0; // came where another call of its shape had come before
    std::uint32_t next_of_shape = kNone;
    // Cache: the calls that came after this one against expectation, the last one first.
    std::array<std::uint32_t, 2> unexpected_after{kNone, kNone};
  };
  static_assert(sizeof(Symbol) == 64);
  struct Shape { // calls that differ only in words that may become columns
    std::uint32_t first = kNone; // exact symbols: the first, and each names the next
    std::uint32_t last = kNone;
    std::uint32_t symbols = 0; // of them
    std::uint32_t soft = kNone; // the symbol whose varying words are columns
  };

  bool is_array(std::int64_t word, const std::int64_t* values, std::size_t size) const;
  std::int64_t find_or_add_array(const std::int64_t* values, std::size_t size);
  CallTimes* log_call(std::uint32_t symbol);
  std::uint32_t take(const std::int64_t* event, std::size_t size);
  bool matches(const Symbol& symbol, const std::int64_t* event, std::size_t size) const;
  std::uint32_t take_unexpected(const std::int64_t* event, std::size_t size);
  std::uint32_t find_unexpected(const std::int64_t* event, std::size_t size);
  std::uint32_t soften_if_irregular(std::uint32_t symbol);
  template <class Visit> void for_each_symbol(const Shape& shape, Visit visit) const {
    for (std::uint32_t i = shape.first; i != kNone; i = symbols_[i].next_of_shape) visit(i);
  }
  Shape* find_shape(const std::int64_t* event, std::uint64_t hash);
  std::uint32_t find_or_add(const std::int64_t* event, std::size_t size);
  std::uint32_t add_symbol(Shape& shape, const std::int64_t* event, std::size_t size,
                           std::uint64_t hash);
  bool varies_too_much(const Shape& shape) const;
  bool is_irregular(const Shape& shape) const;
  void soften(Shape& shape);
  void soften_answers();
  std::uint32_t add_soft_symbol(const Shape& shape);
  void widen(Symbol& soft, const std::int64_t* event);
  VaryingWord varying_word(const std::int64_t* event, std::uint32_t word);
  void note(std::uint32_t symbol);
  void rebuild_nest(const std::vector<std::uint32_t>& replaced_by, std::uint32_t soft);
  void merge_places(const std::vector<std::uint32_t>& replaced_by);
  void push_columns(const Symbol& symbol, const std::int64_t* event);
  void add_times(std::uint32_t symbol, std::uint64_t computation_ns, std::uint64_t inside_ns);
  void sum_up_times();
  void add_to_course(std::uint32_t index, std::uint64_t ns);
  void add_to_course(std::uint32_t place, Sum& sum);
  Sum& source_of(Sum& sum);
  void look_up_place(std::uint32_t symbol);
  std::uint32_t find_or_add_place(std::uint32_t before, std::uint32_t symbol);
  static void count_reached(Sum& sum, std::uint32_t place, std::uint64_t times = 1);
  Position position_of(const std::int64_t* event) const;
  void forget_indices();
  trace::Call finish_call(const Symbol& symbol, std::vector<PeerHypotheses>& peers) const;

  // What an expected call looks at stands together, up to the beginning of nest_.
  std::uint32_t log_room_; // in log_; without times none
  std::uint32_t previous_ = trace::PlaceTimes::kStart;
  std::vector<Symbol> symbols_;
  // Of each symbol; those with varying words have as many masks behind their words: ~0 where a word
  // must be equal, 0 where it is a column.
  std::vector<std::int64_t> words_;
  NestBuilder nest_;
  // Times that wait to be added up, which takes less of many at once; filled from the end.
  static constexpr std::uint32_t kLoggedTimes = 64;
  std::array<CallTimes, kLoggedTimes> log_;
  ProgramOptions options_;
  std::vector<std::vector<VaryingWord>> varying_{1}; // in the order of words; the first is of none
  std::unordered_map<std::int64_t, Position> positions_;
  std::vector<Shape> shapes_;
  HashIndex shape_by_hash_; // of the hard words
  HashIndex symbol_by_hash_; // exact ones, of all words
  std::vector<ColumnBuilder> columns_;
  std::vector<std::vector<std::int64_t>> arrays_;
  std::uint32_t array_count_ = 1; // its size, which would take a division
  HashIndex array_by_hash_;
  std::vector<std::string> texts_;
  HashIndex text_by_hash_;
  std::vector<trace::PlaceTimes> places_;
  std::vector<std::uint64_t> next_kept_; // of each: the pass that its course has next
  std::unordered_map<std::uint32_t, std::uint32_t> course_sums_; // shared number -> sum with course
  std::vector<std::uint64_t> again_; // by place: its calls whose times are still in sums
  std::size_t courses_ = 0; // of places
  HashIndex place_by_calls_;
  std::vector<Sum> sums_;
  std::vector<std::pair<std::uint32_t, std::uint32_t>>* order_ = nullptr; // if anybody asks for it
  std::optional<NestPast> past_; // where calls are remembered
};

/// Whether a word's meaning depends on the rank: peers, roots and the sources in statuses.
bool is_peer_word(const trace::Function& function, std::size_t word);
bool is_root_word(const trace::Function& function, std::size_t word);

/// Calls visit(word, is_root) for each word of a call that has peer hypotheses, in their order.
template <class Visit> void for_each_open_peer(const trace::Call& call, Visit visit) {
  const trace::Function& function = *trace::find_function(call.function);
  for (std::size_t word = 0; word < call.words.size(); ++word) {
    const bool is_open = call.words[word] == trace::Word{} && is_peer_word(function, word);
    if (is_open) visit(word, is_root_word(function, word));
  }
}

} // namespace rondo::fold
