// SPDX-License-Identifier: Apache-2.0
#include "rondo/generate/c_writer.hpp"

#include "generate/c_text.hpp"
#include "rondo/base/units.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <functional>
#include <kainjow/mustache.hpp>
#include <set>
#include <string_view>

namespace rondo::generate {
namespace {

#include "generate/templates.inc" // kBenchmark_c_mustache, kBenchmark_h_mustache, ...

using kainjow::mustache::data;
using kainjow::mustache::mustache;

// Every name that the program uses: which support code it needs.
class Uses {
public:
  explicit Uses(const Benchmark& benchmark) {
    for (const Function& function : benchmark.functions) see(function.body);
    see(benchmark.main);
  }
  bool has(const std::string& name) const { return names_.contains(name); }
  const std::set<std::string>& names() const { return names_; }

private:
  void see(const std::vector<Statement>& statements) {
    for (const Statement& statement : statements) {
      names_.insert(statement.name);
      if (statement.kind == Statement::Kind::kCompute) names_.insert("compute");
      see(statement.value);
      for (const Argument& argument : statement.arguments) see(argument.value);
      see(statement.body);
      see(statement.otherwise);
    }
  }
  void see(const Expression& expression) {
    if (expression.kind != Expression::Kind::kText) names_.insert(expression.text);
    for (const Expression& part : expression.of) see(part);
  }

  std::set<std::string> names_;
};

std::string rendered(std::string_view text, const data& values) {
  mustache page{std::string(text)};
  page.set_custom_escape([](const std::string& plain) { return plain; });
  const std::string made = page.render(values);
  std::string result; // without the blank lines that sections leave
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (made.compare(i, 3, "\n\n\n") != 0) result += made[i];
  }
  return result;
}

data flag(bool is_set) { return data(is_set ? data::type::bool_true : data::type::bool_false); }

std::string text_of(std::int64_t value, const std::map<std::int64_t, std::string>& names) {
  const auto found = names.find(value);
  return found == names.end() ? std::to_string(value) : found->second;
}

data constants_of(const Benchmark& benchmark) {
  data list(data::type::list);
  for (const Constant& constant : benchmark.constants) {
    data row;
    row.set("name", constant.name);
    row.set("value", std::to_string(constant.value));
    if (!constant.comment.empty()) row.set("comment", constant.comment);
    list.push_back(row);
  }
  return list;
}

// Rows of a table in braces of their own.
std::string nested(const std::vector<std::string>& cells,
                   const std::vector<std::int64_t>& dimensions, std::size_t d) {
  if (d + 1 == dimensions.size()) return internal::c_values(cells, d == 0 ? 60 : 2);
  const std::size_t size = cells.size() / static_cast<std::size_t>(dimensions[d]);
  std::string text = "{\n";
  for (std::size_t at = 0; at < cells.size(); at += size) {
    const std::vector<std::string> row(cells.begin() + static_cast<std::ptrdiff_t>(at),
                                       cells.begin() + static_cast<std::ptrdiff_t>(at + size));
    text += "  " + nested(row, dimensions, d + 1) + (at + size < cells.size() ? ",\n" : "\n");
  }
  return text + "}";
}

data tables_of(const Benchmark& benchmark) {
  data list(data::type::list);
  for (const Table& table : benchmark.tables) {
    std::vector<std::string> cells;
    for (const std::int64_t value : table.values) cells.push_back(text_of(value, table.names));
    for (const double value : table.seconds) cells.push_back(internal::c_seconds(value));
    std::string dimensions;
    for (const std::int64_t d : table.dimensions)
      dimensions +=
          d == benchmark.ranks && dimensions.empty() ? "[RANKS]" : "[" + std::to_string(d) + "]";
    data row;
    row.set("type", table.type);
    row.set("name", table.name);
    row.set("dimensions", dimensions);
    row.set("values", nested(cells, table.dimensions, 0));
    list.push_back(row);
  }
  return list;
}

data series_of(const Benchmark& benchmark, bool only_of_ranks) {
  data list(data::type::list);
  for (const Series& series : benchmark.series) {
    const bool is_of_ranks = series.rows.size() > 1;
    if (only_of_ranks && !is_of_ranks) continue;
    std::string text;
    std::vector<std::string> starts;
    std::vector<std::string> rows;
    std::size_t start = 0;
    for (const auto& progressions : series.rows) {
      starts.push_back(std::to_string(start));
      start += progressions.size();
      std::vector<std::string> parts;
      for (const Progression& p : progressions)
        parts.push_back(
            fmt::format("{{{}, {}, {}}}", text_of(p.first, series.names), p.step, p.count));
      const std::string values = internal::c_values(parts);
      text += "  " + values.substr(1, values.size() - 2) + ",\n";
    }
    for (const std::int64_t row : series.row_of_rank) rows.push_back(std::to_string(row));
    data row;
    row.set("name", series.name);
    row.set("data", text);
    row.set("starts", internal::c_values(starts));
    row.set("rows", internal::c_values(rows));
    row.set("of_ranks", flag(is_of_ranks));
    list.push_back(row);
  }
  return list;
}

data histograms_of(const Benchmark& benchmark) {
  data list(data::type::list);
  std::uint64_t seed = 0;
  for (const Histogram& histogram : benchmark.histograms) {
    std::uint64_t total = 0;
    for (const auto& [time, count] : histogram.bins) total += count;
    std::uint64_t so_far = 0;
    std::vector<std::string> bins;
    for (const auto& [time, count] : histogram.bins) {
      so_far += count;
      bins.push_back(fmt::format("{{{}, {:.6g}}}", internal::c_seconds(time),
                                 static_cast<double>(so_far) / static_cast<double>(total)));
    }
    data row;
    row.set("name", histogram.name);
    row.set("bins", internal::c_values(bins));
    row.set("count", std::to_string(histogram.bins.size()));
    row.set("seed", std::to_string(++seed));
    list.push_back(row);
  }
  return list;
}

data objects_of(const Benchmark& benchmark) {
  static const std::map<std::string, std::string> kTypes{
      {"comm", "MPI_Comm"}, {"group", "MPI_Group"}, {"type", "MPI_Datatype"},  {"op", "MPI_Op"},
      {"win", "MPI_Win"},   {"file", "MPI_File"},   {"message", "MPI_Message"}};
  data list(data::type::list);
  for (const auto& [table, length] : benchmark.objects) {
    data row;
    row.set("type", kTypes.at(table));
    row.set("name", table);
    row.set("length", std::to_string(std::max<std::int64_t>(length, 1)));
    list.push_back(row);
  }
  return list;
}

// Variables for what calls give back.
data ignored_of(const Uses& uses) {
  static const std::pair<const char*, const char*> kIgnored[] = {{"ignored", "int"},
                                                                 {"ignored_flag", "int"},
                                                                 {"ignored_pointer", "void *"},
                                                                 {"ignored_message", "MPI_Message"},
                                                                 {"ignored_Aint", "MPI_Aint"},
                                                                 {"ignored_Offset", "MPI_Offset"},
                                                                 {"ignored_Count", "MPI_Count"},
                                                                 {"no_request", "MPI_Request"}};
  data list(data::type::list);
  const auto add = [&](const std::string& type, const std::string& name) {
    data row;
    row.set("type", type);
    row.set("name", name);
    list.push_back(row);
  };
  for (const auto& [name, type] : kIgnored) {
    if (uses.has(name))
      add(type, std::string(name) +
                    (std::string_view(name) == "no_request" ? " = MPI_REQUEST_NULL" : ""));
  }
  if (uses.has("ignored_list")) add("int", "ignored_list[65536]");
  if (uses.has("ignored_text")) add("char", "ignored_text[65536]");
  return list;
}

data presets_of(const Benchmark& benchmark) {
  data list(data::type::list);
  for (const Preset& preset : benchmark.presets) {
    data row;
    row.set("table", preset.table);
    row.set("place", std::to_string(preset.place));
    row.set("name", preset.name);
    list.push_back(row);
  }
  return list;
}

data files_of(const Benchmark& benchmark, bool only_read) {
  data list(data::type::list);
  for (const ScratchFile& file : benchmark.files) {
    if (only_read && file.bytes == 0) continue;
    data row;
    row.set("name", file.name);
    row.set("bytes", std::to_string(file.bytes));
    list.push_back(row);
  }
  return list;
}

data markers_of(const Uses& uses) {
  data list(data::type::list);
  for (const std::string& name : uses.names()) {
    if (!name.starts_with("rondo_")) continue;
    data row;
    row.set("name", name);
    row.set("parameters", name.starts_with("rondo_phase") ? "const char *" : "void");
    list.push_back(row);
  }
  return list;
}

data functions_of(const Benchmark& benchmark) {
  data list(data::type::list);
  for (const Function& function : benchmark.functions) {
    data row;
    row.set("name", function.name);
    if (!function.comment.empty()) row.set("comment", function.comment);
    row.set("parameters", function.has_iterations ? "int iterations" : "void");
    row.set("body", internal::c_statements(function.body, 2));
    list.push_back(row);
  }
  return list;
}

void set_numbers(data& values, const Benchmark& benchmark, const Uses& uses) {
  const auto set_if = [&](const std::string& key, bool is_there, std::int64_t value) {
    if (is_there) values.set(key, std::to_string(value));
  };
  values.set("ranks", std::to_string(benchmark.ranks));
  const bool has_data = uses.has("send_buffer") || uses.has("receive_buffer");
  values.set("has_data", flag(has_data));
  set_if("buffer_bytes", has_data, std::max<std::int64_t>(benchmark.buffer_bytes, 1));
  set_if("attached_bytes", uses.has("attached_buffer"),
         std::max<std::int64_t>(benchmark.attached_bytes, 1));
  const bool has_lists = uses.has("newest") || uses.has("requests_of") || uses.has("request_of");
  const bool has_polls = uses.has("never") || uses.has("never_all") || uses.has("nowhere") ||
                         uses.has("finished") || uses.has("probe_found") ||
                         uses.has("mprobe_found");
  set_if("requests", benchmark.requests > 0, benchmark.requests);
  set_if("persistent", benchmark.persistent > 0, benchmark.persistent);
  set_if("lists", has_lists || uses.has("all_finished"),
         std::max<std::int64_t>(benchmark.longest_list, 1));
  set_if("types", uses.has("types_of"), std::max<std::int64_t>(benchmark.longest_list, 1));
  values.set("polls", flag(has_polls));
  for (const char* name : {"rank_in", "no_operation", "triples", "numbered"})
    values.set(name, flag(uses.has(name)));
  values.set("win_test", flag(uses.has("win_test_found")));
  values.set("windows", flag(uses.has("window_memory")));
  values.set("computes", flag(uses.has("compute")));
  values.set("skeleton", flag(benchmark.is_skeleton));
  values.set("draws", flag(!benchmark.histograms.empty()));
  values.set("has_series", flag(!benchmark.series.empty()));
}

data notes_of(const Benchmark& benchmark) {
  data list(data::type::list);
  for (const std::string& note : benchmark.notes) list.push_back(data("text", note));
  return list;
}

} // namespace

std::map<std::string, std::string> write_c(const Benchmark& benchmark,
                                           const WriterOptions& options) {
  const Uses uses(benchmark);
  data values;
  set_numbers(values, benchmark, uses);
  values.set("version", options.version);
  values.set("of_program", options.has_names ? " (" + benchmark.title + ")" : "");
  values.set("recorded", human_duration(benchmark.recorded_seconds * 1e9));
  values.set("constants", constants_of(benchmark));
  values.set("tables", tables_of(benchmark));
  values.set("series", series_of(benchmark, false));
  values.set("series_of_ranks", series_of(benchmark, true));
  values.set("histograms", histograms_of(benchmark));
  values.set("objects", objects_of(benchmark));
  values.set("ignored", ignored_of(uses));
  values.set("presets", presets_of(benchmark));
  values.set("files", files_of(benchmark, true));
  values.set("scratch", files_of(benchmark, false));
  values.set("markers", markers_of(uses));
  values.set("functions", functions_of(benchmark));
  values.set("main", internal::c_statements(benchmark.main, 2));
  values.set("notes", notes_of(benchmark));
  return {{"benchmark.c", rendered(kBenchmark_c_mustache, values)},
          {"benchmark.h", rendered(kBenchmark_h_mustache, values)},
          {"support.h", rendered(kSupport_h_mustache, values)},
          {"Makefile", rendered(kMakefile_mustache, values)},
          {"README.md", rendered(kREADME_md_mustache, values)}};
}

} // namespace rondo::generate
