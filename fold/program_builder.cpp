// SPDX-License-Identifier: Apache-2.0
#include "rondo/fold/program_builder.hpp"

#include "fold/event_words.hpp"
#include "fold/place_times.hpp"
#include "fold/polish/polish.hpp"
#include "rondo/fold/expected_call.hpp"

#include <algorithm>
#include <bit>
#include <utility>

namespace rondo::fold {
namespace {

using trace::Field;
using trace::FieldKind;
using trace::Function;
using trace::PlaceTimes;

constexpr std::size_t kMostCourses = 1024;
constexpr std::uint64_t kNever = ~std::uint64_t{0};
// Bytes of a term of a nest, with what finds it again, and of a block's header.
constexpr std::size_t kTerm = 48;
constexpr std::size_t kBlock = 16;

// By call, then by the call before. Places are large: they are moved once, where a program that
// does not repeat has as many as it makes calls; and of each call there are few.
std::vector<PlaceTimes> in_order(std::vector<PlaceTimes>&& places, std::size_t calls) {
  std::vector<std::uint32_t> ends(calls + 1, 0); // in the order, of the places of the calls before
  for (const PlaceTimes& place : places) ++ends[place.call + 1];
  for (std::size_t i = 0; i < calls; ++i) ends[i + 1] += ends[i];
  std::vector<std::uint32_t> order(places.size());
  for (std::uint32_t i = 0; i < places.size(); ++i) order[ends[places[i].call]++] = i;
  auto first = order.begin();
  for (std::size_t i = 0; i < calls; ++i) {
    const auto end = order.begin() + ends[i];
    std::sort(first, end, [&](std::uint32_t a, std::uint32_t b) {
      return places[a].before < places[b].before;
    });
    first = end;
  }
  std::vector<PlaceTimes> result;
  result.reserve(places.size());
  for (const std::uint32_t place : order) result.push_back(std::move(places[place]));
  return result;
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
    : log_room_(options.times ? kLoggedTimes : 0), nest_(options.folds), options_(options),
      arrays_(1), texts_(1) {}

void ProgramBuilder::set_position(std::int64_t comm_slot, std::int64_t rank, std::int64_t size) {
  positions_[comm_slot] = {rank, size};
}

std::int64_t ProgramBuilder::array(const std::int64_t* values, std::size_t size,
                                   std::size_t place) {
  std::int64_t word = 0;
  if (size == 0 || is_expected_array(values, size, place, word)) return word;
  return find_or_add_array(values, size);
}

std::int64_t ProgramBuilder::find_or_add_array(const std::int64_t* values, std::size_t size) {
  const std::uint64_t hash = hash_words(values, size);
  const std::uint32_t known = array_by_hash_.find(
      hash, [&](std::uint32_t candidate) { return is_array(candidate, values, size); });
  if (known != HashIndex::kNone) return known;
  arrays_.emplace_back(values, values + size);
  array_by_hash_.add(hash, array_count_);
  return static_cast<std::int64_t>(array_count_++);
}

std::int64_t ProgramBuilder::text(std::string_view text) {
  if (text.empty()) return 0;
  const std::uint64_t hash = XXH3_64bits(text.data(), text.size());
  const std::uint32_t known =
      text_by_hash_.find(hash, [&](std::uint32_t candidate) { return texts_[candidate] == text; });
  if (known != HashIndex::kNone) return known;
  texts_.emplace_back(text);
  text_by_hash_.add(hash, static_cast<std::uint32_t>(texts_.size() - 1));
  return static_cast<std::int64_t>(texts_.size() - 1);
}

inline std::uint32_t ProgramBuilder::take(const std::int64_t* event, std::size_t size) {
  const std::uint32_t symbol = nest_.expected();
  if (symbol == NestBuilder::kNothing || !matches(symbols_[symbol], event, size))
    return take_unexpected(event, size);
  ++symbols_[symbol].count;
  if (symbols_[symbol].varying != 0) push_columns(symbols_[symbol], event);
  nest_.push(symbol);
  if (past_) note(symbol);
  return symbol;
}

inline void ProgramBuilder::add_times(std::uint32_t symbol, std::uint64_t computation_ns,
                                      std::uint64_t inside_ns) {
  if (symbols_[symbol].last_places[0].before != previous_) look_up_place(symbol);
  if (log_room_ == 0) sum_up_times();
  log_[--log_room_] = {computation_ns, inside_ns, symbols_[symbol].last_places[0].place};
}

namespace {

[[gnu::noinline]] void add_to_new_bin(trace::BinCounts& bins, std::uint64_t ns) {
  bins.add(static_cast<std::size_t>(trace::bin_of(ns)));
}

// Most bins have been there before. A bin is the highest three bits of a number and how many
// follow, and so are exponent and fraction of the same number as a double, but for the smallest.
inline void add_duration(trace::Durations& durations, std::uint64_t ns) {
  constexpr std::uint64_t kOfFour = 1025; // exponent
  const auto value = static_cast<double>(static_cast<std::int64_t>(ns)); // signed converts faster
  const std::uint64_t bin = (std::bit_cast<std::uint64_t>(value) >> 50) - (4 * kOfFour - 4);
  if (ns < 4 || !durations.bins.add_if_known(bin)) [[unlikely]]
    add_to_new_bin(durations.bins, ns);
  ++durations.count;
  durations.sum_ns += ns;
  if (ns < durations.min_ns) durations.min_ns = ns;
  if (ns > durations.max_ns) durations.max_ns = ns;
  durations.sum_of_squares += value * value;
}

} // namespace

// Each place gets its times in the order in which they came.
[[gnu::noinline]] void ProgramBuilder::sum_up_times() {
  if (!options_.times) return;
  const CallTimes* const latest = log_.data() + log_room_;
  PlaceTimes* const places = places_.data();
  const std::uint64_t* const next_kept = next_kept_.data();
  for (const CallTimes* times = log_.data() + log_.size(); times != latest;) {
    PlaceTimes& place = places[(--times)->place];
    if (times->computation_ns >= trace::TimeCourse::kLeast_ns &&
        place.computation.count >= next_kept[times->place]) [[unlikely]]
      add_to_course(times->place, times->computation_ns);
    add_duration(place.computation, times->computation_ns);
    add_duration(place.inside, times->inside_ns);
  }
  log_room_ = kLoggedTimes;
}

// The first one is in the sum, until there is a second: most places are reached once.
[[gnu::noinline]] void ProgramBuilder::add_to_course(std::uint32_t index, std::uint64_t ns) {
  PlaceTimes& place = places_[index];
  const std::uint64_t number = place.computation.count;
  if (number == 0) return;
  if (place.courses.empty()) {
    if (courses_ == kMostCourses) {
      next_kept_[index] = kNever;
      return;
    }
    ++courses_;
    place.courses.emplace_back();
    if (number == 1) place.courses.front().course.add(0, place.computation.sum_ns);
  }
  trace::TimeCourse& course = place.courses.front().course;
  course.add(number, ns);
  next_kept_[index] = course.next_kept(number);
}

// Times that several places share are with one of their sums.
ProgramBuilder::Sum& ProgramBuilder::source_of(Sum& sum) {
  const auto shared =
      sum.times.shared != 0 ? course_sums_.find(sum.times.shared) : course_sums_.end();
  return shared == course_sums_.end() ? sum : sums_[shared->second];
}

// A sum knows how it came about, which its calls go through once more in the same order.
void ProgramBuilder::add_to_course(std::uint32_t place, Sum& sum) {
  if (again_.size() <= place) again_.resize(places_.size(), 0);
  const std::uint64_t number = places_[place].computation.count + again_[place]++;
  Sum& source = source_of(sum);
  if (source.times.courses.empty()) return;
  std::vector<trace::RankCourse>& courses = places_[place].courses;
  if (courses.empty()) courses.emplace_back();
  courses.front().course.add_code(number, source.times.courses.front().course.at(source.calls++));
}

void ProgramBuilder::keep_times(bool wanted) {
  sum_up_times();
  options_.times = wanted;
  log_room_ = wanted ? kLoggedTimes : 0;
}

void ProgramBuilder::record(const std::int64_t* event, std::size_t size,
                            std::uint64_t computation_ns, std::uint64_t inside_ns) {
  CallTimes* times = nullptr;
  if (expects(event, size)) {
    times = record_next_in_body();
    if (times == nullptr) times = record_round_body();
  }
  if (times == nullptr) return record_otherwise(event, size, computation_ns, inside_ns);
  times->computation_ns = computation_ns;
  times->inside_ns = inside_ns;
}

void ProgramBuilder::record_otherwise(const std::int64_t* event, std::size_t size,
                                      std::uint64_t computation_ns, std::uint64_t inside_ns) {
  const std::uint32_t symbol = take(event, size);
  if (options_.times) add_times(symbol, computation_ns, inside_ns);
  previous_ = symbol;
}

std::uint32_t ProgramBuilder::add_sum(const PlaceTimes& times) {
  const auto number = static_cast<std::uint32_t>(sums_.size());
  sums_.push_back({times, {}, 0});
  if (times.shared != 0 && !times.courses.empty()) course_sums_.emplace(times.shared, number);
  return number;
}

void ProgramBuilder::record_again(const std::int64_t* event, std::size_t size, std::uint32_t sum) {
  const std::uint32_t symbol = take(event, size);
  if (sum != kNoSum) {
    const bool is_other = sums_[sum].times.before == PlaceTimes::kOther;
    if (!is_other && symbols_[symbol].last_places[0].before != previous_) look_up_place(symbol);
    const std::uint32_t place = is_other ? find_or_add_place(PlaceTimes::kOther, symbol)
                                         : symbols_[symbol].last_places[0].place;
    count_reached(sums_[sum], place);
    if (order_ != nullptr) order_->emplace_back(place, sum);
    add_to_course(place, sums_[sum]);
  }
  previous_ = symbol;
}

void ProgramBuilder::count_reached(Sum& sum, std::uint32_t place, std::uint64_t times) {
  for (auto& [known, count] : sum.reached) {
    if (known != place) continue;
    count += times;
    return;
  }
  sum.reached.emplace_back(place, times);
}

void ProgramBuilder::deal_out() {
  sum_up_times();
  SharedTimes shared;
  for (const Sum& sum : sums_) {
    std::vector<double> weights;
    for (const auto& [place, times] : sum.reached) weights.push_back(static_cast<double>(times));
    if (weights.empty()) continue;
    const std::vector<PlaceTimes> shares = dealt(sum.times, weights);
    for (std::size_t i = 0; i < shares.size(); ++i) {
      if (shares[i].inside.count > 0) shared.add(places_[sum.reached[i].first], shares[i]);
    }
  }
  shared.rename(places_);
  sums_.clear();
  course_sums_.clear();
  again_.clear();
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
// Roots stand as they are: they are the same on all ranks.
[[gnu::noinline]] void ProgramBuilder::push_columns(const Symbol& symbol,
                                                    const std::int64_t* event) {
  for (const VaryingWord& varying : varying_[symbol.varying]) {
    const std::int64_t value = event[varying.word];
    columns_[varying.column].push(trace::is_special(value) ? value : value - varying.base);
  }
}

// Times
// -----------------------------------------------------------------------------------------------

// Puts the place of a call after previous_ first of those known.
[[gnu::noinline]] void ProgramBuilder::look_up_place(std::uint32_t symbol) {
  auto& known = symbols_[symbol].last_places;
  std::swap(known[0], known[1]);
  if (known[0].before != previous_) known[0] = {previous_, find_or_add_place(previous_, symbol)};
}

[[gnu::noinline]] std::uint32_t ProgramBuilder::find_or_add_place(std::uint32_t before,
                                                                  std::uint32_t symbol) {
  const std::uint64_t key = key_of_place(before, symbol);
  const std::uint32_t known = place_by_calls_.find(key, [&](std::uint32_t place) {
    return places_[place].before == before && places_[place].call == symbol;
  });
  if (known != HashIndex::kNone) return known;
  const bool full = places_.size() >= kMaxPlaces || symbols_[symbol].places >= kMaxPlacesOfCall;
  if (full && before != PlaceTimes::kOther) return find_or_add_place(PlaceTimes::kOther, symbol);
  ++symbols_[symbol].places;
  const auto place = static_cast<std::uint32_t>(places_.size());
  places_.emplace_back();
  next_kept_.push_back(0);
  places_.back().before = before;
  places_.back().call = symbol;
  place_by_calls_.add(key, place);
  return place;
}

// The end
// ---------------------------------------------------------------------------------------------

std::size_t ProgramBuilder::memory() const {
  std::size_t bytes = words_.capacity() * sizeof(std::int64_t) +
                      symbols_.capacity() * sizeof(Symbol) + shapes_.capacity() * sizeof(Shape) +
                      places_.capacity() * sizeof(PlaceTimes) + nest_.terms() * kTerm +
                      sizeof *this;
  for (const HashIndex* index :
       {&shape_by_hash_, &symbol_by_hash_, &array_by_hash_, &text_by_hash_, &place_by_calls_})
    bytes += index->memory();
  for (const PlaceTimes& place : places_)
    bytes += place.computation.bins.memory() + place.inside.bins.memory();
  bytes += courses_ * (trace::TimeCourse::kMost + sizeof(trace::RankCourse) + 2 * kBlock);
  for (const ColumnBuilder& column : columns_) bytes += column.memory();
  for (const auto& array : arrays_)
    bytes += array.capacity() * sizeof(std::int64_t) + sizeof array + kBlock;
  for (const std::string& text : texts_) bytes += text.capacity() + sizeof text + kBlock;
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
  call.words.reserve(symbol.size - kEventHead);
  const std::int64_t* masks = symbol.varying == 0 ? nullptr : event + symbol.size;
  std::size_t column = 0;
  for_each_word(function, [&](std::size_t word, const Field& field, int part) {
    using Form = trace::Word::Form;
    const std::int64_t value = event[kEventHead + word];
    const bool peer = is_peer(field, part);
    if (masks != nullptr && masks[kEventHead + word] == 0) {
      const bool is_distance = peer && field.kind != FieldKind::kRoot;
      call.words.push_back({is_distance ? Form::kRelativeColumn : Form::kColumn,
                            varying_[symbol.varying][column++].column});
    } else if (peer && !trace::is_special(value)) {
      const Position at = position_of(event);
      const std::int64_t modulo = ((value - at.rank) % at.size + at.size) % at.size;
      const bool is_inside = value >= 0 && value < at.size; // else no ring leads there
      peers.push_back({static_cast<std::uint8_t>(PeerHypotheses::kConstant |
                                                 PeerHypotheses::kRelative | PeerHypotheses::kXor |
                                                 (is_inside ? PeerHypotheses::kModulo : 0)),
                       value, value - at.rank, modulo, value ^ at.rank});
      call.words.push_back({Form::kConstant, 0});
    } else {
      call.words.push_back({Form::kConstant, value});
    }
  });
  return call;
}

// What finds things only takes memory when the rest is put in order.
void ProgramBuilder::forget_indices() {
  shapes_ = {};
  shape_by_hash_ = {};
  symbol_by_hash_ = {};
  array_by_hash_ = {};
  text_by_hash_ = {};
  place_by_calls_ = {};
}

// Symbols that no longer occur are dropped, the others numbered by their first call in the
// interning order.
StreamProgram ProgramBuilder::finish() {
  StreamProgram result;
  soften_answers();
  deal_out();
  forget_indices();
  std::erase_if(places_, [](const PlaceTimes& place) { return place.inside.count == 0; });
  std::vector<std::uint32_t> number(symbols_.size(), 0);
  result.program.calls.reserve(symbols_.size());
  for (std::uint32_t i = 0; i < symbols_.size(); ++i) {
    if (symbols_[i].count == 0) continue;
    number[i] = static_cast<std::uint32_t>(result.program.calls.size());
    result.program.calls.push_back(finish_call(symbols_[i], result.peers));
  }
  // What is by the flow of control is read and not kept.
  const Polishing polishing = options_.one_call_a_shape ? Polishing::kNone : Polishing::kAll;
  trace::Nest nest = nest_.finish(polishing);
  if (options_.folds) nest = polish(std::move(nest));
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
  for (ColumnBuilder& column : columns_) {
    result.program.columns.push_back(column.finish(polishing));
    column = ColumnBuilder(); // its memory is wanted for the next
  }
  result.program.arrays = std::move(arrays_);
  result.program.texts = std::move(texts_);
  for (PlaceTimes& place : places_) {
    for (trace::RankCourse& own : place.courses) own.course.end(place.computation.count);
    const auto is_call = place.before != PlaceTimes::kStart && place.before != PlaceTimes::kOther;
    if (is_call) place.before = number[place.before];
    place.call = number[place.call];
  }
  result.program.times = in_order(std::move(places_), result.program.calls.size());
  return result;
}

} // namespace rondo::fold
