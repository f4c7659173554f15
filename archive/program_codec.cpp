// SPDX-License-Identifier: Apache-2.0
#include "archive/program_codec.hpp"

#include <algorithm>

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

// A word takes one byte for small numbers and for special values alike: 0 escapes numbers of more than 63
// bits, 1 to 63 are special values, others stand 64 higher in zigzag.
constexpr std::uint64_t kSpecials = 64;

void put_word(Packer& out, std::int64_t word) {
  const std::int64_t special = trace::kFirstSpecial - word;
  if (trace::is_special(word) && special < static_cast<std::int64_t>(kSpecials)) {
    out.put(static_cast<std::uint64_t>(special));
    return;
  }
  const std::uint64_t folded = (static_cast<std::uint64_t>(word) << 1) ^ static_cast<std::uint64_t>(word >> 63);
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

void pack_terms(Packer& out, const std::vector<Term>& terms) {
  out.put(terms.size());
  for (const Term term : terms) out.put(term.code);
}

std::vector<Term> unpack_terms(Unpacker& in) {
  std::vector<Term> terms(in.get_count());
  for (Term& term : terms) term.code = static_cast<std::uint32_t>(in.get());
  return terms;
}

void pack_call(Packer& out, const Call& call) {
  out.put(call.function);
  out.put(call.error);
  out.put(call.site);
  for (const Word& word : call.words) {
    // Forms other than constants are rare: they hide behind the escape's place of an impossible special.
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
  if (function == nullptr) return call;
  constexpr std::int64_t kFirstForm = trace::kFirstSpecial - static_cast<std::int64_t>(kSpecials - 1);
  for (std::size_t i = function->words(); i > 0; --i) {
    const std::int64_t word = get_word(in);
    const std::int64_t form = word - kFirstForm;
    if (form > 0 && form <= static_cast<std::int64_t>(Word::Form::kRelativeColumn)) {
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
  for (int bin = trace::bin_of(times.min_ns); bin <= last; ++bin) out.put(times.bins[static_cast<std::size_t>(bin)]);
}

Durations unpack_durations(Unpacker& in, std::uint64_t count) {
  Durations times;
  times.count = count;
  times.sum_ns = in.get();
  times.min_ns = in.get();
  times.max_ns = times.min_ns + in.get();
  times.sum_of_squares = in.get_float();
  const int last = trace::bin_of(times.max_ns);
  for (int bin = trace::bin_of(times.min_ns); bin <= last; ++bin) {
    times.bins[static_cast<std::size_t>(bin)] = in.get();
  }
  return times;
}

constexpr int kMaxDepth = 64; // of columns within nests within columns

} // namespace

void pack(Packer& out, const Nest& nest) {
  out.put(nest.loops().size());
  for (const Loop& loop : nest.loops()) {
    pack_terms(out, loop.body);
    pack(out, loop.trip_counts);
  }
  pack_terms(out, nest.top());
}

Nest unpack_nest(Unpacker& in, int depth) {
  std::vector<Loop> loops(depth > kMaxDepth ? 0 : in.get_count());
  for (Loop& loop : loops) {
    loop.body = unpack_terms(in);
    loop.trip_counts = unpack_column(in, depth + 1);
  }
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
  case Column::Kind::kRuns: {
    std::vector<Run> runs(in.get_count());
    for (Run& run : runs) {
      run.value = get_word(in);
      run.count = in.get();
    }
    // A run of nothing would read as one of everything.
    std::erase_if(runs, [](const Run& run) { return run.count == 0; });
    return Column::from_runs(std::move(runs));
  }
  case Column::Kind::kDifferences: {
    const std::int64_t first = get_word(in);
    std::vector<std::int64_t> dictionary(in.get_count());
    for (std::int64_t& difference : dictionary) difference = in.get_signed();
    Nest nest = unpack_nest(in, depth + 1);
    if (!nest.is_valid(dictionary.size())) return {};
    return Column::from_differences(first, std::move(dictionary), std::move(nest));
  }
  case Column::Kind::kValues: {
    std::vector<std::int64_t> values(in.get_count());
    for (std::int64_t& value : values) value = get_word(in);
    return Column::from_values(std::move(values));
  }
  }
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
  program.calls.resize(in.get_count());
  for (Call& call : program.calls) call = unpack_call(in);
  program.nest = unpack_nest(in);
  program.columns.resize(in.get_count());
  for (Column& column : program.columns) column = unpack_column(in);
  program.arrays.resize(in.get_count());
  for (auto& array : program.arrays) {
    array.resize(in.get_count());
    for (std::int64_t& value : array) value = get_word(in);
  }
  program.texts.resize(in.get_count());
  for (std::string& text : program.texts) text = in.get_text();
  return program;
}

void pack_times(Packer& out, const Program& program) {
  out.put(program.times.size());
  std::uint32_t last = 0;
  for (const PlaceTimes& place : program.times) {
    out.put(place.call - last);
    last = place.call;
    // kStart and kOther, the two highest numbers, become 0 and 1.
    out.put(static_cast<std::uint32_t>(PlaceTimes::kStart - place.before) < 2 ? PlaceTimes::kStart - place.before
                                                                              : std::uint64_t{place.before} + 2);
    out.put(place.inside.count);
    pack_durations(out, place.computation);
    pack_durations(out, place.inside);
  }
}

void unpack_times(Unpacker& in, Program& program) {
  program.times.resize(in.get_count());
  std::uint32_t call = 0;
  for (PlaceTimes& place : program.times) {
    place.call = call += static_cast<std::uint32_t>(in.get());
    const std::uint64_t before = in.get();
    place.before = before < 2 ? PlaceTimes::kStart - static_cast<std::uint32_t>(before)
                              : static_cast<std::uint32_t>(before - 2);
    const std::uint64_t count = in.get();
    place.computation = unpack_durations(in, count);
    place.inside = unpack_durations(in, count);
  }
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
  std::vector<trace::RankRange> ranges(in.get_count());
  std::int64_t last = 0;
  for (trace::RankRange& range : ranges) {
    range.start = last + in.get_signed();
    range.count = static_cast<std::int64_t>(in.get());
    range.stride = range.count > 1 ? in.get_signed() : 1;
    last = range.start;
  }
  return ranges;
}

namespace {

bool is_word_consistent(const Program& program, const Field& field, const Word& word, std::uint64_t executions) {
  const auto index = static_cast<std::uint64_t>(word.value);
  switch (word.form) {
  case Word::Form::kColumn:
  case Word::Form::kRelativeColumn: {
    if (index >= program.columns.size() || program.columns[index].size() != executions) return false;
    if (!field.is_array && field.kind != FieldKind::kText) return true;
    const std::size_t limit = field.is_array ? program.arrays.size() : program.texts.size();
    trace::ColumnReader reader(program.columns[index]);
    while (const auto value = reader.next()) {
      if (!trace::is_special(*value) && static_cast<std::uint64_t>(*value) >= limit) return false;
    }
    return true;
  }
  default: break;
  }
  if (trace::is_special(word.value)) return true;
  if (field.is_array) return index < program.arrays.size();
  if (field.kind == FieldKind::kText) return index < program.texts.size();
  return true;
}

} // namespace

bool is_consistent(const Program& program, std::size_t sites) {
  const std::size_t calls = program.calls.size();
  if (!program.nest.is_valid(calls)) return false;
  const std::vector<std::uint64_t> executions = program.nest.occurrences(calls);
  for (std::size_t i = 0; i < calls; ++i) {
    const Call& call = program.calls[i];
    const Function* function = trace::find_function(call.function);
    if (function == nullptr || call.site >= sites || call.words.size() != function->words()) return false;
    std::size_t word = 0;
    for (const Field& field : function->fields) {
      const int parts = field.kind == FieldKind::kStatus && !field.is_array ? 3 : 1;
      for (int part = 0; part < parts; ++part, ++word) {
        if (!is_word_consistent(program, field, call.words[word], executions[i])) return false;
        const bool statuses = field.kind == FieldKind::kStatus && field.is_array;
        const Word& w = call.words[word];
        if (statuses && w.form == Word::Form::kConstant && w.value > 0 &&
            program.arrays[static_cast<std::size_t>(w.value)].empty()) {
          return false;
        }
      }
    }
  }
  return std::all_of(program.times.begin(), program.times.end(), [&](const PlaceTimes& place) {
    return place.call < calls && (place.before < calls || place.before >= PlaceTimes::kOther);
  });
}

} // namespace rondo::archive
