// SPDX-License-Identifier: Apache-2.0
#include "generate/write/copies.hpp"
#include "generate/write/python_text.hpp"
#include "rondo/generate/writers.hpp"
#include "trace/mpi_names.hpp"

#include <algorithm>
#include <fmt/core.h>

namespace rondo::generate {
namespace {

#include "generate/python_templates.inc" // kBenchmark_py_mustache, kREADME_python_md_mustache

using internal::flag;
using internal::PythonLanguage;
using internal::PythonText;
using internal::Uses;
using kainjow::mustache::data;

std::string list_of(const std::vector<std::string>& values, std::size_t column = 60) {
  return internal::list_text(values, "[]", column);
}

// Rows of a table in lists of their own, without what fills them up.
std::string nested(const std::vector<std::string>& cells, const Table& table, std::size_t d,
                   std::size_t row) {
  if (d + 1 == table.dimensions.size()) {
    std::vector<std::string> own = cells;
    if (!table.lengths.empty()) own.resize(static_cast<std::size_t>(table.lengths[row]));
    return list_of(own, d == 0 ? 60 : 4);
  }
  const auto rows = static_cast<std::size_t>(table.dimensions[d]);
  const std::size_t size = cells.size() / rows;
  std::string text = "[\n";
  for (std::size_t r = 0; r < rows; ++r) {
    const auto begin = cells.begin() + static_cast<std::ptrdiff_t>(r * size);
    text += "    " +
            nested({begin, begin + static_cast<std::ptrdiff_t>(size)}, table, d + 1, row + r) +
            ",\n";
  }
  return text + "]";
}

data python_tables(const Benchmark& benchmark) {
  data list(data::type::list);
  for (const Table& table : benchmark.tables) {
    data row;
    row.set("name", table.name);
    row.set("values", nested(internal::cells_of(PythonLanguage(), table), table, 0, 0));
    list.push_back(row);
  }
  return list;
}

data python_series(const Benchmark& benchmark) {
  data list(data::type::list);
  for (const Series& series : benchmark.series) {
    const internal::ShortSeries shorter = internal::shortened(series);
    std::string rows;
    for (const auto& entries : shorter.rows) {
      std::vector<std::string> parts;
      for (const auto& [progression, length, back] : entries)
        parts.push_back(length > 0
                            ? fmt::format("({}, {}, 0)", length, back)
                            : fmt::format("({}, {}, {})",
                                          internal::value_text(PythonLanguage(), progression.first,
                                                               series.names),
                                          progression.step, progression.count));
      rows += "    " + list_of(parts, 4) + ",\n";
    }
    std::vector<std::string> row_of_rank;
    for (const std::int64_t r : series.row_of_rank) row_of_rank.push_back(std::to_string(r));
    data row;
    row.set("name", series.name);
    row.set("data", rows);
    row.set("rows", list_of(row_of_rank));
    row.set("of_ranks", flag(series.rows.size() > 1));
    row.set("copies", flag(shorter.has_copies));
    list.push_back(row);
  }
  return list;
}

data python_histograms(const Benchmark& benchmark) {
  data list(data::type::list);
  for (std::size_t i = 0; i < benchmark.histograms.size(); ++i) {
    const Histogram& histogram = benchmark.histograms[i];
    std::vector<std::string> bins;
    for (const auto& [time, share] : internal::cumulated(histogram))
      bins.push_back("(" + time + ", " + share + ")");
    data row;
    row.set("name", histogram.name);
    row.set("bins", list_of(bins, histogram.name.size() + 8));
    row.set("number", std::to_string(i + 1));
    list.push_back(row);
  }
  return list;
}

data python_courses(const Benchmark& benchmark) {
  data list(data::type::list);
  const bool has_apart = internal::has_passes_apart(benchmark);
  for (const Course& course : benchmark.courses) {
    std::string rows;
    for (const Course::Row& row : course.rows) {
      std::vector<std::string> apart;
      for (const auto& [pass, time] : row.apart)
        apart.push_back(fmt::format("{}: {}", pass, internal::seconds_text(time)));
      rows += fmt::format("    ({}, {}{}),\n", list_of(internal::passes_of(course, row), 5),
                          row.stride, has_apart ? ", " + internal::list_text(apart, "{}", 5) : "");
    }
    std::vector<std::string> of_ranks;
    for (std::size_t r = 0; r < course.row_of_rank.size(); ++r)
      of_ranks.push_back(
          fmt::format("({}, {:.4g})", course.row_of_rank[r], course.factor_of_rank[r]));
    data item;
    item.set("name", course.name);
    item.set("rows", rows);
    item.set("of_ranks", list_of(of_ranks, course.name.size() + 11));
    list.push_back(item);
  }
  return list;
}

data python_objects(const Benchmark& benchmark) {
  static const std::map<std::string, std::string> kNone{
      {"comm", "COMM_NULL"}, {"group", "GROUP_NULL"}, {"type", "DATATYPE_NULL"},  {"op", "OP_NULL"},
      {"win", "WIN_NULL"},   {"file", "FILE_NULL"},   {"message", "MESSAGE_NULL"}};
  data list(data::type::list);
  for (const auto& [table, length] : benchmark.objects) {
    data row;
    row.set("name", table);
    row.set("none", kNone.at(table));
    row.set("length", std::to_string(std::max<std::int64_t>(length, 1)));
    list.push_back(row);
  }
  return list;
}

data python_functions(const Benchmark& benchmark, PythonText& text) {
  data list(data::type::list);
  for (const Function& function : benchmark.functions) {
    data row;
    row.set("name", function.name);
    if (!function.comment.empty()) row.set("comment", PythonLanguage().comment(function.comment));
    std::string parameters = function.has_iterations ? "iterations" : "";
    for (const Parameter& p : function.parameters)
      parameters += (parameters.empty() ? "" : ", ") + p.name;
    row.set("parameters", parameters);
    std::string body = text.statements(function.body, 4);
    body.pop_back(); // the template ends the line
    row.set("body", body);
    list.push_back(row);
  }
  return list;
}

void set_support(data& values, const Benchmark& benchmark, const Uses& uses) {
  const auto set_if = [&](const std::string& key, bool is_there, std::int64_t value) {
    if (is_there) values.set(key, std::to_string(value));
  };
  const bool has_data = uses.has_any("send_buffer", "receive_buffer");
  values.set("has_data", flag(has_data));
  set_if("buffer_bytes", has_data, std::max<std::int64_t>(benchmark.buffer_bytes, 1));
  set_if("requests", benchmark.requests > 0, benchmark.requests);
  set_if("persistent", benchmark.persistent > 0, benchmark.persistent);
  const bool has_lists = uses.has_any("requests_of", "request_of", "all_finished");
  values.set("lists", flag(has_lists));
  values.set("polls", flag(uses.has_any("never", "never_all", "nowhere", "finished", "all_finished",
                                        "probe_found", "mprobe_found")));
  for (const char* name : {"no_operation", "triples", "numbered"})
    values.set(name, flag(uses.has(name)));
  values.set("computes", flag(uses.has("compute")));
  values.set("types", flag(uses.has("types_of")));
  values.set("equal", flag(uses.has_any("equal_counts", "equal_blocks")));
  values.set("win_test", flag(uses.has("win_test_found")));
  values.set("idup", flag(uses.has(mpi::Comm_idup)));
  values.set("reduce_scatter", flag(uses.has_any(mpi::Reduce_scatter, mpi::Ireduce_scatter)));
  values.set("reduce_scatter_block",
             flag(uses.has_any(mpi::Reduce_scatter_block, mpi::Ireduce_scatter_block)));
  values.set("markers", flag(std::ranges::any_of(uses.names(), [](const std::string& name) {
               return name.starts_with("rondo_");
             })));
}

} // namespace

Result<BenchmarkFiles> write_python(const Benchmark& benchmark, const WriterOptions& options) {
  const Uses uses(benchmark);
  PythonText text(benchmark);
  data values = internal::common_values(benchmark, PythonLanguage(), options);
  set_support(values, benchmark, uses);
  values.set("tables", python_tables(benchmark));
  values.set("series", python_series(benchmark));
  values.set("histograms", python_histograms(benchmark));
  values.set("courses", python_courses(benchmark));
  values.set("objects", python_objects(benchmark));
  values.set("functions", python_functions(benchmark, text));
  std::string main = text.statements(benchmark.main, 4);
  main.pop_back();
  values.set("main", main);
  values.set("nobody", flag(text.has_nobody()));
  if (!text.problems().empty() || uses.has("addresses") || !benchmark.threads.empty()) {
    std::string list = "has what mpi4py can't say; --language c can:";
    if (uses.has("addresses")) list += "\n  datatypes of addresses, for MPI_BOTTOM";
    if (!benchmark.threads.empty()) list += "\n  threads other than the first";
    for (const std::string& problem : text.problems()) list += "\n  " + problem;
    return fail(ErrorCode::kUnsupported, list);
  }
  return BenchmarkFiles{{"benchmark.py", internal::rendered(kBenchmark_py_mustache, values, 2)},
                        {"README.md", internal::rendered(kREADME_python_md_mustache, values)}};
}

} // namespace rondo::generate
