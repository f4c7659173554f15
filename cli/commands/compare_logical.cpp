// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/compare_logical.hpp"

#include "cli/commands.hpp"
#include "cli/common.hpp"
#include "cli/walk.hpp"
#include "rondo/base/escape.hpp"
#include "rondo/logical/comparison.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace rondo::cli {
namespace {

bool is_text(const std::string& file) { return file == "-" || file.ends_with(".txt"); }

// Of an archive, or of a text that `rondo logical` wrote.
// @param lists_few  as in such a text; runs of other sizes have other lists where steps are few
Result<logical::LogicalText> logical_text_of(const std::string& file, bool lists_few) {
  if (is_text(file)) {
    const auto bytes = read_file(file);
    if (!bytes) return propagate(bytes);
    return logical::parse_logical_text(*bytes, file);
  }
  const auto trace = read_for_walk(file);
  if (!trace) return propagate(trace);
  if (auto allowed = allow_read(*trace, file); !allowed) return propagate(allowed);
  logical::LogicalProgram program = logical::logicalize_for_text(*trace);
  program.lists_few = program.lists_few && lists_few;
  if (!logical::leaves_out(program)) return text_of(program, nullptr);
  const logical::OffTopology off = logical::off_topology(*trace, program);
  return text_of(program, &off);
}

nlohmann::json json_of(const logical::Comparison& comparison) {
  nlohmann::json json = {{"schema", 1},
                         {"same", !comparison.difference.has_value()},
                         {"scaling", nlohmann::json::array()},
                         {"difference", nullptr}};
  for (const logical::Scaling& row : comparison.scaling)
    json["scaling"].push_back(
        {{"what", row.what}, {"where", row.where}, {"a", row.a}, {"b", row.b}});
  if (const auto& found = comparison.difference)
    json["difference"] = {
        {"where", found->where}, {"why", found->why}, {"a", found->a}, {"b", found->b}};
  return json;
}

std::string table(const std::vector<logical::Scaling>& rows) {
  std::size_t what = 4;
  std::size_t where = 5;
  std::size_t a = 1;
  for (const logical::Scaling& row : rows) {
    what = std::max(what, row.what.size());
    where = std::max(where, row.where.size());
    a = std::max(a, row.a.size());
  }
  std::string text;
  const auto line = [&](const std::string& w, const std::string& at, const std::string& x,
                        const std::string& y) {
    text += fmt::format("{:<{}}  {:<{}}  {:<{}}  {}\n", w, what, at, where, x, a, y);
  };
  line("what", "where", "A", "B");
  for (const logical::Scaling& row : rows) line(row.what, row.where, row.a, row.b);
  return text;
}

std::string text_of_comparison(const logical::Comparison& comparison) {
  std::string text;
  if (const auto& found = comparison.difference) {
    const auto side = [](const std::string& line) { return line.empty() ? "(nothing)" : line; };
    text = fmt::format("two logical programs: {} in {}\n  A: {}\n  B: {}\n", found->why,
                       found->where, side(found->a), side(found->b));
    if (!comparison.scaling.empty()) text += "before that, with other numbers:\n";
  } else {
    text = comparison.scaling.empty() ? "the same logical program, with the same numbers\n"
                                      : "the same logical program, with other numbers:\n";
  }
  return comparison.scaling.empty() ? text : text + table(comparison.scaling);
}

} // namespace

int compare_logical(const std::string& file_a, const std::string& file_b, bool json) {
  const auto a = logical_text_of(file_a, is_text(file_b));
  if (!a) return complain(a.error());
  const auto b = logical_text_of(file_b, is_text(file_a));
  if (!b) return complain(b.error());
  const logical::Comparison comparison = logical::compare(*a, *b);
  const int status =
      put(json ? escape::json_text(json_of(comparison)) + "\n" : text_of_comparison(comparison));
  return status != kDone ? status : comparison.difference ? kAnswerIsNo : kDone;
}

} // namespace rondo::cli
