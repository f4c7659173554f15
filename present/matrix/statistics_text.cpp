// SPDX-License-Identifier: Apache-2.0
#include "present/matrix/statistics_text.hpp"

#include "matrix/files/text.hpp"
#include "present/matrix/other_table.hpp"
#include "rondo/base/escape.hpp"
#include "rondo/base/units.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

namespace rondo::present {
namespace {

using matrix::internal::finished_line;
using matrix::internal::left;
using matrix::internal::right;

constexpr int kLabel = 28;
constexpr int kNumber = 10;
constexpr int kBar = 24;
constexpr int kLast = 13;

std::string number(double value) { return right(human_count(value), kNumber); }
std::string number(std::uint64_t value) { return number(static_cast<double>(value)); }
std::string bytes(double value) { return right(human_bytes(value), kNumber); }
std::string bytes(std::uint64_t value) { return bytes(static_cast<double>(value)); }

// A bar in eighths of a character; whatever is more than nothing shows.
std::string bar(double share) {
  constexpr std::array<std::string_view, 8> kEighths{"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  if (!(share > 0)) return "";
  const int eighths = std::max(1, static_cast<int>(std::lround(share * kBar * 8)));
  return matrix::internal::repeated("█", eighths / 8) +
         std::string(kEighths[static_cast<std::size_t>(eighths % 8)]);
}

double ratio(std::uint64_t part, std::uint64_t whole) {
  return whole == 0 ? 0 : static_cast<double>(part) / static_cast<double>(whole);
}

std::string plural(std::uint64_t count, const std::string& noun) {
  return human_count(static_cast<double>(count)) + " " + noun + (count == 1 ? "" : "s");
}

std::string one_sided_words(const matrix::Statistics& s) {
  if (s.one_sided_messages == 0) return "";
  return plural(s.one_sided_messages, "one-sided message") + " (" +
         human_bytes(static_cast<double>(s.one_sided_bytes)) + "), ";
}

std::string summary(const matrix::Statistics& s) {
  const auto ranks = static_cast<std::uint64_t>(s.ranks);
  return std::to_string(s.ranks) + (ranks == 1 ? " rank: " : " ranks: ") +
         plural(s.point_to_point_messages, "point-to-point message") + " (" +
         human_bytes(static_cast<double>(s.point_to_point_bytes)) + "), " + one_sided_words(s) +
         plural(s.collective_calls, "collective call") + " (" +
         human_bytes(static_cast<double>(s.collective_bytes)) + ")\n";
}

using Format = std::string (*)(double);

std::string spread_line(const std::string& label, const matrix::Spread& spread, Format format,
                        const std::string& remark) {
  return finished_line("  " + left(label, kLabel) +
                       right(format(static_cast<double>(spread.minimum)), kNumber) +
                       right(format(spread.mean), kNumber) +
                       right(format(static_cast<double>(spread.maximum)), kNumber) + remark);
}

std::string density(const std::string& title, const matrix::Density& d, Format format) {
  std::string heaviest;
  if (d.heaviest_source >= 0) {
    heaviest = "   most: " + std::to_string(d.heaviest_source) + " to " +
               std::to_string(d.heaviest_destination);
  }
  return finished_line("\n" + left(title, kLabel + 2) + right("least", kNumber) +
                       right("mean", kNumber) + right("most", kNumber)) +
         spread_line("per pair that talks", d.per_pair, format, heaviest) +
         spread_line("sent by a rank", d.per_rank, format, "");
}

std::string pairs_line(const matrix::Statistics& s) {
  const double all = static_cast<double>(s.ranks) * static_cast<double>(s.ranks);
  return "  " + human_count(static_cast<double>(s.pairs())) + " of " + human_count(all) +
         (all == 1 ? " pair talks (" : " pairs talk (") + human_percent(s.share_of_pairs()) + ")\n";
}

std::string ratio_line(const std::string& label, double per_rank, double share,
                       double share_of_bytes) {
  return finished_line("  " + left(label, kLabel) + number(per_rank) +
                       right(human_percent(share), kNumber) +
                       right(human_percent(share_of_bytes), kNumber) + "  " + bar(share));
}

std::string ratio_section(const matrix::Statistics& s) {
  const std::uint64_t calls = s.point_to_point_messages + s.one_sided_messages + s.collective_calls;
  const std::uint64_t data = s.point_to_point_bytes + s.one_sided_bytes + s.collective_bytes;
  std::string text = finished_line("\n" + left("Collectives and point-to-point", kLabel + 2) +
                                   right("per rank", kNumber) + right("of calls", kNumber) +
                                   right("of bytes", kNumber));
  text += ratio_line("point-to-point", s.point_to_point_per_rank(),
                     ratio(s.point_to_point_messages, calls), ratio(s.point_to_point_bytes, data));
  if (s.one_sided_messages > 0)
    text += ratio_line("one-sided", s.one_sided_per_rank(), ratio(s.one_sided_messages, calls),
                       ratio(s.one_sided_bytes, data));
  return text + ratio_line("collectives", s.collectives_per_rank(), s.collective_share_of_calls(),
                           s.collective_share_of_bytes());
}

std::string collectives_section(const matrix::Statistics& s) {
  if (s.collectives.empty()) return "\nCollectives by type: none\n";
  std::string text =
      finished_line("\n" + left("Collectives by type", kLabel + 2) + right("calls", kNumber) +
                    right("of calls", kNumber) + right("bytes", kNumber));
  for (const matrix::CollectiveCount& count : s.collectives) {
    const double share = ratio(count.calls, s.collective_calls);
    text += finished_line("  " + left(count.function, kLabel) + number(count.calls) +
                          right(human_percent(share), kNumber) + bytes(count.bytes) + "  " +
                          bar(share));
  }
  return text;
}

bool has_collective_messages(const matrix::Statistics& s) { return s.collectives_as != "none"; }

// Whatever is counted as messages has the bars; the last column has the collectives among them, or
// their calls if they are not.
std::string size_line(const matrix::Statistics& s, std::size_t bucket) {
  const matrix::SizeBucket& b = s.sizes[bucket];
  const std::uint64_t messages =
      b.point_to_point_messages + b.one_sided_messages + b.collective_messages;
  const std::uint64_t last =
      has_collective_messages(s) ? b.collective_messages : b.collective_calls;
  const std::string collectives = last == 0 ? "" : human_count(static_cast<double>(last));
  if (messages == 0) {
    return finished_line("  " + left(bucket_label(bucket), kLabel) + right("-", kNumber) +
                         matrix::internal::blanks(2 * kNumber + 2 + kBar) +
                         right(collectives, kLast));
  }
  const double share = ratio(messages, s.messages.total);
  return finished_line(
      "  " + left(bucket_label(bucket), kLabel) + number(messages) +
      right(human_percent(share), kNumber) +
      bytes(b.point_to_point_bytes + b.one_sided_bytes + b.collective_message_bytes) + "  " +
      left(bar(share), kBar) + right(collectives, kLast));
}

std::string sizes_section(const matrix::Statistics& s) {
  std::string text =
      finished_line("\n" + left("Message sizes", kLabel + 2) + right("messages", kNumber) +
                    right("of them", kNumber) + right("bytes", kNumber) + "  " + left("", kBar) +
                    right(has_collective_messages(s) ? "of collect." : "collectives", kLast));
  for (std::size_t i = 0; i < matrix::kSizeBuckets; ++i) text += size_line(s, i);
  return text;
}

// What the densities and sizes hold besides point-to-point.
std::string collectives_line(const matrix::Statistics& s) {
  if (!has_collective_messages(s)) return "";
  std::uint64_t messages = 0;
  std::uint64_t size = 0;
  for (const matrix::SizeBucket& b : s.sizes) {
    messages += b.collective_messages;
    size += b.collective_message_bytes;
  }
  return "  with " + plural(messages, "message") + " of collectives (" +
         human_bytes(static_cast<double>(size)) + "), counted by '" + s.collectives_as + "'\n";
}

// One direction and kind of access to a file, of all ranks.
struct AccessSum {
  std::uint64_t ranks = 0;
  std::uint64_t calls = 0;
  std::uint64_t bytes = 0;
  std::uint64_t most_bytes = 0;
  std::int64_t most_rank = -1;
};

std::string access_line(const std::string& what, const AccessSum& sum) {
  const double mean = static_cast<double>(sum.bytes) / static_cast<double>(sum.ranks);
  return finished_line("    " + left(what, kLabel - 2) + number(sum.ranks) + number(sum.calls) +
                       bytes(sum.bytes) + bytes(mean) + bytes(sum.most_bytes) +
                       right(std::to_string(sum.most_rank), 7));
}

std::string file_lines(const matrix::FileUse& file) {
  std::string text = "  " + (file.name.empty() ? "files opened where it was not recorded"
                                               : escape::terminal(file.name));
  if (file.opens > 0) text += ": " + plural(file.opens, "open");
  text = finished_line(text);
  std::map<std::pair<bool, matrix::AccessKind>, AccessSum> sums;
  for (const matrix::FileAccess& access : file.accesses) {
    AccessSum& sum = sums[{access.is_write, access.kind}];
    ++sum.ranks;
    sum.calls += access.calls;
    sum.bytes += access.bytes;
    if (sum.most_rank >= 0 && access.bytes <= sum.most_bytes) continue;
    sum.most_bytes = access.bytes;
    sum.most_rank = access.rank;
  }
  for (const auto& [what, sum] : sums) {
    text += access_line(
        std::string(what.first ? "write, " : "read, ") + std::string(name_of(what.second)), sum);
  }
  return text;
}

std::string files_section(const matrix::Statistics& s) {
  constexpr std::size_t kMostFiles = 20;
  const auto& files = s.files.files;
  if (files.empty()) return "";
  std::string text =
      finished_line("\n" + left("Files", kLabel + 2) + right("ranks", kNumber) +
                    right("calls", kNumber) + right("bytes", kNumber) + right("a rank", kNumber) +
                    right("most", kNumber) + right("rank", 7));
  for (std::size_t i = 0; i < std::min(files.size(), kMostFiles); ++i) text += file_lines(files[i]);
  if (files.size() > kMostFiles) {
    text += "  and " + plural(files.size() - kMostFiles, "file") +
            " with fewer bytes; --json has them all\n";
  }
  if (s.files.unknown_sizes > 0) {
    text += "  " + plural(s.files.unknown_sizes, "call") +
            " with a datatype that the trace does not define: counted with 0 B\n";
  }
  return text;
}

std::string remarks(const matrix::Statistics& s) {
  std::string text;
  if (s.zero_byte_messages > 0) {
    text += "  " + plural(s.zero_byte_messages, "message") + " of 0 B, among those up to 16 B\n";
  }
  if (s.messages_outside > 0) {
    text += "\n" + plural(s.messages_outside, "message") +
            " to or from ranks that do not exist, left out above\n";
  }
  if (const std::string others = other_table_text(s.others); !others.empty()) {
    text += "\nWith processes outside MPI_COMM_WORLD; messages are left out above\n" + others;
  }
  return text;
}

} // namespace

std::string bucket_label(std::size_t bucket) {
  if (bucket == 0) return "up to 16 B";
  if (bucket + 1 == matrix::kSizeBuckets)
    return "above " + binary_bytes(matrix::bucket_limit_bytes(bucket - 1));
  return "up to " + binary_bytes(matrix::bucket_limit_bytes(bucket));
}

std::string statistics_text(const matrix::Statistics& statistics) {
  return summary(statistics) + density("Message density", statistics.messages, human_count) +
         pairs_line(statistics) + collectives_line(statistics) +
         density("Data density", statistics.bytes, human_bytes) + ratio_section(statistics) +
         collectives_section(statistics) + sizes_section(statistics) + remarks(statistics) +
         files_section(statistics);
}

} // namespace rondo::present
