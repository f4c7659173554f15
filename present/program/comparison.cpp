// SPDX-License-Identifier: Apache-2.0
#include "present/program/comparison.hpp"

#include "present/words.hpp"
#include "rondo/base/units.hpp"
#include "rondo/trace/rank_set.hpp"

#include <algorithm>
#include <array>
#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace rondo::present {
namespace {

using generate::CallPlace;
using generate::Comparison;
using generate::Difference;
using generate::DifferenceKind;
using generate::FunctionTiming;
using generate::TimingComparison;
using generate::TraceTiming;

// ---- The answer
// ----------------------------------------------------------------------------------

std::string name_of(const std::vector<std::int64_t>& ranks, std::uint32_t thread) {
  std::string text = ranks.size() == 1 ? "rank " : "ranks ";
  text += trace::RankSet::of(ranks).text();
  return thread == 0 ? text : text + fmt::format(", thread {}", thread);
}

std::string side_text(char name, const CallPlace& place) {
  std::string text = fmt::format("  {}, call {}:\n", name, place.call);
  if (!place.loops.empty())
    text = fmt::format("  {}, call {}, in {}:\n", name, place.call, place.loops);
  for (const std::string& line : place.before) text += "      " + line + "\n";
  return text + "    > " + (place.is_end ? "(no more calls)" : place.line) + "\n";
}

// For JSON.
std::string what_differs(const Difference& difference) {
  switch (difference.kind) {
  case DifferenceKind::kOneEnds:
    return "one ends";
  case DifferenceKind::kRecordedInOneOnly:
    return "recorded in one only";
  case DifferenceKind::kCall:
    break;
  }
  return difference.field;
}

std::string text_of_difference(const Difference& difference) {
  const bool is_one = difference.ranks.size() == 1;
  std::string text = "\n" + name_of(difference.ranks, difference.thread);
  if (difference.kind == DifferenceKind::kRecordedInOneOnly)
    return text + fmt::format("{} recorded in {} only\n", is_one ? " is" : " are",
                              difference.a.line.empty() ? "B" : "A");
  if (difference.kind == DifferenceKind::kOneEnds) {
    text += fmt::format(": {} ends first", difference.a.is_end ? "A" : "B");
  } else {
    text += fmt::format(" {} first in '{}'", is_one ? "differs" : "differ", difference.field);
  }
  text += is_one ? "\n" : fmt::format("; rank {}:\n", difference.ranks.front());
  return text + side_text('A', difference.a) + side_text('B', difference.b);
}

std::string ranks_text(std::int64_t ranks) {
  return count_of(static_cast<std::uint64_t>(ranks), "rank");
}

std::string head_of(const Comparison& comparison) {
  if (comparison.ranks_a != comparison.ranks_b)
    return fmt::format("different: A has {}, B has {}\n", ranks_text(comparison.ranks_a),
                       comparison.ranks_b);
  if (comparison.same())
    return fmt::format(
        "equal: {} the same in {}\n",
        ranks_text(comparison.ranks_a) + (comparison.ranks_a == 1 ? " says" : " say"),
        count_of(static_cast<std::uint64_t>(comparison.calls_a - comparison.idle_polls_a -
                                            comparison.queries_a),
                 "call"));
  return fmt::format("different: {} of {} not say the same\n", comparison.ranks_that_differ,
                     ranks_text(comparison.ranks_a) +
                         (comparison.ranks_that_differ == 1 ? " does" : " do"));
}

// ---- Times
// ---------------------------------------------------------------------------------------

using TableLine = std::array<std::string, 8>;

std::string ratio_text(std::uint64_t a, std::uint64_t b) {
  return b == 0 ? "" : fmt::format("{:.2f}", static_cast<double>(a) / static_cast<double>(b));
}

std::string duration(std::uint64_t ns) { return human_duration(static_cast<double>(ns)); }
std::string size_text(std::uint64_t n) { return n == 0 ? "" : human_bytes(static_cast<double>(n)); }

TableLine row_of(const FunctionTiming& f) {
  return {f.function,
          std::to_string(f.a.calls),
          std::to_string(f.b.calls),
          size_text(f.a.bytes),
          size_text(f.b.bytes),
          duration(f.a.inside_ns),
          duration(f.b.inside_ns),
          ratio_text(f.a.inside_ns, f.b.inside_ns)};
}

TableLine total_row(const char* what, std::uint64_t a, std::uint64_t b) {
  return {what, "", "", "", "", duration(a), duration(b), ratio_text(a, b)};
}

// Characters, not bytes: the unit may be a µs.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

std::string table(const std::vector<TableLine>& rows) {
  std::array<std::size_t, 8> widths{};
  for (const TableLine& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], width_of(row[i]));
  }
  std::string text;
  for (const TableLine& row : rows) {
    std::string line = row[0] + std::string(widths[0] - width_of(row[0]), ' ');
    for (std::size_t i = 1; i < row.size(); ++i)
      line += std::string(2 + widths[i] - width_of(row[i]), ' ') + row[i];
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + "\n";
  }
  return text;
}

// ---- JSON
// ----------------------------------------------------------------------------------------

nlohmann::json json_of(const CallPlace& place) {
  return {{"call", place.call},
          {"line", place.is_end ? nlohmann::json(nullptr) : nlohmann::json(place.line)},
          {"loops", place.loops},
          {"before", place.before}};
}

nlohmann::json json_of(const FunctionTiming::Side& side) {
  return {{"calls", side.calls}, {"bytes", side.bytes}, {"inside_ns", side.inside_ns}};
}

nlohmann::json json_of(const TraceTiming& timing) {
  return {{"computation_ns", timing.computation_ns},
          {"inside_ns", timing.inside_ns},
          {"span_ns", timing.span_ns}};
}

} // namespace

std::string text_of(const Comparison& comparison) {
  std::string text = head_of(comparison);
  for (const std::string& remark : comparison.remarks) text += "  " + remark + "\n";
  if (comparison.idle_polls_a + comparison.idle_polls_b > 0)
    text += fmt::format("  polls that found nothing: A {}, B {}\n", comparison.idle_polls_a,
                        comparison.idle_polls_b);
  if (comparison.queries_a + comparison.queries_b > 0)
    text +=
        fmt::format("  calls of MPI_Type_get_contents and its frees, which nobody else hears of, "
                    "do not count: A {}, B {}\n",
                    comparison.queries_a, comparison.queries_b);
  std::size_t shown = 0;
  for (const Difference& difference : comparison.differences) {
    text += text_of_difference(difference);
    shown += difference.ranks.size();
  }
  const auto all = static_cast<std::size_t>(comparison.ranks_that_differ);
  if (shown < all)
    text +=
        fmt::format("\nand {} in other ways\n", counted(all - shown, "more rank", "more ranks"));
  return text;
}

std::string text_of(const TimingComparison& timing) {
  std::vector<TableLine> rows{
      {"call", "calls A", "calls B", "bytes A", "bytes B", "in MPI A", "in MPI B", "A/B"}};
  for (const FunctionTiming& function : timing.functions) rows.push_back(row_of(function));
  rows.push_back(total_row("all calls", timing.a.inside_ns, timing.b.inside_ns));
  rows.push_back(total_row("computation", timing.a.computation_ns, timing.b.computation_ns));
  rows.push_back(total_row("longest rank", timing.a.span_ns, timing.b.span_ns));
  return table(rows);
}

nlohmann::json json_of(const Comparison& comparison, const TimingComparison& timing) {
  nlohmann::json json = {
      {"schema", 1},
      {"same", comparison.same()},
      {"ranks", {{"a", comparison.ranks_a}, {"b", comparison.ranks_b}}},
      {"calls", {{"a", comparison.calls_a}, {"b", comparison.calls_b}}},
      {"idle_polls", {{"a", comparison.idle_polls_a}, {"b", comparison.idle_polls_b}}},
      {"queries", {{"a", comparison.queries_a}, {"b", comparison.queries_b}}},
      {"ranks_that_differ", comparison.ranks_that_differ},
      {"remarks", comparison.remarks},
      {"differences", nlohmann::json::array()},
      {"functions", nlohmann::json::array()},
      {"times", {{"a", json_of(timing.a)}, {"b", json_of(timing.b)}}}};
  for (const Difference& d : comparison.differences)
    json["differences"].push_back({{"ranks", d.ranks},
                                   {"thread", d.thread},
                                   {"what", what_differs(d)},
                                   {"a", json_of(d.a)},
                                   {"b", json_of(d.b)}});
  for (const FunctionTiming& f : timing.functions)
    json["functions"].push_back(
        {{"function", f.function}, {"a", json_of(f.a)}, {"b", json_of(f.b)}});
  return json;
}

} // namespace rondo::present
