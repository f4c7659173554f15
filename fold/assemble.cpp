// SPDX-License-Identifier: Apache-2.0
#include "fold/event_words.hpp"
#include "fold/rank_words.hpp"
#include "fold/skeleton.hpp"
#include "rondo/fold/column_builder.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <numeric>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace rondo::fold {
namespace {

using trace::Column;
using trace::Field;
using trace::FieldKind;
using trace::MergedProgram;
using trace::PlaceTimes;
using trace::RankEncoding;
using trace::RankFunction;
using trace::RankSet;
using trace::Term;
using trace::Word;
using Form = Word::Form;

std::uint64_t hash_of(const void* bytes, std::size_t size) { return XXH3_64bits(bytes, size); }

std::uint64_t hash_of(const std::string& text) { return hash_of(text.data(), text.size()); }

std::uint64_t hash_of(const std::vector<std::int64_t>& values) {
  return hash_of(values.data(), values.size() * sizeof values[0]);
}

std::uint64_t hash_of(const Column& column) {
  const std::uint64_t parts[] = {static_cast<std::uint64_t>(column.kind()),
                                 column.size(),
                                 hash_of(column.values()),
                                 column.runs().empty()
                                     ? static_cast<std::uint64_t>(column.first())
                                     : static_cast<std::uint64_t>(column.runs().front().value),
                                 column.runs().size(),
                                 hash_of(column.dictionary())};
  return hash_of(parts, sizeof parts);
}

// A table to which rows are added once each.
template <class Row> class Interned {
public:
  explicit Interned(std::vector<Row>& rows) : rows_(rows) {}

  std::int64_t add(const Row& row) {
    std::vector<std::size_t>& candidates = by_hash_[hash_of(row)];
    for (const std::size_t candidate : candidates) {
      if (rows_[candidate] == row) return static_cast<std::int64_t>(candidate);
    }
    candidates.push_back(rows_.size());
    rows_.push_back(row);
    return static_cast<std::int64_t>(rows_.size() - 1);
  }

private:
  std::vector<Row>& rows_;
  std::unordered_map<std::uint64_t, std::vector<std::size_t>> by_hash_;
};

std::vector<const RankSet*> ranks_of(const std::vector<const PartClass*>& classes) {
  std::vector<const RankSet*> ranks;
  for (const PartClass* c : classes) ranks.push_back(&c->program.ranks());
  return ranks;
}

class Assembly {
public:
  Assembly(const std::vector<const PartClass*>& classes, const Skeleton& skeleton)
      : classes_(classes), skeleton_(skeleton), order_(ranks_of(classes)),
        columns_(result_.columns), arrays_(result_.arrays), texts_(result_.texts) {}

  MergedProgram run() {
    result_.thread = classes_.front()->program.thread;
    std::vector<std::uint32_t> all;
    for (std::uint32_t c = 0; c < classes_.size(); ++c) all.push_back(c);
    set_of(all);
    for (const PartClass* c : classes_) {
      array_of_.push_back(added(arrays_, c->program.arrays));
      text_of_.push_back(added(texts_, c->program.texts));
    }
    column_of_.resize(classes_.size());
    for (const Skeleton::Symbol& symbol : skeleton_.symbols())
      result_.calls.push_back(call(symbol.members));
    for (const Skeleton::Loop& row : skeleton_.loops()) {
      const auto members = present(row.members);
      const auto word_of = [&](std::uint32_t c) -> const Word& {
        return program(c).loops[row.members[c]].trip_count;
      };
      result_.loops.push_back({row.body, joined_word(members, word_of, nullptr), set_of(members)});
    }
    result_.top = skeleton_.top();
    return std::move(result_);
  }

private:
  using Numbers = std::vector<std::int64_t>; // of a class's rows in the result

  template <class Row> static Numbers added(Interned<Row>& to, const std::vector<Row>& rows) {
    Numbers numbers;
    for (const Row& row : rows) numbers.push_back(to.add(row));
    return numbers;
  }

  // What a column's values are: numbers, or indices of arrays or texts.
  enum class Values : std::uint8_t { kNumbers, kArrays, kTexts };
  static constexpr std::size_t kKindsOfValues = 3;
  static Values values_of(const Field* field) {
    if (field == nullptr) return Values::kNumbers;
    if (field->is_array) return Values::kArrays;
    return field->kind == FieldKind::kText ? Values::kTexts : Values::kNumbers;
  }

  // The result's column for one of a class's; columns of indices get the result's indices.
  std::int64_t column_of(std::uint32_t c, std::int64_t column, Values values) {
    Numbers& known = column_of_[c][static_cast<std::size_t>(values)];
    known.resize(program(c).columns.size(), -1);
    std::int64_t& number = known[static_cast<std::size_t>(column)];
    if (number >= 0) return number;
    const Column& own = program(c).columns[static_cast<std::size_t>(column)];
    const Numbers* indices = values == Values::kArrays  ? &array_of_[c]
                             : values == Values::kTexts ? &text_of_[c]
                                                        : nullptr;
    const bool is_renumbered = indices != nullptr && !is_identity(*indices);
    return number = columns_.add(is_renumbered ? renumbered(own, *indices) : own);
  }

  static bool is_identity(const Numbers& numbers) {
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] != static_cast<std::int64_t>(i)) return false;
    }
    return true;
  }

  static Column renumbered(const Column& column, const Numbers& numbers) {
    ColumnBuilder result;
    trace::ColumnReader reader(column);
    while (const auto value = reader.next()) {
      const auto index = static_cast<std::size_t>(*value);
      const bool is_index = !trace::is_special(*value) && index < numbers.size();
      result.push(is_index ? numbers[index] : *value);
    }
    return result.finish();
  }

  const MergedProgram& program(std::uint32_t c) const { return classes_[c]->program; }

  static std::vector<std::uint32_t> present(const std::vector<std::uint32_t>& members) {
    std::vector<std::uint32_t> result;
    for (std::uint32_t c = 0; c < members.size(); ++c) {
      if (members[c] != kAbsent) result.push_back(c);
    }
    return result;
  }

  std::uint32_t set_of(const std::vector<std::uint32_t>& members) {
    const auto [entry, is_new] =
        set_of_.emplace(members, static_cast<std::uint32_t>(result_.table.sets.size()));
    if (is_new) result_.table.sets.push_back(order_.united(members));
    return entry->second;
  }

  trace::MergedCall call(const std::vector<std::uint32_t>& members) {
    const std::vector<std::uint32_t> classes = present(members);
    const trace::Call& first = program(classes.front()).calls[members[classes.front()]].call;
    trace::Call call = first;
    const trace::Function& function = *trace::find_function(first.function);
    for_each_word(function, [&](std::size_t word, const Field& field, int) {
      const auto word_of = [&](std::uint32_t c) -> const Word& {
        return program(c).calls[members[c]].call.words[word];
      };
      call.words[word] = joined_word(classes, word_of, &field);
    });
    return {std::move(call), set_of(classes)};
  }

  // The words of one place, class by class; of a loop's trip counts if there is no field.
  template <class WordOf>
  Word joined_word(const std::vector<std::uint32_t>& classes, WordOf word_of, const Field* field) {
    const Form form = word_of(classes.front()).form;
    const bool is_relative = form == Form::kRelativeColumn || form == Form::kRelativeColumnByRank;
    const bool is_column = is_relative || form == Form::kColumn || form == Form::kColumnByRank;
    const Values values = values_of(field);
    const bool is_index = is_column || values != Values::kNumbers;
    const auto renumbered = [&](std::uint32_t c, std::int64_t value) {
      if (!is_index || trace::is_special(value)) return value;
      if (is_column) return column_of(c, value, values);
      return (values == Values::kArrays ? array_of_ : text_of_)[c][static_cast<std::size_t>(value)];
    };
    const auto is_fixed = [](Form f) {
      return f == Form::kConstant || f == Form::kColumn || f == Form::kRelativeColumn;
    };
    const std::int64_t value = renumbered(classes.front(), word_of(classes.front()).value);
    const bool is_same = std::all_of(classes.begin(), classes.end(), [&](std::uint32_t c) {
      return is_fixed(word_of(c).form) && renumbered(c, word_of(c).value) == value;
    });
    if (is_same) return {form, value};
    std::vector<FunctionOfGroup> parts;
    for (const std::uint32_t c : classes) {
      const Word& word = word_of(c);
      RankFunction function =
          is_fixed(word.form) ? function_of(renumbered(c, word.value),
                                            static_cast<std::uint64_t>(program(c).ranks().size()))
                              : program(c).table.functions[static_cast<std::size_t>(word.value)];
      if (is_index) { // numbers of rows have no meaning but their own
        std::erase_if(function.encoded, [](const trace::EncodedValues& e) {
          return e.encoding != RankEncoding::kAbsolute;
        });
        if (!is_fixed(word.form)) {
          trace::RankSequence& numbers = function.encoded.front().values;
          numbers = numbers.changed([&](std::int64_t v) { return renumbered(c, v); });
        }
      }
      parts.push_back({c, std::move(function)});
    }
    RankFunction function = joined(order_, parts);
    function.domain = set_of(classes);
    result_.table.functions.push_back(std::move(function));
    const auto index = static_cast<std::int64_t>(result_.table.functions.size() - 1);
    if (!is_column) return {Form::kByRank, index};
    return {is_relative ? Form::kRelativeColumnByRank : Form::kColumnByRank, index};
  }

  const std::vector<const PartClass*>& classes_;
  const Skeleton& skeleton_;
  RankOrder order_;
  MergedProgram result_;
  Interned<Column> columns_;
  Interned<std::vector<std::int64_t>> arrays_;
  Interned<std::string> texts_;
  std::vector<std::array<Numbers, kKindsOfValues>> column_of_; // by class; -1: not added yet
  std::vector<Numbers> array_of_;
  std::vector<Numbers> text_of_;
  std::map<std::vector<std::uint32_t>, std::uint32_t> set_of_; // classes -> set
};

// Times -------------------------------------------------------------------------------------------

// Walks the skeleton as one class goes through it, loops twice, and notes which pairs of calls
// follow each other: as the class numbers them, and as the skeleton does.
class PairsInOrder {
public:
  PairsInOrder(const PartClass& c, const Skeleton& skeleton, std::size_t number)
      : skeleton_(skeleton), number_(number), symbols_of_(c.program.calls.size()) {
    for (std::uint32_t s = 0; s < skeleton.symbols().size(); ++s) {
      const std::uint32_t member = skeleton.symbols()[s].members[number];
      if (member != kAbsent) symbols_of_[member].push_back(s);
    }
    const bool is_simple = std::all_of(symbols_of_.begin(), symbols_of_.end(),
                                       [](const auto& symbols) { return symbols.size() <= 1; });
    if (!is_simple) walk(skeleton.top());
  }

  PlaceTimes translated(PlaceTimes place) const {
    const auto found = pairs_.find({place.before, place.call});
    if (found != pairs_.end()) {
      std::tie(place.before, place.call) = found->second;
      return place;
    }
    const bool is_call = place.before < PlaceTimes::kOther;
    if (is_call) place.before = symbols_of_[place.before].front();
    place.call = symbols_of_[place.call].front();
    return place;
  }

private:
  static constexpr int kMostSteps = 1 << 16;

  void walk(const std::vector<Term>& terms) {
    for (const Term term : terms) {
      if (++steps_ > kMostSteps) return;
      if (term.is_loop()) {
        const Skeleton::Loop& loop = skeleton_.loops()[term.index()];
        if (loop.members[number_] == kAbsent) continue;
        walk(loop.body);
        walk(loop.body);
        continue;
      }
      const std::uint32_t member = skeleton_.symbols()[term.index()].members[number_];
      if (member == kAbsent) continue;
      pairs_.emplace(std::pair(before_.first, member), std::pair(before_.second, term.index()));
      pairs_.emplace(std::pair(PlaceTimes::kOther, member),
                     std::pair(PlaceTimes::kOther, term.index()));
      before_ = {member, term.index()};
    }
  }

  const Skeleton& skeleton_;
  std::size_t number_;
  std::vector<std::vector<std::uint32_t>> symbols_of_; // class -> skeleton
  int steps_ = 0;
  std::pair<std::uint32_t, std::uint32_t> before_{PlaceTimes::kStart, PlaceTimes::kStart};
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::pair<std::uint32_t, std::uint32_t>> pairs_;
};

bool is_before(const PlaceTimes& a, const PlaceTimes& b) {
  return a.call != b.call ? a.call < b.call : a.before < b.before;
}

void add_durations(PlaceTimes& into, const PlaceTimes& from) {
  into.computation.add(from.computation);
  into.inside.add(from.inside);
}

// Where the ranks of both sets, one after the other, stand in ascending order.
std::vector<std::size_t> ascending(const RankSet& a, const RankSet& b) {
  std::vector<std::int64_t> ranks = a.ranks();
  const std::vector<std::int64_t> more = b.ranks();
  ranks.insert(ranks.end(), more.begin(), more.end());
  std::vector<std::size_t> order(ranks.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(),
            [&](std::size_t x, std::size_t y) { return ranks[x] < ranks[y]; });
  return order;
}

void reorder(std::vector<trace::RankMeans>& means, const std::vector<std::size_t>& order) {
  std::vector<trace::RankMeans> result;
  result.reserve(means.size());
  for (const std::size_t place : order) result.push_back(means[place]);
  means = std::move(result);
}

} // namespace

MergedProgram assembled(const std::vector<const PartClass*>& classes, const Skeleton& skeleton) {
  return Assembly(classes, skeleton).run();
}

std::vector<PlaceTimes> translated_times(const PartClass& c, const Skeleton& skeleton,
                                         std::size_t number) {
  const PairsInOrder pairs(c, skeleton, number);
  std::vector<PlaceTimes> result;
  for (const PlaceTimes& place : c.times) result.push_back(pairs.translated(place));
  std::stable_sort(result.begin(), result.end(), is_before);
  std::size_t last = 0;
  for (std::size_t i = 1; i < result.size(); ++i) {
    if (is_before(result[last], result[i])) {
      if (++last != i) result[last] = std::move(result[i]);
      continue;
    }
    add_durations(result[last], result[i]);
    for (std::size_t rank = 0; rank < result[last].means.size(); ++rank) { // of one of the two
      if (result[last].means[rank] == trace::RankMeans{})
        result[last].means[rank] = result[i].means[rank];
    }
  }
  if (!result.empty()) result.resize(last + 1);
  return result;
}

void add_times(std::vector<PlaceTimes>& into, const RankSet& into_ranks,
               std::vector<PlaceTimes>&& from, const RankSet& from_ranks) {
  const auto before = static_cast<std::size_t>(into_ranks.size());
  const auto added = static_cast<std::size_t>(from_ranks.size());
  const std::size_t known = into.size();
  for (PlaceTimes& place : from) {
    const auto end = into.begin() + static_cast<std::ptrdiff_t>(known);
    const auto same = std::lower_bound(into.begin(), end, place, is_before);
    if (same != end && !is_before(place, *same)) {
      add_durations(*same, place);
      same->means.insert(same->means.end(), place.means.begin(), place.means.end());
    } else {
      place.means.insert(place.means.begin(), before, {});
      into.push_back(std::move(place));
    }
  }
  const bool is_behind = into_ranks.empty() || into_ranks.back() < from_ranks.front();
  const std::vector<std::size_t> order =
      is_behind ? std::vector<std::size_t>{} : ascending(into_ranks, from_ranks);
  for (PlaceTimes& place : into) {
    place.means.resize(before + added);
    if (!is_behind) reorder(place.means, order);
  }
  std::sort(into.begin(), into.end(), is_before);
}

} // namespace rondo::fold
