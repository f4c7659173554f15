// SPDX-License-Identifier: Apache-2.0
#include "generate/write/language.hpp"

#include "generate/write/copies.hpp"

#include "rondo/base/escape.hpp"
#include "rondo/base/units.hpp"

#include <algorithm>
#include <cmath>
#include <fmt/core.h>

namespace rondo::generate::internal {

using kainjow::mustache::data;
using kainjow::mustache::mustache;

namespace {

using Kind = Expression::Kind;

constexpr std::size_t kColumns = 100;

} // namespace

// ---- Expressions --------------------------------------------------------------------------------

int Language::strength_of(const Expression& e) const {
  if (e.kind == Kind::kIf) return 1;
  if (e.kind == Kind::kNumber && e.number < 0) return 10;
  return e.kind == Kind::kBinary ? strength(e.text) : kAtom;
}

std::string Language::operand(const Expression& e, int at_least) const {
  const std::string plain = text(e);
  return strength_of(e) < at_least ? "(" + plain + ")" : plain;
}

// Compilers warn of && beside || and of ^ in arithmetic, and people stumble.
std::string Language::binary(const Expression& e) const {
  const int own = strength(e.text);
  const bool is_arithmetic = own >= 8;
  const bool joins = e.text == "&&" || e.text == "||";
  const auto side = [&](const Expression& part, int least) {
    const bool continues = joins && part.kind == Kind::kBinary && part.text == e.text;
    return continues ? text(part) : operand(part, least);
  };
  return side(e.of[0], is_arithmetic ? own : own + 1) + " " + spelled(e.text) + " " +
         side(e.of[1], own + 1);
}

std::string Language::joined(const std::vector<Expression>& expressions) const {
  std::string all;
  for (const Expression& e : expressions) all += (all.empty() ? "" : ", ") + text(e);
  return all;
}

std::string Language::text(const Expression& e) const {
  switch (e.kind) {
  case Kind::kNumber:
    return std::to_string(e.number);
  case Kind::kSeconds:
    return seconds_text(e.seconds);
  case Kind::kName:
    return name(e.text);
  case Kind::kText:
    return literal(e.text);
  case Kind::kBinary:
    return binary(e);
  case Kind::kIf:
    return choice(e);
  case Kind::kLookup: {
    std::string place = e.text;
    for (const Expression& index : e.of) place += "[" + text(index) + "]";
    return place;
  }
  case Kind::kCall:
    return call(e);
  case Kind::kAddress:
    return address(e);
  }
  return "";
}

Uses::Uses(const Benchmark& benchmark) {
  for (const Function& function : benchmark.functions) see(function.body);
  see(benchmark.main);
}

void Uses::see(const std::vector<Statement>& statements) {
  for (const Statement& statement : statements) {
    names_.insert(statement.name);
    if (statement.kind == Statement::Kind::kCompute) names_.insert("compute");
    see(statement.value);
    for (const Argument& argument : statement.arguments) see(argument.value);
    see(statement.body);
    see(statement.otherwise);
  }
}

void Uses::see(const Expression& expression) {
  if (expression.kind != Kind::kText) names_.insert(expression.text);
  for (const Expression& part : expression.of) see(part);
}

// ---- Texts --------------------------------------------------------------------------------------

std::string seconds_text(double value) {
  if (value <= 0) return "0";
  int steps = std::min(0, static_cast<int>(std::floor(std::log10(value) / 3)));
  // 999.6 ns are 1 us in three digits: "1e+03e-9" is no number in C.
  if (steps < 0 && value * std::pow(10, -3 * steps) >= 999.5) ++steps;
  const std::string mantissa = fmt::format("{:.3g}", value * std::pow(10, -3 * steps));
  const bool is_plain = mantissa.find_first_of(".e") == std::string::npos;
  return steps == 0 ? mantissa + (is_plain ? ".0" : "") : mantissa + fmt::format("e{}", 3 * steps);
}

std::string call_lines(const std::string& head, const std::vector<std::string>& arguments,
                       const std::string& tail, int indent) {
  std::string text = std::string(static_cast<std::size_t>(indent), ' ') + head + "(";
  std::size_t line = text.size();
  const std::string next(static_cast<std::size_t>(indent) + 4, ' ');
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const std::string part = arguments[i] + (i + 1 < arguments.size() ? "," : ")" + tail);
    if (i > 0 && line + part.size() + 1 > kColumns) {
      text += "\n" + next;
      line = next.size();
    } else if (i > 0) {
      text += ' ';
      ++line;
    }
    text += part;
    line += part.size();
  }
  return text + (arguments.empty() ? ")" + tail + "\n" : "\n");
}

std::string list_text(const std::vector<std::string>& values, std::string_view brackets,
                      std::size_t column) {
  std::string text(1, brackets.front());
  std::size_t line = column + 1;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string part = values[i] + (i + 1 < values.size() ? ", " : "");
    if (line + part.size() > kColumns) {
      while (!text.empty() && text.back() == ' ') text.pop_back();
      text += "\n    ";
      line = 4;
    }
    text += part;
    line += part.size();
  }
  return text + brackets.back();
}

// ---- Templates ----------------------------------------------------------------------------------

std::string rendered(std::string_view text, const data& values, int most_blank_lines) {
  mustache page{std::string(text)};
  page.set_custom_escape([](const std::string& plain) { return plain; });
  const std::string made = page.render(values);
  const std::string blank(static_cast<std::size_t>(most_blank_lines) + 2, '\n');
  std::string result;
  for (std::size_t i = 0; i < made.size(); ++i) {
    if (made.compare(i, blank.size(), blank) != 0) result += made[i];
  }
  return result;
}

data flag(bool is_set) { return data(is_set ? data::type::bool_true : data::type::bool_false); }

namespace {

data constants_of(const Benchmark& benchmark, const Language& language) {
  data list(data::type::list);
  for (const Constant& constant : benchmark.constants) {
    data row;
    row.set("name", constant.name);
    row.set("value", std::to_string(constant.value));
    if (!constant.comment.empty()) row.set("comment", language.comment(constant.comment));
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

data presets_of(const Benchmark& benchmark, const Language& language) {
  data list(data::type::list);
  for (const Preset& preset : benchmark.presets) {
    data row;
    row.set("table", preset.table);
    row.set("place", std::to_string(preset.place));
    row.set("name", language.name(preset.name));
    list.push_back(row);
  }
  return list;
}

} // namespace

data common_values(const Benchmark& benchmark, const Language& language,
                   const WriterOptions& options) {
  data values;
  values.set("version", options.version);
  const std::string title = options.has_names ? " (" + benchmark.title + ")" : "";
  values.set("of_program", language.comment(title));
  values.set("of_program_in_markdown",
             options.has_names ? " (" + escape::markdown(benchmark.title) + ")" : "");
  values.set("recorded", human_duration(benchmark.recorded_seconds * 1e9));
  values.set("ranks", std::to_string(benchmark.ranks));
  values.set("of_ranks",
             fmt::format("{} rank{}", benchmark.ranks, benchmark.ranks == 1 ? "" : "s"));
  values.set("constants", constants_of(benchmark, language));
  values.set("presets", presets_of(benchmark, language));
  values.set("files", files_of(benchmark, true));
  values.set("scratch", files_of(benchmark, false));
  values.set("skeleton", flag(benchmark.is_skeleton));
  values.set("computed_seconds", fmt::format("{:.6e}", benchmark.computed_seconds));
  values.set("draws", flag(!benchmark.histograms.empty()));
  values.set("follows", flag(!benchmark.courses.empty()));
  values.set("has_passes_apart", flag(internal::has_passes_apart(benchmark)));
  values.set("block", std::to_string(trace::TimeCourse::kBlock));
  values.set("has_series", flag(!benchmark.series.empty()));
  values.set("has_copies",
             flag(std::any_of(benchmark.series.begin(), benchmark.series.end(),
                              [](const Series& series) { return shortened(series).has_copies; })));
  data notes(data::type::list);
  for (const std::string& note : benchmark.notes) notes.push_back(data("text", note));
  values.set("notes", notes);
  return values;
}

std::string value_text(const Language& language, std::int64_t value,
                       const std::map<std::int64_t, std::string>& names) {
  const auto found = names.find(value);
  return found == names.end() ? std::to_string(value) : language.name(found->second);
}

std::vector<std::string> cells_of(const Language& language, const Table& table) {
  std::vector<std::string> cells;
  for (const std::int64_t value : table.values)
    cells.push_back(value_text(language, value, table.names));
  for (const double value : table.seconds) cells.push_back(seconds_text(value));
  return cells;
}

std::vector<std::string> passes_of(const Course& course, const Course::Row& row) {
  std::vector<std::string> passes;
  for (const double time : row.seconds)
    passes.push_back(course.is_exact ? fmt::format("{:.0f}e-9", time * 1e9) : seconds_text(time));
  return passes;
}

bool has_passes_apart(const Benchmark& benchmark) {
  return std::ranges::any_of(benchmark.courses, [](const Course& course) {
    return std::ranges::any_of(course.rows, [](const auto& row) { return !row.apart.empty(); });
  });
}

std::vector<std::pair<std::string, std::string>> cumulated(const Histogram& histogram) {
  std::uint64_t total = 0;
  for (const auto& [time, count] : histogram.bins) total += count;
  std::uint64_t so_far = 0;
  std::vector<std::pair<std::string, std::string>> bins;
  for (const auto& [time, count] : histogram.bins) {
    so_far += count;
    bins.emplace_back(seconds_text(time), fmt::format("{:.6g}", static_cast<double>(so_far) /
                                                                    static_cast<double>(total)));
  }
  return bins;
}

} // namespace rondo::generate::internal
