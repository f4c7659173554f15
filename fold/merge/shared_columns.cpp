// SPDX-License-Identifier: Apache-2.0
#include "fold/merge/shared_columns.hpp"

#include "fold/merge/rank_words.hpp"
#include "rondo/fold/column_builder.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace rondo::fold {
namespace {

using trace::Column;
using trace::MergedProgram;
using trace::RankEncoding;
using trace::RankFunction;
using trace::RankSequence;
using trace::Word;
using Form = Word::Form;

constexpr std::uint64_t kMostValues = std::uint64_t{1} << 24;
// Columns without a common rhythm show it by giving a function for almost every value.
constexpr std::size_t kMostFunctions = 1024;

// How many numbers a column takes in a file, about.
std::size_t numbers_kept(const Column& column) {
  std::size_t numbers = 2 * column.runs().size() + column.values().size();
  if (column.nest() == nullptr) return numbers;
  numbers += column.dictionary().size() + column.nest()->terms();
  for (const trace::Loop& loop : column.nest()->loops()) numbers += numbers_kept(loop.trip_counts);
  return numbers;
}

// The columns that the ranks of a word choose from.
struct Choice {
  std::vector<std::int64_t> of_rank; // in order: index into `columns`
  std::vector<const Column*> columns;
};

std::optional<Choice> choice_of(const MergedProgram& program, const RankFunction& function) {
  Choice choice;
  std::map<std::int64_t, std::int64_t> number;
  for (const std::int64_t column : function.encoded.front().values.values()) {
    const auto [entry, is_new] =
        number.emplace(column, static_cast<std::int64_t>(choice.columns.size()));
    if (is_new) choice.columns.push_back(&program.columns[static_cast<std::size_t>(column)]);
    choice.of_rank.push_back(entry->second);
  }
  const std::uint64_t size = choice.columns.front()->size();
  const bool is_even = std::all_of(choice.columns.begin(), choice.columns.end(),
                                   [&](const Column* column) { return column->size() == size; });
  if (!is_even || size > kMostValues / choice.columns.size()) return std::nullopt;
  return choice;
}

// The values of one place of the columns as a function of the rank.
RankFunction function_of(const Choice& choice, const std::vector<std::int64_t>& values,
                         const RankFunction& chooser, bool is_relative) {
  RankFunction function;
  function.domain = chooser.domain;
  RankSequence plain;
  RankSequence differences;
  std::int64_t last = 0;
  for (const std::int64_t column : choice.of_rank) {
    const std::int64_t value = values[static_cast<std::size_t>(column)];
    plain.push(value);
    differences.push(trace::is_special(value) ? value : value - std::exchange(last, value));
  }
  const bool by_difference = !is_relative && differences.total_items() < plain.total_items();
  if (by_difference) {
    function.encoded = {{RankEncoding::kDifference, std::move(differences)}};
  } else {
    function.encoded = {
        {is_relative ? RankEncoding::kRelative : RankEncoding::kAbsolute, std::move(plain)}};
  }
  return function;
}

struct Shared {
  Column column; // of functions
  trace::RankTable table; // the program's with more functions
};

// Nothing if it would be longer.
std::optional<Shared> shared(const MergedProgram& program, const RankFunction& chooser,
                             bool is_relative) {
  const auto choice = choice_of(program, chooser);
  if (!choice) return std::nullopt;
  std::size_t apart = chooser.encoded.front().items();
  for (const Column* column : choice->columns) apart += numbers_kept(*column);

  std::vector<trace::ColumnReader> readers;
  for (const Column* column : choice->columns) readers.emplace_back(*column);
  Shared result;
  result.table = program.table;
  std::map<std::vector<std::int64_t>, std::int64_t> functions;
  ColumnBuilder column;
  std::size_t together = 0;
  std::vector<std::int64_t> values(readers.size());
  for (std::uint64_t i = 0; i < choice->columns.front()->size(); ++i) {
    for (std::size_t c = 0; c < readers.size(); ++c) values[c] = readers[c].next().value_or(0);
    const auto [entry, is_new] = functions.emplace(values, 0);
    if (is_new) {
      RankFunction function = function_of(*choice, values, chooser, is_relative);
      together += function.encoded.front().items();
      entry->second = find_or_add(result.table, std::move(function));
      if (together > apart || functions.size() > kMostFunctions) return std::nullopt;
    }
    column.push(entry->second);
  }
  result.column = column.finish();
  if (together + numbers_kept(result.column) > apart) return std::nullopt;
  return result;
}

// Drops columns and functions that nothing refers to any more.
class Sweep {
public:
  explicit Sweep(MergedProgram& program)
      : program_(program), column_(program.columns.size(), kUnused),
        function_(program.table.functions.size(), kUnused) {}

  void run() {
    for_each_word([&](Word& word) { note(word); });
    keep(program_.columns, column_);
    keep(program_.table.functions, function_);
    for_each_word([&](Word& word) { renumber(word); });
  }

private:
  static constexpr std::int64_t kUnused = -1;
  static constexpr std::int64_t kUsed = 0;

  static bool is_choice(Form form) {
    return form == Form::kColumnByRank || form == Form::kRelativeColumnByRank;
  }
  static bool is_column(Form form) {
    return form == Form::kColumn || form == Form::kRelativeColumn || form == Form::kFunctionColumn;
  }
  static std::int64_t& at(std::vector<std::int64_t>& numbers, std::int64_t index) {
    return numbers[static_cast<std::size_t>(index)];
  }

  template <class Visit> void for_each_word(Visit visit) {
    for (trace::MergedCall& call : program_.calls) {
      for (Word& word : call.call.words) visit(word);
    }
    for (trace::MergedLoop& loop : program_.loops) visit(loop.trip_count);
  }

  void note(const Word& word) {
    if (is_choice(word.form)) { // keeps its own copy: an equal function may stand for values
      const auto& choice = program_.table.functions[static_cast<std::size_t>(word.value)];
      choices_.emplace(word.value, choice);
      choice.encoded.front().values.for_each_value(
          [&](std::int64_t column) { at(column_, column) = kUsed; });
    } else if (word.form == Form::kByRank) {
      at(function_, word.value) = kUsed;
    } else if (is_column(word.form)) {
      at(column_, word.value) = kUsed;
      if (word.form != Form::kFunctionColumn) return;
      trace::ColumnReader reader(program_.columns[static_cast<std::size_t>(word.value)]);
      while (const auto function = reader.next()) at(function_, *function) = kUsed;
    }
  }

  // Leaves the rows that are used, and says their new numbers.
  template <class Row> static void keep(std::vector<Row>& rows, std::vector<std::int64_t>& number) {
    std::vector<Row> kept;
    for (std::size_t i = 0; i < rows.size(); ++i) {
      if (number[i] == kUnused) continue;
      number[i] = static_cast<std::int64_t>(kept.size());
      kept.push_back(std::move(rows[i]));
    }
    rows = std::move(kept);
  }

  void renumber(Word& word) {
    if (is_column(word.form)) {
      word.value = at(column_, word.value);
      if (word.form == Form::kFunctionColumn && done_.insert(word.value).second)
        renumber_functions(program_.columns[static_cast<std::size_t>(word.value)]);
    } else if (word.form == Form::kByRank) {
      word.value = at(function_, word.value);
    } else if (is_choice(word.form)) {
      RankFunction choice = choices_.at(word.value);
      RankSequence& columns = choice.encoded.front().values;
      columns = columns.changed([&](std::int64_t column) { return at(column_, column); });
      word.value = find_or_add(program_.table, std::move(choice));
    }
  }

  void renumber_functions(Column& column) {
    ColumnBuilder renumbered;
    trace::ColumnReader reader(column);
    while (const auto function = reader.next()) renumbered.push(at(function_, *function));
    column = renumbered.finish();
  }

  MergedProgram& program_;
  std::vector<std::int64_t> column_; // old number -> new one
  std::vector<std::int64_t> function_;
  std::set<std::int64_t> done_; // columns whose functions have their new numbers
  std::map<std::int64_t, RankFunction> choices_; // of columns, as they were
};

} // namespace

void share_columns(MergedProgram& program) {
  bool is_changed = false;
  for (trace::MergedCall& call : program.calls) {
    for (Word& word : call.call.words) {
      const bool is_relative = word.form == Form::kRelativeColumnByRank;
      if (!is_relative && word.form != Form::kColumnByRank) continue;
      const RankFunction chooser = program.table.functions[static_cast<std::size_t>(word.value)];
      auto result = shared(program, chooser, is_relative);
      if (!result) continue;
      word = {Form::kFunctionColumn, static_cast<std::int64_t>(program.columns.size())};
      program.columns.push_back(std::move(result->column));
      program.table = std::move(result->table);
      is_changed = true;
    }
  }
  if (is_changed) Sweep(program).run();
}

} // namespace rondo::fold
