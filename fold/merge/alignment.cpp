// SPDX-License-Identifier: Apache-2.0
#include "fold/merge/merged_shape.hpp"
#include "fold/merge/pairing.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <utility>

namespace rondo::fold {

using trace::MergedLoop;
using trace::RankEncoding;
using trace::Term;
using trace::Word;
using Form = Word::Form;

// Finds the best common order of a shape's and a class's terms [needleman1970], loops by the
// best alignment of their bodies.
class Alignment {
public:
  Alignment(const MergedShape& known, const PartClass& added)
      : known_(known), added_(added), keys_(keys_of(added.program)),
        size_of_known_(known.loops().size()), size_of_added_(added.program.loops.size()) {
    for (std::size_t i = 0; i < known.loops().size(); ++i)
      size_of_known_[i] = deep_size(known.loops()[i].body, size_of_known_);
    for (std::size_t i = 0; i < added.program.loops.size(); ++i)
      size_of_added_[i] = deep_size(added.program.loops[i].body, size_of_added_);
    const auto in_known = [&](Term term) { return kind_in_known(term); };
    const auto in_added = [&](Term term) { return kind_in_added(term); };
    for (const MergedShape::Loop& loop : known.loops())
      kinds_in_known_.push_back(kinds_in(loop.body, kinds_in_known_, in_known));
    for (const MergedLoop& loop : added.program.loops)
      kinds_in_added_.push_back(kinds_in(loop.body, kinds_in_added_, in_added));
    const std::size_t pairs = known.symbols().size() * keys_.size();
    if (pairs <= kMostCells) agreements_.assign(pairs, -1);
    forget_loops();
  }

  std::optional<MergedShape> run() {
    const std::size_t smaller = std::min(deep_size(known_.top(), size_of_known_),
                                         deep_size(added_.program.top, size_of_added_));
    if (2 * most_in_common_at_top() < smaller) return std::nullopt;
    while (true) {
      const Matches matches = align(known_.top(), added_.program.top);
      if (2 * matches.terms < smaller || matches.terms == 0) return std::nullopt;
      Pairing pairing(known_, added_);
      std::vector<Term> top = build(pairing, known_.top(), added_.program.top, matches);
      const auto conflicts = pairing.conflicts();
      if (conflicts.empty()) return pairing.take(std::move(top));
      for (const Pairing::Conflict& conflict : conflicts) forbid(conflict);
      forget_loops();
    }
  }

private:
  struct Matches {
    std::int64_t score = 0;
    std::size_t terms = 0; // matched, those in loops too
    std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs; // ascending in both
  };
  // Beyond this many cells two sequences are aligned in a band along their diagonal: ranks of one
  // program differ here and there, and stay side by side. Where not even that is wide enough, only
  // equal ends are.
  static constexpr std::size_t kMostCells = std::size_t{1} << 22;
  static constexpr std::size_t kWidest = 512;
  static constexpr std::size_t kNarrowest = 64;
  static constexpr int kWeight = 4; // of a call, and of its words

  void forget_loops() {
    matches_of_.clear();
    const std::size_t pairs = size_of_known_.size() * size_of_added_.size();
    if (pairs <= kMostCells) scores_of_loops_.assign(pairs, -1);
  }

  static std::size_t deep_size(const std::vector<Term>& terms,
                               const std::vector<std::size_t>& loops) {
    std::size_t size = terms.size();
    for (const Term term : terms) size += term.is_loop() ? loops[term.index()] : 0;
    return size;
  }

  void forbid(const Pairing::Conflict& conflict) {
    if (conflict.number == known_.classes()) { // of the class that is added
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

  // How often each kind of term stands in a body, at any depth, by kind.
  using Kinds = std::vector<std::pair<std::uint64_t, std::size_t>>;

  template <class KindOf>
  static Kinds kinds_in(const std::vector<Term>& body, const std::vector<Kinds>& loops,
                        const KindOf& kind_of) {
    Kinds all;
    for (const Term term : body) {
      all.emplace_back(kind_of(term), 1);
      if (!term.is_loop()) continue;
      const Kinds& inner = loops[term.index()];
      all.insert(all.end(), inner.begin(), inner.end());
    }
    std::sort(all.begin(), all.end());
    Kinds result;
    for (const auto& [kind, count] : all) {
      if (result.empty() || result.back().first != kind) result.emplace_back(kind, 0);
      result.back().second += count;
    }
    return result;
  }

  // As many terms of two bodies as could be one, whatever their order.
  static std::size_t most_in_common(const Kinds& a, const Kinds& b) {
    std::size_t common = 0;
    for (auto x = a.begin(), y = b.begin(); x != a.end() && y != b.end();) {
      if (x->first == y->first) common += std::min(x->second, y->second);
      const bool is_less = x->first < y->first;
      const bool is_more = y->first < x->first;
      if (!is_more) ++x;
      if (!is_less) ++y;
    }
    return common;
  }

  std::size_t most_in_common_at_top() const {
    return most_in_common(
        kinds_in(known_.top(), kinds_in_known_, [&](Term term) { return kind_in_known(term); }),
        kinds_in(added_.program.top, kinds_in_added_,
                 [&](Term term) { return kind_in_added(term); }));
  }

  // 0: they cannot be one term. Most pairs of calls are not, and this is asked of all pairs.
  std::int64_t score(Term x, Term y, std::size_t* terms = nullptr) {
    if (x.is_loop() != y.is_loop()) return 0;
    if (!x.is_loop() && known_.symbols()[x.index()].key != keys_[y.index()]) return 0;
    if (!forbidden_known_.empty() && forbidden_known_.contains(x.code)) return 0;
    if (!forbidden_added_.empty() && forbidden_added_.contains(y.code)) return 0;
    if (!x.is_loop()) {
      if (terms != nullptr) *terms = 1;
      return kWeight + agreement(x.index(), y.index());
    }
    if (terms != nullptr || scores_of_loops_.empty()) return score_of_loops(x, y, terms);
    std::int64_t& known = scores_of_loops_[x.index() * size_of_added_.size() + y.index()];
    if (known < 0) known = score_of_loops(x, y, nullptr);
    return known;
  }

  std::int64_t score_of_loops(Term x, Term y, std::size_t* terms) {
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
    const MergedShape::Loop& row = known_.loops()[loop];
    const std::size_t c = member_class(row);
    return known_.classes_[c]->program.loops[row.members[c]];
  }

  // How many of the words mean the same, of kWeight. The same two calls are met again and again:
  // in all pairs of loops, and each time that a pair of terms is looked at.
  std::int64_t agreement(std::uint32_t x, std::uint32_t y) {
    if (agreements_.empty()) return count_agreement(x, y);
    std::int8_t& known = agreements_[x * keys_.size() + y];
    if (known < 0) known = static_cast<std::int8_t>(count_agreement(x, y));
    return known;
  }

  std::int64_t count_agreement(std::uint32_t x, std::uint32_t y) const {
    const MergedShape::Symbol& row = known_.symbols()[x];
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

  // None of loops that have too little in common to be one: most pairs are of other parts of the
  // program, and need not be aligned.
  const Matches& matches_of(std::uint32_t x, std::uint32_t y) {
    const std::uint64_t key = std::uint64_t{x} << 32 | y;
    if (const auto found = matches_of_.find(key); found != matches_of_.end()) return found->second;
    const std::size_t smaller = std::min(size_of_known_[x], size_of_added_[y]);
    Matches matches;
    if (2 * most_in_common(kinds_in_known_[x], kinds_in_added_[y]) >= smaller)
      matches = align(known_.loops()[x].body, added_.program.loops[y].body);
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

  // What may stand beside row i of a long sequence: its place in the other one, give or take. All
  // columns of short ones.
  struct Band {
    std::size_t rows = 0;
    std::size_t columns = 0;
    std::size_t width = 0;

    std::size_t first(std::size_t i) const {
      const std::size_t middle = i * columns / rows;
      return std::min(middle - std::min(middle, width / 2), columns + 1 - width);
    }
    bool has(std::size_t i, std::size_t j) const { return j >= first(i) && j < first(i) + width; }
  };

  static std::optional<Band> band_of(std::size_t rows, std::size_t columns) {
    if (rows == 0 || columns == 0) return std::nullopt;
    if (rows <= kMostCells / columns) return Band{rows, columns, columns + 1};
    const std::size_t width = std::min({kMostCells / rows, kWidest, columns + 1});
    return width < kNarrowest ? std::nullopt : std::optional(Band{rows, columns, width});
  }

  // Terms whose kinds differ cannot be one.
  static constexpr std::uint64_t kLoop = 0;
  std::uint64_t kind_in_known(Term term) const {
    return term.is_loop() ? kLoop : known_.symbols()[term.index()].key;
  }
  std::uint64_t kind_in_added(Term term) const {
    return term.is_loop() ? kLoop : keys_[term.index()];
  }

  // Columns by the kind of what stands there, ascending. Most pairs of terms are of two kinds, so
  // only those of one are looked at.
  std::unordered_map<std::uint64_t, std::vector<std::size_t>>
  columns_by_kind(std::span<const Term> b) const {
    std::unordered_map<std::uint64_t, std::vector<std::size_t>> columns;
    for (std::size_t j = 0; j < b.size(); ++j) columns[kind_in_added(b[j])].push_back(j);
    return columns;
  }

  // best[i][j]: of what stands from i and j on; nothing beside the band.
  class Best {
  public:
    explicit Best(const Band& band) : band_(band), cells_((band.rows + 1) * band.width, 0) {}

    std::int32_t at(std::size_t i, std::size_t j) const {
      return band_.has(i, j) ? cells_[i * band_.width + j - band_.first(i)] : 0;
    }

    // Row i as if nothing there matched: as the row below, and to its left what that begins with.
    void begin_row(std::size_t i) {
      row_ = i;
      first_ = band_.first(i);
      end_ = std::min(band_.columns, first_ + band_.width);
      const std::size_t below = std::min(band_.first(i + 1), end_);
      std::int32_t* const cells = cells_.data() + i * band_.width;
      const std::int32_t* const from = cells + band_.width;
      std::copy(from, from + (end_ - below), cells + (below - first_));
      std::fill(cells, cells + (below - first_), below < end_ ? *from : 0);
    }

    // A match in that row, of those from right to left. No cell is less than one to its right.
    void add(std::size_t j, std::int32_t score) {
      const std::int32_t sum = score + at(row_ + 1, j + 1);
      std::int32_t* const cells = cells_.data() + row_ * band_.width;
      for (std::size_t at = j - first_ + 1; at-- > 0 && cells[at] < sum;) cells[at] = sum;
    }

    bool has(std::size_t j) const { return j >= first_ && j < end_; }

  private:
    Band band_;
    std::vector<std::int32_t> cells_;
    std::size_t row_ = 0;
    std::size_t first_ = 0; // column of the row
    std::size_t end_ = 0;
  };

  void align_middle(Matches& result, const std::vector<Term>& a, const std::vector<Term>& b,
                    std::size_t begin, std::size_t end_a, std::size_t end_b) {
    const std::optional<Band> band = band_of(end_a - begin, end_b - begin);
    if (!band) return;
    const auto columns = columns_by_kind({b.data() + begin, band->columns});
    const auto score_of = [&](std::size_t i, std::size_t j) {
      return static_cast<std::int32_t>(score(a[begin + i], b[begin + j]));
    };
    Best best(*band);
    for (std::size_t i = band->rows; i-- > 0;) {
      best.begin_row(i);
      const auto alike = columns.find(kind_in_known(a[begin + i]));
      if (alike == columns.end()) continue;
      for (auto j = alike->second.rbegin(); j != alike->second.rend(); ++j) {
        if (!best.has(*j)) continue;
        const std::int32_t match = score_of(i, *j);
        if (match > 0) best.add(*j, match);
      }
    }
    for (std::size_t i = 0, j = 0; i < band->rows && j < band->columns && best.at(i, j) > 0;) {
      const std::int32_t match = score_of(i, j);
      if (match > 0 && best.at(i, j) == match + best.at(i + 1, j + 1)) {
        take(result, a, b, begin + i, begin + j);
        ++i, ++j;
      } else if (best.at(i, j) == best.at(i + 1, j)) {
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

  const MergedShape& known_;
  const PartClass& added_;
  std::vector<std::uint64_t> keys_; // of the class's symbols
  std::vector<std::int8_t> agreements_; // of calls, -1: not known; empty if they are too many
  std::vector<std::int64_t> scores_of_loops_; // likewise
  std::vector<std::size_t> size_of_known_; // of loops: terms in them at any depth
  std::vector<std::size_t> size_of_added_;
  std::unordered_set<std::uint32_t> forbidden_known_; // Term::code
  std::unordered_set<std::uint32_t> forbidden_added_;
  std::vector<Kinds> kinds_in_known_; // of loops
  std::vector<Kinds> kinds_in_added_;
  std::unordered_map<std::uint64_t, Matches> matches_of_; // of loops
};

bool MergedShape::add(const PartClass& added) {
  if (add_of_same_shape(added)) return true;
  std::optional<MergedShape> aligned = Alignment(*this, added).run();
  if (!aligned) return false;
  *this = std::move(*aligned);
  return true;
}

} // namespace rondo::fold
