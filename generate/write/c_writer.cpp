// SPDX-License-Identifier: Apache-2.0
#include "rondo/generate/writers.hpp"
#include "trace/mpi_names.hpp"

#include "generate/write/c_text.hpp"
#include "generate/write/copies.hpp"

#include <algorithm>
#include <fmt/core.h>
#include <string_view>

namespace rondo::generate {
namespace {

#include "generate/templates.inc" // kBenchmark_c_mustache, kBenchmark_h_mustache, ...

using internal::flag;
using internal::Uses;
using kainjow::mustache::data;

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
    const auto cells = internal::cells_of(internal::CLanguage(), table);
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

data series_of(const Benchmark& benchmark) {
  data list(data::type::list);
  for (const Series& series : benchmark.series) {
    const internal::ShortSeries shorter = internal::shortened(series);
    const bool is_of_ranks = series.rows.size() > 1;
    std::string text;
    for (const auto& entries : shorter.rows) {
      std::vector<std::string> parts;
      for (const auto& [progression, length, back] : entries)
        parts.push_back(length > 0
                            ? fmt::format("{{{}, {}, 0}}", length, back)
                            : fmt::format("{{{}, {}, {}}}",
                                          internal::value_text(internal::CLanguage(),
                                                               progression.first, series.names),
                                          progression.step, progression.count));
      const std::string values = internal::c_values(parts);
      text += "  " + values.substr(1, values.size() - 2) + ",\n";
    }
    std::vector<std::string> starts;
    for (const std::size_t start : shorter.starts) starts.push_back(std::to_string(start));
    std::vector<std::string> rows;
    for (const std::int64_t row : series.row_of_rank) rows.push_back(std::to_string(row));
    data row;
    row.set("name", series.name);
    row.set("data", text);
    row.set("starts", internal::c_values(starts));
    row.set("rows", internal::c_values(rows));
    row.set("of_ranks", flag(is_of_ranks));
    row.set("copies", flag(shorter.has_copies));
    row.set("is_set_up", flag(is_of_ranks || shorter.has_copies));
    row.set("entries", std::to_string(shorter.entries));
    list.push_back(row);
  }
  return list;
}

data set_up_of(const data& all_series) {
  data list(data::type::list);
  for (const data& series : all_series.list_value()) {
    if (series.get("is_set_up")->is_true()) list.push_back(series);
  }
  return list;
}

data histograms_of(const Benchmark& benchmark) {
  data list(data::type::list);
  std::size_t number = 0;
  for (const Histogram& histogram : benchmark.histograms) {
    std::vector<std::string> bins;
    for (const auto& [time, share] : internal::cumulated(histogram))
      bins.push_back("{" + time + ", " + share + "}");
    data row;
    row.set("name", histogram.name);
    row.set("bins", internal::c_values(bins));
    row.set("count", std::to_string(histogram.bins.size()));
    row.set("number", std::to_string(++number));
    list.push_back(row);
  }
  return list;
}

data courses_of(const Benchmark& benchmark) {
  data list(data::type::list);
  for (const Course& course : benchmark.courses) {
    data rows(data::type::list);
    for (std::size_t i = 0; i < course.rows.size(); ++i) {
      const std::vector<std::string> times = internal::passes_of(course, course.rows[i]);
      data row;
      row.set("number", std::to_string(i));
      row.set("times", internal::c_values(times, 2));
      row.set("length", std::to_string(times.size()));
      row.set("stride", std::to_string(course.rows[i].stride));
      std::vector<std::string> apart;
      for (const auto& [pass, time] : course.rows[i].apart)
        apart.push_back(fmt::format("{{{}, {}}}", pass, internal::seconds_text(time)));
      row.set("has_apart", internal::flag(!apart.empty()));
      row.set("apart", internal::c_values(apart, 2));
      row.set("apart_count", std::to_string(apart.size()));
      rows.push_back(row);
    }
    std::vector<std::string> of_ranks;
    for (std::size_t r = 0; r < course.row_of_rank.size(); ++r)
      of_ranks.push_back(
          fmt::format("{{{}, {:.4g}}}", course.row_of_rank[r], course.factor_of_rank[r]));
    data item;
    item.set("name", course.name);
    item.set("rows", rows);
    item.set("of_ranks", internal::c_values(of_ranks, 2));
    list.push_back(item);
  }
  return list;
}

data objects_of(const Benchmark& benchmark) {
  static const std::map<std::string_view, std::string_view> kTypes{
      {"comm", mpi::Comm}, {"group", mpi::Group}, {"type", mpi::Datatype},  {"op", mpi::Op},
      {"win", mpi::Win},   {"file", mpi::File},   {"message", mpi::Message}};
  data list(data::type::list);
  for (const auto& [table, length] : benchmark.objects) {
    data row;
    row.set("type", std::string(kTypes.at(table)));
    row.set("name", table);
    row.set("length", std::to_string(std::max<std::int64_t>(length, 1)));
    list.push_back(row);
  }
  return list;
}

// Variables for what calls give back.
data ignored_of(const Uses& uses) {
  static constexpr std::pair<std::string_view, std::string_view> kIgnored[] = {
      {"ignored", "int"},
      {"ignored_flag", "int"},
      {"ignored_pointer", "void *"},
      {"ignored_message", mpi::Message},
      {"ignored_Aint", mpi::Aint},
      {"ignored_Offset", mpi::Offset},
      {"ignored_Count", mpi::Count},
      {"no_request", mpi::Request}};
  data list(data::type::list);
  const auto add = [&](std::string_view type, std::string_view name) {
    data row;
    row.set("type", std::string(type));
    row.set("name", std::string(name));
    list.push_back(row);
  };
  for (const auto& [name, type] : kIgnored) {
    if (uses.has(name))
      add(type, std::string(name) + (name == "no_request" ? " = MPI_REQUEST_NULL" : ""));
  }
  if (uses.has("ignored_list")) add("int", "ignored_list[65536]");
  if (uses.has("ignored_text")) add("char", "ignored_text[65536]");
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

// Persistent collectives, which Open MPI 4 has under names of its own.
data early_names_of(const Uses& uses) {
  data list(data::type::list);
  for (const std::string& name : uses.names()) {
    const trace::Function* function = trace::find_function(name);
    if (function == nullptr || function->mode != trace::Mode::kPersistent) continue;
    if (function->role == trace::Role::kCollective || function->role == trace::Role::kNeighbor)
      list.push_back(data("name", name.substr(std::string_view("MPI_").size())));
  }
  return list;
}

data functions_of(const Benchmark& benchmark) {
  data list(data::type::list);
  for (const Function& function : benchmark.functions) {
    data row;
    row.set("name", function.name);
    if (!function.comment.empty())
      row.set("comment", internal::CLanguage().comment(function.comment));
    std::string parameters = function.has_iterations ? "int iterations" : "";
    for (const Parameter& p : function.parameters)
      parameters += (parameters.empty() ? "" : ", ") + p.type + " " + p.name;
    row.set("parameters", parameters.empty() ? "void" : parameters);
    row.set("body", internal::c_statements(function.body, 2));
    list.push_back(row);
  }
  return list;
}

data threads_of(const Benchmark& benchmark) {
  data list(data::type::list);
  for (const Thread& thread : benchmark.threads) {
    data row;
    row.set("number", std::to_string(thread.number));
    row.set("name", thread.function);
    list.push_back(row);
  }
  return list;
}

void set_numbers(data& values, const Benchmark& benchmark, const Uses& uses) {
  const auto set_if = [&](const std::string& key, bool is_there, std::int64_t value) {
    if (is_there) values.set(key, std::to_string(value));
  };
  const bool has_data = uses.has("send_buffer") || uses.has("receive_buffer");
  values.set("has_data", flag(has_data));
  set_if("buffer_bytes", has_data, std::max<std::int64_t>(benchmark.buffer_bytes, 1));
  set_if("attached_bytes", uses.has("attached_buffer"),
         std::max<std::int64_t>(benchmark.attached_bytes, 1));
  const bool has_lists = uses.has_any("newest", "requests_of", "request_of");
  const bool has_polls =
      uses.has_any("never", "never_all", "nowhere", "finished", "probe_found", "mprobe_found");
  set_if("address_bytes", uses.has("addresses"), benchmark.address_bytes);
  set_if("addresses_list", uses.has("addresses"),
         std::max<std::int64_t>(benchmark.longest_list, 1));
  set_if("requests", benchmark.requests > 0, benchmark.requests);
  set_if("persistent", benchmark.persistent > 0, benchmark.persistent);
  set_if("lists", has_lists || uses.has("all_finished"),
         std::max<std::int64_t>(benchmark.longest_list, 1));
  set_if("types", uses.has("types_of"), std::max<std::int64_t>(benchmark.longest_list, 1));
  values.set("polls", flag(has_polls));
  for (const char* name : {"rank_in", "no_operation", "triples", "numbered"})
    values.set(name, flag(uses.has(name)));
  values.set("equal", flag(uses.has_any("equal_counts", "equal_blocks")));
  values.set("win_test", flag(uses.has("win_test_found")));
  values.set("windows", flag(uses.has("window_memory")));
  values.set("computes", flag(uses.has("compute")));
}

} // namespace

BenchmarkFiles write_c(const Benchmark& benchmark, const WriterOptions& options) {
  using internal::rendered;
  const Uses uses(benchmark);
  data values = internal::common_values(benchmark, internal::CLanguage(), options);
  set_numbers(values, benchmark, uses);
  values.set("tables", tables_of(benchmark));
  const data series = series_of(benchmark);
  values.set("series", series);
  values.set("set_up", set_up_of(series));
  values.set("histograms", histograms_of(benchmark));
  values.set("courses", courses_of(benchmark));
  values.set("objects", objects_of(benchmark));
  values.set("ignored", ignored_of(uses));
  values.set("markers", markers_of(uses));
  const data early_names = early_names_of(uses);
  values.set("has_early_names", flag(!early_names.is_empty_list()));
  values.set("early_names", early_names);
  values.set("functions", functions_of(benchmark));
  values.set("own", benchmark.threads.empty() ? "static" : "static _Thread_local");
  if (!benchmark.threads.empty())
    values.set("threads", std::to_string(benchmark.threads.back().number));
  values.set("thread_bodies", threads_of(benchmark));
  values.set("main", internal::c_statements(benchmark.main, 2));
  BenchmarkFiles files{{"benchmark.c", rendered(kBenchmark_c_mustache, values)},
                       {"benchmark.h", rendered(kBenchmark_h_mustache, values)},
                       {"support.h", rendered(kSupport_h_mustache, values)},
                       {"Makefile", rendered(kMakefile_mustache, values)},
                       {"README.md", rendered(kREADME_md_mustache, values)}};
  if (!benchmark.courses.empty()) files["times.h"] = rendered(kTimes_h_mustache, values);
  return files;
}

} // namespace rondo::generate
