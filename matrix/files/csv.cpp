// SPDX-License-Identifier: Apache-2.0
#include "rondo/matrix/matrix_files.hpp"

#include "matrix/files/lines.hpp"
#include "matrix/files/text.hpp"

#include <algorithm>
#include <cctype>

namespace rondo::matrix {
namespace {

using internal::append_number;
using internal::FieldReader;
using internal::LineReader;

constexpr std::string_view kExpected = "expected src,dst,messages,bytes as whole numbers, like "
                                       "0,1,12,4096; found ";

class CsvReader {
public:
  CsvReader(std::string_view text, const std::string& file, const MatrixReadOptions& options)
      : lines_(text, file), options_(options) {
    entries_.reserve(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1);
  }

  Result<CommunicationMatrix> read() {
    std::string_view line;
    while (lines_.next(line)) {
      if (line.empty()) continue;
      if (auto taken = take_line(line); !taken) return propagate(taken);
    }
    if (lines_.number() == 0)
      return lines_.error("is empty; expected lines src,dst,messages,bytes");
    const auto ranks =
        settle_ranks(lines_, options_.ranks, written_ranks_, largest_rank_, largest_line_);
    if (!ranks) return propagate(ranks);
    return CommunicationMatrix::from_entries(*ranks, std::move(entries_));
  }

private:
  Status take_line(std::string_view line) {
    if (line.front() == '#') return take_comment(line);
    const bool first = !seen_content_;
    seen_content_ = true;
    const bool wordy =
        std::isalpha(static_cast<unsigned char>(line.front())) || line.front() == '"';
    if (first && wordy) return take_header(line);
    return take_entry(line);
  }

  // Only "# ranks=N" means something; any other comment is for people.
  Status take_comment(std::string_view line) {
    std::string_view rest = internal::trimmed(line.substr(1));
    if (!rest.starts_with("ranks")) return {};
    rest = internal::trimmed(rest.substr(5));
    if (!rest.starts_with('=')) return {};
    std::int64_t ranks = -1;
    if (!FieldReader(rest.substr(1)).number(ranks).finished() || ranks < 0 ||
        ranks > internal::kMostRanks) {
      return lines_.error("expected the number of ranks, like # ranks=16; found " +
                          internal::quoted(line));
    }
    written_ranks_ = ranks;
    return {};
  }

  Status take_header(std::string_view line) {
    std::string header;
    for (const char c : line) {
      if (internal::is_blank(c) || c == '"') continue;
      header += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    constexpr std::string_view kRate = ",bytes_per_second";
    has_rate_ = header.ends_with(kRate);
    if (has_rate_) header.resize(header.size() - kRate.size());
    if (header == "src,dst,messages,bytes" || header == "source,destination,messages,bytes")
      return {};
    return lines_.error("expected the header src,dst,messages,bytes or numbers like 0,1,12,4096; "
                        "found " +
                        internal::quoted(line));
  }

  Status take_entry(std::string_view line) {
    MatrixEntry entry;
    double rate = 0;
    FieldReader fields(line);
    fields.number(entry.source).comma().number(entry.destination).comma();
    fields.number(entry.messages).comma().number(entry.bytes);
    if (has_rate_) fields.comma().number(rate);
    if (!fields.finished()) return lines_.error(std::string(kExpected) + internal::quoted(line));
    const std::int64_t smaller = std::min(entry.source, entry.destination);
    const std::int64_t larger = std::max(entry.source, entry.destination);
    if (smaller < 0 || larger >= internal::kMostRanks)
      return bad_rank(smaller < 0 ? smaller : larger);
    if (entry.messages == 0 && entry.bytes != 0) {
      return lines_.error("bytes without a message; expected messages above 0, found " +
                          internal::quoted(line));
    }
    if (!totals_.add(entry.messages, entry.bytes)) return lines_.error(internal::Totals::kTooLarge);
    if (larger > largest_rank_) {
      largest_rank_ = larger;
      largest_line_ = lines_.number();
    }
    entries_.push_back(entry);
    return {};
  }

  Status bad_rank(std::int64_t rank) const {
    return lines_.error("expected ranks from 0 to " + std::to_string(internal::kMostRanks - 1) +
                        ", found " + std::to_string(rank));
  }

  LineReader lines_;
  const MatrixReadOptions& options_;
  std::vector<MatrixEntry> entries_;
  internal::Totals totals_;
  std::optional<std::int64_t> written_ranks_;
  std::int64_t largest_rank_ = -1;
  std::uint64_t largest_line_ = 0;
  bool seen_content_ = false;
  bool has_rate_ = false;
};

} // namespace

Result<CommunicationMatrix> parse_csv(std::string_view text, const std::string& file,
                                      const MatrixReadOptions& options) {
  return CsvReader(text, file, options).read();
}

std::string to_csv(const CommunicationMatrix& matrix, const Measure& measure) {
  const bool with_rate = measure.quantity == Quantity::kBytesPerSecond;
  std::string text = "# ranks=" + std::to_string(matrix.ranks()) + "\nsrc,dst,messages,bytes";
  text += with_rate ? ",bytes_per_second\n" : "\n";
  text.reserve(text.size() + matrix.entries().size() * 28);
  for (const MatrixEntry& entry : matrix.entries()) {
    append_number(text, entry.source);
    append_number(text += ',', entry.destination);
    append_number(text += ',', entry.messages);
    append_number(text += ',', entry.bytes);
    if (with_rate) append_number(text += ',', value_of(entry, measure));
    text += '\n';
  }
  return text;
}

} // namespace rondo::matrix
