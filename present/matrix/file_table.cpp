// SPDX-License-Identifier: Apache-2.0
#include "present/matrix/file_table.hpp"

#include "matrix/files/text.hpp"
#include "present/matrix/matrix_json.hpp"
#include "rondo/base/escape.hpp"
#include "rondo/base/sort_stably.hpp"
#include "rondo/base/units.hpp"
#include "rondo/trace/rank_set.hpp"

#include <map>
#include <utility>
#include <vector>

namespace rondo::present {
namespace {

struct ReadAndWritten {
  std::uint64_t read = 0;
  std::uint64_t written = 0;
  friend auto operator<=>(const ReadAndWritten&, const ReadAndWritten&) = default;
};

// The ranks of one file that read and write equally much.
using EqualRanks = std::pair<ReadAndWritten, std::vector<std::int64_t>>;

std::vector<EqualRanks> equal_ranks(const matrix::FileUse& file) {
  std::map<std::int64_t, ReadAndWritten> of_rank;
  for (const matrix::FileAccess& access : file.accesses) {
    ReadAndWritten& sum = of_rank[access.rank];
    (access.is_write ? sum.written : sum.read) += access.bytes;
  }
  std::map<ReadAndWritten, std::vector<std::int64_t>> groups;
  for (const auto& [rank, sum] : of_rank) groups[sum].push_back(rank);
  std::vector<EqualRanks> result(groups.begin(), groups.end());
  sort_stably(result.begin(), result.end(), [](const EqualRanks& a, const EqualRanks& b) {
    return a.first.read + a.first.written > b.first.read + b.first.written;
  });
  return result;
}

std::string name_text(const matrix::FileUse& file) {
  return file.name.empty() ? "(opened where it was not recorded)" : escape::terminal(file.name);
}

std::string amount(std::uint64_t bytes) {
  return matrix::internal::right(bytes == 0 ? "-" : human_bytes(static_cast<double>(bytes)), 14);
}

std::string heading(const matrix::FileTraffic& traffic) {
  ReadAndWritten all;
  for (const matrix::FileUse& file : traffic.files) {
    for (const matrix::FileAccess& access : file.accesses)
      (access.is_write ? all.written : all.read) += access.bytes;
  }
  return "files: " + human_bytes(static_cast<double>(all.read)) + " read, " +
         human_bytes(static_cast<double>(all.written)) + " written\n" +
         matrix::internal::finished_line("  " + matrix::internal::left("ranks", 24) +
                                         matrix::internal::right("read a rank", 14) +
                                         matrix::internal::right("written a rank", 16) + "  file");
}

// RFC 4180.
std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

} // namespace

std::string file_table_text(const matrix::FileTraffic& traffic) {
  constexpr std::size_t kMostLines = 40;
  if (traffic.files.empty()) return "";
  std::string text = heading(traffic);
  std::size_t lines = 0;
  for (const matrix::FileUse& file : traffic.files) {
    for (const auto& [bytes, ranks] : equal_ranks(file)) {
      if (++lines > kMostLines) continue;
      text += matrix::internal::finished_line(
          "  " + matrix::internal::left(trace::RankSet::of(ranks).text(), 24) + amount(bytes.read) +
          "  " + amount(bytes.written) + "  " + name_text(file));
    }
  }
  if (lines > kMostLines) {
    const std::size_t more = lines - kMostLines;
    text += "  and " + std::to_string(more) + (more == 1 ? " line" : " lines") +
            " more; --layers files -o FILE.csv has them all\n";
  }
  return text;
}

std::string file_table_csv(const matrix::FileTraffic& traffic) {
  std::string csv = "file,rank,direction,kind,calls,bytes\n";
  for (const matrix::FileUse& file : traffic.files) {
    const std::string name = csv_field(file.name);
    for (const matrix::FileAccess& access : file.accesses) {
      csv += name + ',';
      matrix::internal::append_number(csv, access.rank);
      csv.append(access.is_write ? ",write," : ",read,").append(name_of(access.kind));
      matrix::internal::append_number(csv += ',', access.calls);
      matrix::internal::append_number(csv += ',', access.bytes);
      csv += '\n';
    }
  }
  return csv;
}

std::string file_table_json(const matrix::FileTraffic& traffic) {
  return escape::json_text(files_json(traffic));
}

} // namespace rondo::present
