// SPDX-License-Identifier: Apache-2.0
#include "archive/program_codec.hpp"

#include <algorithm>
#include <utility>

namespace rondo::archive {
namespace {

using trace::Call;
using trace::Column;
using trace::Durations;
using trace::Field;
using trace::FieldKind;
using trace::Function;
using trace::Loop;
using trace::MergedCall;
using trace::MergedLoop;
using trace::MergedProgram;
using trace::Nest;
using trace::PlaceTimes;
using trace::Program;
using trace::RankFunction;
using trace::RankSequence;
using trace::RankSet;
using trace::Run;
using trace::Term;
using trace::Word;

// A word takes one byte for small numbers and for special values alike: 0 escapes numbers of more
// than 63 bits, 1 to 63 are special values, others stand 64 higher in zigzag.
constexpr std::uint64_t kSpecials = 64;

void put_word(Packer& out, std::int64_t word) {
  if (trace::is_special(word) &&
      trace::kFirstSpecial - word < static_cast<std::int64_t>(kSpecials)) {
    out.put(static_cast<std::uint64_t>(trace::kFirstSpecial - word));
    return;
  }
  const std::uint64_t folded =
      (static_cast<std::uint64_t>(word) << 1) ^ static_cast<std::uint64_t>(word >> 63);
  if (folded > ~std::uint64_t{0} - kSpecials) {
    out.put(0);
    out.put_signed(word);
  } else {
    out.put(folded + kSpecials);
  }
}

std::int64_t get_word(Unpacker& in) {
  const std::uint64_t code = in.get();
  if (code == 0) return in.get_signed();
  if (code < kSpecials) return trace::kFirstSpecial - static_cast<std::int64_t>(code);
  const std::uint64_t folded = code - kSpecials;
  return static_cast<std::int64_t>(folded >> 1) ^ -static_cast<std::int64_t>(folded & 1);
}

// As many items as announced, one by one: each takes at least a byte, so that memory stays in
// proportion to the bytes, whatever numbers they claim.
template <class Item, class Read> std::vector<Item> unpack_items(Unpacker& in, Read read) {
  std::vector<Item> items;
  const std::size_t count = in.get_count();
  for (std::size_t i = 0; i < count && in.ok(); ++i) items.push_back(read());
  return items;
}

std::vector<std::int64_t> unpack_words(Unpacker& in) {
  return unpack_items<std::int64_t>(in, [&] { return get_word(in); });
}

void pack_terms(Packer& out, const std::vector<Term>& terms) {
  out.put(terms.size());
  for (const Term term : terms) out.put(term.code);
}

std::vector<Term> unpack_terms(Unpacker& in) {
  return unpack_items<Term>(in, [&] { return Term{static_cast<std::uint32_t>(in.get())}; });
}

// Forms other than constants are rare: they hide behind the escape's place of an impossible
// special.
void pack_form(Packer& out, const Word& word) {
  if (word.form != Word::Form::kConstant)
    out.put(kSpecials - 1 - static_cast<std::uint64_t>(word.form));
  put_word(out, word.value);
}

Word unpack_form(Unpacker& in) {
  constexpr std::int64_t kFirstForm =
      trace::kFirstSpecial - static_cast<std::int64_t>(kSpecials - 1);
  constexpr auto kLastForm = static_cast<std::uint64_t>(Word::Form::kRelativeColumnByRank);
  const std::int64_t word = get_word(in);
  const std::uint64_t form =
      static_cast<std::uint64_t>(word) - static_cast<std::uint64_t>(kFirstForm);
  if (form > 0 && form <= kLastForm) return {static_cast<Word::Form>(form), get_word(in)};
  return {Word::Form::kConstant, word};
}

void pack_call(Packer& out, const MergedCall& merged) {
  const Call& call = merged.call;
  out.put(call.function);
  out.put(call.error);
  out.put(call.site);
  out.put(merged.set);
  for (const Word& word : call.words) pack_form(out, word);
}

MergedCall unpack_call(Unpacker& in) {
  MergedCall merged;
  Call& call = merged.call;
  call.function = static_cast<std::uint16_t>(in.get());
  call.error = static_cast<std::uint16_t>(in.get());
  call.site = static_cast<std::uint32_t>(in.get());
  merged.set = static_cast<std::uint32_t>(in.get());
  const Function* function = trace::find_function(call.function);
  if (function == nullptr) {
    in.refuse();
    return merged;
  }
  for (std::size_t i = function->words(); i > 0; --i) call.words.push_back(unpack_form(in));
  return merged;
}

// Histograms: count, sum, extremes, spread, then the bins between the extremes.
void pack_durations(Packer& out, const Durations& times) {
  out.put(times.sum_ns);
  out.put(times.min_ns);
  out.put(times.max_ns - times.min_ns);
  out.put_float(times.sum_of_squares);
  const int last = trace::bin_of(times.max_ns);
  for (int bin = trace::bin_of(times.min_ns); bin <= last; ++bin)
    out.put(times.bins[static_cast<std::size_t>(bin)]);
}

Durations unpack_durations(Unpacker& in, std::uint64_t count) {
  Durations times;
  times.count = count;
  times.sum_ns = in.get();
  times.min_ns = in.get();
  times.max_ns = times.min_ns + in.get();
  times.sum_of_squares = in.get_float();
  const int last = trace::bin_of(times.max_ns);
  std::uint64_t in_bins = 0;
  for (int bin = trace::bin_of(times.min_ns); bin <= last; ++bin) {
    in_bins += times.bins[static_cast<std::size_t>(bin)] = in.get();
  }
  if (in_bins != count) in.refuse();
  return times;
}

// Each as the difference from the rank before: ranks are mostly alike. First all of one kind.
void pack_means(Packer& out, const std::vector<trace::RankMeans>& means) {
  out.put(means.size());
  for (const auto kind : {&trace::RankMeans::computation, &trace::RankMeans::inside}) {
    std::int64_t last = 0;
    for (const trace::RankMeans& rank : means) {
      out.put_signed(rank.*kind - last);
      last = rank.*kind;
    }
  }
}

std::vector<trace::RankMeans> unpack_means(Unpacker& in) {
  std::vector<trace::RankMeans> means(in.get_count());
  for (const auto kind : {&trace::RankMeans::computation, &trace::RankMeans::inside}) {
    std::int64_t last = 0;
    for (trace::RankMeans& rank : means) {
      last = trace::wrapping_sum(last, in.get_signed());
      rank.*kind = static_cast<std::uint16_t>(last);
    }
  }
  return means;
}

constexpr int kMaxDepth = 64; // of columns within nests within columns

// A nest needs the sums of its trip counts, which cannot be had from differences in short time:
// they are stored.
void pack_trip_counts(Packer& out, const Column& column) {
  pack(out, column);
  if (column.kind() == Column::Kind::kDifferences) out.put_signed(column.sum());
}

Column unpack_trip_counts(Unpacker& in, int depth) {
  Column column = unpack_column(in, depth);
  if (column.kind() != Column::Kind::kDifferences) return column;
  return Column::from_differences(column.first(), column.dictionary(), *column.nest(),
                                  in.get_signed());
}

} // namespace

void pack(Packer& out, const Nest& nest) {
  out.put(nest.loops().size());
  for (const Loop& loop : nest.loops()) {
    pack_terms(out, loop.body);
    pack_trip_counts(out, loop.trip_counts);
  }
  pack_terms(out, nest.top());
}

Nest unpack_nest(Unpacker& in, int depth) {
  if (depth > kMaxDepth) in.refuse();
  std::vector<Loop> loops = unpack_items<Loop>(in, [&] {
    std::vector<Term> body = unpack_terms(in);
    return Loop{std::move(body), unpack_trip_counts(in, depth + 1)};
  });
  return {std::move(loops), unpack_terms(in)};
}

void pack(Packer& out, const Column& column) {
  out.put(static_cast<std::uint64_t>(column.kind()));
  switch (column.kind()) {
  case Column::Kind::kRuns:
    out.put(column.runs().size());
    for (const Run& run : column.runs()) {
      put_word(out, run.value);
      out.put(run.count);
    }
    break;
  case Column::Kind::kDifferences:
    put_word(out, column.first());
    out.put(column.dictionary().size());
    for (const std::int64_t difference : column.dictionary()) out.put_signed(difference);
    pack(out, *column.nest());
    break;
  case Column::Kind::kValues: {
    out.put(column.values().size());
    for (const std::int64_t value : column.values()) put_word(out, value);
    break;
  }
  }
}

Column unpack_column(Unpacker& in, int depth) {
  switch (static_cast<Column::Kind>(in.get())) {
  case Column::Kind::kRuns:
    return Column::from_runs(unpack_items<Run>(in, [&] {
      const std::int64_t value = get_word(in);
      return Run{value, in.get()};
    }));
  case Column::Kind::kDifferences: {
    const std::int64_t first = get_word(in);
    auto dictionary = unpack_items<std::int64_t>(in, [&] { return in.get_signed(); });
    Nest nest = unpack_nest(in, depth + 1);
    if (!nest.is_valid(dictionary.size())) break;
    return Column::from_differences(first, std::move(dictionary), std::move(nest));
  }
  case Column::Kind::kValues:
    return Column::from_values(unpack_words(in));
  }
  in.refuse();
  return {};
}

namespace {

void pack_items(Packer& out, const std::vector<RankSequence::Item>& items) {
  out.put(items.size());
  for (const RankSequence::Item& item : items) {
    out.put(item.count * 2 + (item.is_loop() ? 1 : 0));
    if (item.is_loop()) {
      pack_items(out, item.body);
    } else {
      put_word(out, item.value);
    }
  }
}

// Longer than any run has ranks, and short enough that no product overflows.
constexpr std::uint64_t kMostValues = std::uint64_t{1} << 30;

// Gives the items' length, too.
std::vector<RankSequence::Item> unpack_items_of_sequence(Unpacker& in, std::uint64_t& length,
                                                         int depth) {
  if (depth > kMaxDepth) in.refuse();
  return unpack_items<RankSequence::Item>(in, [&] {
    RankSequence::Item item;
    const std::uint64_t code = in.get();
    item.count = code / 2;
    std::uint64_t once = 1;
    if (code % 2 == 0) {
      item.value = get_word(in);
    } else {
      once = 0;
      item.body = unpack_items_of_sequence(in, once, depth + 1);
    }
    if (item.count == 0 || once == 0 || item.count > kMostValues / once) {
      in.refuse();
    } else if (length += item.count * once; length > kMostValues) {
      in.refuse();
    }
    return item;
  });
}

} // namespace

void pack(Packer& out, const RankSequence& sequence) { pack_items(out, sequence.items()); }

RankSequence unpack_sequence(Unpacker& in) {
  std::uint64_t length = 0;
  auto items = unpack_items_of_sequence(in, length, 0);
  return in.ok() ? RankSequence::from_items(std::move(items)) : RankSequence{};
}

void pack(Packer& out, const RankSet& set) {
  out.put(set.empty() ? 0 : 1 + static_cast<std::uint64_t>(set.front()));
  if (!set.empty()) pack(out, set.gaps());
}

RankSet unpack_set(Unpacker& in) {
  const std::uint64_t first = in.get();
  if (first == 0) return {};
  return RankSet::from_gaps(static_cast<std::int64_t>(first - 1), unpack_sequence(in));
}

namespace {

void pack(Packer& out, const RankFunction& function) {
  out.put(std::uint64_t{function.domain} * 2 + (function.modulo ? 1 : 0));
  if (function.modulo) out.put_signed(*function.modulo);
  out.put(function.encoded.size());
  for (const trace::EncodedValues& encoded : function.encoded) {
    out.put(static_cast<std::uint64_t>(encoded.encoding));
    pack(out, encoded.values);
  }
}

RankFunction unpack_function(Unpacker& in) {
  RankFunction function;
  const std::uint64_t code = in.get();
  function.domain = static_cast<std::uint32_t>(code / 2);
  if (code % 2 == 1) function.modulo = in.get_signed();
  function.encoded = unpack_items<trace::EncodedValues>(in, [&] {
    const std::uint64_t encoding = in.get();
    if (encoding >= trace::kRankEncodings) in.refuse();
    return trace::EncodedValues{static_cast<trace::RankEncoding>(encoding), unpack_sequence(in)};
  });
  return function;
}

} // namespace

void pack(Packer& out, const MergedProgram& program) {
  out.put(program.thread);
  out.put(program.table.sets.size());
  for (const RankSet& set : program.table.sets) pack(out, set);
  out.put(program.table.functions.size());
  for (const RankFunction& function : program.table.functions) pack(out, function);
  out.put(program.calls.size());
  for (const MergedCall& call : program.calls) pack_call(out, call);
  out.put(program.loops.size());
  for (const MergedLoop& loop : program.loops) {
    pack_terms(out, loop.body);
    pack_form(out, loop.trip_count);
    out.put(loop.set);
  }
  pack_terms(out, program.top);
  out.put(program.columns.size());
  for (const Column& column : program.columns) pack_trip_counts(out, column);
  out.put(program.arrays.size());
  for (const auto& array : program.arrays) {
    out.put(array.size());
    for (const std::int64_t value : array) put_word(out, value);
  }
  out.put(program.texts.size());
  for (const std::string& text : program.texts) out.put_text(text);
}

MergedProgram unpack_program(Unpacker& in) {
  MergedProgram program;
  program.thread = static_cast<std::uint32_t>(in.get());
  program.table.sets = unpack_items<RankSet>(in, [&] { return unpack_set(in); });
  program.table.functions = unpack_items<RankFunction>(in, [&] { return unpack_function(in); });
  program.calls = unpack_items<MergedCall>(in, [&] { return unpack_call(in); });
  program.loops = unpack_items<MergedLoop>(in, [&] {
    MergedLoop loop;
    loop.body = unpack_terms(in);
    loop.trip_count = unpack_form(in);
    loop.set = static_cast<std::uint32_t>(in.get());
    return loop;
  });
  program.top = unpack_terms(in);
  program.columns = unpack_items<Column>(in, [&] { return unpack_trip_counts(in, 0); });
  program.arrays = unpack_items<std::vector<std::int64_t>>(in, [&] { return unpack_words(in); });
  program.texts = unpack_items<std::string>(in, [&] { return in.get_text(); });
  return program;
}

void pack_times(Packer& out, const std::vector<PlaceTimes>& places) {
  out.put(places.size());
  std::uint32_t last = 0;
  for (const PlaceTimes& place : places) {
    out.put(place.call - last);
    last = place.call;
    // kStart and kOther, the two highest numbers, become 0 and 1.
    out.put(static_cast<std::uint32_t>(PlaceTimes::kStart - place.before) < 2
                ? PlaceTimes::kStart - place.before
                : std::uint64_t{place.before} + 2);
    out.put(place.inside.count);
    pack_durations(out, place.computation);
    pack_durations(out, place.inside);
    pack_means(out, place.means);
  }
}

std::vector<PlaceTimes> unpack_times(Unpacker& in) {
  std::uint32_t call = 0;
  return unpack_items<PlaceTimes>(in, [&] {
    PlaceTimes place;
    place.call = call += static_cast<std::uint32_t>(in.get());
    const std::uint64_t before = in.get();
    place.before = before < 2 ? PlaceTimes::kStart - static_cast<std::uint32_t>(before)
                              : static_cast<std::uint32_t>(before - 2);
    const std::uint64_t count = in.get();
    place.computation = unpack_durations(in, count);
    place.inside = unpack_durations(in, count);
    place.means = unpack_means(in);
    return place;
  });
}

void pack(Packer& out, const std::vector<trace::RankRange>& ranges) {
  out.put(ranges.size());
  std::int64_t last = 0;
  for (const trace::RankRange& range : ranges) {
    out.put_signed(range.start - last);
    out.put(static_cast<std::uint64_t>(range.count));
    if (range.count > 1) out.put_signed(range.stride);
    last = range.start;
  }
}

std::vector<trace::RankRange> unpack_ranges(Unpacker& in) {
  // Far more than any machine has, and little enough that no sum or product overflows.
  constexpr std::int64_t kLimit = std::int64_t{1} << 30;
  std::int64_t last = 0;
  return unpack_items<trace::RankRange>(in, [&] {
    const std::int64_t distance = in.get_signed();
    trace::RankRange range;
    range.count = static_cast<std::int64_t>(in.get());
    range.stride = range.count > 1 ? in.get_signed() : 1;
    const auto is_small = [](std::int64_t value) { return -kLimit < value && value < kLimit; };
    if (!is_small(distance) || !is_small(last) || !is_small(range.stride) ||
        !is_small(range.count) || range.count < 1) {
      in.refuse();
      return trace::RankRange{};
    }
    range.start = last = last + distance;
    return range;
  });
}

namespace {

bool is_column(Word::Form form) {
  return form == Word::Form::kColumn || form == Word::Form::kRelativeColumn ||
         form == Word::Form::kFunctionColumn;
}

// Numbers of columns are looked at one by one: they are few, and a program cannot be cut into those
// of its ranks without them.
bool is_column_choice(const MergedProgram& program, const Word& word) {
  const auto index = static_cast<std::uint64_t>(word.value);
  if (index >= program.table.functions.size()) return false;
  const auto& encoded = program.table.functions[index].encoded;
  if (encoded.size() != 1 || encoded.front().encoding != trace::RankEncoding::kAbsolute)
    return false;
  bool is_good = true;
  encoded.front().values.for_each_value([&](std::int64_t value) {
    is_good = is_good && static_cast<std::uint64_t>(value) < program.columns.size();
  });
  return is_good && !program.columns.empty(); // 0 stands for ranks without value
}

bool is_word_consistent(const MergedProgram& program, const Field& field, const Word& word) {
  using Form = Word::Form;
  const auto index = static_cast<std::uint64_t>(word.value);
  const bool is_index = field.is_array || field.kind == FieldKind::kText;
  const std::size_t limit = field.is_array ? program.arrays.size() : program.texts.size();
  if (is_index && limit == 0 && word.form != Form::kConstant) return false;
  switch (word.form) {
  case Form::kConstant:
    return trace::is_special(word.value) || !is_index || index < limit;
  case Form::kByRank: // CallReader keeps indices in range
    return index < program.table.functions.size();
  case Form::kFunctionColumn: // and its values
    return index < program.columns.size() && !program.table.functions.empty();
  case Form::kColumn:
    return index < program.columns.size();
  case Form::kColumnByRank:
    return is_column_choice(program, word);
  case Form::kRelativeColumn:
    return !is_index && index < program.columns.size();
  case Form::kRelativeColumnByRank:
    return !is_index && is_column_choice(program, word);
  default:
    return !is_index;
  }
}

bool is_call_consistent(const MergedProgram& program, const Call& call) {
  const Function* function = trace::find_function(call.function);
  if (function == nullptr || call.words.size() != function->words()) return false;
  std::size_t word = 0;
  for (const Field& field : function->fields) {
    const int parts = field.kind == FieldKind::kStatus && !field.is_array ? 3 : 1;
    for (int part = 0; part < parts; ++part, ++word) {
      if (!is_word_consistent(program, field, call.words[word])) return false;
    }
  }
  return true;
}

bool is_trip_count_consistent(const MergedProgram& program, const Word& count) {
  switch (count.form) {
  case Word::Form::kConstant:
    return true;
  case Word::Form::kByRank:
    return static_cast<std::uint64_t>(count.value) < program.table.functions.size();
  case Word::Form::kColumn:
    return static_cast<std::uint64_t>(count.value) < program.columns.size();
  case Word::Form::kColumnByRank:
    return is_column_choice(program, count);
  default:
    return false;
  }
}

bool is_table_consistent(const trace::RankTable& table, std::int64_t ranks) {
  if (table.sets.empty()) return false;
  for (const RankSet& set : table.sets) {
    if (set.empty() || !is_set_within(set, ranks)) return false;
  }
  return std::all_of(
      table.functions.begin(), table.functions.end(), [&](const RankFunction& function) {
        if (function.domain >= table.sets.size() || function.encoded.empty()) return false;
        const auto size = static_cast<std::uint64_t>(table.sets[function.domain].size());
        return std::all_of(
            function.encoded.begin(), function.encoded.end(),
            [&](const trace::EncodedValues& encoded) { return encoded.values.size() == size; });
      });
}

// Loops stand after those in their bodies, and not too deep for a recursion.
bool are_terms_consistent(const MergedProgram& program) {
  constexpr std::uint32_t kDeepest = 4096;
  std::vector<std::uint32_t> depth;
  const auto are_known = [&](const std::vector<Term>& terms, std::uint32_t& deepest) {
    return std::all_of(terms.begin(), terms.end(), [&](Term term) {
      if (!term.is_loop()) return term.index() < program.calls.size();
      if (term.index() >= depth.size()) return false;
      deepest = std::max(deepest, depth[term.index()]);
      return true;
    });
  };
  for (const MergedLoop& loop : program.loops) {
    std::uint32_t deepest = 0;
    if (!are_known(loop.body, deepest) || deepest >= kDeepest) return false;
    depth.push_back(deepest + 1);
  }
  std::uint32_t deepest = 0;
  return are_known(program.top, deepest);
}

} // namespace

bool is_set_within(const RankSet& set, std::int64_t ranks) {
  if (set.empty()) return true;
  if (set.front() < 0 || set.front() >= ranks || set.size() > ranks) return false;
  bool is_good = true;
  set.gaps().for_each_value([&](std::int64_t gap) { is_good = is_good && gap > 0 && gap < ranks; });
  return is_good && set.back() < ranks; // fewer than 2^30 gaps of less than 2^30
}

bool is_consistent(const MergedProgram& program, std::size_t sites, std::int64_t ranks) {
  if (!is_table_consistent(program.table, ranks) || !are_terms_consistent(program)) return false;
  const std::size_t sets = program.table.sets.size();
  return std::all_of(program.calls.begin(), program.calls.end(),
                     [&](const MergedCall& call) {
                       return call.set < sets && call.call.site < sites &&
                              is_call_consistent(program, call.call);
                     }) &&
         std::all_of(program.loops.begin(), program.loops.end(), [&](const MergedLoop& loop) {
           return loop.set < sets && is_trip_count_consistent(program, loop.trip_count);
         });
}

bool is_expandable(const Program& program) {
  const std::size_t calls = program.calls.size();
  if (!program.nest.is_valid(calls)) return false;
  const std::vector<std::uint64_t> executions = program.nest.occurrences(calls);
  for (std::size_t i = 0; i < calls; ++i) {
    for (const Word& word : program.calls[i].words) {
      if (is_column(word.form) &&
          program.columns[static_cast<std::size_t>(word.value)].size() != executions[i])
        return false;
    }
  }
  return true;
}

bool are_times_consistent(const std::vector<PlaceTimes>& times, std::size_t calls,
                          std::int64_t ranks) {
  const PlaceTimes* last = nullptr;
  for (const PlaceTimes& place : times) {
    if (static_cast<std::int64_t>(place.means.size()) != ranks) return false;
    if (place.call >= calls || (place.before >= calls && place.before < PlaceTimes::kOther))
      return false;
    const bool ascends = last == nullptr ||
                         std::pair(last->call, last->before) < std::pair(place.call, place.before);
    if (!ascends) return false;
    last = &place;
  }
  return true;
}

} // namespace rondo::archive
