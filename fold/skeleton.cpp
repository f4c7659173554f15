// SPDX-License-Identifier: Apache-2.0
#include "fold/skeleton.hpp"

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

std::uint64_t mixed(std::uint64_t hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15U;
  return hash ^ (hash >> 32);
}

enum class WordKind : std::uint8_t { kPlain, kColumn, kRelativeColumn };

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

bool is_object(const Field& field) {
  switch (field.kind) {
  case FieldKind::kComm:
  case FieldKind::kGroup:
  case FieldKind::kDatatype:
  case FieldKind::kOp:
  case FieldKind::kWin:
  case FieldKind::kFile:
  case FieldKind::kSession:
  case FieldKind::kBuffer:
    return !field.is_array;
  default:
    return false;
  }
}

// Which requests a call completes is what it does, as much as which objects it uses.
std::uint64_t requests_key(const trace::MergedProgram& program, const Field& field,
                           std::int64_t word) {
  if (!field.is_array || trace::is_special(word)) return static_cast<std::uint64_t>(word);
  std::uint64_t key = 0;
  for (const std::int64_t request : program.arrays[static_cast<std::size_t>(word)])
    key = mixed(key, static_cast<std::uint64_t>(request));
  return key;
}

bool has_columns(const trace::Call& call) {
  return std::any_of(call.words.begin(), call.words.end(),
                     [](const Word& word) { return kind_of(word) != WordKind::kPlain; });
}

// Loops match if their counts can be joined: plain ones with plain ones, columns with columns.
bool can_join(const MergedLoop& a, const MergedLoop& b) {
  return kind_of(a.trip_count) == kind_of(b.trip_count);
}

} // namespace

std::uint64_t key_of(const trace::MergedProgram& program, const trace::Call& call) {
  std::uint64_t key = mixed(mixed(call.function, call.error), call.site);
  const trace::Function& function = *trace::find_function(call.function);
  std::size_t word = 0;
  for (const Field& field : function.fields) {
    const int parts = field.kind == FieldKind::kStatus && !field.is_array ? 3 : 1;
    for (int part = 0; part < parts; ++part, ++word) {
      const Word& w = call.words[word];
      key = mixed(key, static_cast<std::uint64_t>(kind_of(w)));
      if (is_object(field)) key = mixed(key, static_cast<std::uint64_t>(w.value));
      if (field.kind == FieldKind::kRequest && w.form == Form::kConstant)
        key = mixed(key, requests_key(program, field, w.value));
    }
  }
  return key;
}

Skeleton::Skeleton(const PartClass& first) : classes_{&first} {
  for (std::uint32_t i = 0; i < first.program.calls.size(); ++i)
    symbols_.push_back({{i}, key_of(first.program, first.program.calls[i].call)});
  for (std::uint32_t i = 0; i < first.program.loops.size(); ++i)
    loops_.push_back({{i}, first.program.loops[i].body});
  top_ = first.program.top;
}

// Makes a skeleton of another one and a class: pairs of terms become terms.
class Pairing {
public:
  Pairing(const Skeleton& known, const PartClass& added) : known_(known), added_(added) {
    result_.classes_ = known.classes_;
    result_.classes_.push_back(&added);
  }

  // Either side may be kAbsent.
  Term symbol(std::uint32_t a, std::uint32_t b) {
    const auto [entry, is_new] =
        symbol_of_.emplace(std::pair(a, b), static_cast<std::uint32_t>(result_.symbols_.size()));
    if (is_new) {
      const std::uint64_t key = a != kAbsent ? known_.symbols()[a].key
                                             : key_of(added_.program, added_.program.calls[b].call);
      result_.symbols_.push_back(
          {members(a == kAbsent ? nullptr : &known_.symbols()[a].members, b), key});
    }
    return Term::symbol(entry->second);
  }

  const Term* find_loop(std::uint32_t a, std::uint32_t b) const {
    const auto found = loop_of_.find({a, b});
    return found == loop_of_.end() ? nullptr : &found->second;
  }

  Term loop(std::uint32_t a, std::uint32_t b, std::vector<Term> body) {
    const Term term = Term::loop(static_cast<std::uint32_t>(result_.loops_.size()));
    result_.loops_.push_back(
        {members(a == kAbsent ? nullptr : &known_.loops()[a].members, b), std::move(body)});
    loop_of_.emplace(std::pair(a, b), term);
    return term;
  }

  // A term of the one side that has no counterpart.
  Term alone(Term term, bool is_added) {
    const std::uint32_t a = is_added ? kAbsent : term.index();
    const std::uint32_t b = is_added ? term.index() : kAbsent;
    if (!term.is_loop()) return symbol(a, b);
    if (const Term* known = find_loop(a, b)) return *known;
    std::vector<Term> body;
    for (const Term inner : is_added ? added_.program.loops[b].body : known_.loops()[a].body)
      body.push_back(alone(inner, is_added));
    return loop(a, b, std::move(body));
  }

  // A symbol or loop with a column cannot stand in two places with different partners: the column's
  // values would have to be told apart.
  struct Conflict {
    Term term; // of class `number`
    std::size_t number = 0;
  };
  std::vector<Conflict> conflicts() const {
    std::vector<Conflict> conflicts;
    for (std::size_t c = 0; c < result_.classes_.size(); ++c) {
      const trace::MergedProgram& program = result_.classes_[c]->program;
      for (const std::uint32_t i : members_met_twice(result_.symbols_, c)) {
        if (has_columns(program.calls[i].call)) conflicts.push_back({Term::symbol(i), c});
      }
      for (const std::uint32_t i : members_met_twice(result_.loops_, c)) {
        if (kind_of(program.loops[i].trip_count) != WordKind::kPlain)
          conflicts.push_back({Term::loop(i), c});
      }
    }
    return conflicts;
  }

  Skeleton take(std::vector<Term> top) {
    result_.top_ = std::move(top);
    return std::move(result_);
  }

private:
  std::vector<std::uint32_t> members(const std::vector<std::uint32_t>* known,
                                     std::uint32_t added) const {
    std::vector<std::uint32_t> members(known_.classes(), kAbsent);
    if (known != nullptr) members = *known;
    members.push_back(added);
    return members;
  }

  template <class Rows>
  static std::vector<std::uint32_t> members_met_twice(const Rows& rows, std::size_t number) {
    std::vector<std::uint32_t> all;
    for (const auto& row : rows) {
      if (row.members[number] != kAbsent) all.push_back(row.members[number]);
    }
    std::sort(all.begin(), all.end());
    std::vector<std::uint32_t> twice;
    for (std::size_t i = 1; i < all.size(); ++i) {
      if (all[i] == all[i - 1]) twice.push_back(all[i]);
    }
    return twice;
  }

  const Skeleton& known_;
  const PartClass& added_;
  Skeleton result_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> symbol_of_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Term> loop_of_;
};

namespace {

// Term by term; false if the two differ.
bool pair_terms(Pairing& pairing, const Skeleton& a, const trace::MergedProgram& b,
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
    const Skeleton::Loop& loop = a.loops()[x.index()];
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

std::vector<std::uint64_t> keys_of(const trace::MergedProgram& program) {
  std::vector<std::uint64_t> keys;
  for (const trace::MergedCall& call : program.calls) keys.push_back(key_of(program, call.call));
  return keys;
}

} // namespace

std::optional<Skeleton> Skeleton::paired(const PartClass& a, const PartClass& b) {
  const trace::MergedProgram& p = a.program;
  const trace::MergedProgram& q = b.program;
  if (p.top.size() != q.top.size() || p.loops.size() != q.loops.size()) return std::nullopt;
  const Skeleton first(a);
  Pairing pairing(first, b);
  std::vector<Term> top;
  if (!pair_terms(pairing, first, q, keys_of(q), p.top, q.top, top)) return std::nullopt;
  if (!pairing.conflicts().empty()) return std::nullopt;
  Skeleton result = pairing.take(std::move(top));
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
    std::size_t i = 0;
    for (const Field& field : trace::find_function(call.function)->fields) {
      const int parts = field.kind == FieldKind::kStatus && !field.is_array ? 3 : 1;
      const bool is_index = field.is_array || field.kind == FieldKind::kText;
      for (int part = 0; part < parts; ++part, ++i) {
        is_same = is_same && has_same_column(x[i], p, y[i], q) &&
                  (!is_index || kind_of(x[i]) == WordKind::kPlain || have_same_tables);
      }
    }
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
bool Skeleton::add_of_same_shape(const PartClass& added) {
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

// Finds the best common order of a skeleton's and a class's terms [needleman1970], loops by the
// best alignment of their bodies.
class Alignment {
public:
  Alignment(const Skeleton& known, const PartClass& added)
      : known_(known), added_(added), keys_(keys_of(added.program)),
        size_of_known_(known.loops().size()), size_of_added_(added.program.loops.size()) {
    for (std::size_t i = 0; i < known.loops().size(); ++i)
      size_of_known_[i] = deep_size(known.loops()[i].body, size_of_known_);
    for (std::size_t i = 0; i < added.program.loops.size(); ++i)
      size_of_added_[i] = deep_size(added.program.loops[i].body, size_of_added_);
  }

  std::optional<Skeleton> run() {
    while (true) {
      const Matches matches = align(known_.top(), added_.program.top);
      const std::size_t smaller = std::min(deep_size(known_.top(), size_of_known_),
                                           deep_size(added_.program.top, size_of_added_));
      if (2 * matches.terms < smaller || matches.terms == 0) return std::nullopt;
      Pairing pairing(known_, added_);
      std::vector<Term> top = build(pairing, known_.top(), added_.program.top, matches);
      const auto conflicts = pairing.conflicts();
      if (conflicts.empty()) return pairing.take(std::move(top));
      for (const Pairing::Conflict& conflict : conflicts) forbid(conflict);
      matches_of_.clear();
    }
  }

private:
  struct Matches {
    std::int64_t score = 0;
    std::size_t terms = 0; // matched, those in loops too
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs; // ascending in both
  };
  // Beyond this many cells two sequences are not aligned, only their equal ends are.
  static constexpr std::size_t kMostCells = std::size_t{1} << 22;
  static constexpr int kWeight = 4; // of a call, and of its words

  static std::size_t deep_size(const std::vector<Term>& terms,
                               const std::vector<std::size_t>& loops) {
    std::size_t size = terms.size();
    for (const Term term : terms) size += term.is_loop() ? loops[term.index()] : 0;
    return size;
  }

  void forbid(const Pairing::Conflict& conflict) {
    if (conflict.number + 1 == known_.classes() + 1) {
      forbidden_added_.insert(conflict.term.code);
      return;
    }
    const auto forbid_rows = [&](const auto& rows) {
      for (std::uint32_t i = 0; i < rows.size(); ++i) {
        if (rows[i].members[conflict.number] != conflict.term.index()) continue;
        forbidden_known_.insert((conflict.term.is_loop() ? Term::loop(i) : Term::symbol(i)).code);
      }
    };
    if (conflict.term.is_loop()) {
      forbid_rows(known_.loops());
    } else {
      forbid_rows(known_.symbols());
    }
  }

  // 0: they cannot be one term.
  std::int64_t score(Term x, Term y, std::size_t* terms = nullptr) {
    if (x.is_loop() != y.is_loop() || forbidden_known_.contains(x.code) ||
        forbidden_added_.contains(y.code))
      return 0;
    if (!x.is_loop()) {
      if (terms != nullptr) *terms = 1;
      return known_.symbols()[x.index()].key == keys_[y.index()]
                 ? kWeight + agreement(x.index(), y.index())
                 : 0;
    }
    if (!can_join(loop_of(x.index()), added_.program.loops[y.index()])) return 0;
    const Matches& inner = matches_of(x.index(), y.index());
    const std::size_t smaller = std::min(size_of_known_[x.index()], size_of_added_[y.index()]);
    if (2 * inner.terms < smaller || inner.terms == 0) return 0;
    if (terms != nullptr) *terms = inner.terms + 1;
    return inner.score + 1;
  }

  template <class Rows> std::size_t member_class(const Rows& row) const {
    std::size_t c = 0;
    while (row.members[c] == kAbsent) ++c;
    return c;
  }
  const MergedLoop& loop_of(std::uint32_t loop) const {
    const Skeleton::Loop& row = known_.loops()[loop];
    const std::size_t c = member_class(row);
    return known_.classes_[c]->program.loops[row.members[c]];
  }

  // How many of the words mean the same, of kWeight.
  std::int64_t agreement(std::uint32_t x, std::uint32_t y) const {
    const Skeleton::Symbol& row = known_.symbols()[x];
    const std::size_t c = member_class(row);
    const trace::MergedProgram& program = known_.classes_[c]->program;
    const trace::Call& a = program.calls[row.members[c]].call;
    const trace::Call& b = added_.program.calls[y].call;
    if (a.words.empty()) return kWeight;
    std::size_t same = 0;
    for (std::size_t i = 0; i < a.words.size(); ++i)
      same += agree(a.words[i], program, b.words[i], added_.program) ? 1 : 0;
    return static_cast<std::int64_t>(kWeight * same / a.words.size());
  }

  static bool agree(const Word& a, const trace::MergedProgram& in_a, const Word& b,
                    const trace::MergedProgram& in_b) {
    if (a.form != b.form) return false;
    if (a.form == Form::kColumn || a.form == Form::kRelativeColumn)
      return in_a.columns[static_cast<std::size_t>(a.value)] ==
             in_b.columns[static_cast<std::size_t>(b.value)];
    if (a.form != Form::kByRank) return a.value == b.value;
    const auto& f = in_a.table.functions[static_cast<std::size_t>(a.value)];
    const auto& g = in_b.table.functions[static_cast<std::size_t>(b.value)];
    for (const trace::EncodedValues& x : f.encoded) {
      for (const trace::EncodedValues& y : g.encoded) {
        if (x.encoding == y.encoding && x.encoding != RankEncoding::kDifference &&
            x.values.items().size() == 1 && y.values.items().size() == 1 &&
            x.values.at(0) == y.values.at(0)) {
          return true;
        }
      }
    }
    return f.modulo && f.modulo == g.modulo;
  }

  const Matches& matches_of(std::uint32_t x, std::uint32_t y) {
    const auto key = std::pair(x, y);
    if (const auto found = matches_of_.find(key); found != matches_of_.end()) return found->second;
    Matches matches = align(known_.loops()[x].body, added_.program.loops[y].body);
    return matches_of_.emplace(key, std::move(matches)).first->second;
  }

  Matches align(const std::vector<Term>& a, const std::vector<Term>& b) {
    Matches result;
    std::size_t begin = 0;
    std::size_t end_a = a.size();
    std::size_t end_b = b.size();
    std::vector<std::pair<std::uint32_t, std::uint32_t>> tail;
    while (begin < end_a && begin < end_b && is_sure(a[begin], b[begin])) {
      take(result, a, b, begin, begin);
      ++begin;
    }
    while (begin < end_a && begin < end_b && is_sure(a[end_a - 1], b[end_b - 1])) {
      --end_a, --end_b;
      tail.emplace_back(end_a, end_b);
    }
    align_middle(result, a, b, begin, end_a, end_b);
    for (std::size_t i = tail.size(); i-- > 0;) take(result, a, b, tail[i].first, tail[i].second);
    return result;
  }

  // Equal in all words: there is no better counterpart.
  bool is_sure(Term x, Term y) {
    return !x.is_loop() && !y.is_loop() && score(x, y) == 2 * kWeight;
  }

  void take(Matches& result, const std::vector<Term>& a, const std::vector<Term>& b, std::size_t i,
            std::size_t j) {
    std::size_t terms = 0;
    result.score += score(a[i], b[j], &terms);
    result.terms += terms;
    result.pairs.emplace_back(i, j);
  }

  void align_middle(Matches& result, const std::vector<Term>& a, const std::vector<Term>& b,
                    std::size_t begin, std::size_t end_a, std::size_t end_b) {
    const std::size_t rows = end_a - begin;
    const std::size_t columns = end_b - begin;
    if (rows == 0 || columns == 0 || rows > kMostCells / columns) return;
    // best[i][j]: of what stands from i and j on.
    std::vector<std::int64_t> best((rows + 1) * (columns + 1), 0);
    const auto cell = [&](std::size_t i, std::size_t j) -> std::int64_t& {
      return best[i * (columns + 1) + j];
    };
    for (std::size_t i = rows; i-- > 0;) {
      for (std::size_t j = columns; j-- > 0;) {
        const std::int64_t match = score(a[begin + i], b[begin + j]);
        cell(i, j) = std::max(cell(i + 1, j), cell(i, j + 1));
        if (match > 0) cell(i, j) = std::max(cell(i, j), match + cell(i + 1, j + 1));
      }
    }
    for (std::size_t i = 0, j = 0; i < rows && j < columns;) {
      const std::int64_t match = score(a[begin + i], b[begin + j]);
      if (match > 0 && cell(i, j) == match + cell(i + 1, j + 1)) {
        take(result, a, b, begin + i, begin + j);
        ++i, ++j;
      } else if (cell(i, j) == cell(i + 1, j)) {
        ++i;
      } else {
        ++j;
      }
    }
  }

  std::vector<Term> build(Pairing& pairing, const std::vector<Term>& a, const std::vector<Term>& b,
                          const Matches& matches) {
    std::vector<Term> result;
    std::size_t i = 0;
    std::size_t j = 0;
    const auto go_to = [&](std::size_t to_i, std::size_t to_j) {
      for (; i < to_i; ++i) result.push_back(pairing.alone(a[i], false));
      for (; j < to_j; ++j) result.push_back(pairing.alone(b[j], true));
    };
    for (const auto& [at_a, at_b] : matches.pairs) {
      go_to(at_a, at_b);
      result.push_back(build_pair(pairing, a[i++], b[j++]));
    }
    go_to(a.size(), b.size());
    return result;
  }

  Term build_pair(Pairing& pairing, Term x, Term y) {
    if (!x.is_loop()) return pairing.symbol(x.index(), y.index());
    if (const Term* known = pairing.find_loop(x.index(), y.index())) return *known;
    const Matches& inner = matches_of(x.index(), y.index());
    return pairing.loop(x.index(), y.index(),
                        build(pairing, known_.loops()[x.index()].body,
                              added_.program.loops[y.index()].body, inner));
  }

  const Skeleton& known_;
  const PartClass& added_;
  std::vector<std::uint64_t> keys_; // of the class's symbols
  std::vector<std::size_t> size_of_known_; // of loops: terms in them at any depth
  std::vector<std::size_t> size_of_added_;
  std::unordered_set<std::uint32_t> forbidden_known_; // Term::code
  std::unordered_set<std::uint32_t> forbidden_added_;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Matches> matches_of_; // of loops
};

bool Skeleton::add(const PartClass& added) {
  if (add_of_same_shape(added)) return true;
  std::optional<Skeleton> aligned = Alignment(*this, added).run();
  if (!aligned) return false;
  *this = std::move(*aligned);
  return true;
}

} // namespace rondo::fold
