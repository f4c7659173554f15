// SPDX-License-Identifier: Apache-2.0
// MatrixMarket: "%%MatrixMarket matrix coordinate FIELD SYMMETRY", comments with %, "ROWS COLUMNS
// ENTRIES", then one entry a line, counted from 1.
#include "rondo/matrix/matrix_files.hpp"

#include "matrix/files/lines.hpp"
#include "matrix/files/text.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>

namespace rondo::matrix {
namespace {

using internal::FieldReader;
using internal::LineReader;

std::string lower_case(std::string_view text) {
  std::string lower(text);
  for (char& c : lower) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  return lower;
}

std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  std::string word;
  for (const char c : line) {
    if (!internal::is_blank(c)) {
      word += c;
    } else if (!word.empty()) {
      words.push_back(std::exchange(word, {}));
    }
  }
  if (!word.empty()) words.push_back(word);
  return words;
}

class MatrixMarketReader {
public:
  MatrixMarketReader(std::string_view text, const std::string& file,
                     const MatrixReadOptions& options)
      : lines_(text, file), options_(options), longest_(text.size() / 4) {}

  Result<CommunicationMatrix> read() {
    if (auto taken = take_banner(); !taken) return propagate(taken);
    std::string_view line;
    while (lines_.next(line)) {
      if (line.empty()) continue;
      if (auto taken = take_line(line); !taken) return propagate(taken);
    }
    if (!size_seen_) return lines_.error("ends before the line with rows, columns and entries");
    if (seen_ != promised_) {
      return lines_.error("ends after " + std::to_string(seen_) +
                          " entries; its size line promises " + std::to_string(promised_));
    }
    const auto ranks = settle_ranks(lines_, options_.ranks, ranks_, largest_rank_, largest_line_);
    if (!ranks) return propagate(ranks);
    return CommunicationMatrix::from_entries(*ranks, std::move(entries_));
  }

private:
  Status unsupported(std::string message) const {
    return lines_.error_at(lines_.number(), std::move(message), ErrorCode::kUnsupported);
  }

  Status take_banner() {
    std::string_view line;
    lines_.next(line);
    const auto words = words_of(lower_case(line));
    if (words.size() != 5 || words[0] != "%%matrixmarket" || words[1] != "matrix") {
      return lines_.error("expected %%MatrixMarket matrix coordinate integer general; found " +
                          internal::quoted(line));
    }
    if (words[2] != "coordinate") return unsupported("only coordinate matrices can be read");
    if (words[3] != "integer" && words[3] != "real" && words[3] != "pattern") {
      return unsupported("only integer, real and pattern matrices can be read");
    }
    if (words[4] != "general" && words[4] != "symmetric") {
      return unsupported("only general and symmetric matrices can be read");
    }
    pattern_ = words[3] == "pattern";
    symmetric_ = words[4] == "symmetric";
    messages_ = pattern_;
    return {};
  }

  Status take_line(std::string_view line) {
    if (line.front() == '%') return take_comment(line);
    return size_seen_ ? take_entry(line) : take_size(line);
  }

  Status take_comment(std::string_view line) {
    const auto words = words_of(lower_case(line));
    if (words.size() != 3 || words[0] != "%" || words[1] != "quantity:") return {};
    if (words[2] == "bytes/s") {
      return unsupported("holds bytes per second; a matrix of messages or bytes is needed");
    }
    messages_ = words[2] == "messages";
    return {};
  }

  Status take_size(std::string_view line) {
    std::int64_t rows = -1;
    std::int64_t columns = -1;
    if (!FieldReader(line).number(rows).number(columns).number(promised_).finished() || rows < 0 ||
        rows > internal::kMostRanks) {
      return lines_.error("expected rows, columns and entries, like 16 16 48; found " +
                          internal::quoted(line));
    }
    if (rows != columns) {
      return lines_.error("expected as many rows as columns (ranks), found " +
                          internal::quoted(line));
    }
    ranks_ = rows;
    size_seen_ = true;
    // A promise may lie; the text's length bounds what can come.
    entries_.reserve(std::min<std::uint64_t>(promised_, longest_) * (symmetric_ ? 2 : 1));
    return {};
  }

  Status take_entry(std::string_view line) {
    std::int64_t row = 0;
    std::int64_t column = 0;
    double real = 1;
    FieldReader fields(line);
    fields.number(row).number(column);
    if (!pattern_) fields.number(real);
    if (!fields.finished() || !(real >= 0 && real < 0x1p63)) {
      return lines_.error(std::string("expected row, column") +
                          (pattern_ ? "" : " and a number from 0") + ", found " +
                          internal::quoted(line));
    }
    if (std::min(row, column) < 1 || std::max(row, column) > *ranks_) {
      return lines_.error("expected rows and columns from 1 to " + std::to_string(*ranks_) +
                          ", found " + internal::quoted(line));
    }
    ++seen_;
    const auto value = static_cast<std::uint64_t>(std::llround(real));
    const bool is_both = symmetric_ && row != column;
    if (!keep(row - 1, column - 1, value) || (is_both && !keep(column - 1, row - 1, value)))
      return lines_.error(internal::Totals::kTooLarge);
    return {};
  }

  bool keep(std::int64_t source, std::int64_t destination, std::uint64_t value) {
    entries_.push_back({source, destination, messages_ ? value : 1, messages_ ? 0 : value});
    const std::int64_t larger = std::max(source, destination);
    if (larger > largest_rank_) {
      largest_rank_ = larger;
      largest_line_ = lines_.number();
    }
    return totals_.add(entries_.back().messages, entries_.back().bytes);
  }

  LineReader lines_;
  const MatrixReadOptions& options_;
  std::size_t longest_; // entries that the text can hold: "1 1\n" is the shortest
  std::vector<MatrixEntry> entries_;
  internal::Totals totals_;
  std::optional<std::int64_t> ranks_;
  std::uint64_t promised_ = 0;
  std::uint64_t seen_ = 0;
  std::int64_t largest_rank_ = -1;
  std::uint64_t largest_line_ = 0;
  bool size_seen_ = false;
  bool pattern_ = false;
  bool symmetric_ = false;
  bool messages_ = false;
};

void append_value(std::string& text, const MatrixEntry& entry, const Measure& measure) {
  switch (measure.quantity) {
  case Quantity::kMessages:
    return internal::append_number(text, entry.messages);
  case Quantity::kBytes:
    return internal::append_number(text, entry.bytes);
  case Quantity::kBytesPerSecond:
    return internal::append_number(text, value_of(entry, measure));
  }
}

} // namespace

Result<CommunicationMatrix> parse_matrix_market(std::string_view text, const std::string& file,
                                                const MatrixReadOptions& options) {
  return MatrixMarketReader(text, file, options).read();
}

std::string to_matrix_market(const CommunicationMatrix& matrix, const Measure& measure) {
  const bool real = measure.quantity == Quantity::kBytesPerSecond;
  const std::string ranks = std::to_string(matrix.ranks());
  std::string text = std::string("%%MatrixMarket matrix coordinate ") +
                     (real ? "real" : "integer") +
                     " general\n% quantity: " + std::string(name_of(measure.quantity)) +
                     "\n% row: source rank + 1, column: destination rank + 1\n" + ranks + " " +
                     ranks + " " + std::to_string(matrix.entries().size()) + "\n";
  for (const MatrixEntry& entry : matrix.entries()) {
    internal::append_number(text, entry.source + 1);
    internal::append_number(text += ' ', entry.destination + 1);
    text += ' ';
    append_value(text, entry, measure);
    text += '\n';
  }
  return text;
}

} // namespace rondo::matrix
