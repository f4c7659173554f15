// SPDX-License-Identifier: Apache-2.0
#include "present/matrix/other_table.hpp"

#include "matrix/files/text.hpp"
#include "present/matrix/matrix_json.hpp"
#include "rondo/base/escape.hpp"
#include "rondo/base/sort_stably.hpp"
#include "rondo/base/units.hpp"
#include "rondo/trace/rank_set.hpp"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace rondo::present {
namespace {

struct OtherLine {
  std::vector<std::int64_t> ranks;
  std::vector<std::int64_t> processes;
  std::uint64_t messages = 0; // of each pair of them
  std::uint64_t bytes = 0;
};

// First the processes to which one rank sends equally much, then the ranks to whom they are the
// same.
std::vector<OtherLine> lines_of(const matrix::OtherLayer& layer) {
  using Amount = std::pair<std::uint64_t, std::uint64_t>;
  std::map<std::pair<std::int64_t, Amount>, std::vector<std::int64_t>> of_rank;
  for (const matrix::OtherEntry& entry : layer.entries)
    of_rank[{entry.rank, {entry.messages, entry.bytes}}].push_back(entry.process);
  std::map<std::pair<Amount, std::vector<std::int64_t>>, std::vector<std::int64_t>> alike;
  for (auto& [key, processes] : of_rank)
    alike[{key.second, std::move(processes)}].push_back(key.first);
  std::vector<OtherLine> lines;
  for (const auto& [key, ranks] : alike)
    lines.push_back({ranks, key.second, key.first.first, key.first.second});
  sort_stably(lines.begin(), lines.end(), [](const OtherLine& a, const OtherLine& b) {
    return std::tie(b.bytes, a.ranks) < std::tie(a.bytes, b.ranks);
  });
  return lines;
}

std::string amount_text(std::uint64_t count, const char* noun, std::uint64_t bytes) {
  return std::to_string(count) + " " + noun + (count == 1 ? "" : "s") + " (" +
         human_bytes(static_cast<double>(bytes)) + ")";
}

std::string processes_text(std::int64_t count) {
  return std::to_string(count) + (count == 1 ? " process" : " processes");
}

// Whose messages they are, where few words say it.
std::string whose_text(const matrix::OtherLayer& layer, std::int64_t ranks) {
  const auto& entries = layer.entries;
  const bool is_one_rank = entries.front().rank == entries.back().rank;
  const bool is_one_process = std::all_of(entries.begin(), entries.end(), [&](const auto& entry) {
    return entry.process == entries.front().process;
  });
  const bool is_mirrored = std::all_of(entries.begin(), entries.end(), [](const auto& entry) {
    return entry.process == entry.rank;
  });
  const auto count = static_cast<std::int64_t>(entries.size());
  const std::string all = processes_text(layer.processes);
  const std::string from = "from rank " + std::to_string(entries.front().rank);
  const std::string to = "process " + std::to_string(entries.front().process) + " of " + all;
  if (is_one_rank && is_one_process) return from + " to " + to;
  if (is_one_rank && count == layer.processes) return from + " to each of " + all;
  if (is_one_process && count == ranks) return "from each rank to " + to;
  if (is_mirrored && count == ranks) return "from each rank to its counterpart of " + all;
  if (count == ranks * layer.processes) return "from each rank to each of " + all;
  return "on " + std::to_string(count) + " pairs of a rank and one of " + all;
}

std::string collectives_text(const matrix::OtherLayer& layer) {
  return amount_text(layer.collective_calls, "collective call", layer.collective_bytes);
}

std::string column_heading() {
  return matrix::internal::finished_line(
      "  " + matrix::internal::left("ranks", 24) + matrix::internal::left("processes", 24) +
      matrix::internal::right("messages a pair", 16) + matrix::internal::right("bytes a pair", 14));
}

std::string line_text(const OtherLine& line) {
  return matrix::internal::finished_line(
      "  " + matrix::internal::left(trace::RankSet::of(line.ranks).text(), 24) +
      matrix::internal::left(trace::RankSet::of(line.processes).text(), 24) +
      matrix::internal::right(std::to_string(line.messages), 16) +
      matrix::internal::right(human_bytes(static_cast<double>(line.bytes)), 14));
}

} // namespace

std::string described(const matrix::OtherLayer& layer, std::int64_t ranks) {
  const bool has_collectives = layer.collective_calls > 0;
  if (layer.entries.empty()) {
    return layer.name() + ": " + (has_collectives ? collectives_text(layer) : "nothing") +
           " with " + processes_text(layer.processes);
  }
  return layer.name() + ": " + amount_text(layer.messages(), "message", layer.bytes()) + " " +
         whose_text(layer, ranks) + (has_collectives ? ", " + collectives_text(layer) : "");
}

std::string described(const matrix::OtherTraffic& traffic, bool with_collectives_alone) {
  std::string text;
  for (const matrix::OtherLayer& layer : traffic.layers) {
    const bool is_worth_it = with_collectives_alone && layer.collective_calls > 0;
    if (layer.entries.empty() && !is_worth_it) continue;
    text += (text.empty() ? "" : "; ") + described(layer, traffic.ranks);
  }
  return text;
}

std::string other_table_text(const matrix::OtherTraffic& traffic) {
  constexpr std::size_t kMostLines = 40;
  std::string text;
  std::size_t lines = 0;
  for (const matrix::OtherLayer& layer : traffic.layers) {
    if (++lines > kMostLines) continue;
    text += described(layer, traffic.ranks) + "\n";
    if (!layer.entries.empty()) text += column_heading();
    for (const OtherLine& line : lines_of(layer)) {
      if (++lines <= kMostLines) text += line_text(line);
    }
  }
  if (!traffic.layers.empty())
    text += "(counted where they are sent: messages from these processes are in their recording)\n";
  if (lines > kMostLines) {
    const std::size_t more = lines - kMostLines;
    text += "  and " + std::to_string(more) + (more == 1 ? " line" : " lines") +
            " more; --layers spawned -o FILE.csv has them all\n";
  }
  return text;
}

std::string other_table_csv(const matrix::OtherTraffic& traffic) {
  std::string csv = "layer,comm,rank,process,messages,bytes\n";
  for (const matrix::OtherLayer& layer : traffic.layers) {
    for (const matrix::OtherEntry& entry : layer.entries) {
      csv.append(name_of(layer.kind)).append(",").append(layer.comm);
      matrix::internal::append_number(csv += ',', entry.rank);
      matrix::internal::append_number(csv += ',', entry.process);
      matrix::internal::append_number(csv += ',', entry.messages);
      matrix::internal::append_number(csv += ',', entry.bytes);
      csv += '\n';
    }
  }
  return csv;
}

nlohmann::ordered_json others_json(const matrix::OtherTraffic& traffic) {
  nlohmann::ordered_json json = nlohmann::ordered_json::array();
  for (const matrix::OtherLayer& layer : traffic.layers) {
    nlohmann::ordered_json item = {{"layer", name_of(layer.kind)},
                                   {"comm", layer.comm},
                                   {"processes", layer.processes},
                                   {"messages", layer.messages()},
                                   {"bytes", layer.bytes()},
                                   {"collective_calls", layer.collective_calls},
                                   {"collective_bytes", layer.collective_bytes}};
    item["entries"] = nlohmann::ordered_json::array();
    for (const matrix::OtherEntry& entry : layer.entries) {
      item["entries"].push_back({{"rank", entry.rank},
                                 {"process", entry.process},
                                 {"messages", entry.messages},
                                 {"bytes", entry.bytes}});
    }
    json.push_back(std::move(item));
  }
  return json;
}

std::string other_table_json(const matrix::OtherTraffic& traffic) {
  return escape::json_text(others_json(traffic));
}

} // namespace rondo::present
