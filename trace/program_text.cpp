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

  void add_special(std::int64_t value) {
    if (std::find(specials.begin(), specials.end(), value) == specials.end())
      specials.push_back(value);
  }
  void add(const Range& other) {
    least = std::min(least, other.least);
    most = std::max(most, other.most);
    sum += other.sum;
    count += other.count;
    for (const std::int64_t value : other.specials) add_special(value);
  }
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
      range.add_special(*value);
      continue;
    }
    range.least = std::min(range.least, *value);
    range.most = std::max(range.most, *value);
    range.sum += static_cast<double>(*value);
    ++range.count;
  }
  return range;
}

// "3..17 (mean 9.2)"
std::string range_text(const Range& range) {
  if (range.count == 0) return "0";
  const double mean = range.sum / static_cast<double>(range.count);
  return std::to_string(range.least) + ".." + std::to_string(range.most) + " (mean " +
         compact_number(mean) + ")";
}

std::string signed_text(std::int64_t value) {
  return (value < 0 ? "" : "+") + std::to_string(value);
}

// "<-1..3>": a column's values, peers relative to the rank.
std::string column_text(const Range& range, FieldKind kind, const std::string& prefix) {
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

// What the words of a program refer to, be it of a class or merged.
struct Tables {
  explicit Tables(const Program& program)
      : columns(program.columns), arrays(program.arrays), texts(program.texts),
        by_rank(program.by_rank.get()) {}
  explicit Tables(const MergedProgram& program)
      : columns(program.columns), arrays(program.arrays), texts(program.texts),
        by_rank(&program.table) {}

  const std::vector<Column>& columns;
  const std::vector<std::vector<std::int64_t>>& arrays;
  const std::vector<std::string>& texts;
  const RankTable* by_rank;

  const Column& column(std::int64_t index) const {
    return columns[static_cast<std::size_t>(index)];
  }
  // Of the columns that a function chooses from.
  Range range_of_choice(std::int64_t function) const {
    Range all;
    std::vector<bool> is_seen(columns.size(), false);
    by_rank->functions[static_cast<std::size_t>(function)].encoded.front().values.for_each_value(
        [&](std::int64_t index) {
          if (is_seen[static_cast<std::size_t>(index)]) return;
          is_seen[static_cast<std::size_t>(index)] = true;
          all.add(range_of(column(index)));
        });
    return all;
  }
};

class CallWriter {
public:
  CallWriter(const Trace& trace, Tables tables) : trace_(trace), tables_(tables) {}

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
      if (is_index(field)) return "<varies>";
      return column_text(range_of(tables_.column(word.value)), field.kind, "");
    case Form::kRelativeColumn:
      return column_text(range_of(tables_.column(word.value)), field.kind, "rank");
    case Form::kColumnByRank:
      if (is_index(field)) return "<varies>";
      return column_text(tables_.range_of_choice(word.value), field.kind, "");
    case Form::kRelativeColumnByRank:
      return column_text(tables_.range_of_choice(word.value), field.kind, "rank");
    case Form::kFunctionColumn:
      if (is_index(field)) return "<varies>";
      return function_column_text(*tables_.by_rank, tables_.column(word.value), field);
    case Form::kByRank:
      if (is_index(field)) return "<by rank>";
      return by_rank_text(*tables_.by_rank, field, word.value);
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
      return '"' + tables_.texts[static_cast<std::size_t>(value)] + '"';
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
  Tables tables_;
};

// A rank that computes this much longer than all do on average is worth a remark.
constexpr double kImbalance = 1.25;
constexpr double kLong = 1000; // ns

struct CallTimes {
  Durations computation;
  Durations inside;
  double slowest_ns = 0; // mean computation of the rank that computes longest at one place
  std::int64_t slowest_rank = 0;
  double slowest_share = 0; // of that over the mean of all ranks there
};

// Which rank computes longest before a call, at the place where that matters most.
void note_slowest(CallTimes& times, const PlaceTimes& place,
                  const std::vector<std::int64_t>& ranks) {
  for (std::size_t i = 0; i < place.means.size(); ++i) {
    const double mean = mean_of_code_ns(place.means[i].computation);
    if (mean <= times.slowest_ns) continue;
    times.slowest_ns = mean;
    times.slowest_rank = ranks[i];
    times.slowest_share = mean / place.computation.mean_ns();
  }
}

// Adds up the places of each call.
void add_times(std::vector<CallTimes>& times, const Program& program,
               const std::vector<std::uint32_t>* numbers, const std::vector<std::int64_t>& ranks) {
  for (const PlaceTimes& place : program.times) {
    const std::uint32_t call = numbers != nullptr ? (*numbers)[place.call] : place.call;
    if (call >= times.size()) times.resize(call + std::size_t{1});
    times[call].computation.add(place.computation);
    times[call].inside.add(place.inside);
    if (!ranks.empty()) note_slowest(times[call], place, ranks);
  }
}

// Lines of terms, whatever program they are of.
class TermWriter {
public:
  TermWriter(const ProgramTextOptions& options, CallWriter calls)
      : options_(options), calls_(calls) {}

  void line(int depth, const std::string& text) {
    text_.append(static_cast<std::size_t>(depth * options_.indent), ' ');
    text_ += text + '\n';
  }

  void call(int depth, const Call& call, const CallTimes* times) {
    std::string note;
    if (options_.times && times != nullptr) {
      note = human_duration(times->computation.mean_ns()) + " before, " +
             human_duration(times->inside.mean_ns()) + " inside";
      if (times->slowest_share >= kImbalance && times->slowest_ns >= kLong)
        note += " (longest on rank " + std::to_string(times->slowest_rank) + ": " +
                human_duration(times->slowest_ns) + " before)";
    }
    if (options_.site) {
      const std::string site = options_.site(call);
      note += (note.empty() || site.empty() ? "" : ", ") + site;
    }
    line(depth, calls_.text(call) + (note.empty() ? "" : "  # " + note));
  }

  std::string take() { return std::move(text_); }

private:
  const ProgramTextOptions& options_;
  CallWriter calls_;
  std::string text_;
};

class ProgramWriter {
public:
  ProgramWriter(const Trace& trace, const Program& program, const ProgramTextOptions& options)
      : program_(program), out_(options, CallWriter(trace, Tables(program))) {
    add_times(times_, program, nullptr, {});
  }

  void write(const std::vector<Term>& terms, int depth) {
    for (const Term term : terms) {
      if (!term.is_loop()) {
        const CallTimes* times = term.index() < times_.size() ? &times_[term.index()] : nullptr;
        out_.call(depth, program_.calls[term.index()], times);
        continue;
      }
      const Loop& loop = program_.nest.loops()[term.index()];
      out_.line(depth, "loop " + trip_count_text(loop.trip_counts) + ":");
      write(loop.body, depth + 1);
    }
  }
  std::string take() { return out_.take(); }

private:
  const Program& program_;
  TermWriter out_;
  std::vector<CallTimes> times_; // by symbol, over all places
};

// The same with guards: terms that only some of the ranks execute stand below their ranks.
class MergedWriter {
public:
  MergedWriter(const Trace& trace, std::size_t index, const ProgramTextOptions& options)
      : program_(*trace.programs[index]), out_(options, CallWriter(trace, Tables(program_))) {
    for (const RankClass& c : trace.classes) {
      if (c.merged == index) add_times(times_, *c.program, &c.calls, c.ranks.ranks());
    }
  }

  void write(const std::vector<Term>& terms, int depth, std::uint32_t outer) {
    std::uint32_t open = outer; // the set whose heading was written last
    for (const Term term : terms) {
      const std::uint32_t set = set_of(term);
      if (set != open && set != outer) out_.line(depth, guard_text(program_.table.sets[set]) + ":");
      open = set;
      write_term(term, depth + (set != outer ? 1 : 0), set);
    }
  }
  std::string take() { return out_.take(); }

private:
  std::uint32_t set_of(Term term) const {
    return term.is_loop() ? program_.loops[term.index()].set : program_.calls[term.index()].set;
  }

  void write_term(Term term, int depth, std::uint32_t set) {
    if (term.is_loop()) {
      const MergedLoop& loop = program_.loops[term.index()];
      out_.line(depth, "loop " + trip_count_text(program_, loop) + ":");
      write(loop.body, depth + 1, set);
      return;
    }
    const CallTimes* times = term.index() < times_.size() ? &times_[term.index()] : nullptr;
    out_.call(depth, program_.calls[term.index()].call, times);
  }

  const MergedProgram& program_;
  TermWriter out_;
  std::vector<CallTimes> times_; // by call
};

} // namespace

std::string trip_count_text(const Column& column) {
  if (const auto constant = column.constant()) return std::to_string(*constant);
  return range_text(range_of(column));
}

std::string trip_count_text(const MergedProgram& program, const MergedLoop& loop) {
  static constexpr Field kCount{"count", FieldKind::kInteger, false, false};
  const Word& count = loop.trip_count;
  const Tables tables(program);
  switch (count.form) {
  case Word::Form::kByRank:
    return by_rank_text(program.table, kCount, count.value);
  case Word::Form::kColumn:
    return trip_count_text(tables.column(count.value));
  case Word::Form::kColumnByRank:
    return range_text(tables.range_of_choice(count.value));
  default:
    return std::to_string(count.value);
  }
}

std::string guard_text(const RankSet& ranks) {
  return (ranks.size() == 1 ? "rank " : "ranks ") + ranks.text();
}

std::string call_text(const Trace& trace, const Program& program, const Call& call) {
  return CallWriter(trace, Tables(program)).text(call);
}

std::string call_text(const Trace& trace, const MergedProgram& program, const Call& call) {
  return CallWriter(trace, Tables(program)).text(call);
}

std::string program_text(const Trace& trace, const Program& program,
                         const ProgramTextOptions& options) {
  ProgramWriter writer(trace, program, options);
  writer.write(program.nest.top(), 1);
  return writer.take();
}

std::string merged_text(const Trace& trace, std::size_t index, const ProgramTextOptions& options) {
  MergedWriter writer(trace, index, options);
  writer.write(trace.programs[index]->top, 1, 0);
  return writer.take();
}

} // namespace rondo::trace
