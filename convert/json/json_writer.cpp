// SPDX-License-Identifier: Apache-2.0
#include "rondo/convert/json.hpp"

#include "rondo/base/escape.hpp"
#include "rondo/trace/call_text.hpp"

#include <nlohmann/json.hpp>
#include <set>

namespace rondo::convert {
namespace {

using nlohmann::ordered_json;
using trace::Field;
using trace::FieldKind;
using trace::Word;

constexpr int kSchema = 1;

// Words -----------------------------------------------------------------------------------------

ordered_json object_json(const Field& field, std::int64_t word) {
  if (word >= 0) return {{"slot", word}};
  const auto names = trace::predefined_objects(field.kind);
  const auto index = static_cast<std::size_t>(-1 - word);
  return index < names.size() ? ordered_json(names[index]) : ordered_json(word);
}

// A word that is the same in every execution. Special values are far outside what JSON readers hold
// exactly, so they go by name.
ordered_json constant_json(const Field& field, std::int64_t word) {
  if (word == trace::kNothing) return nullptr;
  if (std::string name = trace::named_value(field, word); !name.empty()) return name;
  if (trace::is_special(word)) return trace::special_text(field.kind, word);
  switch (field.kind) {
  case FieldKind::kComm:
  case FieldKind::kGroup:
  case FieldKind::kDatatype:
  case FieldKind::kOp:
  case FieldKind::kMessage:
  case FieldKind::kWin:
  case FieldKind::kFile:
  case FieldKind::kSession:
    return object_json(field, word);
  case FieldKind::kRequest: {
    const auto number = trace::age_or_slot(word);
    return {{trace::is_persistent(word) ? "slot" : "age", number}};
  }
  default:
    return word;
  }
}

// A value for each rank of a set.
ordered_json by_rank_json(const trace::Program& program, const Field& field, std::int64_t index) {
  static constexpr std::array kEncodings = {"value", "rank_plus", "rank_xor", "value_before_plus"};
  const auto& function = program.by_rank->functions[static_cast<std::size_t>(index)];
  const trace::EncodedValues& encoded = function.encoded.front();
  ordered_json values = ordered_json::array();
  for (const std::int64_t value : encoded.values.values())
    values.push_back(constant_json(field, value));
  return {{"ranks", program.by_rank->sets[function.domain].ranks()},
          {kEncodings[static_cast<std::size_t>(encoded.encoding)], std::move(values)}};
}

ordered_json word_json(const trace::Program& program, const Field& field, const Word& word) {
  switch (word.form) {
  case Word::Form::kConstant:
    return constant_json(field, word.value);
  case Word::Form::kRelative:
    return {{"rank_plus", word.value}};
  case Word::Form::kRelativeModulo:
    return {{"rank_plus_modulo", word.value}};
  case Word::Form::kXor:
    return {{"rank_xor", word.value}};
  case Word::Form::kColumn:
    return {{"column", word.value}};
  case Word::Form::kRelativeColumn:
    return {{"rank_plus_column", word.value}};
  case Word::Form::kFunctionColumn: {
    const trace::Column& column = program.columns[static_cast<std::size_t>(word.value)];
    std::set<std::int64_t> functions;
    for (trace::ColumnReader reader(column); const auto function = reader.next();)
      functions.insert(*function);
    ordered_json choices = ordered_json::object();
    for (const std::int64_t function : functions) {
      if (static_cast<std::uint64_t>(function) < program.by_rank->functions.size())
        choices[std::to_string(function)] = by_rank_json(program, field, function);
    }
    return {{"column", word.value}, {"by_rank", std::move(choices)}};
  }
  case Word::Form::kByRank:
    return {{"by_rank", by_rank_json(program, field, word.value)}};
  default: // of merged programs only
    return nullptr;
  }
}

ordered_json array_json(const Field& field, const std::vector<std::int64_t>& array) {
  ordered_json values = ordered_json::array();
  for (const std::int64_t value : array) values.push_back(constant_json(field, value));
  return values;
}

// A status array is [n, (index, source, tag, bytes)...].
ordered_json statuses_json(const std::vector<std::int64_t>& array) {
  ordered_json statuses = ordered_json::array();
  for (std::size_t i = 1; i + 3 < array.size(); i += 4) {
    const Field rank{"source", FieldKind::kRank, true, false};
    statuses.push_back({{"index", array[i]},
                        {"source_rank_plus", constant_json(rank, array[i + 1])},
                        {"tag", array[i + 2]},
                        {"bytes", array[i + 3]}});
  }
  return statuses;
}

// Nothing for a word that says nothing.
ordered_json argument_json(const trace::Program& program, const trace::Call& call,
                           const Field& field, std::size_t word) {
  const Word& first = call.words[word];
  const bool is_constant = first.form == Word::Form::kConstant;
  if (is_constant && first.value == trace::kNothing) return nullptr;
  if (is_constant && first.value == 0 && field.kind == FieldKind::kBuffer) return nullptr;
  if (field.kind == FieldKind::kStatus && !field.is_array) {
    return {
        {"source", word_json(program, {"source", FieldKind::kRank, true, false}, first)},
        {"tag", word_json(program, {"tag", FieldKind::kTag, true, false}, call.words[word + 1])},
        {"bytes",
         word_json(program, {"bytes", FieldKind::kInteger, true, false}, call.words[word + 2])}};
  }
  if (!is_constant || trace::is_special(first.value)) return word_json(program, field, first);
  const auto index = static_cast<std::size_t>(first.value);
  if (field.is_array && field.kind == FieldKind::kStatus) {
    return index == 0 ? ordered_json() : statuses_json(program.arrays[index]);
  }
  if (field.is_array) return array_json(field, program.arrays[index]);
  if (field.kind == FieldKind::kText) return program.texts[index];
  return word_json(program, field, first);
}

// Structure -------------------------------------------------------------------------------------

ordered_json terms_json(const std::vector<trace::Term>& terms, const char* symbol) {
  ordered_json list = ordered_json::array();
  for (const trace::Term term : terms)
    list.push_back({{term.is_loop() ? "loop" : symbol, term.index()}});
  return list;
}

ordered_json column_json(const trace::Column& column);

ordered_json loops_json(const trace::Nest& nest, const char* symbol) {
  ordered_json loops = ordered_json::array();
  for (const trace::Loop& loop : nest.loops()) {
    loops.push_back(
        {{"body", terms_json(loop.body, symbol)}, {"trip_counts", column_json(loop.trip_counts)}});
  }
  return loops;
}

ordered_json column_json(const trace::Column& column) {
  switch (column.kind()) {
  case trace::Column::Kind::kRuns: {
    ordered_json runs = ordered_json::array();
    for (const trace::Run& run : column.runs())
      runs.push_back({{"value", run.value}, {"count", run.count}});
    return {{"runs", std::move(runs)}};
  }
  case trace::Column::Kind::kDifferences:
    return {{"first", column.first()},
            {"differences", column.dictionary()},
            {"sequence", terms_json(column.nest()->top(), "difference")},
            {"loops", loops_json(*column.nest(), "difference")}};
  case trace::Column::Kind::kValues:
    break;
  }
  return {{"values", column.values()}};
}

ordered_json call_json(const trace::Program& program, const trace::Call& call) {
  const trace::Function& function = *trace::find_function(call.function);
  ordered_json inputs = ordered_json::object();
  ordered_json outcomes = ordered_json::object();
  std::size_t word = 0;
  for (const Field& field : function.fields) {
    ordered_json value = argument_json(program, call, field, word);
    if (!value.is_null())
      (field.is_outcome ? outcomes : inputs)[std::string(field.name)] = std::move(value);
    word += field.kind == FieldKind::kStatus && !field.is_array ? 3 : 1;
  }
  ordered_json json = {
      {"function", function.name}, {"site", call.site}, {"arguments", std::move(inputs)}};
  if (!outcomes.empty()) json["outcomes"] = std::move(outcomes);
  if (function.makes_request) json["makes_request"] = true;
  if (call.error != 0) json["error"] = trace::error_class_name(call.error);
  return json;
}

ordered_json durations_json(const trace::Durations& durations) {
  ordered_json histogram = ordered_json::array();
  for (int bin = 0; bin < trace::kBins; ++bin) {
    const auto count = durations.bins[static_cast<std::size_t>(bin)];
    if (count > 0) histogram.push_back({{"from_ns", trace::bin_start(bin)}, {"count", count}});
  }
  return {{"count", durations.count},
          {"sum_ns", durations.sum_ns},
          {"min_ns", durations.min_ns},
          {"max_ns", durations.max_ns},
          {"sum_of_squares_ns2", durations.sum_of_squares},
          {"histogram", std::move(histogram)}};
}

ordered_json before_json(std::uint32_t before) {
  if (before == trace::PlaceTimes::kStart) return "start";
  if (before == trace::PlaceTimes::kOther) return "other";
  return before;
}

// Special values by name, so that no reader has to know their numbers.
ordered_json plain_array_json(const std::vector<std::int64_t>& array) {
  return array_json({"", FieldKind::kInteger, false, true}, array);
}

ordered_json class_json(const trace::RankClass& rank_class) {
  const trace::Program& program = *rank_class.program;
  ordered_json json = {{"ranks", rank_class.ranks.text()}, {"thread", rank_class.thread}};
  json["calls"] = ordered_json::array();
  for (const trace::Call& call : program.calls) json["calls"].push_back(call_json(program, call));
  json["program"] = terms_json(program.nest.top(), "call");
  json["loops"] = loops_json(program.nest, "call");
  json["columns"] = ordered_json::array();
  for (const trace::Column& column : program.columns)
    json["columns"].push_back(column_json(column));
  json["arrays"] = ordered_json::array();
  for (const auto& array : program.arrays) json["arrays"].push_back(plain_array_json(array));
  json["texts"] = program.texts;
  json["times"] = ordered_json::array();
  for (const trace::PlaceTimes& place : program.times) {
    json["times"].push_back({{"call", place.call},
                             {"before", before_json(place.before)},
                             {"computation", durations_json(place.computation)},
                             {"inside", durations_json(place.inside)}});
    if (place.shared != 0) json["times"].back()["shared"] = place.shared;
  }
  return json;
}

// Tables ----------------------------------------------------------------------------------------

ordered_json run_json(const trace::RunFacts& run) {
  return {{"command", run.command},
          {"mpi", run.mpi},
          {"recorder", run.recorder},
          {"ranks", run.ranks},
          {"start_unix_ns", run.start_unix_ns},
          {"complete", run.complete},
          {"thread_level", run.thread_level},
          {"notes", run.notes},
          {"choice", run.choice}};
}

ordered_json ranks_json(const std::vector<trace::RankFacts>& ranks) {
  ordered_json list = ordered_json::array();
  for (const trace::RankFacts& facts : ranks) {
    list.push_back({{"rank", list.size()},
                    {"calls", facts.calls},
                    {"computation_ns", facts.computation_ns},
                    {"inside_ns", facts.inside_ns},
                    {"span_ns", facts.span_ns},
                    {"recorder_ns", facts.recorder_ns},
                    {"recorder_bytes", facts.recorder_bytes},
                    {"startup_ns", facts.startup_ns},
                    {"cpu_ns", facts.cpu_ns},
                    {"waited_for_processor_ns", facts.waited_ns}});
  }
  return list;
}

ordered_json slot_json(FieldKind kind, std::int64_t slot) {
  return object_json({"", kind, false, false}, slot);
}

void add_name(ordered_json& json, const trace::SiteName& name) {
  if (!name.function.empty()) json["function"] = name.function;
  if (!name.inlined_in.empty()) json["inlined_in"] = name.inlined_in;
  if (!name.file.empty()) json["file"] = name.file;
  if (name.line != 0) json["line"] = name.line;
}

ordered_json definitions_json(const trace::Trace& trace) {
  ordered_json json = ordered_json::object();
  json["hosts"] = ordered_json::array();
  for (const trace::Host& host : trace.hosts) {
    json["hosts"].push_back({{"name", host.name}, {"ranks", host.ranks.text()}});
  }
  json["affinities"] = ordered_json::array();
  for (const trace::Affinity& affinity : trace.affinities) {
    json["affinities"].push_back({{"ranks", affinity.ranks.text()},
                                  {"processors", affinity.processors.text()},
                                  {"usable_processors", affinity.usable},
                                  {"computation_is_cpu_time", affinity.computation_is_cpu_time}});
  }
  json["communicators"] = ordered_json::array();
  for (const trace::CommDefinition& comm : trace.comms) {
    json["communicators"].push_back({{"communicator", slot_json(FieldKind::kComm, comm.slot)},
                                     {"members", trace::sequence_of(comm.members)},
                                     {"remote_members", trace::sequence_of(comm.remote)},
                                     {"ranks", comm.holders.text()}});
  }
  json["groups"] = ordered_json::array();
  for (const trace::GroupDefinition& group : trace.groups) {
    json["groups"].push_back({{"group", slot_json(FieldKind::kGroup, group.slot)},
                              {"members", trace::sequence_of(group.members)},
                              {"ranks", group.holders.text()}});
  }
  json["datatypes"] = ordered_json::array();
  for (const trace::DatatypeDefinition& type : trace.datatypes) {
    json["datatypes"].push_back({{"datatype", slot_json(FieldKind::kDatatype, type.slot)},
                                 {"name", type.name},
                                 {"size_bytes", type.size_bytes},
                                 {"extent_bytes", type.extent_bytes},
                                 {"ranks", type.holders.text()}});
  }
  json["sites"] = ordered_json::array();
  for (std::size_t i = 0; i < trace.sites.size(); ++i) {
    const trace::CallSite& site = trace.sites[i];
    json["sites"].push_back({{"module", site.module}, {"offset", site.offset}});
    if (site.caller != 0) json["sites"].back()["caller"] = site.caller - 1;
    if (i < trace.names.size()) add_name(json["sites"].back(), trace.names[i]);
  }
  json["modules"] = ordered_json::array();
  for (const trace::Module& module : trace.modules)
    json["modules"].push_back({{"path", module.path}, {"build_id", module.build_id}});
  return json;
}

} // namespace

std::string to_json(const trace::Trace& trace) {
  ordered_json json = {
      {"schema", kSchema}, {"run", run_json(trace.run)}, {"ranks", ranks_json(trace.ranks)}};
  json["definitions"] = definitions_json(trace);
  json["classes"] = ordered_json::array();
  for (const trace::RankClass& rank_class : trace.classes)
    json["classes"].push_back(class_json(rank_class));
  // Names of commands and objects may hold any bytes; those that are no UTF-8 become replacement
  // characters.
  return escape::json_text(json, 1) + "\n";
}

} // namespace rondo::convert
