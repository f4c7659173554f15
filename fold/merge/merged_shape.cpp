// SPDX-License-Identifier: Apache-2.0
#include "fold/merge/merged_shape.hpp"

#include "fold/event_words.hpp"
#include "fold/merge/pairing.hpp"
#include "rondo/base/mixed.hpp"
#include "rondo/trace/call_meaning.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

namespace rondo::fold {
namespace {

using trace::Field;
using trace::FieldKind;
using trace::MergedLoop;
using trace::RankEncoding;
using trace::Term;
using trace::Word;
using Form = Word::Form;

// Which requests a call completes is what it does, as much as which objects it uses.
std::uint64_t requests_key(const trace::MergedProgram& program, const Field& field,
                           std::int64_t word) {
  if (!field.is_array || trace::is_special(word)) return static_cast<std::uint64_t>(word);
  std::uint64_t key = 0;
  for (const std::int64_t request : program.arrays[static_cast<std::size_t>(word)])
    key = mixed(key, static_cast<std::uint64_t>(request));
  return key;
}

// Who takes what comes first does something else than who waits for one.
bool asks_anybody(const trace::MergedProgram& program, const trace::Call& call) {
  const int source = trace::meaning_of(*trace::find_function(call.function)).source;
  if (source < 0) return false;
  const Word& word = call.words[static_cast<std::size_t>(source)];
  if (word.form == Form::kConstant) return word.value == trace::kAnySource;
  if (word.form != Form::kByRank) return false;
  const auto& encoded = program.table.functions[static_cast<std::size_t>(word.value)].encoded;
  return !encoded.empty() && !encoded.front().values.empty() &&
         encoded.front().values.at(0) == trace::kAnySource;
}

} // namespace

WordKind kind_of(const Word& word) {
  switch (word.form) {
  case Form::kColumn:
  case Form::kColumnByRank:
    return WordKind::kColumn;
  case Form::kRelativeColumn:
  case Form::kRelativeColumnByRank:
    return WordKind::kRelativeColumn;
  default:
    return WordKind::kPlain;
  }
}

bool can_join(const MergedLoop& a, const MergedLoop& b) {
  return kind_of(a.trip_count) == kind_of(b.trip_count);
}

bool has_columns(const trace::Call& call) {
  return std::any_of(call.words.begin(), call.words.end(),
                     [](const Word& word) { return kind_of(word) != WordKind::kPlain; });
}

std::uint64_t key_of(const trace::MergedProgram& program, const trace::Call& call) {
  std::uint64_t key = mixed(mixed(call.function, call.error), call.site);
  if (asks_anybody(program, call)) key = mixed(key, 1);
  for_each_word(*trace::find_function(call.function),
                [&](std::size_t word, const Field& field, int) {
                  const Word& w = call.words[word];
                  key = mixed(key, static_cast<std::uint64_t>(kind_of(w)));
                  if (!field.is_array && is_hard(field.kind))
                    key = mixed(key, static_cast<std::uint64_t>(w.value));
                  if (field.kind == FieldKind::kRequest && w.form == Form::kConstant)
                    key = mixed(key, requests_key(program, field, w.value));
                });
  return key;
}

MergedShape::MergedShape(const PartClass& first) : classes_{&first} {
  for (std::uint32_t i = 0; i < first.program.calls.size(); ++i)
    symbols_.push_back({{i}, key_of(first.program, first.program.calls[i].call)});
  for (std::uint32_t i = 0; i < first.program.loops.size(); ++i)
    loops_.push_back({{i}, first.program.loops[i].body});
  top_ = first.program.top;
}

std::vector<std::uint64_t> keys_of(const trace::MergedProgram& program) {
  std::vector<std::uint64_t> keys;
  for (const trace::MergedCall& call : program.calls) keys.push_back(key_of(program, call.call));
  return keys;
}

namespace {

// Term by term; false if the two differ.
bool pair_terms(Pairing& pairing, const MergedShape& a, const trace::MergedProgram& b,
                const std::vector<std::uint64_t>& keys, const std::vector<Term>& terms_a,
                const std::vector<Term>& terms_b, std::vector<Term>& result) {
  if (terms_a.size() != terms_b.size()) return false;
  for (std::size_t i = 0; i < terms_a.size(); ++i) {
    const Term x = terms_a[i];
    const Term y = terms_b[i];
    if (x.is_loop() != y.is_loop()) return false;
    if (!x.is_loop()) {
      if (a.symbols()[x.index()].key != keys[y.index()]) return false;
      result.push_back(pairing.symbol(x.index(), y.index()));
      continue;
    }
    if (const Term* known = pairing.find_loop(x.index(), y.index())) {
      result.push_back(*known);
      continue;
    }
    const MergedShape::Loop& loop = a.loops()[x.index()];
    std::vector<Term> body;
    if (!pair_terms(pairing, a, b, keys, loop.body, b.loops[y.index()].body, body)) return false;
    result.push_back(pairing.loop(x.index(), y.index(), std::move(body)));
  }
  return true;
}

// True for equal columns, or words that are none.
bool has_same_column(const Word& a, const trace::MergedProgram& in_a, const Word& b,
                     const trace::MergedProgram& in_b) {
  if (kind_of(a) != kind_of(b)) return false;
  if (kind_of(a) == WordKind::kPlain) return true;
  return in_a.columns[static_cast<std::size_t>(a.value)] ==
         in_b.columns[static_cast<std::size_t>(b.value)];
}

} // namespace

std::optional<MergedShape> MergedShape::paired(const PartClass& a, const PartClass& b) {
  const trace::MergedProgram& p = a.program;
  const trace::MergedProgram& q = b.program;
  if (p.top.size() != q.top.size() || p.loops.size() != q.loops.size()) return std::nullopt;
  const MergedShape first(a);
  Pairing pairing(first, b);
  std::vector<Term> top;
  if (!pair_terms(pairing, first, q, keys_of(q), p.top, q.top, top)) return std::nullopt;
  if (!pairing.conflicts().empty()) return std::nullopt;
  MergedShape result = pairing.take(std::move(top));
  const bool have_same_tables = p.arrays == q.arrays && p.texts == q.texts; // columns of indices
  const auto is_same_loop = [&](const Loop& row) {
    const Word& x = p.loops[row.members[0]].trip_count;
    const Word& y = q.loops[row.members[1]].trip_count;
    return has_same_column(x, p, y, q) && (kind_of(x) != WordKind::kPlain || x == y);
  };
  const auto has_same_columns = [&](const Symbol& row) {
    const trace::Call& call = p.calls[row.members[0]].call;
    const std::vector<Word>& x = call.words;
    const std::vector<Word>& y = q.calls[row.members[1]].call.words;
    bool is_same = true;
    for_each_word(*trace::find_function(call.function),
                  [&](std::size_t i, const Field& field, int) {
                    const bool is_index = field.is_array || field.kind == FieldKind::kText;
                    is_same = is_same && has_same_column(x[i], p, y[i], q) &&
                              (!is_index || kind_of(x[i]) == WordKind::kPlain || have_same_tables);
                  });
    return is_same;
  };
  const bool is_same =
      std::all_of(result.loops_.begin(), result.loops_.end(), is_same_loop) &&
      std::all_of(result.symbols_.begin(), result.symbols_.end(), has_same_columns);
  return is_same ? std::optional(std::move(result)) : std::nullopt;
}

namespace {

// Counterparts of one side's symbols or loops, if each has one.
class Bijection {
public:
  explicit Bijection(std::size_t size) : to_(size, kAbsent), from_(size, kAbsent) {}

  bool add(std::uint32_t a, std::uint32_t b) {
    if (b >= from_.size()) return false;
    if (to_[a] == b) return true;
    if (to_[a] != kAbsent || from_[b] != kAbsent) return false;
    to_[a] = b;
    from_[b] = a;
    return true;
  }
  const std::vector<std::uint32_t>& to() const { return to_; }

private:
  std::vector<std::uint32_t> to_;
  std::vector<std::uint32_t> from_;
};

} // namespace

// In place: where ranks differ in their columns only, there may be as many classes as ranks.
bool MergedShape::add_of_same_shape(const PartClass& added) {
  const trace::MergedProgram& program = added.program;
  if (program.calls.size() != symbols_.size() || program.loops.size() != loops_.size() ||
      program.top.size() != top_.size())
    return false;
  Bijection calls(symbols_.size());
  Bijection loops(loops_.size());
  const auto pair = [&](const auto& self, const std::vector<Term>& a,
                        const std::vector<Term>& b) -> bool {
    if (a.size() != b.size()) return false;
    for (std::size_t i = 0; i < a.size(); ++i) {
      const std::uint32_t x = a[i].index();
      const std::uint32_t y = b[i].index();
      if (a[i].is_loop() != b[i].is_loop()) return false;
      if (!a[i].is_loop()) {
        if (!calls.add(x, y)) return false;
        continue;
      }
      const bool is_known = loops.to()[x] == y;
      if (!loops.add(x, y)) return false;
      if (!is_known && !self(self, loops_[x].body, program.loops[y].body)) return false;
    }
    return true;
  };
  if (!pair(pair, top_, program.top)) return false;
  const std::vector<std::uint64_t> keys = keys_of(program);
  for (std::size_t i = 0; i < symbols_.size(); ++i) {
    if (calls.to()[i] == kAbsent || symbols_[i].key != keys[calls.to()[i]]) return false;
  }
  for (std::size_t i = 0; i < loops_.size(); ++i) {
    std::size_t c = 0;
    while (loops_[i].members[c] == kAbsent) ++c;
    const MergedLoop& known = classes_[c]->program.loops[loops_[i].members[c]];
    if (loops.to()[i] == kAbsent || !can_join(known, program.loops[loops.to()[i]])) return false;
  }
  classes_.push_back(&added);
  for (std::size_t i = 0; i < symbols_.size(); ++i) symbols_[i].members.push_back(calls.to()[i]);
  for (std::size_t i = 0; i < loops_.size(); ++i) loops_[i].members.push_back(loops.to()[i]);
  return true;
}

} // namespace rondo::fold
