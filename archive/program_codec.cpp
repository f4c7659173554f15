// SPDX-License-Identifier: Apache-2.0
#include "archive/program_codec.hpp"

#include <algorithm>
#include <utility>

namespace rondo::archive {
namespace {

using trace::Call;
using trace::Column;
using trace::Field;
using trace::FieldKind;
using trace::Function;
using trace::Loop;
using trace::MergedCall;
using trace::MergedLoop;
using trace::MergedProgram;
using trace::Nest;
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

} // namespace

std::vector<std::int64_t> unpack_words(Unpacker& in) {
  return unpack_items<std::int64_t>(in, [&] { return get_word(in); });
}

void pack_words(Packer& out, const std::vector<std::int64_t>& words) {
  out.put(words.size());
  for (const std::int64_t word : words) put_word(out, word);
}

namespace {

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
  if (!in.pay(function->words(), sizeof(Word))) return merged;
  for (std::size_t i = function->words(); i > 0; --i) call.words.push_back(unpack_form(in));
  return merged;
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

} // namespace rondo::archive
