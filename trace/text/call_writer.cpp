// SPDX-License-Identifier: Apache-2.0
#include "trace/text/call_writer.hpp"

#include "rondo/base/escape.hpp"
#include "rondo/base/units.hpp"
#include "rondo/trace/call_reader.hpp"
#include "rondo/trace/call_text.hpp"
#include "rondo/trace/program_text.hpp"
#include "rondo/trace/rank_formulas.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace rondo::trace {
namespace {

// Columns are summed up from their beginning; beyond this they are long enough to be known by it.
constexpr std::uint64_t kMostRead = 1'000'000;

std::string signed_text(std::int64_t value) {
  return (value < 0 ? "" : "+") + std::to_string(value);
}

} // namespace

Range range_of(const Column& column) {
  Range range;
  ColumnReader reader(column);
  std::array<std::int64_t, 250> read; // one by one takes several times as long
  static_assert(kMostRead % read.size() == 0);
  while (reader.taken() < kMostRead) {
    const std::size_t here = reader.read(read);
    for (std::size_t i = 0; i < here; ++i) {
      if (is_special(read[i])) {
        range.add_special(read[i]);
      } else {
        range.add(read[i]);
      }
    }
    if (here < read.size()) break;
  }
  return range;
}

std::string range_text(const Range& range) {
  if (range.count == 0) return "0";
  if (!range.list.empty() && range.count <= Range::kMostListed) {
    std::string text;
    for (const std::int64_t value : range.list)
      text += (text.empty() ? "" : ", ") + std::to_string(value);
    return text;
  }
  const double mean = range.sum / static_cast<double>(range.count);
  return std::to_string(range.least) + ".." + std::to_string(range.most) + " (mean " +
         compact_mean(mean, static_cast<double>(range.least), static_cast<double>(range.most)) +
         ")";
}

std::optional<std::string> formula_text(FieldKind kind, const std::vector<std::int64_t>& ranks,
                                        const std::vector<std::int64_t>& values) {
  constexpr std::size_t kMostRanks = 4096; // more take long to check
  if (ranks.empty() || ranks.size() > kMostRanks) return std::nullopt;
  expressions::Domain domain{ranks, ranks};
  domain.size = ranks.back() + 1;
  domain.own_size = expressions::number(domain.size);
  const auto formula = expressions::formula_for(domain, values, true, [&](std::int64_t value) {
    return is_special(value) ? expressions::name(special_text(kind, value))
                             : expressions::number(value);
  });
  return formula ? std::optional(expressions::text_of(*formula)) : std::nullopt;
}

namespace {

// Of values that mean the same to all who read "rank".
std::optional<std::string> formula_of(const RankTable& table, const Field& field,
                                      std::int64_t index) {
  const auto number = static_cast<std::size_t>(index);
  const std::vector<std::int64_t> ranks = table.sets[table.functions[number].domain].ranks();
  std::vector<std::int64_t> values;
  std::vector<std::int64_t> readers; // ranks where MPI reads the argument
  for (const std::int64_t rank : ranks) {
    const std::int64_t value = table.value(number, rank, rank);
    if (value == kNothing) continue;
    readers.push_back(rank);
    values.push_back(value);
  }
  return formula_text(field.kind, readers, values);
}

} // namespace

std::string by_rank_text(const RankTable& table, const Field& field, std::int64_t index,
                         bool is_world) {
  constexpr std::size_t kMostCharacters = 72;
  const RankFunction& function = table.functions[static_cast<std::size_t>(index)];
  const EncodedValues& encoded = function.encoded.front();
  // What is not relative to a rank means the same on any communicator.
  const bool is_number = field.kind != FieldKind::kRank && field.kind != FieldKind::kRoot;
  const bool is_relative =
      encoded.encoding == RankEncoding::kRelative || encoded.encoding == RankEncoding::kXor;
  if (is_world || (is_number && !is_relative)) {
    const auto formula = formula_of(table, field, index);
    if (formula && formula->size() <= std::max(kMostCharacters / 2, 8 * encoded.items()))
      return *formula;
  }
  const bool has_sign =
      encoded.encoding == RankEncoding::kRelative || encoded.encoding == RankEncoding::kDifference;
  std::string text = encoded.values.text([&](std::int64_t value) {
    if (is_special(value)) return special_text(field.kind, value);
    return has_sign ? signed_text(value) : std::to_string(value);
  });
  if (text.size() > kMostCharacters) text = text.substr(0, kMostCharacters) + "...";
  switch (encoded.encoding) {
  case RankEncoding::kAbsolute:
    return "[" + text + "]";
  case RankEncoding::kRelative:
    return "rank[" + text + "]";
  case RankEncoding::kXor:
    return "rank^[" + text + "]";
  case RankEncoding::kDifference:
    return "steps[" + text + "]";
  }
  return "";
}

namespace {

std::string request_text(std::int64_t word) {
  if (is_foreign(word) && !is_special(word)) return foreign_request_text(word);
  return (is_persistent(word) ? "p" : "@") + std::to_string(age_or_slot(word));
}

// "<-1..3>": a column's values, peers relative to the rank; "<p0..p3>" of requests.
std::string column_text(const Range& range, FieldKind kind, const std::string& prefix) {
  const auto value = [&](std::int64_t of) {
    if (kind == FieldKind::kRequest) return request_text(of);
    return prefix.empty() ? std::to_string(of) : signed_text(of);
  };
  std::string text = "<";
  if (range.count > 0) {
    text += prefix + value(range.least);
    if (range.most != range.least) text += ".." + value(range.most);
  }
  for (const std::int64_t special : range.specials) { // "-" would make an arrow of the end
    if (text.size() > 1) text += ' ';
    text += special == kNothing ? "none" : special_text(kind, special);
  }
  return text + ">";
}

std::string object_text(const Trace& trace, const Field& field, std::int64_t word) {
  if (word < 0) {
    const auto names = predefined_objects(field.kind);
    const auto index = static_cast<std::size_t>(-1 - word);
    return index < names.size() ? std::string(names[index]) : "?";
  }
  if (field.kind == FieldKind::kDatatype) {
    const auto named = std::find_if(
        trace.datatypes.begin(), trace.datatypes.end(),
        [&](const DatatypeDefinition& d) { return d.slot == word && !d.name.empty(); });
    if (named != trace.datatypes.end()) return named->name;
  }
  std::string_view prefix = "object";
  switch (field.kind) {
  case FieldKind::kGroup:
    prefix = "group";
    break;
  case FieldKind::kDatatype:
    prefix = "type";
    break;
  case FieldKind::kOp:
    prefix = "op";
    break;
  case FieldKind::kWin:
    prefix = "win";
    break;
  case FieldKind::kFile:
    prefix = "file";
    break;
  case FieldKind::kMessage:
    prefix = "message";
    break;
  default:
    break;
  }
  return std::string(prefix) + "#" + std::to_string(word + 1);
}

// "<rank-1..+1>": all that the functions of a column give to any rank.
std::string function_column_text(const RankTable& table, const Column& column, const Field& field) {
  RankSequence all;
  bool are_relative = true;
  std::vector<bool> is_seen(table.functions.size(), false);
  ColumnReader reader(column);
  for (std::uint64_t i = 0; i < kMostRead; ++i) {
    const auto function = reader.next();
    if (!function) break;
    const auto index = static_cast<std::size_t>(*function);
    if (index >= is_seen.size() || is_seen[index]) continue;
    is_seen[index] = true;
    const EncodedValues& encoded = table.functions[index].encoded.front();
    are_relative = are_relative && encoded.encoding == RankEncoding::kRelative;
    if (encoded.encoding == RankEncoding::kXor || encoded.encoding == RankEncoding::kDifference)
      return "<by rank>";
    encoded.values.for_each_value([&](std::int64_t value) { all.push(value); });
  }
  return column_text(range_of(Column::from_values(all.values())), field.kind,
                     are_relative ? "rank" : "");
}

class CallWriter {
public:
  CallWriter(const Trace& trace, const Tables& tables, const CommunicatorNames& comms,
             const ValuesHere& here)
      : trace_(trace), tables_(tables), comms_(comms), here_(here) {}

  CallWords words(const Call& call) {
    const Function& function = *find_function(call.function);
    const int comm = function.comm_word();
    const Word* const on = comm < 0 ? nullptr : &call.words[static_cast<std::size_t>(comm)];
    is_world_ = on == nullptr ||
                (on->form == Word::Form::kConstant && comms_.is_numbered_as_world(on->value));
    if (function.role == Role::kMarker) return {marker(function, call), {}, true};
    CallWords result{std::string(function.name), {}, false};
    std::size_t word = 0;
    for (const Field& field : function.fields) {
      const bool is_status = field.kind == FieldKind::kStatus && !field.is_array;
      std::string value = is_status ? status(call, word) : argument(field, word_here(call, word));
      if (!value.empty()) {
        result.arguments.push_back({std::string(field.name), std::move(value), field.is_outcome,
                                    field.kind, field.is_array});
        if (!is_status) add_values(result.arguments.back(), field, word_here(call, word));
      }
      word += is_status ? 3 : 1;
    }
    if (call.error != 0)
      result.arguments.push_back({"error", std::string(error_class_name(call.error)), true});
    return result;
  }

private:
  // The next word that is written; what is always the same here is no column.
  Word word_here(const Call& call, std::size_t index) {
    Word word = call.words[index];
    values_here_ = here_ ? here_(index) : nullptr;
    if (values_here_ == nullptr || values_here_->size() != 1) return word;
    if (word.form == Word::Form::kRelativeColumnByRank) word.form = Word::Form::kRelativeColumn;
    return word_at(word, *values_here_->begin());
  }

  Column column_here(const Word& word) const {
    if (values_here_ == nullptr) return tables_.column(word.value);
    return Column::from_values({values_here_->begin(), values_here_->end()});
  }

  Range range_of_choice_here(const Word& word) const {
    return values_here_ == nullptr ? tables_.range_of_choice(word.value)
                                   : range_of(column_here(word));
  }

  void add_values(CallWords::Argument& argument, const Field& field, const Word& word) const {
    argument.is_in_order = word.form == Word::Form::kByRank && argument.text.ends_with(']');
    const bool is_number = field.kind == FieldKind::kInteger || field.kind == FieldKind::kTag;
    if (!is_number || field.is_array || !field.names.empty()) return;
    const Range range = values_of(word);
    if (range.count == 0 || !range.specials.empty()) return;
    argument.least = range.least;
    argument.most = range.most;
  }

  // Empty where they are not easily known.
  Range values_of(const Word& word) const {
    switch (word.form) {
    case Word::Form::kConstant:
      return range_of(Column::from_values({word.value}));
    case Word::Form::kColumn:
      return range_of(column_here(word));
    case Word::Form::kColumnByRank:
      return range_of_choice_here(word);
    case Word::Form::kByRank: {
      const auto index = static_cast<std::size_t>(word.value);
      const RankFunction& function = tables_.by_rank->functions[index];
      std::vector<std::int64_t> values;
      for (const std::int64_t rank : tables_.by_rank->sets[function.domain].ranks())
        values.push_back(tables_.by_rank->value(index, rank, rank));
      return range_of(Column::from_values(values));
    }
    default:
      return {};
    }
  }

  // "phase begin "solve"": the name without rondo_, and the words behind it.
  std::string marker(const Function& function, const Call& call) const {
    std::string text(function.name.substr(function.name.find('_') + 1));
    std::replace(text.begin(), text.end(), '_', ' ');
    for (std::size_t i = 0; i < function.fields.size(); ++i)
      text += " " + argument(function.fields[i], call.words[i]);
    return text;
  }

  std::string argument(const Field& field, const Word& word) const {
    using Form = Word::Form;
    const std::string value = std::to_string(word.value);
    switch (word.form) {
    case Form::kRelative:
      return word.value == 0 ? "rank" : "rank" + signed_text(word.value);
    case Form::kRelativeModulo:
      return "(rank" + signed_text(word.value) + ")%size";
    case Form::kXor:
      return "rank^" + value;
    case Form::kColumn:
      if (is_index(field)) return "<varies>";
      return column_text(range_of(column_here(word)), field.kind, "");
    case Form::kRelativeColumn:
      return column_text(range_of(column_here(word)), field.kind, "rank");
    case Form::kColumnByRank:
      if (is_index(field)) return "<varies>";
      return column_text(range_of_choice_here(word), field.kind, "");
    case Form::kRelativeColumnByRank:
      return column_text(range_of_choice_here(word), field.kind, "rank");
    case Form::kFunctionColumn:
      if (is_index(field)) return "<varies>";
      return function_column_text(*tables_.by_rank, column_here(word), field);
    case Form::kByRank:
      if (is_index(field)) return "<by rank>";
      return by_rank_text(*tables_.by_rank, field, word.value, is_world_);
    case Form::kConstant:
      break;
    }
    if (word.value == kNothing || (field.kind == FieldKind::kBuffer && word.value == 0)) return "";
    if (field.is_array && !is_special(word.value)) return array(field, word.value);
    return constant(field, word.value);
  }

  static bool is_index(const Field& field) {
    return field.is_array || field.kind == FieldKind::kText;
  }

  std::string constant(const Field& field, std::int64_t value) const {
    if (std::string name = named_value(field, value); !name.empty()) return name;
    if (is_special(value)) return special_text(field.kind, value);
    switch (field.kind) {
    case FieldKind::kRequest:
      return request_text(value);
    case FieldKind::kText:
      return escape::quoted(tables_.texts[static_cast<std::size_t>(value)]);
    case FieldKind::kComm:
      return comms_.of(value);
    case FieldKind::kGroup:
    case FieldKind::kDatatype:
    case FieldKind::kOp:
    case FieldKind::kWin:
    case FieldKind::kFile:
    case FieldKind::kMessage:
    case FieldKind::kSession:
      return object_text(trace_, field, value);
    default:
      return std::to_string(value);
    }
  }

  // Steps of one stride are written by their ends: [@7..@0].
  std::string array(const Field& field, std::int64_t word) const {
    const auto& values = tables_.arrays[static_cast<std::size_t>(word)];
    if (field.kind == FieldKind::kStatus) return values.empty() ? "" : "<statuses>";
    std::string text = "[";
    for (const RankRange& range : ranges_of(values)) {
      if (text.size() > 1) text += ' ';
      const std::int64_t last = range.start + (range.count - 1) * range.stride;
      text += element(field, range.start);
      if (range.count == 1) continue;
      const bool by_ends =
          range.count > 2 && (range.stride == 0 || range.stride == 1 || range.stride == -1 ||
                              (field.kind == FieldKind::kRequest && range.stride == -2));
      if (by_ends && range.stride == 0) {
        text += "*" + std::to_string(range.count);
        continue;
      }
      if (by_ends) {
        text += ".." + element(field, last);
        continue;
      }
      for (std::int64_t i = 1; i < range.count; ++i)
        text += " " + element(field, range.start + i * range.stride);
    }
    return text + "]";
  }

  std::string element(const Field& field, std::int64_t value) const {
    if (field.kind == FieldKind::kRank && !is_special(value)) return "rank" + signed_text(value);
    return constant(field, value);
  }

  std::string status(const Call& call, std::size_t word) {
    const Word source = call.words[word];
    if (source.form == Word::Form::kConstant && source.value == kNothing) return "";
    static constexpr Field kSource{"source", FieldKind::kRank, true, false};
    static constexpr Field kTag{"tag", FieldKind::kTag, true, false};
    static constexpr Field kBytes{"bytes", FieldKind::kInteger, true, false};
    const std::string from = argument(kSource, word_here(call, word));
    const std::string tag = argument(kTag, word_here(call, word + 1));
    return "{source=" + from + " tag=" + tag +
           " bytes=" + argument(kBytes, word_here(call, word + 2)) + "}";
  }

  const Trace& trace_;
  const Tables& tables_;
  const CommunicatorNames& comms_;
  const ValuesHere& here_;
  const std::set<std::int64_t>* values_here_ = nullptr; // of the word that is being written
  bool is_world_ = true; // of the call's communicator
};

} // namespace

CallWords words_of(const Trace& trace, const Tables& tables, const Call& call,
                   const CommunicatorNames* comms, const ValuesHere& here) {
  if (comms != nullptr) return CallWriter(trace, tables, *comms, here).words(call);
  return CallWriter(trace, tables, CommunicatorNames(trace), here).words(call);
}

std::string CallWords::text() const {
  if (is_marker) return function;
  std::string inputs;
  std::string outcomes;
  for (const Argument& argument : arguments) {
    std::string& out = argument.is_outcome ? outcomes : inputs;
    if (!out.empty()) out += ", ";
    out += argument.name + "=" + argument.text;
  }
  return function + "(" + inputs + ")" + (outcomes.empty() ? "" : " -> " + outcomes);
}

} // namespace rondo::trace
