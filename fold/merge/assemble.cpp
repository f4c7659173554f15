// SPDX-License-Identifier: Apache-2.0
#include "fold/event_words.hpp"
#include "fold/merge/merged_shape.hpp"
#include "fold/merge/rank_words.hpp"
#include "rondo/fold/column_builder.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace rondo::fold {
namespace {

using trace::Column;
using trace::Field;
using trace::FieldKind;
using trace::MergedProgram;
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
  Assembly(const std::vector<const PartClass*>& classes, const MergedShape& shape)
      : classes_(classes), shape_(shape), order_(ranks_of(classes)), columns_(result_.columns),
        arrays_(result_.arrays), texts_(result_.texts) {}

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
    for (const MergedShape::Symbol& symbol : shape_.symbols())
      result_.calls.push_back(call(symbol.members));
    for (const MergedShape::Loop& row : shape_.loops()) {
      const auto members = present(row.members);
      const auto word_of = [&](std::uint32_t c) -> const Word& {
        return program(c).loops[row.members[c]].trip_count;
      };
      result_.loops.push_back({row.body, joined_word(members, word_of, nullptr), set_of(members)});
    }
    result_.top = shape_.top();
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
    const auto fixed_value = [&](std::uint32_t c) -> std::optional<std::int64_t> {
      if (!is_fixed(word_of(c).form)) return std::nullopt;
      return renumbered(c, word_of(c).value);
    };
    const auto value = fixed_value(classes.front());
    const bool is_same = value && std::all_of(classes.begin(), classes.end(), [&](std::uint32_t c) {
                           return fixed_value(c) == value;
                         });
    if (is_same) return {form, *value};
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
  const MergedShape& shape_;
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

} // namespace

MergedProgram assembled(const std::vector<const PartClass*>& classes, const MergedShape& shape) {
  return Assembly(classes, shape).run();
}

} // namespace rondo::fold
