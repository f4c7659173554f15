// SPDX-License-Identifier: Apache-2.0
#include "rondo/fold/program_builder.hpp"

#include <algorithm>
#include <cstring>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace rondo::fold {
namespace {

using trace::Field;
using trace::FieldKind;
using trace::Function;
using trace::PlaceTimes;

constexpr std::int64_t kMustMatch = -1;
// A shape with this many different calls is softened however often each occurs.
constexpr std::size_t kMaxCallsOfShape = 512;
// Below this length the nest is folded anew when a shape is softened, so that the result does not
// depend on when that happened.
constexpr std::uint64_t kMaxRebuild = 200'000;
// Places of their own; further pairs of calls share one place for each call. 1.6 kB each.
constexpr std::size_t kMaxPlaces = 4096;
// The same for one call: irregular streams would spread their times over more places than fit the
// cache.
constexpr std::uint32_t kMaxPlacesOfCall = 16;

std::uint64_t hash_words(const std::int64_t* words, std::size_t size) {
  return XXH3_64bits(words, size * sizeof *words);
}

const Function& function_of(const std::int64_t* event) {
  return *trace::find_function(static_cast<std::uint16_t>(event[0] & 0xffff));
}

// Words that tell one shape from another and never become columns.
bool is_hard(FieldKind kind) {
  switch (kind) {
  case FieldKind::kComm:
  case FieldKind::kGroup:
  case FieldKind::kDatatype:
  case FieldKind::kOp:
  case FieldKind::kWin:
  case FieldKind::kFile:
  case FieldKind::kSession:
  case FieldKind::kBuffer:
    return true;
  default:
    return false;
  }
}

// Calls visit(word, field, part) for each word of a function; part counts within a status.
template <class Visit> void for_each_word(const Function& function, Visit visit) {
  std::size_t word = 0;
  for (const Field& field : function.fields) {
    const int parts = field.kind == FieldKind::kStatus && !field.is_array ? 3 : 1;
    for (int part = 0; part < parts; ++part) visit(word++, field, part);
  }
}

bool is_peer(const Field& field, int part) {
  if (field.is_array) return false;
  return field.kind == FieldKind::kRank || field.kind == FieldKind::kRoot ||
         (field.kind == FieldKind::kStatus && part == 0);
}

std::uint64_t shape_hash(const std::int64_t* event, std::size_t size) {
  std::int64_t hard[16] = {event[0], event[1], static_cast<std::int64_t>(size)};
  std::size_t n = 3;
  for_each_word(function_of(event), [&](std::size_t word, const Field& field, int) {
    if (!field.is_array && is_hard(field.kind) && n < 16) hard[n++] = event[kEventHead + word];
  });
  return hash_words(hard, n);
}

bool same_shape(const std::int64_t* a, const std::int64_t* b) {
  if (a[0] != b[0] || a[1] != b[1]) return false;
  bool same = true;
  for_each_word(function_of(a), [&](std::size_t word, const Field& field, int) {
    if (!field.is_array && is_hard(field.kind))
      same = same && a[kEventHead + word] == b[kEventHead + word];
  });
  return same;
}

} // namespace

bool is_peer_word(const Function& function, std::size_t wanted) {
  bool result = false;
  for_each_word(function, [&](std::size_t word, const Field& field, int part) {
    if (word == wanted) result = is_peer(field, part);
  });
  return result;
}

bool is_root_word(const Function& function, std::size_t wanted) {
  bool result = false;
  for_each_word(function, [&](std::size_t word, const Field& field, int) {
    if (word == wanted) result = field.kind == FieldKind::kRoot;
  });
  return result;
}

ProgramBuilder::ProgramBuilder(ProgramOptions options)
    : options_(options), arrays_(1), texts_(1), nest_(options.folds) {}

void ProgramBuilder::set_position(std::int64_t comm_slot, std::int64_t rank, std::int64_t size) {
  positions_[comm_slot] = {rank, size};
}

std::int64_t ProgramBuilder::array(const std::int64_t* values, std::size_t size) {
  if (size == 0) return 0;
  std::vector<std::int64_t>& candidates = array_by_hash_[hash_words(values, size)];
  for (const std::int64_t candidate : candidates) {
    const auto& known = arrays_[static_cast<std::size_t>(candidate)];
    if (known.size() == size && std::memcmp(known.data(), values, size * sizeof *values) == 0)
      return candidate;
  }
  arrays_.emplace_back(values, values + size);
  candidates.push_back(static_cast<std::int64_t>(arrays_.size() - 1));
  return candidates.back();
}

std::int64_t ProgramBuilder::text(std::string_view text) {
  const auto found =
      std::find(texts_.begin(), texts_.end(), text); // few: names of objects and files
  if (found != texts_.end()) return found - texts_.begin();
  texts_.emplace_back(text);
  return static_cast<std::int64_t>(texts_.size() - 1);
}

bool ProgramBuilder::matches(const Symbol& symbol, const std::int64_t* event,
                             std::size_t size) const {
  if (symbol.size != size) return false;
  const std::int64_t* words = words_.data() + symbol.offset;
  std::int64_t difference = 0;
  if (symbol.varying.empty()) { // a loop of few words costs less than the call of memcmp
    for (std::size_t i = 0; i < size; ++i) difference |= words[i] ^ event[i];
    return difference == 0;
  }
  const std::int64_t* masks = masks_.data() + symbol.offset;
  for (std::size_t i = 0; i < size; ++i) difference |= (words[i] ^ event[i]) & masks[i];
  return difference == 0;
}

inline std::uint32_t ProgramBuilder::take(const std::int64_t* event, std::size_t size) {
  std::uint32_t symbol = nest_.expected();
  if (symbol == NestBuilder::kNothing || !matches(symbols_[symbol], event, size)) {
    symbol = find_unexpected(event, size);
  }
  ++symbols_[symbol].count;
  if (!symbols_[symbol].varying.empty()) push_columns(symbols_[symbol], event);
  nest_.push(symbol);
  return symbol;
}

void ProgramBuilder::record(const std::int64_t* event, std::size_t size,
                            std::uint64_t computation_ns, std::uint64_t inside_ns) {
  const std::uint32_t symbol = take(event, size);
  if (options_.times) add_times(symbol, computation_ns, inside_ns);
  previous_ = symbol;
}

void ProgramBuilder::record_again(const std::int64_t* event, std::size_t size,
                                  const PlaceTimes* times) {
  const std::uint32_t symbol = take(event, size);
  if (times != nullptr) {
    const bool is_other = times->before == PlaceTimes::kOther;
    PlaceTimes& place =
        places_[find_or_add_place(is_other ? PlaceTimes::kOther : previous_, symbol)];
    place.computation.add(times->computation);
    place.inside.add(times->inside);
  }
  previous_ = symbol;
}

// Symbols
// ---------------------------------------------------------------------------------------------

// A call that was not expected is often the one that came here last time when another was expected.
std::uint32_t ProgramBuilder::find_unexpected(const std::int64_t* event, std::size_t size) {
  const bool is_first = previous_ == PlaceTimes::kStart;
  const std::uint32_t guess = is_first ? kNone : symbols_[previous_].unexpected_after;
  if (guess != kNone && matches(symbols_[guess], event, size)) return guess;
  const std::uint32_t symbol = find_or_add(event, size);
  if (!is_first)
    symbols_[previous_].unexpected_after = symbol; // find_or_add may have renamed previous_
  return symbol;
}

std::uint32_t ProgramBuilder::find_or_add(const std::int64_t* event, std::size_t size) {
  std::vector<Shape>& shapes = shapes_[shape_hash(event, size)];
  auto shape = std::find_if(shapes.begin(), shapes.end(), [&](const Shape& candidate) {
    return same_shape(words_.data() + symbols_[candidate.symbols.front()].offset, event);
  });
  if (shape == shapes.end()) {
    shapes.emplace_back();
    shape = shapes.end() - 1;
  } else if (shape->soft != kNone && matches(symbols_[shape->soft], event, size)) {
    return shape->soft;
  }
  const std::uint64_t hash = hash_words(event, size);
  if (const auto found = by_hash_.find(hash); found != by_hash_.end()) {
    for (const std::uint32_t candidate : found->second) {
      if (matches(symbols_[candidate], event, size)) return candidate;
    }
  }
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
  added.size = static_cast<std::uint32_t>(size);
  symbols_.push_back(std::move(added));
  words_.insert(words_.end(), event, event + size);
  masks_.insert(masks_.end(), size, kMustMatch);
  shape.symbols.push_back(symbol);
  by_hash_[hash].push_back(symbol);
  return symbol;
}

bool ProgramBuilder::varies_too_much(const Shape& shape) const {
  const std::size_t calls = shape.symbols.size();
  if (calls <= options_.soften_after || !options_.folds) return false;
  if (!options_.keeps_frequent || calls > kMaxCallsOfShape) return true;
  std::uint64_t occurrences = 0;
  for (const std::uint32_t symbol : shape.symbols) occurrences += symbols_[symbol].count;
  return occurrences < 4 * calls;
}

// Makes columns of the words in which the calls of a shape differ, and one symbol of all of them. A
// shape whose columns turn out to be too few is softened again.
void ProgramBuilder::soften(Shape& shape) {
  const bool is_first_time = shape.soft == kNone;
  shape.soft = add_soft_symbol(shape);
  if (is_first_time && nest_.size() <= kMaxRebuild) {
    std::vector<std::uint32_t> replaced_by(symbols_.size());
    for (std::uint32_t i = 0; i < symbols_.size(); ++i) replaced_by[i] = i;
    for (const std::uint32_t symbol : shape.symbols) replaced_by[symbol] = shape.soft;
    rebuild_nest(replaced_by, shape.soft);
    merge_places(replaced_by);
  }
  shape.symbols.resize(1); // stands for the shape's hard words
  for (Symbol& symbol : symbols_)
    symbol.unexpected_after = kNone; // may name a call that is no longer used
}

std::uint32_t ProgramBuilder::add_soft_symbol(const Shape& shape) {
  const Symbol first = symbols_[shape.symbols.front()];
  std::vector<bool> varies(first.size, false);
  for (const std::uint32_t symbol : shape.symbols) {
    for (std::size_t i = 0; i < first.size; ++i) {
      if (words_[first.offset + i] != words_[symbols_[symbol].offset + i]) varies[i] = true;
    }
  }
  if (shape.soft != kNone) {
    for (const VaryingWord& varying : symbols_[shape.soft].varying) varies[varying.word] = true;
  }
  Symbol soft;
  soft.offset = words_.size();
  soft.size = first.size;
  const Function& function = function_of(words_.data() + first.offset);
  const Position position = position_of(words_.data() + first.offset);
  for (std::uint32_t i = 0; i < first.size; ++i) {
    const std::int64_t word = words_[first.offset + i];
    words_.push_back(varies[i] ? 0 : word);
    masks_.push_back(varies[i] ? 0 : kMustMatch);
    if (!varies[i]) continue;
    const bool peer = is_peer_word(function, i - kEventHead);
    soft.varying.push_back(
        {static_cast<std::uint32_t>(columns_.size()), i, peer ? position.rank : 0});
    columns_.emplace_back();
  }
  symbols_.push_back(std::move(soft));
  return static_cast<std::uint32_t>(symbols_.size() - 1);
}

void ProgramBuilder::rebuild_nest(const std::vector<std::uint32_t>& replaced_by,
                                  std::uint32_t soft) {
  const trace::Nest old = nest_.finish();
  trace::NestReader reader(old);
  while (const auto symbol = reader.next()) {
    const std::uint32_t now = replaced_by[*symbol];
    if (now == soft) push_columns(symbols_[soft], words_.data() + symbols_[*symbol].offset);
    nest_.push(now);
  }
  for (std::uint32_t i = 0; i < replaced_by.size(); ++i) {
    if (replaced_by[i] == i) continue;
    symbols_[soft].count += symbols_[i].count;
    symbols_[i].count = 0;
  }
}

void ProgramBuilder::merge_places(const std::vector<std::uint32_t>& replaced_by) {
  const std::vector<PlaceTimes> old = std::move(places_);
  places_ = {};
  place_by_calls_.clear();
  for (Symbol& symbol : symbols_) {
    symbol.last_place = kNone;
    symbol.places = 0;
  }
  const auto now = [&](std::uint32_t symbol) {
    return symbol < replaced_by.size() ? replaced_by[symbol] : symbol;
  };
  for (const PlaceTimes& place : old) {
    PlaceTimes& merged = places_[find_or_add_place(now(place.before), now(place.call))];
    merged.computation.add(place.computation);
    merged.inside.add(place.inside);
  }
  previous_ = now(previous_);
}

// Columns
// ---------------------------------------------------------------------------------------------

ProgramBuilder::Position ProgramBuilder::position_of(const std::int64_t* event) const {
  const int word = function_of(event).comm_word();
  const std::int64_t slot =
      word < 0 ? trace::kWorldSlot : event[kEventHead + static_cast<std::size_t>(word)];
  const auto found = positions_.find(slot);
  return found == positions_.end() ? Position{} : found->second;
}

// Peers stand in columns relative to the rank, so that ranks that do the same have equal columns.
void ProgramBuilder::push_columns(const Symbol& symbol, const std::int64_t* event) {
  for (const VaryingWord& varying : symbol.varying) {
    const std::int64_t value = event[varying.word];
    columns_[varying.column].push(trace::is_special(value) ? value : value - varying.base);
  }
}

// Times
// -----------------------------------------------------------------------------------------------

void ProgramBuilder::add_times(std::uint32_t symbol, std::uint64_t computation_ns,
                               std::uint64_t inside_ns) {
  Symbol& entry = symbols_[symbol];
  if (entry.last_place == kNone || entry.last_before != previous_) {
    entry.last_place = find_or_add_place(previous_, symbol);
    entry.last_before = previous_;
  }
  PlaceTimes& place = places_[entry.last_place];
  place.computation.add(computation_ns);
  place.inside.add(inside_ns);
}

std::uint32_t ProgramBuilder::find_or_add_place(std::uint32_t before, std::uint32_t symbol) {
  const auto key = [&](std::uint32_t call_before) {
    return static_cast<std::uint64_t>(call_before) << 32 | symbol;
  };
  if (const auto found = place_by_calls_.find(key(before)); found != place_by_calls_.end())
    return found->second;
  const bool full = places_.size() >= kMaxPlaces || symbols_[symbol].places >= kMaxPlacesOfCall;
  if (full && before != PlaceTimes::kOther) return find_or_add_place(PlaceTimes::kOther, symbol);
  ++symbols_[symbol].places;
  const auto place = static_cast<std::uint32_t>(places_.size());
  places_.emplace_back();
  places_.back().before = before;
  places_.back().call = symbol;
  place_by_calls_.emplace(key(before), place);
  return place;
}

// The end
// ---------------------------------------------------------------------------------------------

std::size_t ProgramBuilder::memory() const {
  std::size_t bytes = (words_.capacity() + masks_.capacity()) * sizeof(std::int64_t) +
                      symbols_.capacity() * sizeof(Symbol) +
                      places_.capacity() * sizeof(PlaceTimes) + nest_.terms() * 48;
  for (const ColumnBuilder& column : columns_) bytes += column.memory();
  for (const auto& array : arrays_) bytes += array.capacity() * sizeof(std::int64_t);
  return bytes;
}

trace::Call ProgramBuilder::finish_call(const Symbol& symbol,
                                        std::vector<PeerHypotheses>& peers) const {
  const std::int64_t* event = words_.data() + symbol.offset;
  const Function& function = function_of(event);
  trace::Call call;
  call.function = function.id;
  call.error = static_cast<std::uint16_t>(event[0] >> 16);
  call.site = static_cast<std::uint32_t>(event[1]);
  std::size_t column = 0;
  for_each_word(function, [&](std::size_t word, const Field& field, int part) {
    using Form = trace::Word::Form;
    const std::int64_t value = event[kEventHead + word];
    const bool peer = is_peer(field, part);
    if (masks_[symbol.offset + kEventHead + word] == 0) {
      call.words.push_back(
          {peer ? Form::kRelativeColumn : Form::kColumn, symbol.varying[column++].column});
    } else if (peer && !trace::is_special(value)) {
      const Position at = position_of(event);
      const std::int64_t modulo = ((value - at.rank) % at.size + at.size) % at.size;
      peers.push_back({PeerHypotheses::kConstant | PeerHypotheses::kRelative |
                           PeerHypotheses::kModulo | PeerHypotheses::kXor,
                       value, value - at.rank, modulo, value ^ at.rank});
      call.words.push_back({Form::kConstant, 0});
    } else {
      call.words.push_back({Form::kConstant, value});
    }
  });
  return call;
}

// Symbols that no longer occur are dropped, the others numbered by their first call in the
// interning order.
StreamProgram ProgramBuilder::finish() {
  StreamProgram result;
  std::vector<std::uint32_t> number(symbols_.size(), 0);
  for (std::uint32_t i = 0; i < symbols_.size(); ++i) {
    if (symbols_[i].count == 0) continue;
    number[i] = static_cast<std::uint32_t>(result.program.calls.size());
    result.program.calls.push_back(finish_call(symbols_[i], result.peers));
  }
  const trace::Nest nest = nest_.finish();
  const auto renumber = [&](std::vector<trace::Term> terms) {
    for (trace::Term& term : terms) {
      if (!term.is_loop()) term = trace::Term::symbol(number[term.index()]);
    }
    return terms;
  };
  std::vector<trace::Loop> loops;
  for (const trace::Loop& loop : nest.loops())
    loops.push_back({renumber(loop.body), loop.trip_counts});
  result.program.nest = trace::Nest(std::move(loops), renumber(nest.top()));
  for (ColumnBuilder& column : columns_) result.program.columns.push_back(column.finish());
  result.program.arrays = std::move(arrays_);
  result.program.texts = std::move(texts_);
  for (PlaceTimes& place : places_) {
    const auto is_call = place.before != PlaceTimes::kStart && place.before != PlaceTimes::kOther;
    if (is_call) place.before = number[place.before];
    place.call = number[place.call];
  }
  result.program.times = std::move(places_);
  std::sort(result.program.times.begin(), result.program.times.end(),
            [](const PlaceTimes& a, const PlaceTimes& b) {
              return a.call != b.call ? a.call < b.call : a.before < b.before;
            });
  return result;
}

} // namespace rondo::fold
