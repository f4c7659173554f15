// SPDX-License-Identifier: Apache-2.0
#include "rondo/trace/program_text.hpp"

#include "rondo/trace/call_text.hpp"

#include "rondo/base/units.hpp"

#include <algorithm>
#include <limits>

namespace rondo::trace {
namespace {

struct Range {
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = std::numeric_limits<std::int64_t>::min();
  double sum = 0;
  std::uint64_t count = 0;
  std::vector<std::int64_t> specials; // each once
};

// Columns are summed up from their beginning; beyond this they are long enough to be known by it.
constexpr std::uint64_t kMostRead = 1'000'000;

Range range_of(const Column& column) {
  Range range;
  ColumnReader reader(column);
  for (std::uint64_t i = 0; i < kMostRead; ++i) {
    const auto value = reader.next();
    if (!value) break;
    if (is_special(*value)) {
      if (std::find(range.specials.begin(), range.specials.end(), *value) == range.specials.end()) {
        range.specials.push_back(*value);
      }
      continue;
    }
    range.least = std::min(range.least, *value);
    range.most = std::max(range.most, *value);
    range.sum += static_cast<double>(*value);
    ++range.count;
  }
  return range;
}

std::string signed_text(std::int64_t value) {
  return (value < 0 ? "" : "+") + std::to_string(value);
}

// "<-1..3>": a column's values, peers relative to the rank.
std::string column_text(const Column& column, FieldKind kind, const std::string& prefix) {
  const Range range = range_of(column);
  std::string text = "<";
  if (range.count > 0) {
    text += prefix + (prefix.empty() ? std::to_string(range.least) : signed_text(range.least));
    if (range.most != range.least) {
      text += ".." + (prefix.empty() ? std::to_string(range.most) : signed_text(range.most));
    }
  }
  for (const std::int64_t special : range.specials)
    text += (text.size() > 1 ? " " : "") + special_text(kind, special);
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
  case FieldKind::kComm:
    prefix = "comm";
    break;
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

std::string request_text(std::int64_t word) {
  if (is_foreign(word) && !is_special(word)) return foreign_request_text(word);
  return (is_persistent(word) ? "p" : "@") + std::to_string(age_or_slot(word));
}

// "<rank-1..+1>": all that the functions of a column give to any rank.
std::string function_column_text(const Program& program, const Column& column, const Field& field) {
  RankSequence all;
  bool are_relative = true;
  std::vector<bool> is_seen(program.by_rank->functions.size(), false);
  ColumnReader reader(column);
  for (std::uint64_t i = 0; i < kMostRead; ++i) {
    const auto function = reader.next();
    if (!function) break;
    const auto index = static_cast<std::size_t>(*function);
    if (index >= is_seen.size() || is_seen[index]) continue;
    is_seen[index] = true;
    const EncodedValues& encoded = program.by_rank->functions[index].encoded.front();
    are_relative = are_relative && encoded.encoding == RankEncoding::kRelative;
    if (encoded.encoding == RankEncoding::kXor || encoded.encoding == RankEncoding::kDifference)
      return "<by rank>";
    encoded.values.for_each_value([&](std::int64_t value) { all.push(value); });
  }
  return column_text(Column::from_values(all.values()), field.kind, are_relative ? "rank" : "");
}

// "rank[{+1 x3, -3} x4]": what stands for each rank in order, folded.
std::string by_rank_text(const RankTable& table, const Field& field, std::int64_t index) {
  constexpr std::size_t kMostCharacters = 72;
  const RankFunction& function = table.functions[static_cast<std::size_t>(index)];
  const EncodedValues& encoded = function.encoded.front();
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

class CallWriter {
public:
  CallWriter(const Trace& trace, const Program& program) : trace_(trace), program_(program) {}

  std::string text(const Call& call) const {
    const Function& function = *find_function(call.function);
    if (function.role == Role::kMarker) return marker(function, call);
    std::string inputs;
    std::string outcomes;
    std::size_t word = 0;
    for (const Field& field : function.fields) {
      const bool is_status = field.kind == FieldKind::kStatus && !field.is_array;
      const std::string value = is_status ? status(call, word) : argument(field, call.words[word]);
      word += is_status ? 3 : 1;
      if (value.empty()) continue;
      std::string& out = field.is_outcome ? outcomes : inputs;
      if (!out.empty()) out += ", ";
      out += std::string(field.name) + "=" + value;
    }
    if (call.error != 0)
      (outcomes += outcomes.empty() ? "error=" : ", error=") += error_class_name(call.error);
    return std::string(function.name) + "(" + inputs + ")" +
           (outcomes.empty() ? "" : " -> " + outcomes);
  }

private:
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
      if (field.is_array || field.kind == FieldKind::kText) return "<varies>";
      return column_text(program_.columns[static_cast<std::size_t>(word.value)], field.kind, "");
    case Form::kRelativeColumn:
      return column_text(program_.columns[static_cast<std::size_t>(word.value)], field.kind,
                         "rank");
    case Form::kFunctionColumn:
      return function_column_text(program_, program_.columns[static_cast<std::size_t>(word.value)],
                                  field);
    case Form::kByRank:
      return by_rank_text(*program_.by_rank, field, word.value);
    case Form::kColumnByRank:
    case Form::kRelativeColumnByRank:
      return "<varies>";
    case Form::kConstant:
      break;
    }
    if (word.value == kNothing || (field.kind == FieldKind::kBuffer && word.value == 0)) return "";
    if (field.is_array && !is_special(word.value)) return array(field, word.value);
    return constant(field, word.value);
  }

  std::string constant(const Field& field, std::int64_t value) const {
    if (std::string name = named_value(field, value); !name.empty()) return name;
    if (is_special(value)) return special_text(field.kind, value);
    switch (field.kind) {
    case FieldKind::kRequest:
      return request_text(value);
    case FieldKind::kText:
      return '"' + program_.texts[static_cast<std::size_t>(value)] + '"';
    case FieldKind::kComm:
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
    const auto& values = program_.arrays[static_cast<std::size_t>(word)];
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

  std::string status(const Call& call, std::size_t word) const {
    const Word& source = call.words[word];
    if (source.form == Word::Form::kConstant && source.value == kNothing) return "";
    static constexpr Field kSource{"source", FieldKind::kRank, true, false};
    static constexpr Field kTag{"tag", FieldKind::kTag, true, false};
    static constexpr Field kBytes{"bytes", FieldKind::kInteger, true, false};
    return "{source=" + argument(kSource, source) + " tag=" + argument(kTag, call.words[word + 1]) +
           " bytes=" + argument(kBytes, call.words[word + 2]) + "}";
  }

  const Trace& trace_;
  const Program& program_;
};

class ProgramWriter {
public:
  ProgramWriter(const Trace& trace, const Program& program, const ProgramTextOptions& options)
      : program_(program), options_(options), calls_(trace, program) {
    for (const PlaceTimes& place : program.times) {
      if (place.call >= times_.size()) times_.resize(place.call + std::size_t{1});
      times_[place.call].computation.add(place.computation);
      times_[place.call].inside.add(place.inside);
    }
  }

  void write(const std::vector<Term>& terms, int depth) {
    for (const Term term : terms) {
      text_.append(static_cast<std::size_t>(depth * options_.indent), ' ');
      if (!term.is_loop()) {
        write_call(term.index());
        continue;
      }
      const Loop& loop = program_.nest.loops()[term.index()];
      text_ += "loop " + trip_count_text(loop.trip_counts) + ":\n";
      write(loop.body, depth + 1);
    }
  }
  std::string take() { return std::move(text_); }

private:
  void write_call(std::uint32_t symbol) {
    const Call& call = program_.calls[symbol];
    text_ += calls_.text(call);
    std::string note;
    if (options_.times && symbol < times_.size()) {
      const auto& [computation, inside] = times_[symbol];
      note += human_duration(computation.mean_ns()) + " before, " +
              human_duration(inside.mean_ns()) + " inside";
    }
    if (options_.site) {
      const std::string site = options_.site(call);
      note += (note.empty() || site.empty() ? "" : ", ") + site;
    }
    if (!note.empty()) text_ += "  # " + note;
    text_ += '\n';
  }

  struct Times {
    Durations computation;
    Durations inside;
  };
  const Program& program_;
  const ProgramTextOptions& options_;
  CallWriter calls_;
  std::vector<Times> times_; // by symbol, over all places
  std::string text_;
};

} // namespace

std::string trip_count_text(const Column& column) {
  if (const auto constant = column.constant()) return std::to_string(*constant);
  const Range range = range_of(column);
  if (range.count == 0) return "0";
  const double mean = range.sum / static_cast<double>(range.count);
  return std::to_string(range.least) + ".." + std::to_string(range.most) + " (mean " +
         compact_number(mean) + ")";
}

std::string call_text(const Trace& trace, const Program& program, const Call& call) {
  return CallWriter(trace, program).text(call);
}

std::string program_text(const Trace& trace, const Program& program,
                         const ProgramTextOptions& options) {
  ProgramWriter writer(trace, program, options);
  writer.write(program.nest.top(), 1);
  return writer.take();
}

} // namespace rondo::trace
