// SPDX-License-Identifier: Apache-2.0
// What the readers of text share: lines with their numbers, and numbers within a line.
#pragma once

#include "rondo/base/result.hpp"

#include <charconv>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

namespace rondo::matrix::internal {

/// A rank is an int in MPI.
inline constexpr std::int64_t kMostRanks = std::numeric_limits<std::int32_t>::max();

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

inline std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

class LineReader {
public:
  LineReader(std::string_view text, const std::string& file)
      : rest_(text), bytes_(text.size()), file_(file) {
    if (rest_.starts_with("\xEF\xBB\xBF")) rest_.remove_prefix(3); // byte order mark
  }

  /// The next line without its end and without blanks around it; false at the end of the text.
  bool next(std::string_view& line) {
    if (rest_.empty()) return false;
    const void* end = std::memchr(rest_.data(), '\n', rest_.size());
    const std::size_t length =
        end ? static_cast<std::size_t>(static_cast<const char*>(end) - rest_.data()) : rest_.size();
    line = trimmed(rest_.substr(0, length));
    rest_.remove_prefix(end ? length + 1 : length);
    ++number_;
    return true;
  }

  std::uint64_t number() const { return number_; }
  std::uint64_t bytes() const { return bytes_; } // of the whole text
  const std::string& file() const { return file_; }

  /// kFormat at the given or the current line.
  tl::unexpected<Error> error(std::string message) const { return error_at(number_, message); }
  tl::unexpected<Error> error_at(std::uint64_t line, std::string message,
                                 ErrorCode code = ErrorCode::kFormat) const {
    ErrorPlace place{file_, {}, {}, {}};
    if (line > 0) place.line = line; // 0: the file is empty
    return fail(code, std::move(message), std::move(place));
  }

private:
  std::string_view rest_;
  std::uint64_t bytes_;
  const std::string& file_;
  std::uint64_t number_ = 0;
};

/// Adds up what a matrix has in all, which has to be a number, too.
class Totals {
public:
  /// False if a sum is too large for 64 bits.
  bool add(std::uint64_t messages, std::uint64_t bytes) {
    return !__builtin_add_overflow(messages_, messages, &messages_) &&
           !__builtin_add_overflow(bytes_, bytes, &bytes_);
  }
  static constexpr const char* kTooLarge =
      "the messages or bytes up to here add up to more than 18446744073709551615";

private:
  std::uint64_t messages_ = 0;
  std::uint64_t bytes_ = 0;
};

/// Reads fields of one line from left to right; any failure sticks.
class FieldReader {
public:
  explicit FieldReader(std::string_view line) : at_(line.data()), end_(at_ + line.size()) {}

  template <class Number> FieldReader& number(Number& value) {
    skip_blanks();
    const auto [after, error] = std::from_chars(at_, end_, value);
    const bool ends = after == end_ || *after == ',' || is_blank(*after); // not "1" of "1.5"
    good_ = good_ && error == std::errc{} && ends;
    at_ = after;
    return *this;
  }

  FieldReader& comma() {
    skip_blanks();
    good_ = good_ && at_ != end_ && *at_ == ',';
    if (good_) ++at_;
    return *this;
  }

  bool finished() {
    skip_blanks();
    return good_ && at_ == end_;
  }

private:
  void skip_blanks() {
    while (at_ != end_ && is_blank(*at_)) ++at_;
  }

  const char* at_;
  const char* end_;
  bool good_ = true;
};

/// The line for a message: in quotes, printable, cut at 40 characters.
std::string quoted(std::string_view line);

/// The number of ranks of a matrix whose largest rank is known: what the caller wants, what the
/// file says, or one more than the largest. 0 in `largest_line` means there are no entries.
/// @error  kFormat if a rank is not among them; kUnsupported for more than the file is worth
Result<std::int64_t> settle_ranks(const LineReader& reader, std::optional<std::int64_t> wanted,
                                  std::optional<std::int64_t> written, std::int64_t largest_rank,
                                  std::uint64_t largest_line);

} // namespace rondo::matrix::internal
