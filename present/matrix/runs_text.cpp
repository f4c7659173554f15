// SPDX-License-Identifier: Apache-2.0
#include "matrix/files/text.hpp"
#include "present/matrix/runs_rows.hpp"
#include "rondo/base/escape.hpp"
#include "rondo/base/units.hpp"

#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <vector>

namespace rondo::present {
namespace {

// As it stands in a column.
std::string shown(const MeasuredRun& run) { return escape::terminal(run.name); }

using matrix::internal::finished_line;
using matrix::internal::left;
using matrix::internal::right;

constexpr int kWidth = 100;
constexpr int kNumberWidth = 10;
constexpr int kColumnOfNumbers = 12;

int name_width(std::span<const MeasuredRun> runs) {
  int width = 3;
  for (const MeasuredRun& run : runs)
    width = std::max(width, matrix::internal::width_of(shown(run)));
  return width;
}

std::string ratio_table(std::span<const MeasuredRun> runs) {
  const int name = name_width(runs) + 2;
  std::string text =
      finished_line("Collectives and point-to-point") +
      finished_line("  " + left("", name) + right("", 7) + right("messages", kColumnOfNumbers) +
                    right("collectives", kColumnOfNumbers) +
                    right("collectives", kColumnOfNumbers) +
                    right("collectives", kColumnOfNumbers)) +
      finished_line("  " + left("run", name) + right("ranks", 7) +
                    right("per rank", kColumnOfNumbers) + right("per rank", kColumnOfNumbers) +
                    right("of calls", kColumnOfNumbers) + right("of bytes", kColumnOfNumbers));
  for (const MeasuredRun& run : runs) {
    const matrix::Statistics& s = run.statistics;
    text += finished_line("  " + left(shown(run), name) + right(std::to_string(s.ranks), 7) +
                          right(human_count(s.point_to_point_per_rank()), kColumnOfNumbers) +
                          right(human_count(s.collectives_per_rank()), kColumnOfNumbers) +
                          right(human_percent(s.collective_share_of_calls()), kColumnOfNumbers) +
                          right(human_percent(s.collective_share_of_bytes()), kColumnOfNumbers));
  }
  return text;
}

struct Row {
  std::string name;
  std::function<double(const matrix::Statistics&)> value;
};

// Runs in columns, in as many blocks as the width needs; "-" for nothing.
std::string table(const std::string& title, std::span<const MeasuredRun> runs,
                  const std::vector<Row>& rows) {
  int label = matrix::internal::width_of(title);
  for (const Row& row : rows) label = std::max(label, matrix::internal::width_of(row.name) + 2);
  const int column = std::max(kNumberWidth, name_width(runs) + 2);
  const auto most = static_cast<std::size_t>(std::max(1, (kWidth - label) / column));
  std::string text;
  for (std::size_t first = 0; first < runs.size(); first += most) {
    const auto block = runs.subspan(first, std::min(most, runs.size() - first));
    std::string line = left(first == 0 ? title : "", label);
    for (const MeasuredRun& run : block) line += right(shown(run), column);
    text += "\n" + finished_line(line);
    for (const Row& row : rows) {
      line = left("  " + row.name, label);
      for (const MeasuredRun& run : block) {
        const double value = row.value(run.statistics);
        line += right(value > 0 ? human_count(value) : "-", column);
      }
      text += finished_line(line);
    }
  }
  return text;
}

} // namespace

std::vector<std::string> collectives_of(std::span<const MeasuredRun> runs) {
  std::vector<std::string> names;
  for (const MeasuredRun& run : runs) {
    for (const matrix::CollectiveCount& count : run.statistics.collectives) {
      if (std::find(names.begin(), names.end(), count.function) == names.end())
        names.push_back(count.function);
    }
  }
  return names;
}

double calls_per_rank(const matrix::Statistics& statistics, const std::string& function) {
  for (const matrix::CollectiveCount& count : statistics.collectives) {
    if (count.function == function && statistics.ranks > 0)
      return static_cast<double>(count.calls) / static_cast<double>(statistics.ranks);
  }
  return 0;
}

std::uint64_t messages_in(const matrix::Statistics& statistics, std::size_t bucket) {
  return statistics.sizes[bucket].point_to_point_messages +
         statistics.sizes[bucket].collective_messages;
}

std::string runs_text(std::span<const MeasuredRun> runs) {
  std::vector<Row> types;
  for (const std::string& name : collectives_of(runs)) {
    types.push_back(
        {name, [name](const matrix::Statistics& s) { return calls_per_rank(s, name); }});
  }
  std::vector<Row> sizes;
  for (std::size_t bucket = 0; bucket < matrix::kSizeBuckets; ++bucket) {
    sizes.push_back({bucket_label(bucket), [bucket](const matrix::Statistics& s) {
                       return static_cast<double>(messages_in(s, bucket));
                     }});
  }
  const std::string none = "\nCollectives by type: none\n";
  return ratio_table(runs) + (types.empty() ? none : table("Collectives, per rank", runs, types)) +
         table("Message sizes, messages", runs, sizes);
}

std::string runs_json(std::span<const MeasuredRun> runs, Pairs pairs) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const MeasuredRun& run : runs) {
    nlohmann::ordered_json item = {{"name", run.name}};
    auto measured = nlohmann::ordered_json::parse(statistics_json(run.statistics, pairs));
    measured.erase("schema");
    item.update(measured);
    list.push_back(std::move(item));
  }
  return escape::json_text(nlohmann::ordered_json{{"schema", 1}, {"runs", std::move(list)}}) + "\n";
}

} // namespace rondo::present
