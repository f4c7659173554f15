// SPDX-License-Identifier: Apache-2.0
#include "archive/program_codec.hpp"

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
using trace::Nest;
using trace::PlaceTimes;
using trace::Program;
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

void pack_call(Packer& out, const Call& call) {
  out.put(call.function);
  out.put(call.error);
  out.put(call.site);
  for (const Word& word : call.words) {
    // Forms other than constants are rare: they hide behind the escape's place of an impossible
    // special.
    if (word.form == Word::Form::kConstant) {
      put_word(out, word.value);
    } else {
      out.put(kSpecials - 1 - static_cast<std::uint64_t>(word.form));
      put_word(out, word.value);
    }
  }
}

Call unpack_call(Unpacker& in) {
  Call call;
  call.function = static_cast<std::uint16_t>(in.get());
  call.error = static_cast<std::uint16_t>(in.get());
  call.site = static_cast<std::uint32_t>(in.get());
  const Function* function = trace::find_function(call.function);
  if (function == nullptr) {
    in.refuse();
    return call;
  }
  constexpr std::int64_t kFirstForm =
      trace::kFirstSpecial - static_cast<std::int64_t>(kSpecials - 1);
  for (std::size_t i = function->words(); i > 0; --i) {
    const std::int64_t word = get_word(in);
    const std::uint64_t form =
        static_cast<std::uint64_t>(word) - static_cast<std::uint64_t>(kFirstForm);
    if (form > 0 && form <= static_cast<std::uint64_t>(Word::Form::kRelativeColumn)) {
      call.words.push_back({static_cast<Word::Form>(form), get_word(in)});
    } else {
      call.words.push_back({Word::Form::kConstant, word});
    }
  }
  return call;
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

void pack(Packer& out, const Program& program) {
  out.put(program.calls.size());
  for (const Call& call : program.calls) pack_call(out, call);
  pack(out, program.nest);
  out.put(program.columns.size());
  for (const Column& column : program.columns) pack(out, column);
  out.put(program.arrays.size());
  for (const auto& array : program.arrays) {
    out.put(array.size());
    for (const std::int64_t value : array) put_word(out, value);
  }
  out.put(program.texts.size());
  for (const std::string& text : program.texts) out.put_text(text);
}

Program unpack_program(Unpacker& in) {
  Program program;
  program.calls = unpack_items<Call>(in, [&] { return unpack_call(in); });
  program.nest = unpack_nest(in);
  program.columns = unpack_items<Column>(in, [&] { return unpack_column(in); });
  program.arrays = unpack_items<std::vector<std::int64_t>>(in, [&] { return unpack_words(in); });
  program.texts = unpack_items<std::string>(in, [&] { return in.get_text(); });
  return program;
}

void pack_times(Packer& out, const Program& program) {
  out.put(program.times.size());
  std::uint32_t last = 0;
  for (const PlaceTimes& place : program.times) {
    out.put(place.call - last);
    last = place.call;
    // kStart and kOther, the two highest numbers, become 0 and 1.
    out.put(static_cast<std::uint32_t>(PlaceTimes::kStart - place.before) < 2
                ? PlaceTimes::kStart - place.before
                : std::uint64_t{place.before} + 2);
    out.put(place.inside.count);
    pack_durations(out, place.computation);
    pack_durations(out, place.inside);
  }
}

void unpack_times(Unpacker& in, Program& program) {
  std::uint32_t call = 0;
  program.times = unpack_items<PlaceTimes>(in, [&] {
    PlaceTimes place;
    place.call = call += static_cast<std::uint32_t>(in.get());
    const std::uint64_t before = in.get();
    place.before = before < 2 ? PlaceTimes::kStart - static_cast<std::uint32_t>(before)
                              : static_cast<std::uint32_t>(before - 2);
    const std::uint64_t count = in.get();
    place.computation = unpack_durations(in, count);
    place.inside = unpack_durations(in, count);
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

bool is_word_consistent(const Program& program, const Field& field, const Word& word,
                        std::uint64_t executions) {
  const auto index = static_cast<std::uint64_t>(word.value);
  const bool is_index = field.is_array || field.kind == FieldKind::kText;
  const std::size_t limit = field.is_array ? program.arrays.size() : program.texts.size();
  if (is_index && word.form != Word::Form::kConstant && word.form != Word::Form::kColumn)
    return false;
  if (word.form == Word::Form::kColumn || word.form == Word::Form::kRelativeColumn) {
    // Values of a column are not looked at, as there may be very many: CallReader keeps indices in
    // range.
    return index < program.columns.size() && program.columns[index].size() == executions &&
           (!is_index || limit > 0);
  }
  return trace::is_special(word.value) || !is_index || index < limit;
}

bool is_call_consistent(const Program& program, const Call& call, std::uint64_t executions) {
  const Function* function = trace::find_function(call.function);
  if (function == nullptr || call.words.size() != function->words()) return false;
  std::size_t word = 0;
  for (const Field& field : function->fields) {
    const int parts = field.kind == FieldKind::kStatus && !field.is_array ? 3 : 1;
    for (int part = 0; part < parts; ++part, ++word) {
      if (!is_word_consistent(program, field, call.words[word], executions)) return false;
    }
  }
  return true;
}

bool are_times_consistent(const Program& program) {
  const std::size_t calls = program.calls.size();
  const PlaceTimes* last = nullptr;
  for (const PlaceTimes& place : program.times) {
    if (place.call >= calls || (place.before >= calls && place.before < PlaceTimes::kOther))
      return false;
    const bool ascends = last == nullptr ||
                         std::pair(last->call, last->before) < std::pair(place.call, place.before);
    if (!ascends) return false;
    last = &place;
  }
  return true;
}

} // namespace

bool is_consistent(const Program& program, std::size_t sites) {
  const std::size_t calls = program.calls.size();
  if (!program.nest.is_valid(calls)) return false;
  const std::vector<std::uint64_t> executions = program.nest.occurrences(calls);
  for (std::size_t i = 0; i < calls; ++i) {
    const Call& call = program.calls[i];
    if (call.site >= sites || !is_call_consistent(program, call, executions[i])) return false;
  }
  return are_times_consistent(program);
}

} // namespace rondo::archive
