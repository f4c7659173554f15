// SPDX-License-Identifier: Apache-2.0
#include "present/matrix/call_table.hpp"

#include "present/site_json.hpp"
#include "rondo/base/escape.hpp"
#include "rondo/base/shares.hpp"
#include "rondo/base/units.hpp"

#include <fmt/core.h>
#include <nlohmann/json.hpp>

namespace rondo::present {
namespace {

using matrix::CallRow;
using matrix::CallsBy;
using matrix::CallTable;
using matrix::RankValues;
using Format = std::string (*)(double);

constexpr const char* kAll = "all of these";

double share(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

// The unit's µ takes two bytes and one column, which fmt knows.
std::string cell(Format format, double value) { return fmt::format(" {:>7}", format(value)); }

// Minutes and hours would not fit into a column.
std::string short_duration(double nanoseconds) {
  const double seconds = nanoseconds / 1e9;
  if (seconds < 120) return human_duration(nanoseconds);
  return seconds < 99'999 ? fmt::format("{:.0f} s", seconds)
                          : fmt::format("{:.0f} h", seconds / 3600);
}

std::string spread(const RankValues& values, Format format) {
  if (values.sum == 0) return fmt::format(" {:>7} {:>7} {:>7} {:>5}", "-", "-", "-", "");
  return cell(format, static_cast<double>(values.least)) + cell(format, values.mean) +
         cell(format, static_cast<double>(values.most)) + fmt::format(" {:>5}", values.most_rank);
}

std::string name_of(const CallRow& row) {
  return row.function == nullptr ? kAll : std::string(row.function->name);
}

std::string finished(std::string line, const std::string& site) {
  if (!site.empty()) line += "  " + site;
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

std::string time_line(const CallTable& table, const CallRow& row, const std::string& site) {
  const bool counts = row.function != nullptr && !row.is_frame();
  std::string line = fmt::format("  {:<22}", name_of(row));
  line += cell(short_duration, static_cast<double>(row.time_ns.sum));
  line += row.is_frame() ? fmt::format(" {:>7}", "-") // it is none of what is shared out
                         : cell(human_percent, share(row.time_ns.sum, table.run_ns));
  line += counts ? cell(human_percent, share(row.time_ns.sum, table.total.time_ns.sum))
                 : fmt::format(" {:>7}", "");
  return finished(line + spread(row.time_ns, short_duration), site);
}

std::string traffic_line(const CallRow& row, const std::string& site) {
  std::string line = fmt::format("  {:<22}", name_of(row));
  line += cell(human_count, static_cast<double>(row.calls.sum)) + spread(row.calls, human_count);
  line += row.bytes.sum == 0 ? fmt::format(" {:>7}", "-")
                             : cell(human_bytes, static_cast<double>(row.bytes.sum));
  return finished(line + spread(row.bytes, human_bytes), site);
}

std::string header(const CallTable& table, CallsBy by) {
  const std::size_t ranks = table.total.calls.values.size();
  std::string text =
      fmt::format("{} of {} {}", by == CallsBy::kSite ? "Call sites" : "MPI functions", ranks,
                  ranks == 1 ? "rank" : "ranks");
  if (table.total.time_ns.sum > 0) {
    const auto [inside, run] = human_duration_of(static_cast<double>(table.total.time_ns.sum),
                                                 static_cast<double>(table.run_ns));
    text += fmt::format(": {} inside MPI, {} of {} behind MPI_Init (sums over ranks)", inside,
                        human_percent(share(table.total.time_ns.sum, table.run_ns)), run);
  }
  text += "\nLeast, mean and most are of one rank; 'rank' is the one with most.\n";
  if (table.total.time_ns.sum > 0 && !table.is_exact)
    text += "Sums of times are exact; how they are split among ranks is known to some 2 %.\n";
  return text;
}

template <class Line> std::string lines(const CallTable& table, Line line) {
  std::string text;
  bool is_total_written = false;
  for (const CallRow& row : table.rows) {
    if (row.is_frame() && !is_total_written) text += line(table.total);
    is_total_written = is_total_written || row.is_frame();
    text += line(row);
  }
  return is_total_written ? text : text + line(table.total);
}

nlohmann::json values_json(const RankValues& values) {
  return {{"sum", values.sum},   {"least", values.least}, {"least_rank", values.least_rank},
          {"mean", values.mean}, {"most", values.most},   {"most_rank", values.most_rank}};
}

nlohmann::json row_json(const CallRow& row) {
  return {{"calls", values_json(row.calls)},
          {"inside_mpi_ns", values_json(row.time_ns)},
          {"bytes", values_json(row.bytes)}};
}

nlohmann::json row_with_ranks(const CallRow& row, nlohmann::json json) {
  json["calls"]["by_rank"] = row.calls.values;
  json["inside_mpi_ns"]["by_rank"] = row.time_ns.values;
  json["bytes"]["by_rank"] = row.bytes.values;
  return json;
}

nlohmann::json named_row(const CallRow& row, CallsBy by, sites::Resolver& resolver) {
  nlohmann::json item = row_json(row);
  item["function"] = row.function->name;
  item["is_start_or_end"] = row.is_frame();
  if (by == CallsBy::kSite) item["site"] = site_json(resolver, row.site);
  return item;
}

std::string values_csv(const RankValues& values) {
  return fmt::format(",{},{},{},{},{},{}", values.sum, values.least, values.least_rank, values.mean,
                     values.most, values.most_rank);
}

std::string heads_csv(const std::string& what) {
  std::string text;
  for (const char* part : {"", "_least", "_least_rank", "_mean", "_most", "_most_rank"})
    text += "," + what + part;
  return text;
}

} // namespace

std::string call_table_text(const CallTable& table, CallsBy by, sites::Resolver& resolver) {
  const auto site_of = [&](const CallRow& row) {
    const bool has_site = by == CallsBy::kSite && row.function != nullptr;
    return has_site ? escape::terminal(resolver.short_text(row.site)) : std::string();
  };
  const std::string site_head = by == CallsBy::kSite ? "  site" : "";
  std::string text = header(table, by);
  if (table.total.time_ns.sum > 0) {
    text += fmt::format("\n{:<24} {:>7} {:>7} {:>7} {:>7} {:>7} {:>7} {:>5}{}\n", "Time inside MPI",
                        "sum", "of run", "of MPI", "least", "mean", "most", "rank", site_head);
    text += lines(table, [&](const CallRow& row) { return time_line(table, row, site_of(row)); });
  }
  text += fmt::format("\n{:<24} {:>7} {:>7} {:>7} {:>7} {:>5} {:>7} {:>7} {:>7} {:>7} {:>5}{}\n",
                      "Calls and bytes", "calls", "least", "mean", "most", "rank", "bytes", "least",
                      "mean", "most", "rank", site_head);
  return text + lines(table, [&](const CallRow& row) { return traffic_line(row, site_of(row)); });
}

std::string call_table_json(const CallTable& table, CallsBy by, sites::Resolver& resolver) {
  nlohmann::json json = {{"schema", 1},
                         {"ranks", table.total.calls.values.size()},
                         {"rows_are", by == CallsBy::kSite ? "call sites" : "functions"},
                         {"run_ns", table.run_ns},
                         {"times_of_ranks_are_exact", table.is_exact},
                         {"total", row_with_ranks(table.total, row_json(table.total))}};
  json["rows"] = nlohmann::json::array();
  for (const CallRow& row : table.rows)
    json["rows"].push_back(row_with_ranks(row, named_row(row, by, resolver)));
  return escape::json_text(json) + "\n";
}

nlohmann::json call_table_rows(const CallTable& table, CallsBy by, sites::Resolver& resolver) {
  nlohmann::json rows = nlohmann::json::array();
  for (const CallRow& row : table.rows) rows.push_back(named_row(row, by, resolver));
  return rows;
}

std::string call_table_csv(const CallTable& table, CallsBy by, sites::Resolver& resolver) {
  const bool has_sites = by == CallsBy::kSite;
  std::string text = std::string(has_sites ? "function,site" : "function") + heads_csv("calls") +
                     heads_csv("time_ns") + heads_csv("bytes") + "\n";
  for (const CallRow& row : table.rows) {
    text += row.function->name;
    if (has_sites) text += "," + escape::csv(resolver.text(row.site));
    text += values_csv(row.calls) + values_csv(row.time_ns) + values_csv(row.bytes) + "\n";
  }
  return text;
}

} // namespace rondo::present
