// SPDX-License-Identifier: Apache-2.0
#include "rondo/generate/writers.hpp"

#include "rondo/base/escape.hpp"

#include <nlohmann/json.hpp>

namespace rondo::generate {
namespace {

using Json = nlohmann::ordered_json;

Json array_of(const std::vector<Expression>& expressions);

// A number stands for itself, everything else is an object with one key that says what it is.
Json json_of(const Expression& e) {
  switch (e.kind) {
  case Expression::Kind::kNumber:
    return e.number;
  case Expression::Kind::kSeconds:
    return {{"seconds", e.seconds}};
  case Expression::Kind::kName:
    return {{"name", e.text}};
  case Expression::Kind::kText:
    return {{"text", e.text}};
  case Expression::Kind::kBinary:
    return {{"binary", e.text}, {"of", array_of(e.of)}};
  case Expression::Kind::kIf:
    return {{"if", json_of(e.of[0])}, {"then", json_of(e.of[1])}, {"else", json_of(e.of[2])}};
  case Expression::Kind::kLookup:
    return {{"lookup", e.text}, {"at", array_of(e.of)}};
  case Expression::Kind::kCall:
    return {{"call", e.text}, {"arguments", array_of(e.of)}};
  case Expression::Kind::kAddress:
    return {{"address", json_of(e.of[0])}};
  }
  return {};
}

Json array_of(const std::vector<Expression>& expressions) {
  Json list = Json::array();
  for (const Expression& e : expressions) list.push_back(json_of(e));
  return list;
}

Json json_of(const std::vector<Statement>& statements);

Json arguments_of(const Statement& statement) {
  Json arguments = Json::object();
  for (const Argument& argument : statement.arguments)
    arguments[argument.name] = json_of(argument.value);
  return arguments;
}

Json json_of(const Statement& statement) {
  Json json;
  switch (statement.kind) {
  case Statement::Kind::kCall:
    json = {{"call", statement.name}, {"arguments", arguments_of(statement)}};
    break;
  case Statement::Kind::kLoop:
    json = {{"loop", statement.name},
            {"iterations", json_of(statement.value)},
            {"body", json_of(statement.body)}};
    break;
  case Statement::Kind::kIf:
    json = {{"if", json_of(statement.value)}, {"then", json_of(statement.body)}};
    if (!statement.otherwise.empty()) json["else"] = json_of(statement.otherwise);
    break;
  case Statement::Kind::kCompute:
    json = {{"compute", json_of(statement.value)}};
    break;
  case Statement::Kind::kInvoke:
    json = {{"invoke", statement.name}, {"arguments", arguments_of(statement)}};
    break;
  }
  if (!statement.comment.empty()) json["comment"] = statement.comment;
  if (statement.full > 0) json["full"] = statement.full;
  if (statement.is_part) json["is_part"] = true;
  return json;
}

Json json_of(const std::vector<Statement>& statements) {
  Json list = Json::array();
  for (const Statement& statement : statements) list.push_back(json_of(statement));
  return list;
}

// Values of a list, those that are constants of MPI's by their names.
Json named(std::int64_t value, const std::map<std::int64_t, std::string>& names) {
  const auto found = names.find(value);
  return found == names.end() ? Json(value) : Json(found->second);
}

Json json_of(const Table& table) {
  Json json{{"name", table.name}, {"type", table.type}, {"dimensions", table.dimensions}};
  if (!table.lengths.empty()) json["lengths"] = table.lengths;
  Json& values = json["values"] = Json::array();
  for (const std::int64_t value : table.values) values.push_back(named(value, table.names));
  for (const double value : table.seconds) values.push_back(value);
  return json;
}

Json json_of(const Series& series) {
  Json rows = Json::array();
  for (const auto& progressions : series.rows) {
    Json row = Json::array();
    for (const Progression& p : progressions)
      row.push_back({named(p.first, series.names), p.step, p.count});
    rows.push_back(row);
  }
  return {{"name", series.name}, {"rows", rows}, {"row_of_rank", series.row_of_rank}};
}

Json lists_of(const Benchmark& benchmark) {
  Json json = Json::object();
  const auto list = [&](const char* key, const auto& items, const auto& make) {
    Json& all = json[key] = Json::array();
    for (const auto& item : items) all.push_back(make(item));
  };
  list("constants", benchmark.constants, [](const Constant& c) {
    return Json{{"name", c.name}, {"value", c.value}, {"comment", c.comment}};
  });
  list("tables", benchmark.tables, [](const Table& table) { return json_of(table); });
  list("series", benchmark.series, [](const Series& series) { return json_of(series); });
  list("histograms", benchmark.histograms, [](const Histogram& histogram) {
    return Json{{"name", histogram.name}, {"bins", histogram.bins}};
  });
  list("courses", benchmark.courses, [](const Course& course) {
    Json rows = Json::array();
    for (const Course::Row& row : course.rows)
      rows.push_back({{"seconds", row.seconds}, {"stride", row.stride}, {"apart", row.apart}});
    return Json{{"name", course.name},
                {"rows", rows},
                {"row_of_rank", course.row_of_rank},
                {"factor_of_rank", course.factor_of_rank}};
  });
  list("presets", benchmark.presets, [](const Preset& p) {
    return Json{{"table", p.table}, {"place", p.place}, {"name", p.name}};
  });
  list("files", benchmark.files, [](const ScratchFile& file) {
    return Json{{"name", file.name}, {"bytes", file.bytes}};
  });
  list("functions", benchmark.functions, [](const Function& function) {
    Json parameters = Json::array();
    for (const Parameter& p : function.parameters)
      parameters.push_back({{"name", p.name}, {"type", p.type}});
    return Json{{"name", function.name},
                {"comment", function.comment},
                {"has_iterations", function.has_iterations},
                {"parameters", parameters},
                {"body", json_of(function.body)}};
  });
  list("threads", benchmark.threads, [](const Thread& thread) {
    return Json{{"number", thread.number}, {"function", thread.function}};
  });
  return json;
}

} // namespace

BenchmarkFiles write_json(const Benchmark& benchmark, const WriterOptions& options) {
  Json json{{"format", "rondo-benchmark"}, {"version", 1}, {"rondo", options.version}};
  if (options.has_names) json["title"] = benchmark.title;
  json.update({{"ranks", benchmark.ranks},
               {"recorded_seconds", benchmark.recorded_seconds},
               {"is_skeleton", benchmark.is_skeleton},
               {"computed_seconds", benchmark.computed_seconds},
               {"notes", benchmark.notes},
               {"objects", benchmark.objects},
               {"requests", benchmark.requests},
               {"persistent", benchmark.persistent},
               {"longest_list", benchmark.longest_list},
               {"buffer_bytes", benchmark.buffer_bytes},
               {"attached_bytes", benchmark.attached_bytes},
               {"address_bytes", benchmark.address_bytes}});
  json.update(lists_of(benchmark));
  json["main"] = json_of(benchmark.main);
  return {{"benchmark.json", escape::json_text(json, 1) + "\n"}};
}

} // namespace rondo::generate
