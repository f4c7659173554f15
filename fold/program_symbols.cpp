// SPDX-License-Identifier: Apache-2.0
// ProgramBuilder's calls: interned as symbols, and made columns of where they vary.
#include "fold/event_words.hpp"
#include "fold/place_times.hpp"
#include "rondo/fold/program_builder.hpp"
#include "rondo/trace/call_meaning.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <tuple>
#include <utility>

namespace rondo::fold {
namespace {

using trace::Function;
using trace::PlaceTimes;

constexpr std::int64_t kMustMatch = -1;
// A shape with this many different calls is softened however often each occurs.
constexpr std::size_t kMaxCallsOfShape = 512;
// Calls that came where another of the same shape had come the last time: the shape is looked at
// after so many of one call, and softened after so many of all.
constexpr std::uint32_t kSurprisesOfSymbol = 8;
constexpr std::uint64_t kSurprisesOfShape = 64;
// Below this length the nest is folded anew when a shape is softened, so that the result does not
// depend on when that happened.
constexpr std::uint64_t kMaxRebuild = 200'000;

// Whether calls of this header's shapes are one call each, however their words vary.
bool are_one_call(const ProgramOptions& options, std::int64_t header) {
  return options.one_call_a_shape && (header & kAsItRepeats) == 0;
}

// By what repeats, or later by the flow of control.
bool is_read_folded(const ProgramOptions& options) {
  return options.folds || options.one_call_a_shape;
}

// What of a call is chance: which message it took, and what was found of it.
enum class Chance : std::uint8_t {
  kNone,
  kAnswer, // it receives from anybody, or probes for anybody
  kCompletion, // of requests that may have received from anybody, or of any or some of several
};

bool asks_anybody(const std::int64_t* event) {
  const trace::CallMeaning& means = trace::meaning_of(function_of(event));
  return means.source >= 0 &&
         ((event[0] & kAnybody) != 0 ||
          event[kEventHead + static_cast<std::size_t>(means.source)] == trace::kAnySource);
}

bool completes_any(const trace::CallMeaning& means) {
  return means.completes == trace::Completes::kAny || means.completes == trace::Completes::kSome;
}

Chance chance_of(const std::int64_t* event, bool has_open_answers) {
  const trace::CallMeaning& means = trace::meaning_of(function_of(event));
  if (asks_anybody(event)) return Chance::kAnswer;
  if (completes_any(means)) return Chance::kCompletion;
  const bool may_answer = means.completes != trace::Completes::kNone && has_open_answers;
  return may_answer ? Chance::kCompletion : Chance::kNone;
}

bool is_status(const trace::CallMeaning& means, int at) {
  constexpr int kWordsOfStatus = 3;
  return (means.status >= 0 && at >= means.status && at < means.status + kWordsOfStatus) ||
         (means.statuses >= 0 && at == means.statuses);
}

// Whether a word of such a call says which message it was.
bool is_answer(const std::int64_t* event, std::size_t word) {
  const trace::CallMeaning& means = trace::meaning_of(function_of(event));
  const int at = static_cast<int>(word) - static_cast<int>(kEventHead);
  const auto is = [&](int wanted) { return wanted >= 0 && at == wanted; };
  if (is_status(means, at)) return true;
  if (asks_anybody(event)) {
    const bool says_who_came = (event[0] & kAnybody) != 0;
    const bool is_probe = !means.receives();
    return (says_who_came && (is(means.source) || is(means.receive_tag))) ||
           (is_probe && (is(means.flag) || is(means.message)));
  }
  if (means.completes == trace::Completes::kNone) return false;
  const bool is_which = is(means.index) || is(means.indices) || is(means.outcount) ||
                        (completes_any(means) && is(means.flag));
  return is_which || is(means.request) || is(means.requests);
}

// Whether a word may follow from what the call before found: to or from whom, what, how much.
bool is_reply(const std::int64_t* event, std::size_t word) {
  const trace::CallMeaning& means = trace::meaning_of(function_of(event));
  const int at = static_cast<int>(word) - static_cast<int>(kEventHead);
  for (const int known : {means.source, means.dest, means.receive_tag, means.send_tag,
                          means.receive_count, means.send_count, means.request}) {
    if (known >= 0 && at == known) return true;
  }
  return is_status(means, at);
}

} // namespace

std::uint32_t ProgramBuilder::take_unexpected(const std::int64_t* event, std::size_t size) {
  const bool is_first = previous_ == PlaceTimes::kStart;
  const std::uint32_t last_time = is_first ? kNone : symbols_[previous_].unexpected_after[0];
  const std::uint32_t symbol = find_unexpected(event, size);
  ++symbols_[symbol].count;
  if (symbols_[symbol].varying != 0) push_columns(symbols_[symbol], event);
  const std::uint64_t unexplained = nest_.unexplained();
  nest_.push(symbol);
  if (past_) note(symbol);
  if (nest_.unexplained() == unexplained || last_time == kNone || last_time == symbol ||
      symbols_[symbol].varying != 0)
    return symbol;
  const bool is_one_place =
      std::equal(event, event + kEventHead, words_.data() + symbols_[last_time].offset);
  if (!is_one_place || ++symbols_[symbol].surprises % kSurprisesOfSymbol != 0) return symbol;
  return soften_if_irregular(symbol);
}

// A call that was not expected is often one that came here before when another was expected: at the
// end of a loop, what follows it and its first call take turns.
std::uint32_t ProgramBuilder::find_unexpected(const std::int64_t* event, std::size_t size) {
  if (previous_ == PlaceTimes::kStart) return find_or_add(event, size);
  const auto guesses = symbols_[previous_].unexpected_after;
  for (const std::uint32_t guess : guesses) {
    if (guess != kNone && matches(symbols_[guess], event, size)) return guess;
  }
  const std::uint32_t symbol = find_or_add(event, size);
  // find_or_add may have renamed previous_, and forgotten the guesses
  auto& cache = symbols_[previous_].unexpected_after;
  cache = {symbol, cache[0]};
  return symbol;
}

ProgramBuilder::Shape* ProgramBuilder::find_shape(const std::int64_t* event, std::uint64_t hash) {
  const std::uint32_t known = shape_by_hash_.find(hash, [&](std::uint32_t candidate) {
    return same_shape(words_.data() + symbols_[shapes_[candidate].first].offset, event);
  });
  return known == HashIndex::kNone ? nullptr : &shapes_[known];
}

std::uint32_t ProgramBuilder::find_or_add(const std::int64_t* event, std::size_t size) {
  const std::uint64_t hash_of_shape = shape_hash(event, size);
  Shape* shape = find_shape(event, hash_of_shape);
  if (shape == nullptr) {
    shape_by_hash_.add(hash_of_shape, static_cast<std::uint32_t>(shapes_.size()));
    shape = &shapes_.emplace_back();
  } else if (shape->soft != kNone) {
    Symbol& soft = symbols_[shape->soft];
    if (matches(soft, event, size)) return shape->soft;
    if (are_one_call(options_, event[0])) {
      widen(soft, event);
      return shape->soft;
    }
  }
  const std::uint64_t hash = hash_words(event, size);
  const std::uint32_t known = symbol_by_hash_.find(
      hash, [&](std::uint32_t candidate) { return matches(symbols_[candidate], event, size); });
  if (known != HashIndex::kNone) return known;
  const std::uint32_t symbol = add_symbol(*shape, event, size, hash);
  if (!varies_too_much(*shape)) return symbol;
  soften(*shape);
  return shape->soft;
}

std::uint32_t ProgramBuilder::add_symbol(Shape& shape, const std::int64_t* event, std::size_t size,
                                         std::uint64_t hash) {
  const auto symbol = static_cast<std::uint32_t>(symbols_.size());
  Symbol added;
  added.offset = words_.size();
  added.size = static_cast<std::uint16_t>(size);
  added.exact_size = added.size;
  symbols_.push_back(added);
  words_.insert(words_.end(), event, event + size);
  (shape.first == kNone ? shape.first : symbols_[shape.last].next_of_shape) = symbol;
  shape.last = symbol;
  ++shape.symbols;
  symbol_by_hash_.add(hash, symbol);
  return symbol;
}

bool ProgramBuilder::varies_too_much(const Shape& shape) const {
  if (are_one_call(options_, words_[symbols_[shape.first].offset])) return shape.symbols > 1;
  if (shape.symbols <= options_.soften_after || !is_read_folded(options_)) return false;
  if (!options_.keeps_frequent || shape.symbols > kMaxCallsOfShape) return true;
  std::uint64_t occurrences = 0;
  for_each_symbol(shape, [&](std::uint32_t symbol) { occurrences += symbols_[symbol].count; });
  return occurrences < 4 * std::uint64_t{shape.symbols};
}

// True if the calls of a shape come in an order that does not fold: a master's answers to whoever
// asks, for instance. Each call alone may well be regular, as one column they are cheap.
bool ProgramBuilder::is_irregular(const Shape& shape) const {
  std::uint64_t surprises = 0;
  std::uint64_t count = 0;
  for_each_symbol(shape, [&](std::uint32_t symbol) {
    surprises += symbols_[symbol].surprises;
    count += symbols_[symbol].count;
  });
  return shape.symbols > 1 && surprises >= kSurprisesOfShape && 4 * surprises >= count;
}

// The symbol of the call just taken, which is another one if its shape has been softened.
std::uint32_t ProgramBuilder::soften_if_irregular(std::uint32_t symbol) {
  if (options_.keeps_frequent || !options_.folds) return symbol;
  const Symbol& entry = symbols_[symbol];
  const std::int64_t* event = words_.data() + entry.offset;
  Shape* shape = find_shape(event, shape_hash(event, entry.size));
  if (shape->soft != kNone || !is_irregular(*shape)) return symbol;
  soften(*shape);
  return symbols_[symbol].count == 0 ? shape->soft : symbol;
}

// Makes columns of the words in which the calls of a shape differ, and one symbol of all of them. A
// shape whose columns turn out to be too few is softened again.
void ProgramBuilder::soften(Shape& shape) {
  const bool is_first_time = shape.soft == kNone;
  shape.soft = add_soft_symbol(shape);
  const bool is_one_call = are_one_call(options_, words_[symbols_[shape.first].offset]);
  if (is_first_time && (is_one_call || nest_.size() <= kMaxRebuild)) {
    std::vector<std::uint32_t> replaced_by(symbols_.size());
    for (std::uint32_t i = 0; i < symbols_.size(); ++i) replaced_by[i] = i;
    for_each_symbol(shape, [&](std::uint32_t symbol) { replaced_by[symbol] = shape.soft; });
    rebuild_nest(replaced_by, shape.soft);
    merge_places(replaced_by);
  }
  symbols_[shape.first].next_of_shape = kNone; // one stands for the shape's hard words
  shape.last = shape.first;
  shape.symbols = 1;
  for (Symbol& symbol : symbols_)
    symbol.unexpected_after = {kNone, kNone}; // may name calls that are no longer used
}

// Whose message a receive from anybody took is chance, and so is what a call says that always comes
// right behind it: folded by that, a program would be told by who came when. At the end such calls
// are one call, and who came is a column. Exact in any case; what it costs is a word of its own for
// each execution.
void ProgramBuilder::soften_answers() {
  if (!is_read_folded(options_) || nest_.size() > kMaxRebuild) return;
  const auto first_of = [&](const Shape& shape) {
    return words_.data() + symbols_[shape.first].offset;
  };
  const bool has_open_answers = std::any_of(shapes_.begin(), shapes_.end(), [&](const Shape& of) {
    return trace::meaning_of(function_of(first_of(of))).status < 0 && asks_anybody(first_of(of));
  });
  const auto differ_only = [&](const Shape& shape, bool (*may)(const std::int64_t*, std::size_t)) {
    const std::int64_t* first = first_of(shape);
    bool is_so = true;
    for_each_symbol(shape, [&](std::uint32_t symbol) {
      const std::int64_t* other = words_.data() + symbols_[symbol].offset;
      for (std::size_t i = 0; i < symbols_[symbol].size; ++i)
        is_so = is_so && (first[i] == other[i] || may(first, i));
    });
    return is_so;
  };
  std::vector<bool> is_chance; // by symbol
  const auto note = [&](const Shape& shape) {
    is_chance.resize(symbols_.size(), false);
    for_each_symbol(shape, [&](std::uint32_t symbol) { is_chance[symbol] = true; });
    if (shape.soft != kNone) is_chance[shape.soft] = true;
  };
  for (Shape& shape : shapes_) {
    if (chance_of(first_of(shape), has_open_answers) == Chance::kNone) continue;
    if (shape.soft == kNone && shape.symbols > 1) {
      if (!differ_only(shape, is_answer)) continue;
      soften(shape);
    }
    note(shape);
  }
  std::vector<bool> comes; // by symbol, behind any other
  std::vector<bool> comes_otherwise; // than behind chance
  const auto comes_behind_chance = [&](const Shape& shape) {
    bool is_so = true;
    for_each_symbol(shape, [&](std::uint32_t symbol) {
      is_so = is_so && comes[symbol] && !comes_otherwise[symbol];
    });
    return is_so;
  };
  for (bool goes_on = !is_chance.empty(); goes_on;) { // a reply behind a reply
    goes_on = false;
    comes.assign(symbols_.size(), false);
    comes_otherwise.assign(symbols_.size(), false);
    for (const PlaceTimes& place : places_) {
      const bool is_behind = place.before < is_chance.size() && is_chance[place.before];
      (is_behind ? comes : comes_otherwise)[place.call] = true;
    }
    for (Shape& shape : shapes_) {
      if (shape.soft != kNone || shape.symbols < 2 || !comes_behind_chance(shape) ||
          !differ_only(shape, is_reply))
        continue;
      soften(shape);
      note(shape);
      goes_on = true;
    }
  }
}

std::uint32_t ProgramBuilder::add_soft_symbol(const Shape& shape) {
  const Symbol first = symbols_[shape.first];
  std::vector<bool> varies(first.size, false);
  for_each_symbol(shape, [&](std::uint32_t symbol) {
    for (std::size_t i = 0; i < first.size; ++i) {
      if (words_[first.offset + i] != words_[symbols_[symbol].offset + i]) varies[i] = true;
    }
  });
  if (shape.soft != kNone) {
    for (const VaryingWord& varying : varying_[symbols_[shape.soft].varying])
      varies[varying.word] = true;
  }
  Symbol soft;
  soft.offset = words_.size();
  soft.size = first.size;
  std::vector<std::int64_t> masks;
  std::vector<VaryingWord> varying;
  for (std::uint32_t i = 0; i < first.size; ++i) {
    const std::int64_t word = words_[first.offset + i];
    words_.push_back(varies[i] ? 0 : word);
    masks.push_back(varies[i] ? 0 : kMustMatch);
    if (varies[i]) varying.push_back(varying_word(words_.data() + first.offset, i));
  }
  words_.insert(words_.end(), masks.begin(), masks.end());
  soft.varying = static_cast<std::uint32_t>(varying_.size());
  varying_.push_back(std::move(varying));
  symbols_.push_back(soft);
  return static_cast<std::uint32_t>(symbols_.size() - 1);
}

// A word with a column of its own.
ProgramBuilder::VaryingWord ProgramBuilder::varying_word(const std::int64_t* event,
                                                         std::uint32_t word) {
  const Function& function = function_of(event);
  const std::size_t place = word - kEventHead;
  const bool is_distance = is_peer_word(function, place) && !is_root_word(function, place);
  columns_.emplace_back();
  return {static_cast<std::uint32_t>(columns_.size() - 1), word,
          is_distance ? position_of(event).rank : 0};
}

// Makes columns, too, of the words in which the event differs from what all calls had up to now.
void ProgramBuilder::widen(Symbol& soft, const std::int64_t* event) {
  std::int64_t* const words = words_.data() + soft.offset;
  for (std::uint32_t i = 0; i < soft.size; ++i) {
    if (words[soft.size + i] == 0 || words[i] == event[i]) continue;
    const VaryingWord varying = varying_word(event, i);
    const std::int64_t before = trace::is_special(words[i]) ? words[i] : words[i] - varying.base;
    for (std::uint64_t k = 0; k < soft.count; ++k) columns_[varying.column].push(before);
    words[i] = 0;
    words[soft.size + i] = 0;
    std::vector<VaryingWord>& all = varying_[soft.varying];
    const auto behind = std::ranges::find_if(
        all, [&](const VaryingWord& other) { return other.word > varying.word; });
    all.insert(behind, varying);
  }
}

void ProgramBuilder::remember_calls() {
  if (options_.folds) past_.emplace();
}

// What is longer is not folded anew.
void ProgramBuilder::note(std::uint32_t symbol) {
  past_->note(symbol, nest_);
  if (nest_.size() > kMaxRebuild) past_.reset();
}

void ProgramBuilder::rebuild_nest(const std::vector<std::uint32_t>& replaced_by,
                                  std::uint32_t soft) {
  const auto use = [&](std::uint32_t symbol) {
    push_columns(symbols_[soft], words_.data() + symbols_[symbol].offset);
  };
  if (options_.folds) {
    NestPast not_kept(false);
    (past_ ? *past_ : not_kept).rename(nest_, replaced_by, use);
  } else {
    std::vector<std::uint32_t> replaced;
    for (std::uint32_t i = 0; i < replaced_by.size(); ++i)
      if (replaced_by[i] != i) replaced.push_back(i);
    for (const std::uint32_t symbol : nest_.rename(replaced, soft)) use(symbol);
  }
  for (std::uint32_t i = 0; i < replaced_by.size(); ++i) {
    if (replaced_by[i] == i) continue;
    symbols_[soft].count += symbols_[i].count;
    symbols_[i].count = 0;
  }
}

// Most places stay what they are, and where they are: where a call is one of each shape, that is
// done for one shape after the other.
void ProgramBuilder::merge_places(const std::vector<std::uint32_t>& replaced_by) {
  sum_up_times();
  for (Symbol& symbol : symbols_) {
    symbol.last_places = {};
    symbol.places = 0;
  }
  again_.resize(places_.size(), 0);
  const auto now = [&](std::uint32_t symbol) {
    return symbol < replaced_by.size() ? replaced_by[symbol] : symbol;
  };
  SharedTimes shared;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> renamed; // by calls
  std::vector<std::uint32_t> number;
  std::uint32_t kept = 0;
  for (std::size_t i = 0; i < places_.size(); ++i) {
    PlaceTimes& old = places_[i];
    std::pair calls{now(old.before), now(old.call)};
    number.push_back(kept);
    if (calls != std::pair{old.before, old.call}) {
      const bool is_full = kept >= kMaxPlaces || symbols_[calls.second].places >= kMaxPlacesOfCall;
      if (is_full && !renamed.contains(calls)) calls.first = PlaceTimes::kOther;
      const auto [known, is_new] = renamed.try_emplace(calls, kept);
      number.back() = known->second;
      if (!is_new) {
        PlaceTimes& into = places_[known->second];
        join_courses(into, again_[known->second], old, again_[i]);
        again_[known->second] += again_[i];
        shared.add(into, old);
        continue;
      }
    }
    ++symbols_[calls.second].places;
    again_[kept] = again_[i];
    if (kept != i) places_[kept] = std::move(old);
    std::tie(places_[kept].before, places_[kept].call) = calls;
    ++kept;
  }
  shared.rename(places_);
  previous_ = now(previous_);
  next_kept_.assign(kept, 0);
  if (kept == places_.size()) {
    for (const auto& [calls, place] : renamed)
      place_by_calls_.add(key_of_place(calls.first, calls.second), place);
    return;
  }
  places_.erase(places_.begin() + static_cast<std::ptrdiff_t>(kept), places_.end());
  again_.resize(kept);
  place_by_calls_.clear();
  for (std::uint32_t i = 0; i < kept; ++i)
    place_by_calls_.add(key_of_place(places_[i].before, places_[i].call), i);
  for (Sum& sum : sums_) {
    const auto reached = std::exchange(sum.reached, {});
    for (const auto& [place, times] : reached) count_reached(sum, number[place], times);
  }
}

} // namespace rondo::fold
